import SeifBytes
import SeifRecords
import SeifVault
import Testing

@testable import SeifAgent

/// Which lines of the ledger speak of what the vault holds now.
@Suite struct LedgerLineTests {
  private let world: AgentWorld
  private let path: String
  private let vault: Vault

  init() throws {
    world = try AgentWorld()
    path = try world.makeVault()
    vault = try world.direct(path)
  }

  /// When the vault was last written to.
  private func last() throws -> Timestamp { try #require(try vault.entries().map(\.updatedAt).max { $0 < $1 }) }

  private func append(at time: Timestamp, content: [UInt8]? = nil) throws {
    let digest = try vault.contentDigest(of: try vault.records())
    _ = try vault.appendToLedger(
      LedgerEntry(
        event: .proven, at: time, destination: "nas", name: "a.authbackup", format: "authbackup", bytes: 1,
        sha256: [UInt8](repeating: 1, count: 32), counts: [.accounts: 3], content: content ?? digest,
        state: try vault.counter()))
  }

  private func current() throws -> [Bool] { try LedgerLine.all(of: vault).map(\.isCurrent) }

  @Test func aLineIsCurrentIfItHasTheSameContentsAndNothingWasWrittenSince() throws {
    let last = try last()
    try append(at: last)
    try append(at: last, content: [UInt8](repeating: 7, count: 32))
    try append(at: Timestamp(milliseconds: last.milliseconds + 60_000))
    // The vault was written to after this one was made.
    try append(at: Timestamp(milliseconds: last.milliseconds - 60_000))
    #expect(try current() == [true, false, true, false])
    // The agent says the same, and nothing of the digest.
    let lines = try world.unlocked(path).ledger()
    #expect(lines.map(\.isCurrent) == [true, false, true, false])
    #expect(lines.allSatisfy { $0.entry.content == [UInt8](repeating: 0, count: 32) })
    #expect(try LedgerLine.all(of: vault).allSatisfy { $0.entry.content == [UInt8](repeating: 0, count: 32) })
  }

  @Test func aChangeMakesAllLinesOld() throws {
    try append(at: try last())
    #expect(try current() == [true])
    let logins = try vault.entries().filter { stored in stored.entry.kind == .passwords }
    let first = try #require(logins.first)
    guard case .password(var login) = first.entry else { return }
    login.title = "Renamed"
    try vault.apply([.replace(first.id, .password(login))])
    #expect(try current() == [false])
    try vault.apply([.remove(first.id)])
    #expect(try current() == [false])
  }

  /// Who puts a guess in the place of a secret doesn't learn by the ledger that it was right.
  @Test func theSameWrittenAgainIsNotCurrentThoughItsContentsAreEqual() throws {
    let time = Timestamp(milliseconds: try last().milliseconds - 60_000)
    try append(at: time)
    let first = try #require(try vault.entries().first)
    try vault.apply([.replace(first.id, first.entry)])
    let digest = try vault.contentDigest(of: try vault.records())
    #expect(try vault.ledger().first?.content == digest)
    #expect(try current() == [false])
  }

  @Test func ofAnEmptyVaultALineIsCurrentWheneverItWasMade() throws {
    try vault.apply(try vault.entries().map { .remove($0.id) })
    try append(at: Timestamp(seconds: 0))
    #expect(try current() == [true])
  }

  @Test func whereNoBackupWasMadeThereAreNone() throws { #expect(try LedgerLine.all(of: vault).isEmpty) }
}
