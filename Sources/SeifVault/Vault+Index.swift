package import SeifBytes
package import SeifRecords
internal import SeifSQL

// For who keeps the list in memory of its own: summaries as the bytes that were sealed.
extension Vault {
  /// Calls `body` with the plaintext of every summary, in the vault's order; the bytes must not leave it. Those that don't
  /// open, or aren't a summary, are left out.
  ///
  /// - Returns: the counter of the state that was read, and what was left out.
  package func forEachSummary(
    _ body: (UUID, RawSpan) -> Void
  ) throws(VaultError) -> (counter: Int64, damage: [VaultFault]) {
    try read { (connection, keys) throws(VaultError) in
      var damage: [VaultFault] = []
      var opener = try keys.sealer(.itemSummary).opener("summary")
      let statement = try connection.statement("SELECT id, revision, summary FROM item_summary ORDER BY position")
      while try statement.next() {
        let (id, revision) = try sql { () throws(SQLError) in (try statement.uuid(0), try statement.integer(1)) }
        do throws(VaultError) {
          let isSummary = try statement.withBlob(2) { (sealed) throws(VaultError) in
            try opener.open(sealed, row: id, revision: revision) { bytes in
              guard SummaryCodec.decode(bytes, id: id) != nil else { return false }
              body(id, bytes)
              return true
            }
          }
          guard isSummary else { throw VaultError(.damaged, "summary") }
        } catch {
          guard error.code == .damaged else { throw error }
          damage.append(.value(table: "item_summary", row: id, column: "summary"))
        }
      }
      return (Int64(clamping: try keys.accumulator.read(from: connection).counter), damage)
    }
  }

  /// Whether the vault's name still leads to the file that is open; not after a rotation or a restore put another there.
  package func hasItsFile() -> Bool {
    guard let (connection, _) = try? opened() else { return false }
    return (try? connection.fileHasMoved()) == false
  }

  /// Whether another open vault is this one, by its data key: its identifier stands in clear in its file, and any program
  /// can make a vault that has it.
  package func hasSameKey(as other: Vault) -> Bool {
    guard let (_, mine) = try? opened(), let (_, others) = try? other.opened() else { return false }
    return mine.dataKey.withBytes { left in others.dataKey.withBytes { constantTimeEqual(left, $0) } }
  }
}

extension EntrySummary {
  /// The summary in the plaintext of its column, or nil if these bytes aren't one.
  package init?(_ bytes: RawSpan, id: UUID) {
    guard let summary = SummaryCodec.decode(bytes, id: id) else { return nil }
    self = summary
  }
}

extension StoredEntry {
  /// As an agent's client learns of it.
  package init(_ entry: Entry, id: UUID, updatedAt: Timestamp) {
    self.init(id: id, entry: entry, updatedAt: updatedAt)
  }
}

extension BinnedEntry {
  /// As an agent's client learns of it.
  package init(_ entry: Entry, id: UUID, removedAt: Timestamp) {
    self.init(id: id, entry: entry, removedAt: removedAt)
  }
}
