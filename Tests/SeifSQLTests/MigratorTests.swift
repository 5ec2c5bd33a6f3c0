import FoundationEssentials
import SeifSQL
import SeifSQLTesting
import Testing

struct MigratorTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.db")
  }

  static let first = Migration("accounts") { (connection) throws(SQLError) in
    try connection.execute(
      """
      CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
      CREATE TABLE code (account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE) STRICT
      """)
  }
  static let second = Migration("tags") { (connection) throws(SQLError) in
    try connection.execute("INSERT INTO account VALUES (2, 'by step two'); CREATE TABLE tag (name TEXT) STRICT")
  }
  /// Rebuilds a table that another points to: with foreign keys on, its rows would be deleted.
  static let third = Migration("rebuild") { (connection) throws(SQLError) in
    try connection.execute(
      """
      CREATE TABLE fresh (id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT) STRICT;
      INSERT INTO fresh SELECT id, name, NULL FROM account;
      DROP TABLE account;
      ALTER TABLE fresh RENAME TO account
      """)
  }

  private static let owner: Int32 = 0x5345_4946
  static let old = Migrator(applicationID: owner, migrations: [first])
  static let new = Migrator(applicationID: owner, migrations: [first, second, third])

  private func makeOld() throws {
    let connection = try Self.old.open(path: path, mode: .create)
    try connection.execute("INSERT INTO account VALUES (1, 'old'); INSERT INTO code VALUES (1)")
    try connection.close()
  }

  @Test func aNewFileGoesThroughAllSteps() throws {
    let connection = try Self.new.open(path: path, mode: .create) { (_, _) throws(SQLError) in
      Issue.record("nothing to keep of a new file")
    }
    #expect(try connection.userVersion() == 3)
    #expect(try connection.applicationID() == Self.owner)
    #expect(try connection.schema().map(\.name) == ["account", "code", "tag"])
  }

  @Test func anOldFileGoesThroughTheMissingStepsAndKeepsItsRows() throws {
    try makeOld()
    let kept = folder.file("kept.db")
    let connection = try Self.new.open(path: path, mode: .readWrite) { (old, version) throws(SQLError) in
      #expect(version == 1)
      try old.copy(to: kept)
    }
    #expect(try connection.userVersion() == 3)
    #expect(try connection.numbers("SELECT account FROM code") == [1])
    #expect(try connection.numbers("SELECT id FROM account ORDER BY id") == [1, 2])
    #expect(try connection.number("PRAGMA foreign_keys") == 1)
    let before = try Self.old.open(path: kept, mode: .readOnly)
    #expect(try before.numbers("SELECT id FROM account") == [1])
    try connection.close()
    let again = try Self.new.open(path: path, mode: .readWrite) { (_, _) throws(SQLError) in
      Issue.record("nothing left to do")
    }
    #expect(try again.userVersion() == 3)
  }

  @Test func nothingHappensIfTheOldFileCantBeKept() throws {
    try makeOld()
    #expect(throws: SQLError(.full)) {
      try Self.new.open(path: path, mode: .readWrite) { (_, _) throws(SQLError) in throw SQLError(.full) }
    }
    #expect(try Self.old.open(path: path, mode: .readWrite).numbers("SELECT id FROM account") == [1])
  }

  /// Also a file whose newer version stands only in a log that a crash left.
  @Test(arguments: [Connection.Mode.readOnly, .readWrite])
  func aNewerFileIsRefusedByteForByteUnchanged(_ mode: Connection.Mode) throws {
    try makeOld()
    for journal in [ConnectionOptions.Journal.writeAheadLog, .rollback] {
      let newer = try Connection(path: path, mode: .readWrite, options: .init(journal: journal))
      try newer.setUserVersion(2)
      try newer.close()
      let before = folder.bytes("a.db")
      #expect(throws: SQLError(.newerSchema)) { try Self.old.open(path: path, mode: mode) }
      #expect(folder.bytes("a.db") == before)
      #expect(folder.names == ["a.db"])
    }
    let live = try Connection(path: path, mode: .readWrite)
    try live.setUserVersion(4)
    let other = try TemporaryFolder()
    for name in ["a.db", "a.db-wal"] {
      try Data(#require(folder.bytes(name))).write(to: URL(filePath: other.file(name)))
    }
    #expect(throws: SQLError(.newerSchema)) { try Self.new.open(path: other.file("a.db"), mode: mode) }
  }

  @Test(arguments: [Connection.Mode.readOnly, .readWrite])
  func tablesWithoutAVersionAreRefusedByteForByteUnchanged(_ mode: Connection.Mode) throws {
    try makeOld()
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.setUserVersion(0)
    try connection.close()
    let before = folder.bytes("a.db")
    #expect(throws: SQLError(.foreignSchema)) { try Self.new.open(path: path, mode: mode) }
    #expect(folder.bytes("a.db") == before)
    #expect(folder.names == ["a.db"])
  }

  @Test func anotherProgramsFileIsRefused() throws {
    let connection = try Connection(path: path, mode: .create)
    try connection.setApplicationID(1)
    try connection.close()
    #expect(throws: SQLError(.foreignSchema)) { try Self.new.open(path: path, mode: .readWrite) }
    let versioned = try Connection(path: path, mode: .readWrite)
    try versioned.setApplicationID(0)
    try versioned.setUserVersion(1)
    try versioned.close()
    #expect(throws: SQLError(.foreignSchema)) { try Self.new.open(path: path, mode: .readWrite) }
  }

  @Test func anEmptyFileIsFilled() throws {
    try Data().write(to: URL(filePath: path))
    #expect(try Self.new.open(path: path, mode: .readWrite).userVersion() == 3)
  }

  @Test func anOldFileIsNotReadWithoutBeingBroughtUpToDate() throws {
    try makeOld()
    #expect(throws: SQLError(.migrationFailed)) { try Self.new.open(path: path, mode: .readOnly) }
    #expect(folder.names == ["a.db"])
  }

  @Test func aFailedStepLeavesTheLastFinishedOneAndIsTriedAgain() throws {
    try makeOld()
    // The second step makes a table `tag`: now it can't.
    let hindered = try Connection(path: path, mode: .readWrite)
    try hindered.execute("CREATE TABLE tag (other INTEGER) STRICT")
    try hindered.close()
    for _ in 0..<2 {
      let error = try #require(throws: SQLError.self) { try Self.new.open(path: path, mode: .readWrite) }
      #expect(error.code == .migrationFailed && error.cause == .statement)
      #expect(error.migration == "tags")
      #expect(error.message.contains("tag already exists"))
      #expect("\(error)".contains("'tags'"))
      let program = try Self.old.open(path: path, mode: .readWrite)
      #expect(try program.userVersion() == 1)
      #expect(try program.numbers("SELECT id FROM account") == [1])
      try program.close()
    }
    let freed = try Connection(path: path, mode: .readWrite)
    try freed.execute("DROP TABLE tag")
    try freed.close()
    let connection = try Self.new.open(path: path, mode: .readWrite)
    #expect(try connection.userVersion() == 3)
    #expect(try connection.number("PRAGMA foreign_keys") == 1)
  }

  @Test func aStepThatBreaksAForeignKeyIsTakenBack() throws {
    try makeOld()
    let breaking = Migrator(
      applicationID: Self.owner,
      migrations: [
        Self.first,
        Migration("breaks") { (connection) throws(SQLError) in try connection.execute("DELETE FROM account") },
      ])
    let error = try #require(throws: SQLError.self) { try breaking.open(path: path, mode: .readWrite) }
    #expect(error.code == .migrationFailed && error.cause == .constraint && error.migration == "breaks")
    let connection = try Self.old.open(path: path, mode: .readWrite)
    #expect(try connection.numbers("SELECT id FROM account") == [1])
  }

  /// At every write of the way.
  @Test func aDiskFullAtAnyWriteLeavesAWholeVersion() throws {
    let vfs = RecordingVFS(name: "migration-full")
    vfs.setRecording(false)
    var call = 1
    while true {
      let name = "full-\(call).db"
      let connection = try Self.old.open(path: folder.file(name), mode: .create)
      try connection.execute("INSERT INTO account VALUES (1, 'old'); INSERT INTO code VALUES (1)")
      try connection.close()
      vfs.inject(StorageFault(.write, call: call, code: 13, lasting: true))
      var failure: SQLError?
      do throws(SQLError) {
        _ = try Self.new.open(path: folder.file(name), mode: .readWrite, vfs: vfs.name)
      } catch { failure = error }
      let fired = vfs.faultsFired
      vfs.inject(nil)
      if let failure { #expect((failure.cause ?? failure.code) == .full, "\(failure)") }
      let after = try Connection(path: folder.file(name), mode: .readWrite)
      let version = try after.userVersion()
      #expect((1...3).contains(version))
      #expect(try after.integrityCheck() == [])
      #expect(try after.numbers("SELECT id FROM account ORDER BY id") == (version == 1 ? [1] : [1, 2]))
      #expect(try after.schema().count == (version == 1 ? 2 : 3))
      try after.close()
      #expect(try Self.new.open(path: folder.file(name), mode: .readWrite).userVersion() == 3)
      if fired == 0 { break }
      call += 1
    }
    #expect(call > 5)
  }
}
