import CSQLite
import FoundationEssentials
import Glibc
import SeifSQL
import Testing

/// Measures the wrapper against the bare C interface. The figures are printed, not judged: a shared machine's clock is
/// no ground for a red test. `SEIF_BENCH=1 swift test -c release --filter InsertSpeed` prints them.
struct InsertSpeedTests {
  static let rowCount = 100_000

  @Test func preparedInsertsGiveTheSameFileAsTheCInterface() throws {
    let isMeasuring = getenv("SEIF_BENCH") != nil
    let rows = isMeasuring ? Self.rowCount : 1_000
    let folder = try TemporaryFolder()
    var ratios: [Double] = []
    for round in 0..<(isMeasuring ? 9 : 1) {
      let paths = ["swift", "c"].map { folder.file("\($0)\(round).db") }
      for path in paths {
        let connection = try Connection(path: path, mode: .create)
        try connection.execute("CREATE TABLE t (id BLOB PRIMARY KEY, revision INTEGER, name TEXT, sealed BLOB) STRICT")
      }
      let clock = ContinuousClock()
      let wrapped = try clock.measure { try insertWrapped(paths[0], rows) }
      let bare = try clock.measure { try insertBare(paths[1], rows) }
      ratios.append(wrapped / bare)
      if isMeasuring { print("insert round \(round): wrapped \(wrapped), C \(bare)") }
      let dumps = try paths.map { try contents($0) }
      #expect(dumps[0] == dumps[1] && dumps[0].count == rows)
    }
    if isMeasuring { print("insert ratio: median \(ratios.sorted()[ratios.count / 2]), all \(ratios)") }
  }

  private func contents(_ path: String) throws -> [[SQLValue]] {
    let connection = try Connection(path: path, mode: .readOnly)
    let select = try connection.prepare("SELECT id, revision, name, sealed FROM t ORDER BY id")
    var rows: [[SQLValue]] = []
    while try select.step() { rows.append(try (0..<4).map { column in try select.value(column) }) }
    return rows
  }

  private func insertWrapped(_ path: String, _ rows: Int) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    var id = [UInt8](repeating: 0, count: 16)
    let sealed = [UInt8](repeating: 0x5A, count: 150)
    try connection.transaction { () throws(SQLError) in
      let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4)")
      for row in 0..<rows {
        for byte in 0..<4 { id[byte] = UInt8(truncatingIfNeeded: row >> (24 - 8 * byte)) }
        try insert.bind(id, at: 1)
        try insert.bind(Int64(row), at: 2)
        try insert.bind("a name of usual length", at: 3)
        try insert.bind(sealed, at: 4)
        try insert.run()
      }
    }
  }

  private func insertBare(_ path: String, _ rows: Int) throws {
    var database: OpaquePointer?
    try #require(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK)
    defer { sqlite3_close(database) }
    sqlite3_exec(database, "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; BEGIN IMMEDIATE", nil, nil, nil)
    var statement: OpaquePointer?
    sqlite3_prepare_v2(database, "INSERT INTO t VALUES (?1, ?2, ?3, ?4)", -1, &statement, nil)
    var id = [UInt8](repeating: 0, count: 16)
    let sealed = [UInt8](repeating: 0x5A, count: 150)
    let name: StaticString = "a name of usual length"
    let text = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    for row in 0..<rows {
      for byte in 0..<4 { id[byte] = UInt8(truncatingIfNeeded: row >> (24 - 8 * byte)) }
      sqlite3_bind_blob(statement, 1, id, 16, seif_SQLITE_TRANSIENT)
      sqlite3_bind_int64(statement, 2, Int64(row))
      sqlite3_bind_text(statement, 3, text, 22, nil)
      sqlite3_bind_blob(statement, 4, sealed, 150, seif_SQLITE_TRANSIENT)
      guard sqlite3_step(statement) == SQLITE_DONE else { break }
      sqlite3_reset(statement)
    }
    sqlite3_finalize(statement)
    sqlite3_exec(database, "COMMIT", nil, nil, nil)
  }
}
