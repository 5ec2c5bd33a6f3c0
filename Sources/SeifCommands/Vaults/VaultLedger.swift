internal import SeifCommandLine
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// The vault's ledger as the backup service sees it.
struct VaultLedger: ProofLedger {
  let vault: Vault
  /// The number of the file that is being made. As it is noted as stored, which is before it is sent, the chain of backups
  /// remembers it too: the next file names it, whatever becomes of this run.
  var sequence: Int64?

  func events() throws -> [LedgerEvent] {
    try vault.ledger().map { LedgerEvent($0) }
  }

  func append(_ event: LedgerEvent, records: Records?) throws { try write(event, records: records) }

  func write(_ event: LedgerEvent, records: Records?) throws(VaultError) {
    if event.kind == .stored, let sequence { try remember(sequence, event.sha256) }
    var content = [UInt8](repeating: 0, count: 32)
    if let records { content = try vault.contentDigest(of: records) }
    let state: Int64
    if let known = event.state { state = known } else { state = try vault.counter() }
    try vault.appendToLedger(
      LedgerEntry(
        event: LedgerEntry.Event(event.kind), at: event.at, destination: event.destination, name: event.name,
        format: event.format, bytes: Int64(event.byteCount), sha256: event.sha256, counts: event.counts,
        content: content, state: state))
  }

  private func remember(_ sequence: Int64, _ sha256: [UInt8]) throws(VaultError) {
    do {
      try vault.recordBackup(sequence: sequence, sha256: sha256)
    } catch {
      // Another run took the next number meanwhile; nothing was sent yet.
      throw error.code == .internalFailure ? VaultError(.busy) : error
    }
  }
}

extension LedgerEvent {
  init(_ entry: LedgerEntry) {
    self.init(
      at: entry.at, kind: Kind(entry.event), destination: entry.destination, name: entry.name, sha256: entry.sha256,
      byteCount: Int(clamping: entry.bytes), format: entry.format, counts: entry.counts,
      state: entry.state)
  }
}

extension LedgerEvent.Kind {
  init(_ event: LedgerEntry.Event) {
    switch event {
    case .stored: self = .stored
    case .proven: self = .proven
    case .drilled: self = .drilled
    case .pruned: self = .pruned
    case .missing: self = .missing
    case .altered: self = .altered
    case .failed: self = .failed
    }
  }
}

extension LedgerEntry.Event {
  init(_ kind: LedgerEvent.Kind) {
    switch kind {
    case .stored: self = .stored
    case .proven: self = .proven
    case .drilled: self = .drilled
    case .pruned: self = .pruned
    case .missing: self = .missing
    case .altered: self = .altered
    case .failed: self = .failed
    }
  }
}
