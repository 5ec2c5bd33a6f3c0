/// Accounts and vaults in one SQLite file.
package final class SQLiteServerStore: Sendable {
  let database: Database

  /// Opens the file, made with mode 0600 where there is none.
  package init(path: String) throws(StoreFailure) { database = try Database(path: path) }

  /// A whole copy of the database in a new file, as it is at one moment.
  package func copy(to destination: String) throws(StoreFailure) { try database.copy(to: destination) }
}
