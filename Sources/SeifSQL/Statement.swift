import CSQLite

/// A prepared statement in use; it goes back to its connection's cache when it goes out of scope.
///
/// Parameters are numbered as in the SQL text (`?1` is 1), columns from 0.
package struct Statement: ~Copyable {
  let connection: Connection
  let handle: OpaquePointer
  let key: StatementKey

  init(connection: Connection, handle: OpaquePointer, key: StatementKey) {
    self.connection = connection
    self.handle = handle
    self.key = key
  }

  deinit { connection.release(handle, key: key) }

  /// Goes to the next row: true if there is one. At the end, and after a failure, the statement is reset and ready for
  /// other values, so that it holds no lock; a further step then starts anew.
  ///
  /// A statement that writes and also gives rows, outside a transaction, is committed by the step that returns false:
  /// whoever stops before that doesn't hear of a failure.
  package func step() throws(SQLError) -> Bool {
    try connection.checkTransaction()
    let result = sqlite3_step(handle)
    if result == SQLITE_ROW { return true }
    if result == SQLITE_DONE {
      sqlite3_reset(handle)
      return false
    }
    let error = SQLError.from(result, on: connection.database, sql: sql, statementIsFixed: false)
    sqlite3_reset(handle)
    connection.noteEndOfTransaction()
    throw error
  }

  /// Runs a statement that gives no rows; one that does gets `misuse`.
  package func run() throws(SQLError) {
    guard try step() else { return }
    sqlite3_reset(handle)
    throw SQLError(.misuse, message: "a row where none was expected", sql: sql)
  }

  /// Back to before the first row; bound values stay.
  package func reset() { sqlite3_reset(handle) }

  /// Forgets all bound values.
  package func clearBindings() { sqlite3_clear_bindings(handle) }

  /// The text as it was prepared, without values.
  package var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

  // MARK: - Values

  package func bindNull(at parameter: Int) throws(SQLError) {
    try check(sqlite3_bind_null(handle, Int32(clamping: parameter)))
  }

  package func bind(_ value: Int64, at parameter: Int) throws(SQLError) {
    try check(sqlite3_bind_int64(handle, Int32(clamping: parameter), value))
  }

  /// Binds a copy of the text, NUL characters included.
  package func bind(_ text: String, at parameter: Int) throws(SQLError) {
    var text = text
    let index = Int32(clamping: parameter)
    let result = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // Without an address SQLite would store NULL.
        guard let start = characters.baseAddress, !characters.isEmpty else {
          return sqlite3_bind_text64(handle, index, "", 0, nil, UInt8(SQLITE_UTF8))
        }
        return sqlite3_bind_text64(
          handle, index, start, UInt64(characters.count), seif_SQLITE_TRANSIENT, UInt8(SQLITE_UTF8))
      }
    }
    try check(result)
  }

  /// Binds a copy of the bytes; no bytes make an empty blob, not NULL.
  package func bind(_ blob: [UInt8], at parameter: Int) throws(SQLError) {
    try check(blob.withUnsafeBytes { bindBlob($0, at: parameter, seif_SQLITE_TRANSIENT) })
  }

  /// Binds a copy of the bytes; no bytes make an empty blob, not NULL.
  package func bind(_ blob: RawSpan, at parameter: Int) throws(SQLError) {
    try check(blob.withUnsafeBytes { bindBlob($0, at: parameter, seif_SQLITE_TRANSIENT) })
  }

  package func bind(_ value: SQLValue, at parameter: Int) throws(SQLError) {
    switch value {
    case .null: try bindNull(at: parameter)
    case .integer(let integer): try bind(integer, at: parameter)
    case .text(let text): try bind(text, at: parameter)
    case .blob(let bytes): try bind(bytes, at: parameter)
    }
  }

  /// Binds the bytes without copying them while `body` runs, then resets the statement and unbinds them.
  package func binding<Result: ~Copyable, Failure: SQLErrorConvertible>(
    _ blob: RawSpan, at parameter: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try blob.withUnsafeBytes { (bytes) throws(Failure) -> Result in
      do throws(SQLError) {
        try check(bindBlob(bytes, at: parameter, nil))
      } catch { throw Failure(error) }
      defer {
        sqlite3_reset(handle)
        sqlite3_bind_null(handle, Int32(clamping: parameter))
      }
      return try body()
    }
  }

  private func bindBlob(
    _ bytes: UnsafeRawBufferPointer, at parameter: Int, _ destructor: sqlite3_destructor_type?
  ) -> Int32 {
    let index = Int32(clamping: parameter)
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
    return sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), destructor)
  }

  private func check(_ result: Int32) throws(SQLError) {
    guard result != SQLITE_OK else { return }
    throw SQLError.from(result, on: connection.database, sql: sql, statementIsFixed: false)
  }
}
