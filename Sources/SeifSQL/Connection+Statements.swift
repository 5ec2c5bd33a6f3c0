import CSQLite

/// A literal of the program, by its address: literals don't move, so no text needs hashing.
struct StatementKey: Hashable {
  let start: UnsafePointer<UInt8>
  let count: Int
}

extension Connection {
  /// Runs one or more statements without values; rows are dropped.
  package func execute(_ sql: StaticString) throws(SQLError) {
    guard sql.hasPointerRepresentation else { throw SQLError(.misuse) }
    try execute(UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self))
  }

  /// For statements that this library builds of numbers; never of anything from outside.
  func execute(built sql: String) throws(SQLError) {
    try sql.utf8CString.withUnsafeBufferPointer { (text) throws(SQLError) in
      if let start = text.baseAddress { try execute(start) }
    }
  }

  /// Not `sqlite3_exec`: after that nobody knows whether a message comes from preparing, and quotes the program's own
  /// text, or from running, and may quote a stored value.
  private func execute(_ sql: UnsafePointer<CChar>) throws(SQLError) {
    let database = try handle()
    var rest = sql
    while rest.pointee != 0 {
      try checkTransaction()
      var statement: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      let prepared = sqlite3_prepare_v2(database, rest, -1, &statement, &tail)
      guard prepared == SQLITE_OK else { throw error(prepared, sql: String(cString: sql)) }
      defer { sqlite3_finalize(statement) }
      // Nothing was left but white space or a comment.
      guard let statement, let tail else { return }
      var result = sqlite3_step(statement)
      while result == SQLITE_ROW { result = sqlite3_step(statement) }
      guard result == SQLITE_DONE else {
        noteEndOfTransaction()
        throw SQLError.from(result, on: database, sql: String(cString: sql), statementIsFixed: false)
      }
      rest = tail
    }
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
}
