public import SeifBackups
public import SeifRecords

/// A ledger in memory that can be full.
public final class MemoryLedger: ProofLedger {
  /// It takes no more.
  public struct Full: Error {}

  /// What was written down, oldest first.
  public var written: [LedgerEvent] = []
  /// What it doesn't take.
  public var refuses: Set<LedgerEvent.Kind> = []

  public init() {}

  public func events() throws -> [LedgerEvent] { written }
  public func append(_ event: LedgerEvent, records: Records?) throws {
    if refuses.contains(event.kind) { throw Full() }
    written.append(event)
  }
}
