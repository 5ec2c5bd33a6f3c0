internal import CSQLite
internal import Glibc

/// The rows of a vault's entries, and what SQLite alone takes to insert them and close the file: the same tables, pages,
/// journal and durability, one transaction, each statement prepared once.
struct BareRows {
  private static let tables: [(create: String, select: String, insert: String)] = [
    (
      """
      CREATE TABLE item (position INTEGER PRIMARY KEY NOT NULL, id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0), detail BLOB NOT NULL) STRICT
      """, "SELECT position, revision, id, detail FROM item",
      "INSERT INTO item (position, revision, id, detail) VALUES (?1, ?2, ?3, ?4)"
    ),
    (
      """
      CREATE TABLE item_summary (position INTEGER PRIMARY KEY NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0), summary BLOB NOT NULL) STRICT
      """, "SELECT position, revision, id, summary FROM item_summary",
      "INSERT INTO item_summary (position, revision, id, summary) VALUES (?1, ?2, ?3, ?4)"
    ),
    (
      """
      CREATE TABLE secret (position INTEGER PRIMARY KEY NOT NULL, id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0), value BLOB NOT NULL) STRICT
      """, "SELECT position, revision, id, value FROM secret",
      "INSERT INTO secret (position, revision, id, value) VALUES (?1, ?2, ?3, ?4)"
    ),
  ]

  private typealias Row = (position: Int64, revision: Int64, blobs: [[UInt8]])
  private var rows: [[Row]] = []

  /// Lengths of the sealed summaries, in bytes: 12 of the nonce and 16 of the tag among them.
  var summaryByteCounts: [Int] { rows[1].map { $0.blobs[1].count } }

  init(readingVault path: String) throws {
    let database = try Self.open(path, SQLITE_OPEN_READONLY)
    defer { sqlite3_close(database) }
    for table in Self.tables {
      let statement = try Self.prepare(table.select, database)
      defer { sqlite3_finalize(statement) }
      var found: [Row] = []
      while sqlite3_step(statement) == SQLITE_ROW {
        let blobs = (2..<sqlite3_column_count(statement)).map { column in
          let start = sqlite3_column_blob(statement, column)
          return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
        }
        found.append((sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1), blobs))
      }
      rows.append(found)
    }
  }

  func secondsToInsert(into path: String) throws -> Double {
    unlink(path)
    let database = try Self.open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    var isOpen = true
    defer { if isOpen { sqlite3_close(database) } }
    try Self.execute("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", database)
    for table in Self.tables { try Self.execute(table.create, database) }
    return try measureSeconds {
      try Self.execute("BEGIN IMMEDIATE", database)
      for (table, rows) in zip(Self.tables, rows) {
        let statement = try Self.prepare(table.insert, database)
        defer { sqlite3_finalize(statement) }
        for row in rows { try Self.insert(row, statement) }
      }
      try Self.execute("COMMIT", database)
      isOpen = false
      guard sqlite3_close(database) == SQLITE_OK else { throw BenchFailure(what: "close") }
    }
  }

  private static func insert(_ row: Row, _ statement: OpaquePointer?) throws {
    sqlite3_bind_int64(statement, 1, row.position)
    sqlite3_bind_int64(statement, 2, row.revision)
    for (index, blob) in row.blobs.enumerated() {
      // Bound until the row is stepped, so SQLite makes no copy: nil says that the bytes stay.
      blob.withUnsafeBytes { _ = sqlite3_bind_blob(statement, Int32(index + 3), $0.baseAddress, Int32($0.count), nil) }
    }
    guard sqlite3_step(statement) == SQLITE_DONE, sqlite3_reset(statement) == SQLITE_OK else {
      throw BenchFailure(what: "insert")
    }
  }

  private static func open(_ path: String, _ flags: Int32) throws -> OpaquePointer? {
    var database: OpaquePointer?
    guard sqlite3_open_v2(path, &database, flags, nil) == SQLITE_OK else { throw BenchFailure(what: "open") }
    return database
  }

  private static func prepare(_ sql: String, _ database: OpaquePointer?) throws -> OpaquePointer? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { throw BenchFailure(what: sql) }
    return statement
  }

  private static func execute(_ sql: String, _ database: OpaquePointer?) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw BenchFailure(what: sql) }
  }
}
