import SeifCommandLine
import SeifBytes
import SeifOTP
import SeifRecords
import SeifVault

/// One thing that the driver does: one transaction, or one file. All of it follows from the seed and the number, so that a
/// process that was killed goes on where the last one was.
enum Step {
  case createVault
  case reopen
  case apply([VaultChange])
  case restoreFromBin(UUID)
  case undo
  case advanceCounter(UUID)
  case purge
  case appendToLedger(LedgerEntry)
  case nextBackupLink
  case recordBackup(sequence: Int64, sha256: [UInt8])
  case upload(name: String, bytes: [UInt8], unnamed: Bool)
  case uploadFile(name: String, bytes: [UInt8])
  case deleteBackup(name: String)
  case output(name: String, bytes: [UInt8], replacing: Bool, unnamed: Bool)
  case createSecond(folder: String)
  case fillSecond([Entry])
  case migrateSecond
  case openSecond
  case addWayIn(String)
  case changeWayIn(String)
  case removeWayIn
  case rotate
}

/// What is done, over and over: each way to write, in an order in which each has what it needs.
enum Plan {
  static let names = [
    "add", "add counter", "import", "upload", "ledger", "link", "record", "replace", "output", "advance", "remove",
    "undo", "add way in",
    "replace output", "remove", "create second", "restore", "upload file", "fill second", "add", "remove",
    "output by name", "change way in", "replace output by name", "rotate", "migrate second", "advance", "purge",
    "open second", "delete backup",
    "reopen", "replace", "undo", "remove way in", "upload by name",
  ]

  static func name(_ number: Int) -> String { number == 0 ? "create" : names[(number - 1) % names.count] }

  /// In every secret, so that a search finds any of them.
  static let canary = "Zx9CanaryQv7"
  static let passphrase = "correct horse Zx9CanaryQv7 battery staple"

  /// Two days go by with each step, so that the bin gets old enough.
  static func moment(_ number: Int) -> Timestamp { Timestamp(seconds: 1_789_000_000 + Int64(number) * 2 * 86_400) }

  static func step(_ number: Int, _ seed: UInt64, _ model: Model) -> Step {
    var random = SplitMix(seed, UInt64(number))
    switch name(number) {
    case "create": return .createVault
    case "add": return .apply([.add(login(number, &random))])
    case "add counter": return .apply([.add(account(number, counter: 7, &random))])
    case "import": return .apply(importing(number, model, &random))
    case "replace":
      guard let row = model.items.last(where: { $0.entry.kind == .passwords }) else { break }
      guard case .password(var entry) = row.entry else { break }
      entry.password = SecretValue(utf8: "\(canary) changed \(number)")
      return .apply([.replace(row.id, .password(entry))])
    case "remove":
      guard !model.items.isEmpty else { break }
      return .apply([.remove(model.items[random.below(model.items.count)].id)])
    case "restore":
      guard let row = model.bin.last else { break }
      return .restoreFromBin(row.id)
    case "undo": if model.history > 0 { return .undo }
    case "advance":
      let counting = model.items.last {
        if case .account(let account) = $0.entry { account.otp.counter != nil } else { false }
      }
      if let counting { return .advanceCounter(counting.id) }
    case "purge": return .purge
    case "ledger":
      return .appendToLedger(
        LedgerEntry(
          event: .stored, at: moment(number), destination: "backups", name: "file \(number)", format: "authbackup",
          bytes: 1234, sha256: random.bytes(32), counts: [.accounts: number], content: random.bytes(32), state: 1))
    case "link": return .nextBackupLink
    case "record": return .recordBackup(sequence: model.link.sequence, sha256: random.bytes(32))
    case "upload", "upload by name":
      let bytes = random.bytes(20_000 + random.below(9_000))
      return .upload(name: "b\(number).authbackup", bytes: bytes, unnamed: name(number) == "upload")
    case "upload file": return .uploadFile(name: "f\(number).authbackup", bytes: random.bytes(3_000))
    case "delete backup":
      if let name = model.backups.keys.min(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) {
        return .deleteBackup(name: name)
      }
    case "output": return .output(name: "new\(number)", bytes: random.bytes(9_000), replacing: false, unnamed: true)
    case "output by name":
      return .output(name: "new\(number)", bytes: random.bytes(9_000), replacing: false, unnamed: false)
    case "replace output": return .output(name: "same", bytes: random.bytes(9_000), replacing: true, unnamed: true)
    case "replace output by name":
      return .output(name: "same", bytes: random.bytes(9_000), replacing: true, unnamed: false)
    case "create second": return .createSecond(folder: "second\(number)")
    case "fill second":
      if model.second != nil { return .fillSecond((0..<8).map { login(number * 100 + $0, &random) }) }
    case "migrate second": if model.second != nil { return .migrateSecond }
    case "open second": if model.second != nil { return .openSecond }
    case "add way in": if model.passphrase == nil { return .addWayIn("\(canary) added \(number)") }
    case "change way in": if model.passphrase != nil { return .changeWayIn("\(canary) changed \(number)") }
    case "remove way in": if model.passphrase != nil { return .removeWayIn }
    case "rotate": return .rotate
    default: break
    }
    return .reopen
  }

  /// An import as a plan makes it: new entries, one that changes, one that can't be used, members that aren't understood.
  /// A vault that has become long loses its oldest entries in the same transaction.
  private static func importing(_ number: Int, _ model: Model, _ random: inout SplitMix) -> [VaultChange] {
    var changes: [VaultChange] = (0..<12).map { .add(account(number * 100 + $0, counter: nil, &random)) }
    changes.append(.add(login(number * 100 + 50, &random)))
    if let row = model.items.first(where: { $0.entry.kind == .passwords }), case .password(var entry) = row.entry {
      entry.username = "renamed\(number)"
      changes.append(.replace(row.id, .password(entry)))
    }
    changes.append(.addUnusable(UnusableEntry(kind: .accounts, json: SecretValue(utf8: "{\"\(canary)\":\(number)}"))))
    changes.append(
      .setOpaque([OpaqueMember(key: "later\(number)", value: SecretValue(utf8: "[\"\(canary)\",\(number)]"))]))
    if let row = model.bin.first { changes.append(.restore(row.id)) }
    if model.items.count > 40 { changes += model.items.dropFirst().prefix(20).map { .remove($0.id) } }
    return changes
  }

  private static func info(_ number: Int, _ random: inout SplitMix) -> EntryInfo {
    var info = EntryInfo()
    info.id = UUID(random: random.bytes(16))
    info.createdAt = Timestamp(seconds: 1_700_000_000 + Int64(number))
    info.notes = SecretValue(utf8: String(repeating: "\(canary) ", count: random.below(120)))
    info.tags = ["tag\(number)"]
    return info
  }

  static func login(_ number: Int, _ random: inout SplitMix) -> Entry {
    var login = Password(password: SecretValue(utf8: "\(canary) \(number)"))
    login.title = "Shop\(number) \(canary)"
    login.username = "ana"
    login.info = info(number, &random)
    return .password(login)
  }

  private static func account(_ number: Int, counter: Int64?, _ random: inout SplitMix) -> Entry {
    let kind: OTPParameters.Kind = counter.map { .hotp(counter: $0) } ?? .totp(period: 30)
    guard let otp = try? OTPParameters(kind: kind, secret: SecretValue(utf8: "\(canary)\(number)-12345678")) else {
      preconditionFailure("internal error: the sample seed is refused")
    }
    return .account(Account(issuer: "Mail\(number) \(canary)", account: "ana", otp: otp, info: info(number, &random)))
  }
}

/// The same numbers on every run and machine.
struct SplitMix {
  private var state: UInt64

  init(_ seed: UInt64, _ number: UInt64) {
    state = seed &* 0xD129_0D3F_51A5_2B13 ^ number &* 0x9E37_79B9_7F4A_7C15
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

  mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let value = next()
      for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(shift)))) }
    }
    return Array(bytes.prefix(count))
  }
}
