import CSQLite
import Glibc

/// Extended codes are expressions that Swift doesn't import: `SQLITE_READONLY_ROLLBACK` and `…_RECOVERY`.
private let readOnlyRollback = SQLITE_READONLY | (3 << 8)
private let readOnlyRecovery = SQLITE_READONLY | (1 << 8)

extension SQLError.Code {
  /// The kind that an SQLite result code, extended or not, belongs to.
  static func of(sqlite code: Int32) -> Self {
    if code == readOnlyRollback || code == readOnlyRecovery { return .recoveryNeeded }
    return switch code & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_FULL: .full
    case SQLITE_IOERR: .ioError
    case SQLITE_CORRUPT: .corrupt
    case SQLITE_NOTADB: .notADatabase
    case SQLITE_READONLY, SQLITE_PERM: .readOnly
    case SQLITE_CANTOPEN: .cantOpen
    case SQLITE_CONSTRAINT, SQLITE_MISMATCH: .constraint
    case SQLITE_TOOBIG: .tooBig
    case SQLITE_NOMEM: .outOfMemory
    case SQLITE_INTERRUPT, SQLITE_ABORT: .interrupted
    case SQLITE_ERROR, SQLITE_AUTH, SQLITE_SCHEMA: .statement
    case SQLITE_MISUSE, SQLITE_RANGE: .misuse
    default: .unknown
    }
  }
}

extension SQLError {
  /// The failure that `result` stands for. `statementIsFixed`: no value can have reached SQLite's message, because the
  /// statement has not run yet or takes none.
  static func from(_ result: Int32, on database: OpaquePointer?, sql: String, statementIsFixed: Bool) -> SQLError {
    var code = Code.of(sqlite: result)
    // A full disk shows as FULL only for a write of pages; a log or an index that can't be created or grown is an
    // I/O or opening failure to SQLite, while a person needs to hear "full".
    if let database, code == .ioError || code == .cantOpen {
      let number = sqlite3_system_errno(database)
      if number == ENOSPC || number == EDQUOT { code = .full }
    }
    // A message made while running may quote a value (a full-text query, say). A constraint's names columns only.
    let speaksFreely = statementIsFixed || code == .constraint
    let text = speaksFreely && database != nil ? sqlite3_errmsg(database) : sqlite3_errstr(result)
    return SQLError(code, extendedCode: result, message: text.map { String(cString: $0) } ?? "", sql: sql)
  }

  /// The failure of a system call.
  static func from(errno number: Int32) -> SQLError {
    let code: Code =
      switch number {
      case EEXIST: .alreadyExists
      case ENOSPC, EDQUOT: .full
      case EROFS: .readOnly
      case EIO: .ioError
      default: .cantOpen
      }
    return SQLError(code, message: String(cString: strerror(number)))
  }
}
