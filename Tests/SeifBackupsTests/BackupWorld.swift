import SeifBackups
import SeifBytes
import SeifCrypto
import SeifFormats
import SeifOTP
import SeifRecords
import SeifTransportTesting

/// A transport in memory whose faults can be chosen.
final class MemoryTransport: BackupTransport, @unchecked Sendable {
  var files: [String: SecretValue] = [:]
  var alter: (SecretValue) -> SecretValue = { $0 }
  var forgets = false
  var onUpload: () throws(TransportError) -> Void = {}
  var unreadable: Set<String> = []
  var undeletable: Set<String> = []
  /// How many listings work from now on.
  var listings = Int.max
  var downloads: [String] = []
  var fixedName: String?
  var createsConditionally = true
  /// The names of files that are called otherwise than their identifiers.
  var names: [String: String] = [:]
  /// Files that have a name of another.
  var twins: [BackupDescriptor] = []
  /// What other writers do after a file was stored.
  var afterUpload: (MemoryTransport, String) -> Void = { _, _ in }

  var id: String { "memory" }
  var displayName: String { "memory" }
  var requiresAuthentication: Bool { false }
  var supportsAutomaticRestore: Bool { false }
  func isAvailable() -> Bool { true }
  func listBackups() throws(TransportError) -> [BackupDescriptor] {
    guard listings > 0 else { throw TransportError(.unavailable, place: id) }
    listings -= 1
    return files.sorted { $0.key > $1.key }.map {
      BackupDescriptor(id: $0.key, name: names[$0.key] ?? $0.key, byteCount: $0.value.byteCount)
    } + twins
  }
  func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    try onUpload()
    guard files[name] == nil || !createsConditionally else { throw TransportError(.exists, place: name) }
    if !forgets { files[name] = content }
    afterUpload(self, name)
    return BackupDescriptor(id: name, name: name, byteCount: content.byteCount)
  }
  func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    downloads.append(id)
    if unreadable.contains(id) { throw TransportError(.failed, place: id) }
    guard let file = files[id] else { throw TransportError(.notFound, place: id) }
    return alter(file)
  }
  func delete(id: String) throws(TransportError) {
    if undeletable.contains(id) { throw TransportError(.noPermission, place: id) }
    guard files.removeValue(forKey: id) != nil else { throw TransportError(.notFound, place: id) }
  }

  /// One bit of a file, its size as before.
  func flip(_ name: String) {
    guard var bytes = files[name]?.exposedBytes() else { return }
    bytes[bytes.count / 2] ^= 1
    files[name] = SecretValue(bytes)
  }
}

/// A destination and a ledger in memory.
struct BackupWorld {
  static let start: Int64 = 1_789_038_058

  let transport = MemoryTransport()
  var ledger = MemoryLedger()
  var destination = "memory"

  static func records(_ count: Int = 3) throws -> Records {
    var records = Records()
    for number in 0..<count {
      let otp = try OTPParameters(
        kind: .totp(period: 30), secret: SecretValue([UInt8](repeating: UInt8(number + 1), count: 20)))
      records.accounts.append(Account(issuer: "Service \(number)", account: "ana", otp: otp))
    }
    return records
  }

  static func rule(last: Int) -> RetentionRule {
    var rule = RetentionRule()
    (rule.last, rule.daily, rule.weekly, rule.monthly) = (last, 0, 0, 0)
    return rule
  }

  func create(
    _ records: Records, at seconds: Int64 = start, writer: any BackupWriter = AuthBackupWriter(),
    rule: RetentionRule = RetentionRule(), mayPrune: Bool = true, accepting: Set<Acceptance> = [],
    progress: (BackupStage) -> Void = { _ in }
  ) throws -> BackupReport {
    var options = WritingOptions(exportedAt: Timestamp(seconds: seconds))
    options.testCost = Argon2idCost(uncheckedMemoryKiB: 64, passes: 1, lanes: 1)
    return try BackupService(transport: transport, ledger: ledger, destination: destination).create(
      records, writer: writer, options: options,
      passphrase: SecretBytes(copying: SecretValue(utf8: "plum-ladder-quartz")), mayPrune: mayPrune,
      accepting: accepting, rule: rule, progress: progress)
  }

  /// So many proven backups, an hour apart; their names, oldest first.
  func make(_ count: Int, rule: RetentionRule = RetentionRule()) throws -> [String] {
    try (0..<count).map { hour in
      try create(try Self.records(), at: Self.start + Int64(hour) * 3600, rule: rule).proof.name
    }
  }

  func kinds(of name: String) -> [LedgerEvent.Kind] { ledger.written.filter { $0.name == name }.map(\.kind) }
}
