import CSQLite

/// A literal of the program, by its address: literals don't move, so no text needs hashing.
struct StatementKey: Hashable {
  let start: UnsafePointer<UInt8>
  let count: Int
}

extension Connection {
  /// Runs one or more statements without values; rows are dropped.
  package func execute(_ sql: StaticString) throws(SQLError) {
    try checkTransaction()
    guard sql.hasPointerRepresentation else { throw SQLError(.misuse) }
    let text = UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
    try execute(pointer: text)
  }

  /// For statements that this library builds of numbers; never of anything from outside.
  func execute(built sql: String) throws(SQLError) {
    try checkTransaction()
    var result = SQLITE_OK
    let database = try handle()
    sql.withCString { result = sqlite3_exec(database, $0, nil, nil, nil) }
    guard result == SQLITE_OK else { throw failed(result, sql: sql) }
  }

  private func execute(pointer sql: UnsafePointer<CChar>) throws(SQLError) {
    let result = sqlite3_exec(try handle(), sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw failed(result, sql: String(cString: sql)) }
  }

  /// A prepared statement, from the connection's cache where it has one that isn't in use.
  package func prepare(_ sql: StaticString) throws(SQLError) -> Statement {
    guard sql.hasPointerRepresentation else { throw SQLError(.misuse) }
    let key = StatementKey(start: sql.utf8Start, count: sql.utf8CodeUnitCount)
    let database = try handle()
    if let cached = idleStatements[key]?.popLast() {
      statementsInUse += 1
      return Statement(connection: self, handle: cached, key: key)
    }
    guard let length = Int32(exactly: key.count) else { throw SQLError(.misuse) }
    var prepared: OpaquePointer?
    var tail: UnsafePointer<CChar>?
    let text = UnsafeRawPointer(key.start).assumingMemoryBound(to: CChar.self)
    let result = sqlite3_prepare_v3(
      database, text, length, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, &tail)
    guard result == SQLITE_OK else { throw error(result, sql: String(cString: text)) }
    guard let prepared else { throw SQLError(.misuse, message: "no statement", sql: String(cString: text)) }
    // What stands after the first statement would be dropped in silence.
    if let tail, tail.pointee != 0 {
      sqlite3_finalize(prepared)
      throw SQLError(.misuse, message: "more than one statement", sql: String(cString: text))
    }
    statementsInUse += 1
    return Statement(connection: self, handle: prepared, key: key)
  }

  /// Takes a statement back into the cache, without its values.
  func release(_ statement: OpaquePointer, key: StatementKey) {
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
    statementsInUse -= 1
    idleStatements[key, default: []].append(statement)
  }

  /// Rows changed by the last INSERT, UPDATE or DELETE.
  package var changes: Int { database.map { Int(sqlite3_changes64($0)) } ?? 0 }

  /// The row id of the last INSERT into a table that has them.
  package var lastInsertRowID: Int64 { database.map { sqlite3_last_insert_rowid($0) } ?? 0 }

  /// Notes whether a failure also ended the transaction, and gives the error to throw.
  func failed(_ result: Int32, sql: String) -> SQLError {
    noteEndOfTransaction()
    return error(result, sql: sql)
  }
}
