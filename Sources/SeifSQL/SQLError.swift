/// Why a database could not do what was asked.
///
/// Holds codes, SQLite's own words and the SQL text; never a bound value, and no words of SQLite's that could quote
/// one. Two errors are equal when their codes are, so that a better text breaks nobody who compares.
package struct SQLError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of failure it was.
  package let code: Code
  /// SQLite's extended result code; 0 where SQLite was not the one to refuse.
  package let extendedCode: Int32
  /// What SQLite, or this library, says about it.
  package let message: String
  /// The text of the statement, without its values; empty where there was none.
  package let sql: String
  /// The migration that failed, and the kind of failure that made it fail.
  package let migration: String?
  package let cause: Code?

  package init(
    _ code: Code, extendedCode: Int32 = 0, message: String = "", sql: String = "", migration: String? = nil,
    cause: Code? = nil
  ) {
    self.code = code
    self.extendedCode = extendedCode
    self.message = message
    self.sql = sql
    self.migration = migration
    self.cause = cause
  }

  package static func == (left: SQLError, right: SQLError) -> Bool { left.code == right.code }

  package var description: String {
    var text = code.explanation
    if let migration { text += " at step '\(migration)'" }
    if let cause { text += ": \(cause.explanation)" }
    if !message.isEmpty { text += " (\(message))" }
    if extendedCode != 0 { text += " [SQLite \(extendedCode)]" }
    if !sql.isEmpty { text += " in: \(sql)" }
    return text + "; " + (cause ?? code).advice
  }

  /// The failure of a migration step, keeping what made it fail.
  func failing(migration name: String) -> SQLError {
    SQLError(
      .migrationFailed, extendedCode: extendedCode, message: message, sql: sql, migration: name, cause: cause ?? code)
  }
}

/// An error type into which a transaction or a column reader can turn the database's own failures, so that a body
/// that throws errors of its caller's kind keeps one typed `throws`.
package protocol SQLErrorConvertible: Error {
  init(_ error: SQLError)
}

extension SQLError: SQLErrorConvertible {
  package init(_ error: SQLError) { self = error }
}

extension SQLError {
  /// A kind of failure. More may be added; a switch over codes needs a default.
  package struct Code: Hashable, Sendable, CustomStringConvertible {
    package let name: String
    let explanation: String
    let advice: String

    init(_ name: String, _ explanation: String, _ advice: String) {
      self.name = name
      self.explanation = explanation
      self.advice = advice
    }

    package static func == (left: Code, right: Code) -> Bool { left.name == right.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
    package var description: String { name }
  }
}

extension SQLError.Code {
  private static let restore = "keep the file as it is and restore a backup into a new one"
  private static let ours = "this is a mistake in the program, please report it"

  package static let busy = Self(
    "busy", "the database is in use by another program", "nothing was changed, try again in a moment")
  package static let full = Self(
    "full", "the disk is full", "nothing was changed, free some space and try again")
  package static let ioError = Self(
    "ioError", "reading or writing the file failed", "nothing was changed, check the disk and its cables")
  package static let corrupt = Self("corrupt", "the database is damaged", restore)
  package static let notADatabase = Self("notADatabase", "the file is not a database", "check the path")
  package static let readOnly = Self(
    "readOnly", "the database can't be written to", "check the permissions of the file and its folder")
  package static let recoveryNeeded = Self(
    "recoveryNeeded", "a program was stopped while it wrote to the database",
    "open it for writing once, which takes back what was left half done")
  package static let cantOpen = Self(
    "cantOpen", "the file can't be opened", "check the path and the permissions of the folder")
  package static let alreadyExists = Self(
    "alreadyExists", "there is already a file of this name", "choose another name or move the file away")
  package static let constraint = Self("constraint", "a rule of the database forbids this", "nothing was changed")
  package static let tooBig = Self("tooBig", "a value is too long", "nothing was changed, shorten the value")
  package static let outOfMemory = Self("outOfMemory", "memory ran out", "close other programs and try again")
  package static let interrupted = Self("interrupted", "the operation was interrupted", "try again")
  package static let statement = Self("statement", "the statement is not valid", ours)
  package static let misuse = Self("misuse", "the database was used in a way that it does not allow", ours)
  package static let wrongType = Self("wrongType", "a column holds another type than expected", restore)
  package static let invalidText = Self("invalidText", "a text column is not valid UTF-8", restore)
  package static let nestedTransaction = Self("nestedTransaction", "a transaction is already open", ours)
  package static let transactionLost = Self(
    "transactionLost", "an earlier failure ended the transaction", "nothing was changed, try again")
  package static let walUnavailable = Self(
    "walUnavailable", "this place can't hold a write-ahead log", "use a rollback journal here")
  package static let migrationFailed = Self(
    "migrationFailed", "bringing the file up to date failed", "it is as the last finished step left it")
  package static let newerSchema = Self(
    "newerSchema", "the file was made by a newer version of this program", "nothing was changed, update the program")
  package static let foreignSchema = Self(
    "foreignSchema", "the file is a database of another program", "nothing was changed, check the path")
  package static let unknown = Self("unknown", "the database reported a failure", "try again")
}
