private import CSeif
private import Glibc
private import SeifBytes
private import SeifCrypto
private import SeifFormats
private import SeifRecords
private import SeifVault
private import Synchronization

/// Gives hostile databases to the reader of snapshots, without a key and with the one of their vault: it may not trap, and
/// what it takes for a whole snapshot of the vault holds what one of the vault's own snapshots holds.
///
/// A snapshot is too long and too full of seals for bytes by chance to get anywhere. So a probe has a vault of its own,
/// the same in each run, and the bytes that it looks at say what becomes of its snapshot:
///
/// | first byte | what follows |
/// | --- | --- |
/// | 0 | the file itself |
/// | else | changes, one after the other, as far as they are whole: |
///
/// | change | then | what it does |
/// | --- | --- | --- |
/// | 0 | place (3 bytes), length (1), bytes | writes them there |
/// | 1 | page (1), place in it (2), length (1), bytes | the same, in a page |
/// | 2 | page (1), page (1) | puts a page in the place of another |
/// | 3 | page (1) | puts the page of an earlier snapshot of the vault there |
/// | 4 | count (1) | cuts the file to so many pages, or adds some, and says so in its header |
///
/// Numbers are big-endian, and taken modulo what there is.
public final class SnapshotProbe {
  /// A property that didn't hold.
  public struct Finding: Error, Equatable {
    /// What, in words.
    public let words: String
  }

  /// How far a file gets.
  public enum Outcome: Sendable {
    /// It hasn't the outside of a snapshot.
    case refused
    /// It has, and doesn't open with the vault's key.
    case read
    /// It opens, and isn't as it was written.
    case opened
    /// It is as the vault wrote it, then or earlier.
    case whole
  }

  /// What a snapshot holds.
  private struct State: Equatable {
    var counter: Int64
    var records: Records
    var ledger: [LedgerEntry]
  }

  static let pageByteCount = 8_192
  private let vault: Vault
  private let earlier: [UInt8]
  /// The snapshot that changes begin with.
  public let snapshot: [UInt8]
  private let states: [State]

  /// Makes the vault in a folder of its own below `/tmp`; nil where that can't be made.
  public init?() {
    var template = Array("/tmp/seif-snapshot-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // From then on only the vault's key is used, and a fuzzer is ended without a word.
    defer { Self.remove(folder) }
    do {
      let random = Self.random()
      let vault = try Vault.create(
        at: VaultLocation(folder: folder, stateFolder: folder),
        passphrase: SecretBytes(copying: SecretValue(utf8: "correct horse battery staple")),
        recoveryCode: RecoveryCode.make(random), cost: .forTests, random: random,
        now: { Timestamp(seconds: 1_767_225_600) })
      let added = try vault.apply(try Self.entries().map { VaultChange.add($0) })
      try Self.note(vault)
      guard let first = try vault.snapshot() else { return nil }
      // A row in the bin, one with a history, and one that only the later snapshot has.
      _ = try vault.apply([.remove(added[0]), .replace(added[1], try Self.entries()[2])])
      _ = try vault.apply([.add(try Self.entries()[1])])
      try Self.note(vault)
      guard let second = try vault.snapshot() else { return nil }
      self.vault = vault
      (earlier, snapshot) = (first.bytes.exposedBytes(), second.bytes.exposedBytes())
      states = try [first.bytes, second.bytes].map { try Self.state(of: vault.opening($0)) }
    } catch {
      return nil
    }
  }

  deinit { vault.lock() }

  private static func remove(_ folder: String) {
    guard let list = opendir(folder) else { return }
    while let entry = readdir(list) {
      let name = String(cString: seif_entry_name(entry))
      if name != ".", name != ".." { unlink("\(folder)/\(name)") }
    }
    closedir(list)
    rmdir(folder)
  }

  /// - Throws: a property that doesn't hold.
  @discardableResult
  public func look(at bytes: [UInt8]) throws(Finding) -> Outcome {
    guard let first = bytes.first else { return .refused }
    let content = SecretValue(first == 0 ? Array(bytes.dropFirst()) : changed(by: bytes.dropFirst()))
    var outcome = Outcome.refused
    if let file = try? SnapshotFormat().readHeader(FormatInput(content), options: .standard) {
      outcome = .read
      _ = Inspection(file)
    }
    guard let copy = try? vault.opening(content) else { return outcome }
    defer { copy.lock() }
    // As where a snapshot is proven: whatever has no fault is what the vault once wrote.
    guard (try? copy.verify().isEmpty) == true, let state = try? Self.state(of: copy), copy.damage.isEmpty else {
      return .opened
    }
    guard states.contains(state) else { throw Finding(words: "a changed snapshot passes for a whole one") }
    return .whole
  }

  // MARK: - The vault

  private static func state(of vault: Vault) throws(VaultError) -> State {
    State(counter: try vault.counter(), records: try vault.records(), ledger: try vault.ledger())
  }

  /// The same in each run, so that what was found once is found again.
  private static func random() -> RandomSource {
    let state = Mutex<UInt64>(20)
    return RandomSource { buffer in
      state.withLock { state in
        for index in buffer.indices {
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          buffer[index] = UInt8(truncatingIfNeeded: state >> 56)
        }
      }
    }
  }

  private static func entries() throws -> [Entry] {
    let texts: [(RecordKind, String)] = [
      (.accounts, #"[{"type":"totp","issuer":"A","account":"b","secret":"GEZDGNBVGY3TQOJQ","digits":6,"period":30}]"#),
      (.passwords, #"[{"title":"Forge","username":"ana","password":"p","urls":["https://forge.example"]}]"#),
      (.passwords, #"[{"title":"Forge","username":"ana","password":"q","tags":["work"]}]"#),
    ]
    return try texts.map { kind, text in
      var (records, problems): (Records, [EntryProblem]) = (Records(), [])
      let document = try JSONDocument(parsing: SecretValue(utf8: text), policy: .strict)
      EntryDecoding.decode(kind, from: document.root, into: &records, problems: &problems)
      guard let entry = records.entries.first, problems.isEmpty else { throw Finding(words: "an entry of the probe's") }
      return entry
    }
  }

  private static func note(_ vault: Vault) throws(VaultError) {
    try vault.appendToLedger(
      LedgerEntry(
        event: .stored, at: Timestamp(seconds: 1_767_225_600), destination: "shelf", name: "a.seifvault",
        format: SnapshotFormat.ledgerName, bytes: 9, sha256: [UInt8](repeating: 7, count: 32), counts: [:],
        content: [UInt8](repeating: 8, count: 32), state: try vault.counter()))
  }

  // MARK: - Changes

  private func changed(by bytes: ArraySlice<UInt8>) -> [UInt8] {
    var file = snapshot
    var rest = bytes
    func take(_ count: Int) -> ArraySlice<UInt8>? {
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    func number(_ count: Int) -> Int? { take(count).map { $0.reduce(0) { $0 << 8 | Int($1) } } }
    func write(_ part: ArraySlice<UInt8>, at place: Int) {
      let part = part.prefix(file.count - place)
      file.replaceSubrange(place..<place + part.count, with: part)
    }
    // A file always has a page, so that what is taken modulo their number is one.
    func page() -> Int? { number(1).map { $0 % (file.count / Self.pageByteCount) * Self.pageByteCount } }
    func part() -> ArraySlice<UInt8>? { number(1).flatMap { take($0) } }
    while let kind = number(1) {
      switch kind % 5 {
      case 0:
        guard let place = number(3), let part = part() else { return file }
        write(part, at: place % file.count)
      case 1:
        guard let page = page(), let place = number(2), let part = part() else { return file }
        write(part, at: page + place % Self.pageByteCount)
      case 2:
        guard let target = page(), let source = page() else { return file }
        write(file[source..<source + Self.pageByteCount], at: target)
      case 3:
        guard let page = page() else { return file }
        write(earlier[min(page, earlier.count)..<min(page + Self.pageByteCount, earlier.count)], at: page)
      default:
        guard let count = number(1) else { return file }
        let length = max(1, count) * Self.pageByteCount
        file = Array(file.prefix(length)) + [UInt8](repeating: 0, count: max(0, length - file.count))
        write([0, 0, UInt8(truncatingIfNeeded: max(1, count) >> 8), UInt8(truncatingIfNeeded: max(1, count))], at: 28)
      }
    }
    return file
  }
}
