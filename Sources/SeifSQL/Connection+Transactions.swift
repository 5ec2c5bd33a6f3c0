import CSQLite

enum TransactionState {
  case none, open
  /// SQLite rolled back by itself after a failure (a full disk, say). Until the body has ended every statement is
  /// refused: on its own it would be committed at once, as a part of a whole that is gone.
  case lost
}

package enum TransactionKind: Sendable {
  /// Locks when first needed; for reads that belong together.
  case deferred
  /// Takes the writer's place at once, so that waiting happens before any work.
  case immediate
  /// Keeps readers out too, where the journal lets them in.
  case exclusive
}

extension Connection {
  /// Runs `body` as one whole: all of it, or, if it throws or the commit fails, none of it.
  ///
  /// - Throws: what `body` throws; `nestedTransaction` if one is open; `transactionLost` if SQLite ended it half-way and
  ///   `body` did not pass that failure on; what beginning or committing throws.
  package func transaction<Result: ~Copyable, Failure: SQLErrorConvertible>(
    _ kind: TransactionKind = .immediate, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do throws(SQLError) { try begin(kind) } catch { throw Failure(error) }
    let result: Result
    do throws(Failure) {
      result = try body()
    } catch {
      rollBack()
      throw error
    }
    do throws(SQLError) {
      try commit()
    } catch {
      rollBack()
      throw Failure(error)
    }
    return result
  }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { transactionState != .none }

  private func begin(_ kind: TransactionKind) throws(SQLError) {
    guard transactionState == .none, sqlite3_get_autocommit(try handle()) != 0 else {
      throw SQLError(.nestedTransaction)
    }
    switch kind {
    case .deferred: try execute("BEGIN DEFERRED")
    case .immediate: try execute("BEGIN IMMEDIATE")
    case .exclusive: try execute("BEGIN EXCLUSIVE")
    }
    transactionState = .open
  }

  private func commit() throws(SQLError) {
    noteEndOfTransaction()
    try execute("COMMIT")
    transactionState = .none
  }

  private func rollBack() {
    guard let database else { return transactionState = .none }
    if sqlite3_get_autocommit(database) == 0 { sqlite3_exec(database, "ROLLBACK", nil, nil, nil) }
    // A rollback that fails leaves the transaction open: the connection then refuses all further work.
    transactionState = sqlite3_get_autocommit(database) == 0 ? .lost : .none
  }

  func noteEndOfTransaction() {
    guard transactionState == .open, let database, sqlite3_get_autocommit(database) != 0 else { return }
    transactionState = .lost
  }

  func checkTransaction() throws(SQLError) {
    if transactionState == .lost { throw SQLError(.transactionLost) }
  }
}
