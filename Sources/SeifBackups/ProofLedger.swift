public import SeifBytes
public import SeifRecords

/// What the ledger remembers of a backup.
public struct LedgerEvent: Sendable, Hashable {
  /// What happened. `stored` is written before the file is sent, so it says no more than that it may be there.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case stored, proven, drilled, pruned, missing, altered, failed
  }
  /// When, by this machine's clock.
  public var at: Timestamp
  /// What happened.
  public var kind: Kind
  /// The destination by its whole path, links resolved, so that it is one however it is named.
  public var destination: String
  /// The file's name there.
  public var name: String
  /// SHA-256 of the complete file, 32 bytes.
  public var sha256: [UInt8]
  /// Size of the file.
  public var byteCount: Int
  /// The format, as `authbackup-2`.
  public var format: String
  /// How many entries of each kind it holds.
  public var counts: [RecordKind: Int]
  /// The counter of the vault's state that the file holds; nil: the ledger takes the vault's own as the line is written.
  public var state: Int64?

  /// An event.
  public init(
    at: Timestamp, kind: Kind, destination: String, name: String, sha256: [UInt8], byteCount: Int, format: String,
    counts: [RecordKind: Int], state: Int64? = nil
  ) {
    self.at = at
    self.kind = kind
    self.destination = destination
    self.name = name
    self.sha256 = sha256
    self.byteCount = byteCount
    self.format = format
    self.counts = counts
    self.state = state
  }
}

/// Where proofs are written down: append-only, inside the vault.
public protocol ProofLedger {
  /// Everything that was written down, oldest first.
  func events() throws -> [LedgerEvent]
  /// Writes an event down, durably, before it returns. `records`: the contents of the file, which go into the entry as a
  /// keyed hash.
  func append(_ event: LedgerEvent, records: Records?) throws
}
