import FoundationEssentials
import SeifBytes
import SeifCrypto
import SeifFormats
import SeifRecords
import SeifSQL
import Testing

@testable import SeifVault

/// Sealed copies of a vault, and strangers' databases in their place.
struct SnapshotTests {
  private static func backup(_ bytes: SecretValue, _ passphrase: String = TestVault.passphrase) throws -> OpenedBackup {
    try read(bytes).openTryingForms(passphrase: TestVault.secret(passphrase))
  }

  private static func read(_ bytes: SecretValue) throws(FormatError) -> any BackupFile {
    var options = ReadingOptions.standard
    options.further = [SnapshotFormat()]
    return try FormatRegistry.read(FormatInput(bytes), options: options)
  }

  private static func filled(_ test: TestVault) throws -> Vault {
    let vault = try test.create()
    _ = try vault.apply(Sample.changes(try Sample.full()))
    return vault
  }

  @Test func aSnapshotHoldsAllThatTheVaultHolds() throws {
    let place = try TestVault()
    let vault = try Self.filled(place)
    let snapshot = try #require(try vault.snapshot())
    let opened = try Self.backup(snapshot.bytes)
    #expect(opened.records == (try vault.records()))
    #expect(opened.problems.isEmpty)
    #expect(opened.header.format == .seifvault)
    #expect(opened.exportedAt != nil)
    // What was written meanwhile, and lies in the log alone, is in it; what is written after isn't.
    _ = try vault.apply([.add(try Sample.totp("Later"))])
    #expect(try Self.backup(snapshot.bytes).records.accounts.count == opened.records.accounts.count)
    let second = try #require(try vault.snapshot())
    #expect(try Self.backup(second.bytes).records == (try vault.records()))
  }

  @Test func aSnapshotIsOfOneMomentWhileAnotherWrites() throws {
    let place = try TestVault()
    let vault = try Self.filled(place)
    let other = try place.open()
    _ = try other.apply([.add(try Sample.totp("Half"))])
    let snapshot = try #require(try vault.snapshot())
    _ = try other.apply([.add(try Sample.totp("Written after"))])
    let opened = try vault.opening(snapshot.bytes)
    #expect(try opened.verify().isEmpty)
    #expect(try opened.records().accounts.contains { $0.issuer == "Half" })
    #expect(try !opened.records().accounts.contains { $0.issuer == "Written after" })
    #expect(try other.records().accounts.contains { $0.issuer == "Written after" })
  }

  @Test func aSnapshotOfALockedVaultOpensAndLeavesNoFile() throws {
    let place = try TestVault()
    let vault = try Self.filled(place)
    let records = try vault.records()
    vault.lock()
    let before = try place.bytes()
    let snapshot = try #require(try Vault.open(at: place.location, access: .readOnly).snapshot())
    #expect(try place.bytes() == before)
    #expect(try Self.backup(snapshot.bytes).records == records)
    // The same file gives the same bytes.
    let again = try #require(try Vault.open(at: place.location, access: .readOnly).snapshot())
    #expect(again.bytes == snapshot.bytes)
  }

  @Test func theRecoveryCodeOpensASnapshotAndNothingElseDoes() throws {
    let place = try TestVault()
    let code = RecoveryCode.make()
    let vault = try Vault.create(
      at: place.location, passphrase: TestVault.secret(TestVault.passphrase), recoveryCode: code, cost: .forTests,
      now: { Moment.start })
    _ = try vault.apply([.add(try Sample.totp("One"))])
    let snapshot = try #require(try vault.snapshot())
    let typed = try #require(code.grouped.exposedText())
    #expect(try Self.backup(snapshot.bytes, typed).records.accounts.count == 1)
    #expect(throws: FormatError.cannotOpen) { try Self.backup(snapshot.bytes, "correct horse battery stapler") }
    #expect(throws: FormatError.cannotOpen) {
      try Self.backup(snapshot.bytes, String(repeating: "A", count: 24))
    }
    #expect(throws: FormatError.passphraseRequired) { try Self.read(snapshot.bytes).open(passphrases: []) }
  }

  @Test func whatThisMachineRemembersDoesNotMakeASnapshotAnOlderCopy() throws {
    let place = try TestVault()
    let vault = try Self.filled(place)
    let snapshot = try #require(try vault.snapshot())
    for number in 0..<5 { _ = try vault.apply([.add(try Sample.totp("More \(number)"))]) }
    let opened = try vault.opening(snapshot.bytes)
    #expect(opened.openingFaults.isEmpty)
    #expect(throws: VaultError(.readOnly)) { try opened.apply([.add(try Sample.totp("Never"))]) }
  }

  @Test func aSnapshotOfAnotherVaultDoesNotOpenWithThisOnesKey() throws {
    let (one, two) = (try TestVault(), try TestVault())
    let snapshot = try #require(try Self.filled(one).snapshot())
    let other = try Self.filled(two)
    #expect(throws: VaultError(.damaged)) { try other.opening(snapshot.bytes) }
  }

  @Test func rowsThatWereTakenOrAlteredAreNamed() throws {
    let statements: [StaticString] = [
      "DELETE FROM item WHERE position = 1", "UPDATE item SET revision = revision + 1 WHERE position = 1",
    ]
    for statement in statements {
      let place = try TestVault()
      let vault = try Self.filled(place)
      vault.lock()
      try place.tamper { connection in try connection.execute(statement) }
      let snapshot = try #require(try Vault.open(at: place.location, access: .readOnly).snapshot())
      let opened = try Self.backup(snapshot.bytes)
      #expect(!opened.problems.isEmpty)
    }
  }

  @Test func aVaultsOwnFileIsRefusedSinceItsLogIsNotThere() throws {
    let place = try TestVault()
    let vault = try Self.filled(place)
    let bytes = SecretValue([UInt8](try Data(contentsOf: URL(filePath: place.location.file))))
    #expect(throws: FormatError.badHeader(field: "journal", .contradiction)) { try Self.read(bytes) }
    vault.lock()
  }

  @Test func anotherProgramsDatabaseIsNoSnapshot() throws {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    bytes.replaceSubrange(0..<16, with: Array("SQLite format 3\u{0}".utf8))
    #expect(throws: FormatError.unknownFormat(.sqlite)) { try Self.read(SecretValue(bytes)) }
    // With our name on it, and nothing behind.
    bytes.replaceSubrange(68..<72, with: Array("Seif".utf8))
    #expect(throws: FormatError.badHeader(field: "journal", .contradiction)) { try Self.read(SecretValue(bytes)) }
    (bytes[18], bytes[19]) = (1, 1)
    #expect(throws: FormatError.self) { try Self.read(SecretValue(bytes)) }
  }

  @Test func aSnapshotWithOtherTablesIsRefusedBeforeAnythingIsTried() throws {
    let statements: [StaticString] = [
      "CREATE TRIGGER stolen AFTER INSERT ON item BEGIN DELETE FROM item; END",
      "CREATE VIEW other AS SELECT 1", "CREATE TABLE more (id BLOB) STRICT", "DROP TABLE undo",
    ]
    for statement in statements {
      let place = try TestVault()
      let vault = try Self.filled(place)
      vault.lock()
      try place.tamper { connection in try connection.execute(statement) }
      let connection = try Connection(path: place.location.file, mode: .readOnly)
      let bytes = SecretValue(try #require(try connection.serialized(limit: VaultSnapshot.byteLimit)))
      #expect(throws: FormatError.otherFormat) { try Self.read(bytes) }
    }
  }

  /// Each page, bent in many ways, either is refused or opens with what is wrong named; nothing traps or hangs.
  @Test func damagedBytesNeverTrapAndNeverPassForWhole() throws {
    let place = try TestVault()
    let vault = try Self.filled(place)
    let whole = try #require(try vault.snapshot()).bytes.exposedBytes()
    let records = try vault.records()
    var generator = SystemRandomNumberGenerator()
    var opened = 0
    for _ in 0..<60 {
      var bytes = whole
      for _ in 0..<4 {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
      }
      guard let vault = try? vault.opening(SecretValue(bytes)) else { continue }
      guard let found = try? vault.records(), let faults = try? vault.verify() else { continue }
      opened += 1
      if faults.isEmpty { #expect(found == records) }
    }
    for count in stride(from: 0, to: whole.count, by: 1_531) {
      #expect(throws: (any Error).self) {
        let vault = try vault.opening(SecretValue(Array(whole.prefix(count))))
        guard try vault.verify().isEmpty else { throw VaultError(.damaged) }
      }
    }
    #expect(opened > 0)
  }

  /// Interior pages that lead to one child many times, five deep: 200 to the fifth times its rows in a few pages.
  @Test func workWithoutEndEnds() throws {
    let place = try TestVault()
    let vault = try Self.filled(place)
    var bytes = try #require(try vault.snapshot()).bytes.exposedBytes()
    let pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
    let connection = try Connection(path: place.location.file, mode: .readOnly)
    let statement = try connection.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'item'")
    #expect(try statement.step())
    let root = Int(try statement.integer(0))
    // The leaf moves to the end, and the root and three more pages become interior ones above it.
    let leaf = Array(bytes[(root - 1) * pageSize..<root * pageSize])
    var pages = bytes.count / pageSize
    func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    bytes += leaf
    pages += 1
    var child = pages
    func interior(to child: Int) -> [UInt8] {
      var page = [UInt8](repeating: 0, count: pageSize)
      let cells = 200
      let start = pageSize - cells * 6
      page[0] = 5
      (page[3], page[4]) = (UInt8(cells >> 8), UInt8(cells & 0xFF))
      (page[5], page[6]) = (UInt8(start >> 8), UInt8(start & 0xFF))
      page.replaceSubrange(8..<12, with: number(child))
      for cell in 0..<cells {
        let offset = start + cell * 6
        (page[12 + cell * 2], page[13 + cell * 2]) = (UInt8(offset >> 8), UInt8(offset & 0xFF))
        page.replaceSubrange(offset..<offset + 4, with: number(child))
        (page[offset + 4], page[offset + 5]) = (0x81, UInt8(cell & 0x7F))
      }
      return page
    }
    for _ in 0..<4 {
      bytes += interior(to: child)
      pages += 1
      child = pages
    }
    bytes.replaceSubrange((root - 1) * pageSize..<root * pageSize, with: interior(to: child))
    bytes.replaceSubrange(28..<32, with: number(pages))
    #expect(throws: VaultError(.damaged)) { try vault.opening(SecretValue(bytes)) }
    #expect(throws: FormatError.self) { try Self.backup(SecretValue(bytes)) }
  }

  @Test func anApprovalIsMadeByThisVaultsKeyAlone() throws {
    let (one, two) = (try TestVault(), try TestVault())
    let (first, second) = (try one.create(), try two.create())
    let text = SecretValue(utf8: "{\"kind\":\"folder\"}")
    #expect(try first.approval(of: text) == first.approval(of: text))
    #expect(try first.approval(of: text) != second.approval(of: text))
    #expect(try first.approval(of: text) != first.approval(of: SecretValue(utf8: "{\"kind\":\"webdav\"}")))
  }
}
