internal import SeifSQL

/// Accounts and vaults in one SQLite file.
package final class SQLiteServerStore: Sendable {
  let database: Database

  /// Opens the file, made with mode 0600 where there is none.
  package init(path: String) throws(StoreFailure) { database = try Database(path: path) }

  /// A whole copy of the database in a new file, as it is at one moment.
  package func copy(to destination: String) throws(StoreFailure) { try database.copy(to: destination) }

  /// What is wrong with the database itself: its pages, its references, and the numbers that it keeps of each account.
  package func problems() throws(StoreFailure) -> [String] {
    try database.read { (connection) throws(SQLError) in
      var problems = try connection.integrityCheck()
      problems += try connection.foreignKeyViolations().map { "a row of \($0) belongs to nothing" }
      let miscounted =
        try connection.rows(
          """
          SELECT count(*) FROM accounts a WHERE
            object_count <> (SELECT count(*) FROM objects WHERE account = a.id AND deleted_at IS NULL)
            OR byte_count <> (SELECT coalesce(sum(byte_count), 0) FROM objects WHERE account = a.id AND deleted_at IS NULL)
            OR trash_byte_count <> (
              SELECT coalesce(sum(byte_count), 0) FROM objects WHERE account = a.id AND deleted_at IS NOT NULL)
          """
        ) { (row) throws(SQLError) in try row.number(0) }.first ?? 0
      if miscounted > 0 { problems.append("\(miscounted) accounts have other totals than their objects") }
      return problems
    }
  }
}
