import CSQLite

// A column is read as the type that it holds, or not at all: SQLite's own conversions would turn a text of digits into
// a number and a damaged number into 0, without a word.
extension Statement {
  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The column's name, as the statement gives it.
  package func columnName(_ column: Int) -> String {
    sqlite3_column_name(handle, Int32(clamping: column)).map { String(cString: $0) } ?? ""
  }

  /// What the column of the current row holds; `misuse` without a row or for a column that isn't there.
  package func type(_ column: Int) throws(SQLError) -> ColumnType {
    switch try storageClass(column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  package func isNull(_ column: Int) throws(SQLError) -> Bool { try storageClass(column) == SQLITE_NULL }

  package func integer(_ column: Int) throws(SQLError) -> Int64 {
    sqlite3_value_int64(try value(column, of: SQLITE_INTEGER))
  }

  /// A text column; `invalidText` if its bytes are not UTF-8.
  package func text(_ column: Int) throws(SQLError) -> String {
    try require(SQLITE_TEXT, column)
    let index = Int32(clamping: column)
    guard let start = sqlite3_column_text(handle, index) else { throw SQLError(.outOfMemory, sql: sql) }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SQLError(.invalidText, message: "column \(column)", sql: sql)
    }
    return text
  }

  package func blob(_ column: Int) throws(SQLError) -> [UInt8] { Array(try blobBytes(column)) }

  /// Lends the bytes of a blob column, uncopied; the span can't leave `body`.
  package func withBlob<Result: ~Copyable, Failure: SQLErrorConvertible>(
    _ column: Int, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes: UnsafeRawBufferPointer
    do throws(SQLError) { bytes = try blobBytes(column) } catch { throw Failure(error) }
    return try body(bytes.bytes)
  }

  /// The column as whatever it holds; floating point gets `wrongType`.
  package func value(_ column: Int) throws(SQLError) -> SQLValue {
    switch try storageClass(column) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer(try integer(column))
    case SQLITE_TEXT: .text(try text(column))
    default: .blob(try blob(column))
    }
  }

  private func blobBytes(_ column: Int) throws(SQLError) -> UnsafeRawBufferPointer {
    let value = try value(column, of: SQLITE_BLOB)
    // The address comes first: asking for it may move the value. SQLite gives none for an empty blob.
    guard let start = sqlite3_value_blob(value) else {
      guard sqlite3_value_bytes(value) == 0 else { throw SQLError(.outOfMemory, sql: sql) }
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  private func storageClass(_ column: Int) throws(SQLError) -> Int32 {
    let found = sqlite3_column_type(handle, Int32(clamping: column))
    // NULL is also what SQLite says without a row and of a column that isn't there; anything else is there.
    if found == SQLITE_NULL {
      guard column >= 0, column < Int(sqlite3_data_count(handle)) else {
        throw SQLError(.misuse, message: "no row, or no column \(column)", sql: sql)
      }
    }
    return found
  }

  private func require(_ expected: Int32, _ column: Int) throws(SQLError) {
    _ = try value(column, of: expected)
  }

  // Asked once for a column, since SQLite checks its handle anew at each question about a row. Such a value may be read
  // by the connection's owner alone, which is the rule here anyway.
  private func value(_ column: Int, of expected: Int32) throws(SQLError) -> OpaquePointer? {
    let value = sqlite3_column_value(handle, Int32(clamping: column))
    guard sqlite3_value_type(value) == expected else {
      let found = try type(column)
      throw SQLError(.wrongType, message: "column \(column) holds \(found.rawValue)", sql: sql)
    }
    return value
  }
}
