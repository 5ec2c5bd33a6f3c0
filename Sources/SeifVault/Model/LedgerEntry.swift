public import SeifBytes
public import SeifRecords

/// One line of the backups' ledger.
public struct LedgerEntry: Sendable, Hashable {
  /// What happened to a backup.
  public enum Event: String, Sendable, Hashable, CaseIterable {
    case stored, proven, drilled, pruned, missing, altered, failed
  }
  /// What happened.
  public var event: Event
  /// When.
  public var at: Timestamp
  /// Where: a destination's name.
  public var destination: String
  /// The file's name there.
  public var name: String
  /// The file's format.
  public var format: String
  /// Length of the file.
  public var bytes: Int64
  /// SHA-256 of the file, 32 bytes.
  public var sha256: [UInt8]
  /// Entries of each kind in it.
  public var counts: [RecordKind: Int]
  /// Keyed digest of the records in it, 32 bytes, as `Vault.contentDigest(of:)` gives it.
  public var content: [UInt8]
  /// The counter of the vault's state that it holds.
  public var state: Int64
  /// Its place in the ledger, from 1; set by the vault.
  public internal(set) var sequence: Int64 = 0
  /// SHA-256 of the entry before, as stored; set by the vault.
  public internal(set) var previous = [UInt8](repeating: 0, count: 32)

  /// A line to append.
  public init(
    event: Event, at: Timestamp, destination: String, name: String, format: String, bytes: Int64, sha256: [UInt8],
    counts: [RecordKind: Int], content: [UInt8], state: Int64
  ) {
    self.event = event
    self.at = at
    self.destination = destination
    self.name = name
    self.format = format
    self.bytes = bytes
    self.sha256 = sha256
    self.counts = counts
    self.content = content
    self.state = state
  }
}

extension LedgerEntry {
  private static let restored = "restored:"

  /// The line that says that a backup was taken into the vault. It is of no file of the vault's own, so its `name` is
  /// empty, and the backup's stands in `format` (docs/formats/vault.md).
  public static func restored(
    _ name: String, from destination: String, sha256: [UInt8], bytes: Int64, at: Timestamp, state: Int64
  ) -> LedgerEntry {
    LedgerEntry(
      event: .pruned, at: at, destination: destination, name: "", format: restored + name, bytes: bytes, sha256: sha256,
      counts: [:], content: [UInt8](repeating: 0, count: 32), state: state)
  }

  /// The name of the backup that was taken into the vault; nil: it is another line.
  public var restoredName: String? {
    guard event == .pruned, name.isEmpty, format.utf8.starts(with: Self.restored.utf8) else { return nil }
    return String(Substring(format.utf8.dropFirst(Self.restored.utf8.count)))
  }
}
