import FoundationEssentials
import Glibc
import SeifSQL
import SeifSQLTesting
import Testing

struct FileTests {
  let folder: TemporaryFolder
  let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try Connection(path: folder.file("a.db"), mode: .create)
    try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT; CREATE INDEX i ON t (b)")
    try connection.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
  }

  @Test func aCopyIsWholeClosedAndTheOwnersOnly() throws {
    try connection.setUserVersion(3)
    try connection.copy(to: folder.file("copy.db"))
    #expect(folder.permissions("copy.db") == 0o600)
    #expect(folder.names.filter { $0.hasPrefix("copy") } == ["copy.db"])
    let copy = try Connection(path: folder.file("copy.db"), mode: .readOnly)
    #expect(try copy.integrityCheck() == [])
    #expect(try copy.numbers("SELECT a FROM t ORDER BY a") == [1, 2])
    #expect(try copy.userVersion() == 3)
    #expect(try copy.schema() == connection.schema())
  }

  @Test func aCopyNeverTakesAnExistingName() throws {
    try Data([1]).write(to: URL(filePath: folder.file("copy.db")))
    #expect(throws: SQLError(.alreadyExists)) { try connection.copy(to: folder.file("copy.db")) }
    #expect(folder.bytes("copy.db") == [1])
  }

  @Test func aFailedCopyLeavesNoFile() throws {
    let vfs = RecordingVFS(name: "copy-fails")
    let source = try Connection(path: folder.file("a.db"), mode: .readWrite, vfs: vfs.name)
    _ = try source.number("SELECT count(*) FROM t")
    vfs.inject(StorageFault(.write, call: 1, code: 13, lasting: true))
    #expect(throws: SQLError(.full)) { try source.copy(to: folder.file("copy.db")) }
    vfs.inject(nil)
    #expect(folder.names.filter { $0.hasPrefix("copy") } == [])
    try source.copy(to: folder.file("copy.db"))
  }

  @Test func truncatingEmptiesTheLog() throws {
    #expect(folder.bytes("a.db-wal")?.isEmpty == false)
    try connection.checkpoint(truncate: true)
    #expect(folder.bytes("a.db-wal") == [])
  }

  @Test func erasedBytesAreGoneFromTheFileAfterACheckpoint() throws {
    let needle = Array("needle-in-the-file".utf8)
    let insert = try connection.prepare("INSERT INTO t VALUES (3, ?1)")
    try insert.bind(String(decoding: needle, as: UTF8.self), at: 1)
    try insert.run()
    try connection.checkpoint(truncate: true)
    #expect(holds(try #require(folder.bytes("a.db")), needle))
    try connection.execute("DELETE FROM t WHERE a = 3")
    try connection.checkpoint(truncate: true)
    #expect(!holds(try #require(folder.bytes("a.db")), needle))
  }

  private func holds(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: needle) }
  }

  @Test func closingTheLastConnectionRemovesTheLog() throws {
    try connection.close()
    #expect(folder.names == ["a.db"])
  }

  /// What a write on a full disk leaves: a log without a byte and an index that SQLite couldn't make long enough.
  @Test func stubsOfALogAndAnIndexDontHinderReading() throws {
    try connection.close()
    try Data().write(to: URL(filePath: folder.file("a.db-wal")))
    try Data([0, 0, 0]).write(to: URL(filePath: folder.file("a.db-shm")))
    let reader = try Connection(path: folder.file("a.db"), mode: .readOnly)
    #expect(try reader.numbers("SELECT a FROM t ORDER BY a") == [1, 2])
    #expect(folder.bytes("a.db-shm") == [0, 0, 0])
  }

  @Test func vacuumingWorksAndAttachingStaysForbidden() throws {
    try connection.vacuum()
    #expect(try connection.integrityCheck() == [])
    #expect(throws: SQLError.self) { try connection.execute("ATTACH ':memory:' AS other") }
  }

  @Test func integrityFindingsAreGiven() throws {
    try connection.close()
    let whole = try #require(folder.bytes("a.db"))
    var bytes = whole
    // The third page holds the index; its first row now stands elsewhere.
    let index = 2 * 4096
    bytes.replaceSubrange(index + 4080..<index + 4096, with: repeatElement(0x20, count: 16))
    try Data(bytes).write(to: URL(filePath: folder.file("a.db")))
    let damaged = try Connection(path: folder.file("a.db"), mode: .readWrite)
    #expect(try !damaged.integrityCheck().isEmpty)
    try damaged.close()
    // A row that only the table has.
    bytes = try #require(folder.bytes("a.db"))
    let entries = index + 8
    bytes.replaceSubrange(entries + 2..<entries + 4, with: bytes[entries..<entries + 2])
    try Data(whole.prefix(index) + bytes[index..<index + 4096 - 16] + whole.suffix(from: index + 4096 - 16))
      .write(to: URL(filePath: folder.file("a.db")))
    let uneven = try Connection(path: folder.file("a.db"), mode: .readWrite)
    #expect(try uneven.integrityCheck().contains { $0.contains("missing from index") })
  }

  @Test func aDamagedFileIsAnErrorAndNoTrap() throws {
    try connection.close()
    let whole = try #require(folder.bytes("a.db"))
    var random = SplitMix64(state: 1)
    for _ in 0..<300 {
      var bytes = whole
      for _ in 0..<8 {
        bytes[Int.random(in: 16..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let other = folder.file("damaged.db")
      try Data(bytes).write(to: URL(filePath: other))
      for suffix in ["-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: other + suffix) }
      do throws(SQLError) {
        let damaged = try Connection(path: other, mode: .readWrite)
        let select = try damaged.prepare("SELECT a, b FROM t")
        while try select.step() { _ = try (select.value(0), select.value(1)) }
        _ = try damaged.integrityCheck()
      } catch {
        let expected: [SQLError.Code] = [
          .corrupt, .notADatabase, .statement, .wrongType, .invalidText, .tooBig, .readOnly, .cantOpen, .outOfMemory,
        ]
        #expect(expected.contains(error.code), "\(error)")
      }
    }
  }

  @Test func numbersInTheHeaderAreKept() throws {
    for number in [Int32.min, -1, 0, 1, .max] {
      try connection.setUserVersion(number)
      try connection.setApplicationID(number)
      #expect(try connection.userVersion() == number)
      #expect(try connection.applicationID() == number)
    }
  }

  @Test func theSchemaIsListed() throws {
    let schema = try connection.schema()
    #expect(schema.map(\.name) == ["i", "t"])
    #expect(schema.map(\.type) == ["index", "table"])
    #expect(schema.allSatisfy { $0.table == "t" && $0.sql != nil })
  }

  @Test func aReplacedFileShows() throws {
    let identity = try connection.fileIdentity()
    #expect(try !connection.fileHasMoved())
    try connection.copy(to: folder.file("copy.db"))
    #expect(rename(folder.file("copy.db"), folder.file("a.db")) == 0)
    #expect(try connection.fileHasMoved())
    #expect(try connection.fileIdentity() != identity)
  }
}
