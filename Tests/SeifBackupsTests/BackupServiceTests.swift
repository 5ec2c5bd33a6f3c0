import SeifBackups
import SeifBytes
import SeifCrypto
import SeifFormats
import SeifOTP
import SeifRecords
import Testing

/// A transport in memory whose faults can be chosen.
final class MemoryTransport: BackupTransport {
  var files: [String: SecretValue] = [:]
  var alter: (SecretValue) -> SecretValue = { $0 }
  var forgets = false

  var id: String { "memory" }
  var displayName: String { "memory" }
  var requiresAuthentication: Bool { false }
  var supportsAutomaticRestore: Bool { false }
  var takesNames: Bool { true }
  func isAvailable() -> Bool { true }
  func listBackups() throws(TransportError) -> [BackupDescriptor] {
    files.map { BackupDescriptor(id: $0.key, name: $0.key, byteCount: $0.value.byteCount) }
  }
  func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    guard files[name] == nil else { throw TransportError(.exists, place: name) }
    if !forgets { files[name] = content }
    return BackupDescriptor(id: name, name: name, byteCount: content.byteCount)
  }
  func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    guard let file = files[id] else { throw TransportError(.notFound, place: id) }
    return alter(file)
  }
  func delete(id: String) throws(TransportError) {
    guard files.removeValue(forKey: id) != nil else { throw TransportError(.notFound, place: id) }
  }
}

final class MemoryLedger: ProofLedger {
  var written: [LedgerEvent] = []
  func events() throws -> [LedgerEvent] { written }
  func append(_ event: LedgerEvent, records: Records?) throws { written.append(event) }
}

@Suite struct BackupServiceTests {
  private let transport = MemoryTransport()
  private let ledger = MemoryLedger()
  private var service: BackupService {
    BackupService(transport: transport, ledger: ledger, destination: "memory")
  }

  private func records(_ count: Int = 3) throws -> Records {
    var records = Records()
    for number in 0..<count {
      let otp = try OTPParameters(
        kind: .totp(period: 30), secret: SecretValue([UInt8](repeating: UInt8(number + 1), count: 20)))
      records.accounts.append(Account(issuer: "Service \(number)", account: "ana", otp: otp))
    }
    return records
  }

  private func options(at seconds: Int64 = 1_789_038_058) -> WritingOptions {
    var options = WritingOptions(exportedAt: Timestamp(seconds: seconds))
    options.testCost = Argon2idCost(memoryKiB: 64, passes: 1, lanes: 1)
    return options
  }

  private func create(
    _ records: Records, at seconds: Int64 = 1_789_038_058, writer: any BackupWriter = AuthBackupWriter(),
    rule: RetentionRule = RetentionRule()
  ) throws -> BackupReport {
    try service.create(
      records, writer: writer, options: options(at: seconds),
      passphrase: SecretBytes(copying: SecretValue(utf8: "plum-ladder-quartz")), rule: rule)
  }

  @Test func aBackupIsStoredThenProven() throws {
    let report = try create(try records())
    #expect(ledger.written.map(\.kind) == [.stored, .proven])
    #expect(report.proof.name == "seif-backup-20260910T110058Z-0.authbackup")
    let file = try #require(transport.files[report.proof.name])
    #expect(file.withBytes { Digest.sha256($0) } == report.proof.sha256)
    #expect(report.proof.counts[.accounts] == 3)
  }

  @Test func threeBackupsOfOneSecondHaveThreeNames() throws {
    for _ in 0..<3 { _ = try create(try records()) }
    #expect(
      transport.files.keys.sorted() == (0...2).map { "seif-backup-20260910T110058Z-\($0).authbackup" })
  }

  @Test func alteredBytesAreNoProof() throws {
    transport.alter = { file in
      var bytes = file.exposedBytes()
      bytes[bytes.count / 2] ^= 1
      return SecretValue(bytes)
    }
    #expect(throws: BackupFailure.self) { try create(try records()) }
    #expect(ledger.written.map(\.kind) == [.stored, .altered])
  }

  @Test func anUploadThatVanishesIsNoProof() throws {
    transport.forgets = true
    #expect(throws: BackupFailure.self) { try create(try records()) }
    #expect(ledger.written.map(\.kind) == [.stored, .failed])
  }

  @Test func aFormatThatHoldsLessIsRefusedBeforeAnythingIsStored() throws {
    var records = try records()
    records.notes.append(Note(text: SecretValue(utf8: "a note")))
    #expect(throws: BackupFailure.self) { try create(records, writer: Vault2FAWriter()) }
    #expect(transport.files.isEmpty && ledger.written.isEmpty)
  }

  @Test func oldProvenBackupsGoAndStrangersStay() throws {
    transport.files["holiday.jpg"] = SecretValue(utf8: "not ours")
    var rule = RetentionRule()
    (rule.last, rule.daily, rule.weekly, rule.monthly) = (3, 0, 0, 0)
    var report: BackupReport?
    for hour in 0..<5 { report = try create(try records(), at: 1_789_038_058 + Int64(hour) * 3600, rule: rule) }
    #expect(transport.files.count == 4)
    #expect(report?.foreign == ["holiday.jpg"])
    #expect(ledger.written.filter { $0.kind == .pruned }.count == 2)
  }

  @Test func aProvenBackupThatWasSwappedIsntDeletedAndIsSaid() throws {
    var rule = RetentionRule()
    (rule.last, rule.daily, rule.weekly, rule.monthly) = (3, 0, 0, 0)
    for hour in 0..<3 { _ = try create(try records(), at: 1_789_038_058 + Int64(hour) * 3600, rule: rule) }
    let oldest = "seif-backup-20260910T110058Z-0.authbackup"
    let size = try #require(transport.files[oldest]).byteCount
    transport.files[oldest] = SecretValue([UInt8](repeating: 0x41, count: size))
    let report = try create(try records(), at: 1_789_038_058 + 4 * 3600, rule: rule)
    #expect(report.missing == [oldest])
    #expect(transport.files[oldest] != nil)
  }
}
