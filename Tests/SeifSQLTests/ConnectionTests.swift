import FoundationEssentials
import Glibc
import SeifSQL
import Testing

struct ConnectionTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.db")
  }

  @Test func settingsAreTheStrictOnes() throws {
    let connection = try Connection(path: path, mode: .create)
    #expect(try connection.word("PRAGMA journal_mode") == "wal")
    #expect(try connection.number("PRAGMA foreign_keys") == 1)
    #expect(try connection.number("PRAGMA trusted_schema") == 0)
    #expect(try connection.number("PRAGMA secure_delete") == 1)
    #expect(try connection.number("PRAGMA synchronous") == 2)
    #expect(try connection.number("PRAGMA temp_store") == 2)
    #expect(try connection.number("PRAGMA cell_size_check") == 1)
    #expect(try connection.number("PRAGMA busy_timeout") == 5_000)
  }

  @Test func theRollbackOptionLeavesNoLogAndSyncsTheFolder() throws {
    let connection = try Connection(path: path, mode: .create, options: .init(journal: .rollback))
    try connection.execute("CREATE TABLE t (a INTEGER) STRICT")
    #expect(try connection.word("PRAGMA journal_mode") == "delete")
    #expect(try connection.number("PRAGMA synchronous") == 3)
    #expect(folder.names == ["a.db"])
  }

  @Test func doubleQuotedTextIsNotText() throws {
    let connection = try Connection(path: path, mode: .create)
    #expect(throws: SQLError(.statement)) { try connection.execute("SELECT \"nothing\"") }
    #expect(throws: SQLError(.statement)) {
      try connection.execute("CREATE TABLE t (a TEXT CHECK (a <> \"nothing\"))")
    }
  }

  @Test func foreignKeysHold() throws {
    let connection = try Connection(path: path, mode: .create)
    try connection.execute(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT;
      CREATE TABLE child (parent INTEGER NOT NULL REFERENCES parent) STRICT
      """)
    #expect(throws: SQLError(.constraint)) { try connection.execute("INSERT INTO child VALUES (1)") }
  }

  @Test func extensionsSchemaWritesAndAttachingAreRefused() throws {
    let connection = try Connection(path: path, mode: .create)
    try connection.execute("CREATE TABLE t (a INTEGER) STRICT")
    #expect(throws: SQLError.self) { try connection.execute("SELECT load_extension('nothing')") }
    #expect(throws: SQLError.self) { try connection.execute("ATTACH ':memory:' AS other") }
    try connection.execute("PRAGMA writable_schema = ON")
    #expect(throws: SQLError.self) { try connection.execute("DELETE FROM sqlite_schema") }
    #expect(try connection.schema().count == 1)
  }

  @Test func statementsHaveLimits() throws {
    let connection = try Connection(path: path, mode: .create, options: .init(maximumValueByteCount: 100_000))
    #expect(throws: SQLError(.tooBig)) { try connection.execute("SELECT zeroblob(100001)") }
    try connection.execute("SELECT zeroblob(90000)")
    #expect(throws: SQLError(.statement)) {
      try connection.execute(
        """
        SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION
        SELECT 8 UNION SELECT 9 UNION SELECT 10 UNION SELECT 11 UNION SELECT 12 UNION SELECT 13 UNION SELECT 14 UNION
        SELECT 15 UNION SELECT 16 UNION SELECT 17
        """)
    }
  }

  @Test(arguments: [mode_t(0), 0o022, 0o177, 0o777])
  func filesAreTheOwnersOnlyWhateverTheUmask(_ mask: mode_t) async throws {
    // The umask belongs to the whole process, so the file is made in another.
    await #expect(processExitsWith: .success) { [path = self.path as String, mask = mask as mode_t] in
      umask(mask)
      let connection = try Connection(path: path, mode: .create)
      try connection.execute("CREATE TABLE t (a INTEGER) STRICT")
      for suffix in ["", "-wal", "-shm"] {
        var status = stat()
        guard stat(path + suffix, &status) == 0, status.st_mode & 0o7777 == 0o600 else { exit(1) }
      }
      try connection.close()
      exit(0)
    }
    #expect(folder.permissions("a.db") == 0o600)
  }

  @Test func creatingNeverTakesAnExistingName() throws {
    try Data([1, 2, 3]).write(to: URL(filePath: path))
    #expect(throws: SQLError(.alreadyExists)) { try Connection(path: path, mode: .create) }
    #expect(folder.bytes("a.db") == [1, 2, 3])
  }

  @Test func openingMakesNothing() throws {
    #expect(throws: SQLError(.cantOpen)) { try Connection(path: path, mode: .readWrite) }
    #expect(throws: SQLError(.cantOpen)) { try Connection(path: path, mode: .readOnly) }
    #expect(throws: SQLError(.cantOpen)) { try Connection(path: "", mode: .create) }
    #expect(throws: SQLError(.cantOpen)) { try Connection(path: path + "\0b", mode: .create) }
    #expect(folder.names.isEmpty)
  }

  @Test func aFileThatIsNoDatabaseIsRefusedUnchanged() throws {
    let bytes = [UInt8](repeating: 0x41, count: 8192)
    try Data(bytes).write(to: URL(filePath: path))
    #expect(throws: SQLError(.notADatabase)) { try Connection(path: path, mode: .readWrite) }
    #expect(folder.bytes("a.db") == bytes)
    #expect(folder.names == ["a.db"])
  }

  @Test(arguments: ["file:x?mode=memory", "a b%41?#.db", ":memory:", "ă.db"])
  func namesAreOnlyNames(_ name: String) throws {
    let path = folder.file(name)
    let made = try Connection(path: path, mode: .create)
    try made.setUserVersion(7)
    try made.close()
    #expect(try Connection(path: path, mode: .readOnly).userVersion() == 7)
    #expect(folder.names == [name])
  }

  @Test func closedConnectionsRefuseEverything() throws {
    let connection = try Connection(path: path, mode: .create)
    try connection.close()
    #expect(throws: SQLError(.misuse)) { try connection.execute("SELECT 1") }
    #expect(throws: SQLError(.misuse)) { _ = try connection.userVersion() }
    #expect(throws: SQLError(.misuse)) { try connection.transaction { () throws(SQLError) in } }
  }

  @Test func closingWaitsForNoStatement() throws {
    let connection = try Connection(path: path, mode: .create)
    let statement = try connection.prepare("SELECT 1")
    #expect(throws: SQLError(.busy)) { try connection.close() }
    #expect(try statement.step())
  }

  // MARK: - Read-only

  private func makeDatabase() throws {
    let connection = try Connection(path: path, mode: .create)
    try connection.execute("CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t VALUES (5)")
  }

  @Test func readingLeavesNoFileAndNoChange() throws {
    try makeDatabase()
    let before = folder.bytes("a.db")
    let connection = try Connection(path: path, mode: .readOnly)
    #expect(try connection.numbers("SELECT a FROM t") == [5])
    #expect(throws: SQLError(.readOnly)) { try connection.execute("INSERT INTO t VALUES (6)") }
    #expect(folder.names == ["a.db"])
    try connection.close()
    #expect(folder.names == ["a.db"])
    #expect(folder.bytes("a.db") == before)
  }

  @Test func readingSeesWhatIsStillInTheLog() throws {
    try makeDatabase()
    let writer = try Connection(path: path, mode: .readWrite)
    try writer.execute("INSERT INTO t VALUES (6)")
    let file = folder.bytes("a.db")
    let log = folder.bytes("a.db-wal")
    #expect(log?.isEmpty == false)
    let reader = try Connection(path: path, mode: .readOnly)
    #expect(try reader.numbers("SELECT a FROM t") == [5, 6])
    try writer.execute("INSERT INTO t VALUES (7)")
    #expect(try reader.numbers("SELECT a FROM t") == [5, 6, 7])
    try reader.close()
    #expect(folder.bytes("a.db") == file)
    #expect(folder.bytes("a.db-wal").map { Array($0.prefix(log?.count ?? 0)) } == log)
  }

  @Test func readingALogThatACrashLeftChangesNeitherFile() throws {
    try makeDatabase()
    let writer = try Connection(path: path, mode: .readWrite)
    try writer.execute("INSERT INTO t VALUES (6)")
    let other = try TemporaryFolder()
    for name in ["a.db", "a.db-wal"] {
      try Data(#require(folder.bytes(name))).write(to: URL(filePath: other.file(name)))
    }
    let reader = try Connection(path: other.file("a.db"), mode: .readOnly)
    #expect(try reader.numbers("SELECT a FROM t") == [5, 6])
    try reader.close()
    #expect(other.bytes("a.db") == folder.bytes("a.db"))
    #expect(other.bytes("a.db-wal") == folder.bytes("a.db-wal"))
  }

  @Test func aReadOnlyLookDropsNoLocksOfTheSameProcess() async throws {
    try makeDatabase()
    let writer = try Connection(path: path, mode: .readWrite)
    try writer.transaction { () throws(SQLError) in
      try writer.execute("INSERT INTO t VALUES (6)")
      let look = try Connection(path: path, mode: .readOnly)
      try look.close()
    }
    // POSIX locks show only to another process: it must see the writer's place taken.
    try writer.execute("BEGIN IMMEDIATE")
    try Connection(path: path, mode: .readOnly).close()
    await #expect(processExitsWith: .success) { [path = self.path as String] in
      do throws(SQLError) {
        let rival = try Connection(path: path, mode: .readWrite, options: .init(busyTimeoutMilliseconds: 10))
        try rival.execute("BEGIN IMMEDIATE")
      } catch {
        exit(error.code == .busy ? 0 : 1)
      }
      exit(2)
    }
    try writer.execute("ROLLBACK")
  }

  // MARK: - Errors

  @Test func errorsNeverHoldAValue() throws {
    let secret = "hunter2-secret"
    let connection = try Connection(path: path, mode: .create)
    try connection.execute(
      """
      CREATE TABLE t (a TEXT NOT NULL UNIQUE CHECK (length(a) < 20), b INTEGER) STRICT;
      CREATE VIRTUAL TABLE words USING fts5 (word)
      """)
    let insert = try connection.prepare("INSERT INTO t (a, b) VALUES (?1, ?2)")
    try insert.bind(secret, at: 1)
    try insert.run()
    var errors: [SQLError] = []
    func collect(_ body: () throws(SQLError) -> Void) {
      do throws(SQLError) { try body() } catch { errors.append(error) }
    }
    collect { () throws(SQLError) in try insert.run() }
    collect { () throws(SQLError) in
      try insert.bind(secret + secret, at: 1)
      try insert.run()
    }
    collect { () throws(SQLError) in
      try insert.bind("other", at: 1)
      try insert.bind(secret, at: 2)
      try insert.run()
    }
    collect { () throws(SQLError) in
      let search = try connection.prepare("SELECT word FROM words WHERE words MATCH ?1")
      try search.bind("\"\(secret)", at: 1)
      _ = try search.step()
    }
    #expect(errors.map(\.code) == [.constraint, .constraint, .constraint, .statement])
    for error in errors {
      var dumped = ""
      dump(error, to: &dumped)
      #expect(!dumped.contains("hunter2") && !"\(error)".contains("hunter2"))
      #expect(!error.sql.isEmpty && error.extendedCode != 0)
    }
    #expect(errors.first?.message == "UNIQUE constraint failed: t.a")
  }

  @Test func aStoredValueDoesNotReachAMessageEither() throws {
    let connection = try Connection(path: path, mode: .create)
    try connection.execute(
      """
      CREATE VIRTUAL TABLE words USING fts5 (word);
      CREATE TABLE t (a TEXT) STRICT; INSERT INTO t VALUES ('"hunter2')
      """)
    let error = try #require(throws: SQLError.self) {
      try connection.execute("SELECT word FROM words WHERE words MATCH (SELECT a FROM t)")
    }
    #expect(!"\(error)".contains("hunter2"))
  }

  @Test func valuesDoNotPrint() {
    let value = SQLValue.text("hunter2")
    var dumped = ""
    dump(value, to: &dumped)
    #expect("\(value) \([value]) \(String(reflecting: value)) \(dumped)".contains("hunter2") == false)
  }

  @Test func errorsAreEqualByCodeAndSayWhatToDo() {
    #expect(SQLError(.full, extendedCode: 13, message: "x") == SQLError(.full))
    #expect(SQLError(.full) != SQLError(.ioError))
    #expect("\(SQLError(.full))".contains("free some space"))
  }
}
