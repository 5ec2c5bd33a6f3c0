import CSQLite

// A database as bytes: copied out of a file that others go on using, and read without ever being one.
extension Connection {
  /// The database as it is now, as the bytes of a file that has no log; nil where it has more than `limit`.
  ///
  /// Others may go on reading and writing meanwhile: the copy is of one moment, within a transaction the transaction's. It
  /// is made in memory by SQLite's backup interface.
  ///
  /// - Throws: `busy`, also inside a transaction of this connection that has written; `outOfMemory`.
  package func serialized(limit: Int) throws(SQLError) -> [UInt8]? {
    let source = try handle()
    guard try byteCount() <= limit else { return nil }
    let target = try Self.openHandle(
      name: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY, vfs: nil)
    defer { sqlite3_close_v2(target) }
    try Self.copy(source, to: target)
    var count: sqlite3_int64 = 0
    guard let start = sqlite3_serialize(target, "main", &count, 0) else { throw SQLError(.outOfMemory) }
    defer { sqlite3_free(start) }
    // It may have grown since it was measured.
    guard count >= Self.headerByteCount, count <= Int64(limit) else { return nil }
    var bytes = [UInt8](UnsafeBufferPointer(start: start, count: Int(count)))
    // What was in the log is in the copy, so it doesn't belong to one (file format, offsets 18 and 19).
    (bytes[18], bytes[19]) = (1, 1)
    return bytes
  }

  /// Opens a database that is nothing but these bytes, for reading.
  ///
  /// - Parameter stepLimit: how many steps of SQLite's machine all work on it may take. Pages of a hostile database can
  ///   lead to each other in such a way that few of them hold rows without end; work beyond fails with `interrupted`.
  /// - Throws: `notADatabase` for bytes that can't be one, or that belong to a log; `outOfMemory`.
  package convenience init(reading bytes: [UInt8], stepLimit: Int) throws(SQLError) {
    guard bytes.count >= Int(Self.headerByteCount), bytes[18] == 1, bytes[19] == 1 else {
      throw SQLError(.notADatabase, message: "no database, or one that belongs to a log")
    }
    guard bytes.count == Self.pageByteCount(bytes) else { throw SQLError(.corrupt, message: "cut off, or with a tail") }
    let database = try Self.openHandle(
      name: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY, vfs: nil)
    let count = sqlite3_int64(bytes.count)
    guard let copy = sqlite3_malloc64(sqlite3_uint64(bytes.count)) else {
      sqlite3_close_v2(database)
      throw SQLError(.outOfMemory)
    }
    bytes.withUnsafeBytes { if let start = $0.baseAddress { copy.copyMemory(from: start, byteCount: $0.count) } }
    // The copy is SQLite's from here on, also where this fails.
    let result = sqlite3_deserialize(
      database, "main", copy.assumingMemoryBound(to: UInt8.self), count, count,
      UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY))
    guard result == SQLITE_OK else {
      let error = SQLError.from(result, on: database, sql: "", statementIsFixed: true)
      sqlite3_close_v2(database)
      throw error
    }
    try self.init(memory: database, budget: StepBudget(stepLimit, of: database))
  }

  private static let headerByteCount: Int64 = 512

  // All pages that the header tells of (file format, offsets 16 and 28), which is never more than an `Int` holds.
  private static func pageByteCount(_ bytes: [UInt8]) -> Int {
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    return bytes[28..<32].reduce(0) { $0 << 8 | Int($1) } * (size == 1 ? 65_536 : size)
  }

  private func byteCount() throws(SQLError) -> Int {
    var numbers: [Int64] = []
    for sql in ["PRAGMA page_count", "PRAGMA page_size"] as [StaticString] {
      let statement = try prepare(sql)
      guard try statement.step() else { throw SQLError(.misuse, sql: statement.sql) }
      numbers.append(try statement.integer(0))
    }
    let (product, overflow) = numbers[0].multipliedReportingOverflow(by: numbers[1])
    return overflow ? .max : Int(clamping: product)
  }
}

/// How much work a database may still cause.
final class StepBudget {
  private static let stride: Int32 = 10_000
  private let left: UnsafeMutablePointer<Int>

  init(_ limit: Int, of database: OpaquePointer) {
    left = .allocate(capacity: 1)
    left.initialize(to: limit / Int(Self.stride) + 1)
    sqlite3_progress_handler(
      database, Self.stride,
      { context in
        guard let left = context?.assumingMemoryBound(to: Int.self) else { return 1 }
        left.pointee -= 1
        return left.pointee < 0 ? 1 : 0
      }, left)
  }

  // After the database is closed: the connection lets go of it last.
  deinit { left.deallocate() }
}
