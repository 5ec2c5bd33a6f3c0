import SeifSQL
import SeifBytes
import SeifCrypto
import SeifFormats
import SeifRecords
import SeifSQL
import Testing

@testable import SeifVault

@Suite struct LedgerTests {
  static func entry(_ number: Int) -> LedgerEntry {
    LedgerEntry(
      event: .proven, at: Timestamp(seconds: 1_789_000_000 + Int64(number)), destination: "nas",
      name: "seif-backup-\(number).authbackup", format: "authbackup", bytes: 1000 + Int64(number),
      sha256: [UInt8](repeating: UInt8(number), count: 32), counts: [.accounts: 3, .notes: 1],
      content: [UInt8](repeating: 7, count: 32), state: 12)
  }

  @Test func linesComeBackInOrderEachWithTheHashOfTheOneBefore() throws {
    let place = try TestVault()
    let vault = try place.create()
    let stored = try (0..<3).map { try vault.appendToLedger(Self.entry($0)) }
    #expect(try vault.ledger() == stored)
    #expect(stored.map(\.sequence) == [1, 2, 3])
    #expect(stored[0].previous == [UInt8](repeating: 0, count: 32))
    let first = LedgerCodec.encode(stored[0])
    #expect(stored[1].previous == first.withBytes { Digest.sha256($0) })
    let expected =
      #"{"at":"2026-09-10T00:26:40Z","bytes":1000,"content":""# + String(repeating: "07", count: 32)
      + #"","counts":{"accounts":3,"notes":1},"destination":"nas","event":"proven","format":"authbackup","#
      + #""name":"seif-backup-0.authbackup","previous":""# + String(repeating: "0", count: 64)
      + #"","seq":1,"sha256":""#
      + String(repeating: "00", count: 32) + #"","state":12}"#
    // EXPOSE: a line of this test.
    #expect(first.exposedText() == expected)
    #expect(try vault.verify() == [])
  }

  @Test func aRestoreIsNotedInTheTransactionOfItsEntriesOrNotAtAll() throws {
    let place = try TestVault()
    let vault = try place.create()
    let line = LedgerEntry.restored(
      "a.authbackup", from: "nas", sha256: [UInt8](repeating: 3, count: 32), bytes: 9,
      at: Timestamp(seconds: 1_789_000_000), state: 1)
    let counter = try vault.counter()
    let nobody = try #require(UUID("00000000-0000-4000-8000-000000000000"))
    // The last change can't be made, so the line isn't either.
    #expect(throws: VaultError(.noSuchEntry)) {
      try vault.apply([.add(try Sample.totp("A")), .remove(nobody)], noting: line)
    }
    #expect(try vault.ledger().isEmpty && vault.summaries().isEmpty)
    #expect(throws: VaultError(.changedMeanwhile)) {
      try vault.apply([.add(try Sample.totp("A"))], ifCounterIs: counter + 1, noting: line)
    }
    #expect(try vault.ledger().isEmpty && vault.counter() == counter)

    try vault.apply([.add(try Sample.totp("A"))], ifCounterIs: counter, noting: line)
    #expect(try vault.ledger().map(\.restoredName) == ["a.authbackup"])
    #expect(try vault.summaries().count == 1 && vault.counter() == counter + 1)
    // A restore that brings nothing is one, and nothing that can be undone.
    try vault.apply([], noting: line)
    #expect(try vault.ledger().count == 2)
    try vault.undo()
    #expect(try vault.summaries().isEmpty && vault.ledger().count == 2)
    #expect(try vault.verify() == [])
  }

  @Test func onlyALineOfARestoreNamesARestoredBackup() {
    var line = Self.entry(0)
    #expect(line.restoredName == nil)
    line.format = "restored:x"
    #expect(line.restoredName == nil)
    (line.event, line.name) = (.pruned, "")
    #expect(line.restoredName == "x")
    line.format = "accepted-clock"
    #expect(line.restoredName == nil)
  }

  @Test func noLineFollowsOneThatCanNotBeRead() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.appendToLedger(Self.entry(0))
    try vault.write { (rows) throws(VaultError) in
      let id = rows.makeID()
      let sealed = try rows.keys.sealer(.proofs).seal(
        SecretValue(utf8: "{}"), row: id, column: "entry", revision: 1)
      try rows.insert(
        .proofs, id, [.blob(sealed), .blob(id.bytes), .integer(try rows.nextPosition(.proofs)), .integer(1)])
    }
    let counter = try vault.counter()
    #expect(throws: VaultError(.damaged)) { try vault.appendToLedger(Self.entry(1)) }
    #expect(try vault.counter() == counter)
    #expect(try vault.verify() == [.ledger(sequence: 2)])
  }

  @Test func theDigestOfContentsTellsEqualFromChangedRecordsAndVaultFromVault() throws {
    let place = try TestVault()
    let vault = try place.create()
    let records = try Sample.full()
    var changed = records
    changed.passwords[0].password = SecretValue(utf8: "another")
    #expect(try vault.contentDigest(of: records) == vault.contentDigest(of: records))
    #expect(try vault.contentDigest(of: records) != vault.contentDigest(of: changed))
    let other = try TestVault().create()
    #expect(try vault.contentDigest(of: records) != other.contentDigest(of: records))
  }

  @Test func theChainOfBackupsCountsBeforeTheUploadAndNamesTheFileBefore() throws {
    let place = try TestVault()
    var vault = try place.create()
    let zeros = [UInt8](repeating: 0, count: 32)
    let hash = [UInt8](repeating: 5, count: 32)
    #expect(try vault.nextBackupLink() == BackupLink(vault: vault.id, sequence: 1, previous: zeros))
    try vault.recordBackup(sequence: 1, sha256: hash)
    vault.lock()
    vault = try place.open()
    #expect(try vault.nextBackupLink() == BackupLink(vault: vault.id, sequence: 2, previous: hash))
    // Never uploaded: the number stays used, the file before stays the one before.
    #expect(try vault.nextBackupLink() == BackupLink(vault: vault.id, sequence: 3, previous: hash))
    #expect(throws: VaultError(.internalFailure)) { try vault.recordBackup(sequence: 2, sha256: hash) }
    #expect(try vault.verify() == [])
  }
}
