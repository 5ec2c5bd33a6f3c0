/// A table, index, view or trigger of the file.
package struct SchemaEntry: Sendable, Equatable {
  package let type: String
  package let name: String
  package let table: String
  /// The statement that made it; nil for what SQLite made by itself.
  package let sql: String?
}

extension Connection {
  /// The number that the file's program keeps in its header for the version of the schema.
  package func userVersion() throws(SQLError) -> Int32 { try number("PRAGMA user_version") }

  package func setUserVersion(_ version: Int32) throws(SQLError) {
    try execute(built: "PRAGMA user_version = \(version)")
  }

  /// The number in the header that says whose file it is; 0 if nobody's.
  package func applicationID() throws(SQLError) -> Int32 { try number("PRAGMA application_id") }

  package func setApplicationID(_ identifier: Int32) throws(SQLError) {
    try execute(built: "PRAGMA application_id = \(identifier)")
  }

  /// All that the schema defines, in order of type and name; SQLite's own tables excepted.
  package func schema() throws(SQLError) -> [SchemaEntry] {
    let statement = try prepare(
      """
      SELECT type, name, tbl_name, sql FROM sqlite_schema
      WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name
      """)
    var entries: [SchemaEntry] = []
    while try statement.step() {
      entries.append(
        SchemaEntry(
          type: try statement.text(0), name: try statement.text(1), table: try statement.text(2),
          sql: try statement.isNull(3) ? nil : try statement.text(3)))
    }
    return entries
  }

  private func number(_ sql: StaticString) throws(SQLError) -> Int32 {
    let statement = try prepare(sql)
    guard try statement.step() else { throw SQLError(.misuse, sql: statement.sql) }
    guard let number = Int32(exactly: try statement.integer(0)) else { throw SQLError(.wrongType, sql: statement.sql) }
    return number
  }
}
