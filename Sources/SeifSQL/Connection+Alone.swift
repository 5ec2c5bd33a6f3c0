extension Connection {
  /// Runs `body` while no other connection has the file open, in one transaction. Others that come meanwhile wait, and the
  /// file has no log beside it: it can be replaced by another of its name.
  ///
  /// Where `body` or the commit fails the file is as before; where it has moved, this connection is only good for closing.
  ///
  /// - Throws: `busy` if another connection stays open for as long as a statement waits.
  package func alone<Result: ~Copyable, Failure: SQLErrorConvertible>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do throws(SQLError) {
      // Leaving the log takes the file alone, and empties and removes the log.
      try setJournal("PRAGMA journal_mode = DELETE", expecting: "delete")
      try execute("PRAGMA synchronous = EXTRA")
    } catch {
      throw Failure(error)
    }
    do throws(Failure) {
      let result = try transaction(.exclusive, body)
      restoreLog()
      return result
    } catch {
      restoreLog()
      throw error
    }
  }

  /// Never for a file that has moved: its journal would stand beside the one that took its name.
  private func restoreLog() {
    guard options.journal == .writeAheadLog, let moved = try? fileHasMoved(), !moved else { return }
    try? setJournal("PRAGMA journal_mode = WAL", expecting: "wal")
    try? execute("PRAGMA synchronous = FULL")
  }
}
