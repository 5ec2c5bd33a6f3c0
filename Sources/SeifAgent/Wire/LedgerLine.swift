internal import SeifBytes
internal import SeifRecords
package import SeifVault

/// A line of the vault's ledger of backups, and whether what it speaks of is what the vault holds now.
package struct LedgerLine: Sendable {
  /// Without the digest of the contents, which only the vault's key makes sense of.
  package let entry: LedgerEntry
  package let isCurrent: Bool

  /// The ledger of a vault.
  static func all(of vault: Vault) throws(VaultError) -> [LedgerLine] {
    let entries = try vault.ledger()
    // Without a backup there is nothing to compare with, and all entries needn't be opened.
    guard !entries.isEmpty else { return [] }
    let digest = try vault.contentDigest(of: try vault.records())
    // What was written since, even if it is the same again: a client that put a guess in the place of a secret would
    // learn here whether it was right.
    let last = try vault.entries().map(\.updatedAt.wholeSeconds).max()
    return entries.map { entry in
      var line = entry
      line.content = [UInt8](repeating: 0, count: 32)
      return LedgerLine(
        entry: line, isCurrent: entry.content == digest && last.map { $0 <= entry.at.wholeSeconds } ?? true)
    }
  }
}

extension WireWriter {
  mutating func line(_ line: LedgerLine) {
    let entry = line.entry
    text(entry.event.rawValue)
    number(entry.at.milliseconds)
    text(entry.destination)
    text(entry.name)
    text(entry.format)
    number(entry.bytes)
    secret(SecretValue(entry.sha256))
    let counts = RecordKind.allCases.compactMap { kind in entry.counts[kind].map { (kind, $0) } }
    count(counts.count)
    for (kind, number) in counts {
      text(kind.rawValue)
      count(number)
    }
    number(entry.state)
    bool(line.isCurrent)
  }
}

extension WireReader {
  mutating func line() throws(AgentRefusal) -> LedgerLine {
    guard let event = LedgerEntry.Event(rawValue: try text()) else { throw AgentRefusal(.badMessage, "event") }
    let at = Timestamp(milliseconds: try number())
    let (destination, name, format) = (try text(), try text(), try text())
    let bytes = try number()
    // EXPOSE: the digest of a file that lies in the open.
    let sha256 = try secret().exposedBytes()
    var counts: [RecordKind: Int] = [:]
    let pairs = try list(leastByteCount: 8) { (reader) throws(AgentRefusal) in
      (try reader.kind(), try reader.count())
    }
    for (kind, count) in pairs { counts[kind] = count }
    let entry = LedgerEntry(
      event: event, at: at, destination: destination, name: name, format: format, bytes: bytes, sha256: sha256,
      counts: counts, content: [UInt8](repeating: 0, count: 32), state: try number())
    return LedgerLine(entry: entry, isCurrent: try bool())
  }
}
