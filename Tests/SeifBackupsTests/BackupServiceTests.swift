import SeifBackups
import SeifBytes
import SeifCrypto
import SeifFormats
import SeifOTP
import SeifRecords
import SeifTransportTesting
import Testing

@Suite struct BackupServiceTests {
  private let world = BackupWorld()
  private var transport: MemoryTransport { world.transport }
  private var ledger: MemoryLedger { world.ledger }

  private func records() throws -> Records { try BackupWorld.records() }

  private func create(
    _ records: Records, at seconds: Int64 = BackupWorld.start, writer: any BackupWriter = AuthBackupWriter(),
    rule: RetentionRule = RetentionRule()
  ) throws -> BackupReport {
    try world.create(records, at: seconds, writer: writer, rule: rule)
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
    let rule = BackupWorld.rule(last: 3)
    for hour in 0..<3 { _ = try create(try records(), at: 1_789_038_058 + Int64(hour) * 3600, rule: rule) }
    let oldest = "seif-backup-20260910T110058Z-0.authbackup"
    let size = try #require(transport.files[oldest]).byteCount
    transport.files[oldest] = SecretValue([UInt8](repeating: 0x41, count: size))
    let report = try create(try records(), at: 1_789_038_058 + 4 * 3600, rule: rule)
    #expect(report.altered == [oldest])
    #expect(transport.files[oldest] != nil)
  }

  @Test func theLedgerHasTheFileBeforeItLeaves() throws {
    transport.onUpload = { [ledger] () throws(TransportError) in
      #expect(ledger.written.map(\.kind) == [.stored])
      throw TransportError(.full, place: "memory")
    }
    let failure = try #require(throws: BackupFailure.self) { try create(try records()) }
    guard case .notStored("seif-backup-20260910T110058Z-0.authbackup", _) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(ledger.written.map(\.kind) == [.stored, .failed])
  }

  @Test func nothingLeavesWhereTheLedgerCantBeWritten() throws {
    ledger.refuses = [.stored]
    #expect(throws: MemoryLedger.Full.self) { try create(try records()) }
    #expect(transport.files.isEmpty)
  }

  @Test func aProofThatCantBeNotedNamesTheFileThatIsThere() throws {
    ledger.refuses = [.proven]
    let failure = try #require(throws: BackupFailure.self) { try create(try records()) }
    guard case .notNoted("seif-backup-20260910T110058Z-0.authbackup", is MemoryLedger.Full) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(transport.files.count == 1)
  }

  @Test func whatCantBeFetchedIsNamed() throws {
    transport.forgets = true
    let failure = try #require(throws: BackupFailure.self) { try create(try records()) }
    guard case .notFetched("seif-backup-20260910T110058Z-0.authbackup", _) = failure else {
      Issue.record("\(failure)")
      return
    }
  }

  @Test func aFailureIsSaidAlsoWhereTheLedgerCantNoteIt() throws {
    transport.forgets = true
    ledger.refuses = [.failed]
    #expect(throws: BackupFailure.self) { try create(try records()) }
    #expect(ledger.written.map(\.kind) == [.stored])
  }

  @Test func aNameThatIsTakenMeanwhileGivesTheNext() throws {
    transport.onUpload = { [transport] () throws(TransportError) in
      transport.onUpload = {}
      throw TransportError(.exists, place: "memory")
    }
    #expect(try create(try records()).proof.name == "seif-backup-20260910T110058Z-1.authbackup")
    #expect(ledger.written.map(\.kind) == [.stored, .failed, .stored, .proven])
  }

  @Test func aSinglePlaceThatIsTakenIsSaidBeforeAnythingIsMade() throws {
    transport.fixedName = "one"
    transport.files["one"] = SecretValue(utf8: "here")
    var stages: [BackupStage] = []
    #expect(throws: BackupFailure.self) { try world.create(try records()) { stages.append($0) } }
    #expect(stages.isEmpty && ledger.written.isEmpty)
  }

  @Test func aProvenFileThatLeftASinglePlaceIsMissed() throws {
    transport.fixedName = "one"
    _ = try create(try records())
    transport.files["one"] = nil
    let report = try create(try records(), at: BackupWorld.start + 60)
    #expect(report.missing == ["one"])
    #expect(ledger.written.map(\.kind) == [.stored, .proven, .missing, .stored, .proven])
  }
}
