import CSQLite
import Glibc

/// One open database file, with one owner.
///
/// Not `Sendable`, and opened without SQLite's own mutexes: an actor or a single task owns it.
///
/// No other code of the process may open and close the same file: closing any descriptor of it drops the POSIX locks
/// that SQLite holds on it. Everything here that looks at the file goes through SQLite or through `stat`.
package final class Connection {
  package enum Mode: Sendable {
    /// Reads only, and leaves no file behind. See `Connection.init(path:mode:vfs:options:)`.
    case readOnly
    /// Reads and writes a file that is there.
    case readWrite
    /// Makes a new file with mode 0600, and fails with `alreadyExists` if the name is taken.
    case create
  }

  package let path: String
  package let vfs: String?
  package let mode: Mode
  let options: ConnectionOptions
  var database: OpaquePointer?
  /// Prepared statements that nobody uses at the moment.
  var idleStatements: [StatementKey: [OpaquePointer]] = [:]
  var statementsInUse = 0
  /// A transaction that this connection began is open, or SQLite ended it and its body does not know yet.
  var transactionState = TransactionState.none
  /// What bounds the work of a database from memory; nil for a file.
  var budget: StepBudget?

  /// Opens the file.
  ///
  /// A read-only connection to a file with a write-ahead log that nobody has open reads the file as it stands, without
  /// locks, since SQLite would otherwise create a log and an index and could not remove them. Keep such a connection
  /// for a look, not for hours in which others write.
  ///
  /// - Throws: `cantOpen`, `alreadyExists`, `notADatabase`, `busy`, `full`, `readOnly`, `walUnavailable`.
  package init(
    path: String, mode: Mode, vfs: String? = nil, options: ConnectionOptions = ConnectionOptions()
  ) throws(SQLError) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw SQLError(.cantOpen, message: "no usable path") }
    self.path = path
    self.vfs = vfs
    self.mode = mode
    self.options = options
    if mode == .create { try Self.createFile(path) }
    do throws(SQLError) {
      database = try Self.openHandle(path: path, mode: mode, vfs: vfs)
      try configure()
      if mode == .create { try Self.syncFolder(of: path) }
    } catch {
      if mode == .create {
        closeHandle()
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
      }
      throw error
    }
  }

  /// Opens a database that is nothing but these bytes, for reading. See `Connection.init(reading:stepLimit:)`.
  init(memory database: OpaquePointer, budget: StepBudget) throws(SQLError) {
    path = ":memory:"
    vfs = nil
    mode = .readOnly
    options = ConnectionOptions()
    self.database = database
    self.budget = budget
    try configure()
  }

  deinit { closeHandle() }

  /// Closes the file now; every later use fails with `misuse`. Fails with `busy` while a statement is alive.
  package func close() throws(SQLError) {
    guard statementsInUse == 0 else { throw SQLError(.busy, message: "a statement is still in use") }
    closeHandle()
  }

  private func closeHandle() {
    for statement in idleStatements.values.joined() { sqlite3_finalize(statement) }
    idleStatements = [:]
    if let database { sqlite3_close_v2(database) }
    database = nil
  }

  /// SQLite's handle, or `misuse` after `close()`.
  func handle() throws(SQLError) -> OpaquePointer {
    guard let database else { throw SQLError(.misuse, message: "the connection is closed") }
    return database
  }

  // MARK: - Settings

  private func configure() throws(SQLError) {
    let database = try handle()
    sqlite3_extended_result_codes(database, 1)
    sqlite3_busy_timeout(database, max(0, options.busyTimeoutMilliseconds))
    for (option, on) in Self.flags {
      let result = seif_sqlite3_db_config_flag(libsqlite, database, option, on)
      guard result == SQLITE_OK else { throw error(result) }
    }
    for (limit, value) in Self.limits { sqlite3_limit(database, limit, value) }
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, max(1 << 16, options.maximumValueByteCount))
    // Sorting and other scratch work stays in memory: no temporary file may ever hold a row.
    try execute("PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
    guard mode != .readOnly else {
      try execute("PRAGMA query_only = ON")
      return
    }
    // Before the journal: that writes the first page.
    if mode == .create, options.hasLargePages { try execute("PRAGMA page_size = 8192") }
    switch options.journal {
    case .writeAheadLog:
      try setJournal("PRAGMA journal_mode = WAL", expecting: "wal")
      try execute("PRAGMA synchronous = FULL")
    case .rollback:
      // A file that came from a disk brings a log. Alone with it, SQLite takes the log in without shared memory.
      let hadLog = Self.usesLog(database)
      if hadLog { try execute("PRAGMA locking_mode = EXCLUSIVE") }
      defer { if hadLog { try? execute("PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema") } }
      try setJournal("PRAGMA journal_mode = DELETE", expecting: "delete")
      // EXTRA also syncs the folder once the journal is gone: else power loss could take back what was confirmed.
      try execute("PRAGMA synchronous = EXTRA")
    }
    try execute("PRAGMA secure_delete = ON")
  }

  /// Changing the journal needs the file alone, and SQLite gives up at once instead of waiting. Programs that start
  /// together must wait for their turn, so the waiting is done here.
  func setJournal(_ sql: StaticString, expecting mode: String) throws(SQLError) {
    var waited: Int32 = 0
    while true {
      do throws(SQLError) {
        let statement = try prepare(sql)
        guard try statement.step(), try statement.text(0) == mode else { throw SQLError(.walUnavailable) }
        // The row comes before the change is committed, and only the next step hears whether that worked.
        _ = try statement.step()
        return
      } catch {
        guard error.code == .busy, waited < options.busyTimeoutMilliseconds else { throw error }
      }
      usleep(5_000)
      waited += 5
    }
  }

  private static let flags: [(Int32, Int32)] = [
    (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
    (SQLITE_DBCONFIG_DEFENSIVE, 1),
    (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (SQLITE_DBCONFIG_DQS_DML, 0),
    (SQLITE_DBCONFIG_DQS_DDL, 0),
    (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
    (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0),
    (SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0),
  ]

  /// A hostile file brings its own schema: views and triggers are parsed under these limits.
  private static let limits: [(Int32, Int32)] = [
    (SQLITE_LIMIT_SQL_LENGTH, 1 << 16),
    (SQLITE_LIMIT_COLUMN, 128),
    (SQLITE_LIMIT_EXPR_DEPTH, 64),
    (SQLITE_LIMIT_COMPOUND_SELECT, 16),
    (SQLITE_LIMIT_VDBE_OP, 100_000),
    (SQLITE_LIMIT_FUNCTION_ARG, 16),
    (SQLITE_LIMIT_ATTACHED, 0),
    (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 256),
    (SQLITE_LIMIT_VARIABLE_NUMBER, 128),
    (SQLITE_LIMIT_TRIGGER_DEPTH, 8),
    (SQLITE_LIMIT_WORKER_THREADS, 0),
  ]

  /// The failure that `result` stands for, outside any statement with values.
  func error(_ result: Int32, sql: String = "") -> SQLError {
    SQLError.from(result, on: database, sql: sql, statementIsFixed: true)
  }
}
