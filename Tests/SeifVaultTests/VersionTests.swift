import FoundationEssentials
import SeifBytes
import SeifRecords
import SeifSQL
import SeifTestSupport
import Testing

@testable import SeifVault

@Suite struct VersionTests {
  /// A made-up version 2: a new table, and a new column in an old one.
  private static let label = VaultTable(
    name: "label", columns: ["id", "revision"], insert: "INSERT INTO label (id, revision) VALUES (?1, ?2)",
    update: "UPDATE label SET revision = ?2 WHERE id = ?1", delete: "DELETE FROM label WHERE id = ?1",
    selectOne: "SELECT id, revision FROM label WHERE id = ?1", selectAll: "SELECT id, revision FROM label ORDER BY id",
    lastPosition: nil)
  private static let vaultTable = VaultTable(
    name: "vault", columns: ["created_at", "generation", "id", "name", "revision"],
    insert: "INSERT INTO vault (created_at, generation, id, name, revision) VALUES (?1, ?2, ?3, ?4, ?5)",
    update: "UPDATE vault SET created_at = ?1, generation = ?2, name = ?4, revision = ?5 WHERE id = ?3",
    delete: "DELETE FROM vault WHERE id = ?1",
    selectOne: "SELECT created_at, generation, id, name, revision FROM vault WHERE id = ?1",
    selectAll: "SELECT created_at, generation, id, name, revision FROM vault ORDER BY id", lastPosition: nil)

  private static func second(_ statements: [StaticString]) -> VaultSchema {
    var definitions = VaultSchemaVersion.first.definitions
    let created = "CREATE TABLE label (id BLOB PRIMARY KEY NOT NULL, revision INTEGER NOT NULL) STRICT"
    definitions["label"] = created
    definitions["vault"] = definitions["vault"]?.replacing("\n) STRICT", with: "\n, name TEXT) STRICT")
    return VaultSchema(versions: [
      .first,
      VaultSchemaVersion(
        step: "labels and a name", statements: statements,
        tables: VaultSchemaVersion.first.tables.map { $0.name == "vault" ? vaultTable : $0 } + [label],
        definitions: definitions),
    ])
  }

  private static let good: [StaticString] = [
    "CREATE TABLE label (id BLOB PRIMARY KEY NOT NULL, revision INTEGER NOT NULL) STRICT",
    "ALTER TABLE vault ADD COLUMN name TEXT",
  ]

  private func unlock(_ place: TestVault, _ schema: VaultSchema, _ access: VaultAccess = .readWrite) throws -> Vault {
    try Vault.open(at: place.location, access: access, schema: schema).unlock(
      passphrase: TestVault.secret(TestVault.passphrase))
  }

  @Test func anOlderVaultIsBroughtUpToDateAndTheOldFileKeptUntilTheNextCleanUnlock() throws {
    let place = try TestVault()
    var vault = try place.create()
    try vault.apply(Sample.changes(try Sample.full()))
    let records = try vault.records()
    vault.lock()
    vault = try unlock(place, Self.second(Self.good))
    #expect(vault.openingFaults == [])
    #expect(try vault.records() == records)
    #expect(try vault.verify() == [])
    vault.lock()
    #expect(try Set(place.bytes().keys) == ["vault.db", "vault.db.version-1"])
    // What was kept is the old file, which the old program opens.
    let old = try TestVault()
    try FileManager.default.createDirectory(atPath: old.location.folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: place.location.file + ".version-1", toPath: old.location.file)
    #expect(try old.open().records() == records)
    vault = try unlock(place, Self.second(Self.good))
    try vault.add([try Sample.totp("after")])
    #expect(try vault.verify() == [])
    vault.lock()
    #expect(try Set(place.bytes().keys) == ["vault.db"])
  }

  @Test func whatDidNotMatchBeforeAMigrationDoesNotMatchAfter() throws {
    let place = try TestVault()
    try place.create().lock()
    try place.tamper { try $0.execute("UPDATE vault SET created_at = created_at + 1") }
    let vault = try unlock(place, Self.second(Self.good))
    #expect(vault.openingFaults == [.contents])
    vault.lock()
    try unlock(place, Self.second(Self.good)).lock()
    #expect(try place.bytes().keys.contains("vault.db.version-1"))
  }

  @Test func anOlderVaultIsNotOpenedForReadingOnly() throws {
    let place = try TestVault()
    try place.create().lock()
    let before = try place.bytes()
    #expect(throws: VaultError(.olderVersion)) { try unlock(place, Self.second(Self.good), .readOnly) }
    #expect(try place.bytes() == before)
  }

  @Test func aStepThatFailsLeavesTheVersionBeforeAndIsTriedAgain() throws {
    let place = try TestVault()
    var vault = try place.create()
    try vault.add([try Sample.totp("A")])
    vault.lock()
    let bad = Self.second(Self.good + ["CREATE TABLE vault (id)"])
    for _ in 0..<2 {
      do {
        _ = try unlock(place, bad)
        Issue.record("a step that fails succeeded")
      } catch let error as VaultError {
        #expect(error.code == .migrationFailed)
        #expect(error.detail.contains("labels and a name"))
        #expect(error.detail.contains("already exists"))
      }
    }
    vault = try place.open()
    #expect(try vault.records().count == 1)
    #expect(try vault.verify() == [])
    vault.lock()
    #expect(try unlock(place, Self.second(Self.good)).records().count == 1)
  }

  @Test(arguments: [VaultAccess.readOnly, .readWrite])
  func aNewerVaultIsRefusedAndStaysByteForByte(access: VaultAccess) throws {
    let place = try TestVault()
    try place.create().lock()
    try place.tamper { try $0.execute("PRAGMA user_version = 2") }
    let before = try place.bytes()
    #expect(throws: VaultError(.newerVersion)) { try place.open(access) }
    #expect(try place.bytes() == before)
  }

  @Test(arguments: [VaultAccess.readOnly, .readWrite])
  func tablesWithoutAVersionAreRefused(access: VaultAccess) throws {
    let place = try TestVault()
    try place.create().lock()
    try place.tamper { try $0.execute("PRAGMA user_version = 0") }
    let before = try place.bytes()
    #expect(throws: VaultError(.notAVault)) { try place.open(access) }
    #expect(try place.bytes() == before)
    try Data("not a database at all, but long enough to be looked at".utf8).write(
      to: URL(filePath: place.location.file))
    #expect(throws: VaultError(.notAVault)) { try place.open(access) }
  }

  // MARK: - Stored vaults

  private static let stored = TestData.packageRoot.appending(path: "Tests/Vectors/vaults/v1")

  /// All entries as JSON, with their members in order.
  private static func json(_ vault: Vault) throws -> SecretValue {
    let records = try vault.records()
    var writer = JSONWriter(indent: 1)
    writer.beginObject()
    for kind in RecordKind.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
      writer.key(kind.rawValue)
      var list = records
      list.unusable = []
      EntryEncoding.encode(kind, of: list, into: &writer)
    }
    writer.key("unusable")
    writer.integer(Int64(records.unusable.count))
    writer.endObject()
    return writer.finish()
  }

  @Test func aVaultOfTheFirstReleaseOpens() throws {
    let place = try TestVault()
    try FileManager.default.createDirectory(atPath: place.location.folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Self.stored.appending(path: "vault.db").path, toPath: place.location.file)
    let passphrase = try String(contentsOf: Self.stored.appending(path: "passphrase.txt"), encoding: .utf8)
    let vault = try Vault.open(at: place.location, access: .readWrite).unlock(
      passphrase: TestVault.secret(String(passphrase.dropLast())))
    #expect(vault.openingFaults == [])
    #expect(try vault.verify() == [])
    let expected = try Data(contentsOf: Self.stored.appending(path: "records.json"))
    #expect(try Self.json(vault) == SecretValue([UInt8](expected)))
    #expect(try vault.bin().count == 1)
    #expect(try vault.ledger().count == 1)
    try vault.undo()
    try vault.add([try Sample.totp("new")])
    #expect(try vault.verify() == [])
  }

  /// Makes the stored vault: once, for a release. `SEIF_MAKE_VAULT=1 swift test --filter makesTheStoredVault`
  @Test(.enabled(if: ProcessInfo.processInfo.environment["SEIF_MAKE_VAULT"] != nil))
  func makesTheStoredVault() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.apply(Sample.changes(try Sample.full()))
    try vault.appendToLedger(LedgerTests.entry(0))
    try vault.remove([try vault.summaries()[0].id])
    let json = try Self.json(vault)
    vault.lock()
    try FileManager.default.createDirectory(at: Self.stored, withIntermediateDirectories: true)
    let file = Self.stored.appending(path: "vault.db")
    try? FileManager.default.removeItem(at: file)
    try FileManager.default.copyItem(atPath: place.location.file, toPath: file.path)
    // EXPOSE: invented contents.
    try Data(json.exposedBytes()).write(to: Self.stored.appending(path: "records.json"))
    try Data((TestVault.passphrase + "\n").utf8).write(to: Self.stored.appending(path: "passphrase.txt"))
  }
}
