import CSQLite
import Glibc

/// Which file a name stood for at some moment.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64
}

extension Connection {
  /// Writes the database as it is now into a new file, mode 0600, durable when this returns. Others may go on reading
  /// and writing meanwhile; the copy is of one moment. The file has its name once it is whole. A failure leaves no file;
  /// a program that is killed can leave one whose name goes on with `.new-`.
  ///
  /// - Throws: `alreadyExists`, `full`, `busy` (also inside a transaction of this connection that has written).
  package func copy(to destination: String) throws(SQLError) {
    let source = try handle()
    let temporary = destination + ".new-" + String(UInt64.random(in: 0 ... .max), radix: 16)
    try Self.createFile(temporary)
    do throws(SQLError) {
      try fill(temporary, from: source)
      // A link, unlike a rename, never takes the place of a file that is there.
      guard link(temporary, destination) == 0 else { throw SQLError.from(errno: errno) }
    } catch {
      for suffix in ["", "-journal", "-wal", "-shm"] { unlink(temporary + suffix) }
      throw error
    }
    unlink(temporary)
    do throws(SQLError) {
      try Self.syncFolder(of: destination)
    } catch {
      unlink(destination)
      throw error
    }
  }

  private func fill(_ path: String, from source: OpaquePointer) throws(SQLError) {
    let target = try Self.openHandle(path: path, mode: .readWrite, vfs: vfs)
    defer { sqlite3_close_v2(target) }
    try Self.copy(source, to: target)
  }

  /// Copies all of a database over another, by SQLite's backup interface.
  static func copy(_ source: OpaquePointer, to target: OpaquePointer) throws(SQLError) {
    guard let backup = sqlite3_backup_init(target, "main", source, "main") else {
      throw SQLError.from(sqlite3_extended_errcode(target), on: target, sql: "", statementIsFixed: true)
    }
    let stepped = sqlite3_backup_step(backup, -1)
    let finished = sqlite3_backup_finish(backup)
    guard stepped == SQLITE_DONE, finished == SQLITE_OK else {
      let result = finished != SQLITE_OK ? finished : stepped
      throw SQLError.from(result, on: target, sql: "", statementIsFixed: true)
    }
  }

  /// Moves the write-ahead log into the file; `truncate` also empties the log, so that nothing erased lives on in it.
  ///
  /// - Throws: `busy` if another connection still needs the log.
  package func checkpoint(truncate: Bool) throws(SQLError) {
    let mode = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_FULL
    let result = sqlite3_wal_checkpoint_v2(try handle(), "main", mode, nil, nil)
    guard result == SQLITE_OK else { throw error(result) }
  }

  /// Rewrites the file without its free pages. Needs as much space again.
  package func vacuum() throws(SQLError) {
    let database = try handle()
    // SQLite attaches the new file to the connection while it fills it.
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 1)
    defer { sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0) }
    try execute("VACUUM")
  }

  /// What is wrong with the file, in SQLite's words; empty if nothing is.
  package func integrityCheck() throws(SQLError) -> [String] {
    let statement = try prepare("PRAGMA integrity_check")
    var findings: [String] = []
    do throws(SQLError) {
      while try statement.step() { findings.append(try statement.text(0)) }
    } catch {
      // Damage may be such that the check itself stops at it.
      guard error == SQLError(.corrupt) else { throw error }
      findings.append(error.message)
    }
    return findings == ["ok"] ? [] : findings
  }

  /// Rows whose foreign key leads nowhere, as the names of their tables.
  package func foreignKeyViolations() throws(SQLError) -> [String] {
    let statement = try prepare("PRAGMA foreign_key_check")
    var tables: [String] = []
    while try statement.step() { tables.append(try statement.text(0)) }
    return tables
  }

  /// The file that the name stands for now, or `cantOpen`.
  package func fileIdentity() throws(SQLError) -> FileIdentity {
    var status = stat()
    guard stat(path, &status) == 0 else { throw SQLError.from(errno: errno) }
    return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  /// Whether the name no longer stands for the open file: it was removed, renamed or replaced by another.
  package func fileHasMoved() throws(SQLError) -> Bool {
    let database = try handle()
    var moved: Int32 = 0
    let result = withUnsafeMutablePointer(to: &moved) {
      sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, $0)
    }
    guard result == SQLITE_OK else { throw error(result) }
    return moved != 0
  }
}
