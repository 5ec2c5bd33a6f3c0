/// One step from a version of the schema to the next. Once released it never changes.
package struct Migration: Sendable {
  package let name: String
  let apply: @Sendable (Connection) throws(SQLError) -> Void

  package init(_ name: String, apply: @escaping @Sendable (Connection) throws(SQLError) -> Void) {
    self.name = name
    self.apply = apply
  }
}

/// Brings a file to the present schema, a step and a transaction at a time.
///
/// The version (SQLite's `user_version`) is the number of steps that the file has behind it. It grows in the same
/// transaction as the step's work, so a failure leaves the file at the last step that was wholly done, and the next
/// opening tries again from there.
package struct Migrator: Sendable {
  package let migrations: [Migration]
  /// What the file's header must say, and is made to say by the first step.
  package let applicationID: Int32

  package init(applicationID: Int32, migrations: [Migration]) {
    self.applicationID = applicationID
    self.migrations = migrations
  }

  /// The version that all steps together lead to.
  package var version: Int32 { Int32(clamping: migrations.count) }

  /// Opens a file and brings it up to date. A file that is refused stays as it is, byte for byte: it is looked at
  /// read-only before anything is switched on.
  ///
  /// - Parameter beforeFirst: called with the connection and the old version before the first step is applied to a file
  ///   that has a schema already, to keep a copy of it; if it throws, nothing is changed.
  /// - Throws: `newerSchema`, `foreignSchema`, `migrationFailed`, and what opening throws.
  package func open(
    path: String, mode: Connection.Mode, vfs: String? = nil, options: ConnectionOptions = ConnectionOptions(),
    beforeFirst: (Connection, Int32) throws(SQLError) -> Void = { (_, _) throws(SQLError) in }
  ) throws(SQLError) -> Connection {
    if mode == .readWrite { try look(at: path, vfs: vfs, options: options) }
    let connection = try Connection(path: path, mode: mode, vfs: vfs, options: options)
    if mode == .readOnly {
      // What can't be brought up to date can't be read either: the queries know only the present schema.
      guard try check(connection) == version else {
        throw SQLError(.migrationFailed, message: "an older schema, opened for reading only", cause: .readOnly)
      }
    } else {
      try migrate(connection, beforeFirst: beforeFirst)
    }
    return connection
  }

  /// Refuses what can't be brought up to date, before anything is changed.
  private func look(at path: String, vfs: String?, options: ConnectionOptions) throws(SQLError) {
    do throws(SQLError) {
      let reader = try Connection(path: path, mode: .readOnly, vfs: vfs, options: options)
      _ = try check(reader)
    } catch {
      guard error == SQLError(.recoveryNeeded) else { throw error }
      // A crash left a journal. Taking back what is half done comes before any reading; a file with a rollback journal
      // is in that mode already, so nothing else of it changes.
      var options = options
      options.journal = .rollback
      _ = try check(Connection(path: path, mode: .readWrite, vfs: vfs, options: options))
    }
  }

  /// The version of an open file, if it is one that these steps can start from.
  ///
  /// - Throws: `newerSchema`; `foreignSchema` for another program's file or tables without a version.
  package func check(_ connection: Connection) throws(SQLError) -> Int32 {
    let found = try connection.userVersion()
    let owner = try connection.applicationID()
    guard owner == applicationID || (owner == 0 && found == 0) else {
      throw SQLError(.foreignSchema, message: "application id \(owner)")
    }
    guard found <= version else {
      throw SQLError(.newerSchema, message: "version \(found), known up to \(version)")
    }
    guard found >= 0 else { throw SQLError(.foreignSchema, message: "version \(found)") }
    if found == 0, try !connection.schema().isEmpty {
      throw SQLError(.foreignSchema, message: "tables without a version")
    }
    return found
  }

  /// Applies the steps that the file lacks. See `open(path:mode:vfs:options:beforeFirst:)`.
  package func migrate(
    _ connection: Connection,
    beforeFirst: (Connection, Int32) throws(SQLError) -> Void = { (_, _) throws(SQLError) in }
  ) throws(SQLError) {
    let old = try check(connection)
    guard old < version else { return }
    if old > 0 { try beforeFirst(connection, old) }
    // A step may rebuild a table that others point to. Keys can't be switched within a transaction, so they are off
    // for all of them, and checked before each commit instead.
    try connection.execute("PRAGMA foreign_keys = OFF")
    do throws(SQLError) {
      for (index, migration) in migrations.enumerated() {
        try apply(migration, reaching: Int32(clamping: index + 1), to: connection)
      }
    } catch {
      try? connection.execute("PRAGMA foreign_keys = ON")
      throw error
    }
    try connection.execute("PRAGMA foreign_keys = ON")
    // A newer program may have gone on while this one waited for its turn.
    _ = try check(connection)
  }

  private func apply(
    _ migration: Migration, reaching target: Int32, to connection: Connection
  ) throws(SQLError) {
    do throws(SQLError) {
      try connection.transaction(.immediate) { () throws(SQLError) in
        // Another process may have been faster since the version was read.
        let present = try connection.userVersion()
        guard present < target else { return }
        try migration.apply(connection)
        if let table = try connection.foreignKeyViolations().first {
          throw SQLError(.constraint, message: "a foreign key of table \(table) leads nowhere")
        }
        try connection.setApplicationID(applicationID)
        try connection.setUserVersion(target)
      }
    } catch {
      throw error.failing(migration: migration.name)
    }
  }
}
