import SeifSQL
import Testing

struct TransactionTests {
  let folder: TemporaryFolder
  let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try Connection(path: folder.file("a.db"), mode: .create)
    try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY ON CONFLICT ROLLBACK) STRICT")
  }

  enum CallerError: Error, SQLErrorConvertible, Equatable {
    case own, sql(SQLError)
    init(_ error: SQLError) { self = .sql(error) }
  }

  private func failure(_ body: () throws(SQLError) -> Void) -> SQLError? {
    do throws(SQLError) {
      try body()
      return nil
    } catch { return error }
  }

  private var rows: [Int64] { get throws { try connection.numbers("SELECT a FROM t ORDER BY a") } }

  @Test(arguments: [TransactionKind.deferred, .immediate, .exclusive])
  func allOfItOrNone(_ kind: TransactionKind) throws {
    let given = try connection.transaction(kind) { () throws(SQLError) -> Int in
      try connection.execute("INSERT INTO t VALUES (1)")
      #expect(connection.isInTransaction)
      return 7
    }
    #expect(given == 7 && !connection.isInTransaction)
    #expect(throws: CallerError.own) {
      try connection.transaction(kind) { () throws(CallerError) in
        do throws(SQLError) { try connection.execute("INSERT INTO t VALUES (2)") } catch { throw .sql(error) }
        throw .own
      }
    }
    #expect(try rows == [1])
    #expect(!connection.isInTransaction)
  }

  @Test func nestingIsRefusedAndTheOuterOneGoesOn() throws {
    var refusal: SQLError?
    try connection.transaction { () throws(SQLError) in
      try connection.execute("INSERT INTO t VALUES (1)")
      refusal = failure { () throws(SQLError) in
        try connection.transaction { () throws(SQLError) in try connection.execute("INSERT INTO t VALUES (2)") }
      }
    }
    #expect(refusal?.code == .nestedTransaction)
    #expect(try rows == [1])
    #expect(throws: CallerError.sql(SQLError(.nestedTransaction))) {
      try connection.transaction { () throws(CallerError) in
        try connection.transaction { () throws(CallerError) in }
      }
    }
  }

  @Test func afterALostTransactionNothingIsWrittenOnItsOwn() throws {
    var codes: [SQLError.Code] = []
    #expect(throws: SQLError(.transactionLost)) {
      try connection.transaction { () throws(SQLError) in
        try connection.execute("INSERT INTO t VALUES (1)")
        // This conflict makes SQLite roll back; a body that swallows it must not go on row by row.
        let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
        try insert.bind(1, at: 1)
        do throws(SQLError) { try insert.run() } catch { codes.append(error.code) }
        try insert.bind(2, at: 1)
        do throws(SQLError) { try insert.run() } catch { codes.append(error.code) }
        do throws(SQLError) { try connection.execute("INSERT INTO t VALUES (3)") } catch { codes.append(error.code) }
      }
    }
    #expect(codes == [.constraint, .transactionLost, .transactionLost])
    #expect(try rows == [])
    try connection.transaction { () throws(SQLError) in try connection.execute("INSERT INTO t VALUES (4)") }
    #expect(try rows == [4])
  }

  @Test func aCommitThatFailsTakesAllBack() throws {
    try connection.execute(
      """
      CREATE TABLE child (t INTEGER REFERENCES t DEFERRABLE INITIALLY DEFERRED) STRICT
      """)
    #expect(throws: SQLError(.constraint)) {
      try connection.transaction { () throws(SQLError) in
        try connection.execute("INSERT INTO t VALUES (1); INSERT INTO child VALUES (99)")
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try rows == [])
    #expect(try connection.number("SELECT count(*) FROM child") == 0)
  }

  @Test func aSecondWriterHearsThatTheFileIsBusy() throws {
    let rival = try Connection(
      path: folder.file("a.db"), mode: .readWrite, options: .init(busyTimeoutMilliseconds: 20))
    var refusal: SQLError?
    var seen: [Int64]?
    try connection.transaction { () throws(SQLError) in
      try connection.execute("INSERT INTO t VALUES (1)")
      refusal = failure { () throws(SQLError) in
        try rival.transaction { () throws(SQLError) in try rival.execute("INSERT INTO t VALUES (2)") }
      }
      seen = try rival.numbers("SELECT a FROM t")
    }
    #expect(refusal?.code == .busy)
    #expect(seen == [])
    try rival.transaction { () throws(SQLError) in try rival.execute("INSERT INTO t VALUES (2)") }
    #expect(try rows == [1, 2])
  }

  @Test func aSnapshotThatIsTooOldCannotBecomeAWriter() throws {
    let rival = try Connection(path: folder.file("a.db"), mode: .readWrite)
    #expect(throws: SQLError(.busy)) {
      try connection.transaction(.deferred) { () throws(SQLError) in
        _ = try connection.number("SELECT count(*) FROM t")
        try rival.execute("INSERT INTO t VALUES (1)")
        try connection.execute("INSERT INTO t VALUES (2)")
      }
    }
    #expect(try rows == [1])
  }

  @Test(.timeLimit(.minutes(15)))
  func eightProcessesAtOnceEachWaitForTheirTurn() async throws {
    let path = folder.file("new.db")
    // Nobody has made a log yet: switching it on is a part of what they compete for.
    let maker = try Connection(path: path, mode: .create, options: .init(journal: .rollback))
    try maker.execute("CREATE TABLE account (process INTEGER, number INTEGER) STRICT")
    try maker.close()
    await withTaskGroup(of: Void.self) { group in
      for process in 0..<8 {
        group.addTask {
          await #expect(processExitsWith: .success) { [path = path as String, process = process as Int] in
            let connection = try Connection(
              path: path, mode: .readWrite, options: .init(busyTimeoutMilliseconds: 60_000))
            for number in 0..<50 {
              try connection.transaction { () throws(SQLError) in
                let insert = try connection.prepare("INSERT INTO account VALUES (?1, ?2)")
                try insert.bind(Int64(process), at: 1)
                try insert.bind(Int64(number), at: 2)
                try insert.run()
              }
            }
          }
        }
      }
    }
    let connection = try Connection(path: path, mode: .readWrite)
    #expect(try connection.number("SELECT count(*) FROM (SELECT DISTINCT process, number FROM account)") == 400)
    #expect(try connection.integrityCheck() == [])
  }
}
