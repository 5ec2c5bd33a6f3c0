import SeifCommandLine
import Glibc
import SeifBackups
import SeifBytes
import SeifCrypto
import SeifFormats
import SeifOTP
import SeifRecords
import SeifTransportTesting
import SeifTransports
import Testing

@testable import SeifCommands

/// Every fault of a place: what is said, the exit code, and that the last proven backup is still there.
@Suite struct HostileTransportTests {
  @Test(arguments: Faults.all.indices)
  func aFolderThatFailsIsFoundOut(index: Int) throws {
    let folder = try TemporaryFolder()
    try HostileTrial(FolderTransport(path: folder.path)).run(Faults.all[index])
  }

  @Test func thereAreEnoughAndEachIsCalledByItsOwnName() {
    #expect(Faults.all.count >= 25)
    #expect(Set(Faults.all.map { $0.name }).count == Faults.all.count)
  }
}

/// Older proven backups at a place, then one fault.
struct HostileTrial {
  private static let start: Int64 = 1_789_038_058
  let transport: any BackupTransport
  let ledger = MemoryLedger()

  init(_ transport: any BackupTransport) { self.transport = transport }

  func run(_ fault: any Fault.Type) throws {
    for hour in 0..<4 { _ = try create(over: transport, hour) }
    let proofs = LedgerHistory(ledger.written).proven(at: "here").compactMap(\.proof)
    let last = try #require(proofs.last)
    let hostile = HostileTransport(transport, fault)
    let outcome: (said: String, exitCode: Int32)
    switch fault.deed {
    case .create: outcome = try make(over: hostile, RetentionRule())
    case .prune:
      var rule = RetentionRule()
      (rule.last, rule.daily, rule.weekly, rule.monthly) = (3, 0, 0, 0)
      outcome = try make(over: hostile, rule)
    case .restore:
      let proven = try RestoreSource.proven(LedgerHistory(ledger.written), at: "here", over: hostile)
      let words = BackupFinder.words(proven)
      outcome = (words.joined(separator: "\n"), words.isEmpty ? 0 : ExitCode.usage.rawValue)
      // Whatever is given is what was proven once, byte for byte.
      let found = try #require(proven.found)
      #expect(found.content.withBytes { Digest.sha256($0) } == found.proof.sha256)
      if words.isEmpty { #expect(found.proof == last) }
    }
    let expected = fault.outcome(transport)
    #expect(outcome.exitCode == expected.exitCode, "\(fault.name): \(outcome.said)")
    #expect(expected.says.isEmpty || outcome.said.contains(expected.says), "\(fault.name): \(outcome.said)")
    try check(fault, last)
  }

  /// The last proven backup is as it was, and the ledger calls nothing proven that doesn't lie there.
  private func check(_ fault: any Fault.Type, _ last: LedgerEvent) throws {
    let files = try transport.listBackups()
    func isThere(_ proof: LedgerEvent) throws -> Bool {
      try files.contains { file in
        guard file.name.utf8.elementsEqual(proof.name.utf8) else { return false }
        return try transport.download(id: file.id, limit: 1 << 26).withBytes { Digest.sha256($0) } == proof.sha256
      }
    }
    if fault != DeletesAnother.self { #expect(try isThere(last), "\(fault.name)") }
    for proof in LedgerHistory(ledger.written).standing { #expect(try isThere(proof), "\(fault.name): \(proof.name)") }
  }

  private func make(
    over transport: any BackupTransport, _ rule: RetentionRule
  ) throws -> (said: String, exitCode: Int32) {
    do {
      let report = try create(over: transport, 4, rule)
      let said = BackupWords.lines(report).map(\.text).joined(separator: "\n")
      return (said, report.isAlarming ? ExitCode.checkFailed.rawValue : 0)
    } catch let failure as BackupFailure {
      let said = CommandFailure(failure, destination: "here")
      return (said.what, said.exitCode.rawValue)
    }
  }

  private func create(
    over transport: any BackupTransport, _ hour: Int, _ rule: RetentionRule = RetentionRule()
  ) throws -> BackupReport {
    var options = WritingOptions(exportedAt: Timestamp(seconds: Self.start + Int64(hour) * 3600))
    options.testCost = Argon2idCost(uncheckedMemoryKiB: 64, passes: 1, lanes: 1)
    var records = Records()
    let otp = try OTPParameters(kind: .totp(period: 30), secret: SecretValue([UInt8](repeating: 7, count: 20)))
    records.accounts.append(Account(issuer: "Service", account: "ana", otp: otp))
    return try BackupService(transport: transport, ledger: ledger, destination: "here").create(
      records, writer: AuthBackupWriter(), options: options,
      passphrase: SecretBytes(copying: SecretValue(utf8: "plum-ladder-quartz")), mayPrune: true, rule: rule)
  }
}
