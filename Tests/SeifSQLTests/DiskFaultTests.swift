import CSQLite
import SeifSQL
import SeifSQLTesting
import Testing

/// One call of one operation fails, each in turn: always as before or as after, and never a trap.
struct DiskFaultTests {
  struct Fault: CustomTestStringConvertible {
    let operation: StorageOperation
    let code: Int32
    let lasting: Bool
    let journal: ConnectionOptions.Journal
    var testDescription: String { "\(operation) \(code) \(lasting ? "lasting " : "")\(journal)" }
  }

  private static let failures: [(StorageOperation, Int32)] = [
    (.write, SQLITE_FULL),
    (.write, SQLITE_IOERR | (3 << 8)),
    (.sync, SQLITE_IOERR | (4 << 8)),
    (.truncate, SQLITE_IOERR | (6 << 8)),
    (.open, SQLITE_CANTOPEN),
    (.read, SQLITE_IOERR | (1 << 8)),
    (.delete, SQLITE_IOERR | (10 << 8)),
    (.fileSize, SQLITE_IOERR | (7 << 8)),
    (.sharedMemory, SQLITE_IOERR | (19 << 8)),
    (.lock, SQLITE_IOERR | (15 << 8)),
  ]

  static let faults: [Fault] = [ConnectionOptions.Journal.writeAheadLog, .rollback].flatMap { journal in
    [false, true].flatMap { lasting in
      failures.map { Fault(operation: $0.0, code: $0.1, lasting: lasting, journal: journal) }
    }
  }

  @Test(arguments: faults)
  func aFailingCallLeavesTheFileAsBeforeOrAsAfter(_ fault: Fault) throws {
    let folder = try TemporaryFolder()
    let vfs = RecordingVFS(name: "fault-\(fault.testDescription)")
    vfs.setRecording(false)
    let options = ConnectionOptions(journal: fault.journal, busyTimeoutMilliseconds: 50)
    var call = 0
    repeat {
      call += 1
      let path = folder.file("\(call).db")
      let maker = try Connection(path: path, mode: .create, options: options)
      try maker.execute(
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT; INSERT INTO t VALUES (0, zeroblob(9000))")
      try maker.close()
      vfs.inject(StorageFault(fault.operation, call: call, code: fault.code, lasting: fault.lasting))
      var confirmed = 0
      var failure: SQLError?
      do throws(SQLError) {
        let connection = try Connection(path: path, mode: .readWrite, vfs: vfs.name, options: options)
        for number in 1...3 {
          try connection.transaction { () throws(SQLError) in
            let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
            try insert.bind(Int64(number), at: 1)
            try insert.bind([UInt8](repeating: 1, count: 5000), at: 2)
            try insert.run()
          }
          confirmed = number
        }
        try connection.checkpoint(truncate: true)
      } catch { failure = error }
      let fired = vfs.faultsFired
      vfs.inject(nil)
      if fired == 0 { #expect(failure == nil && confirmed == 3) }
      if fault.code == SQLITE_FULL, let failure { #expect(failure == SQLError(.full), "\(failure)") }
      let after = try Connection(path: path, mode: .readWrite, options: options)
      #expect(try after.integrityCheck() == [])
      let rows = try after.numbers("SELECT a FROM t ORDER BY a")
      // A commit whose last act failed may be found done, never half done, and nothing confirmed is lost.
      #expect(rows == Array(0...Int64(confirmed)) || rows == Array(0...Int64(confirmed + 1)), "call \(call)")
      if fired == 0 { break }
    } while call < 500
    #expect(call < 500)
  }

  @Test func aFileThatCouldNotBeSetUpIsNotLeftBehind() throws {
    let folder = try TemporaryFolder()
    let vfs = RecordingVFS(name: "create-fails")
    for operation: StorageOperation in [.write, .sync, .open] {
      vfs.inject(StorageFault(operation, call: operation == .open ? 2 : 1, code: SQLITE_FULL, lasting: true))
      #expect(throws: SQLError.self) { try Connection(path: folder.file("a.db"), mode: .create, vfs: vfs.name) }
      #expect(folder.names == [], "\(operation)")
    }
    vfs.inject(nil)
    _ = try Connection(path: folder.file("a.db"), mode: .create, vfs: vfs.name)
  }
}
