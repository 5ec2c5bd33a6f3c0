package import SeifBytes
package import SeifOTP
package import SeifRecords
package import SeifVault

/// An unlocked vault as commands see it, whether this process holds its keys or the agent does.
package protocol UnlockedVault: AnyObject {
  /// What unlocking found and the last read left out, in words.
  var notices: AgentAnswer.Notices { get }
  /// Ends the use of it. A vault of the agent stays open there.
  func lock()

  /// What a list shows of all entries, in the vault's order.
  func list() throws(VaultUseError) -> [EntrySummary]
  /// The entries that a query fits best.
  func find(_ query: String, onlyCodes: Bool) throws(VaultUseError) -> Found
  /// The code of the one entry that a query fits, else nil and what it fits. A counter is stored before its code is given.
  func code(
    _ query: String, next: Bool, at time: Timestamp
  ) throws(VaultUseError) -> (found: Found, code: OneTimeCode?)
  /// An entry, its secrets masked if the agent holds them.
  func entry(_ id: UUID) throws(VaultUseError) -> ReadEntry
  /// The entry with its secrets.
  func revealed(_ entry: ReadEntry) throws(VaultUseError) -> Entry
  /// One secret of an entry by its name: `password`, `secret`, `number` and the like (docs/agent.md).
  func secret(_ field: String, of entry: ReadEntry) throws(VaultUseError) -> SecretValue
  /// Makes changes as one whole; what is masked in a replaced entry stays as it is.
  @discardableResult
  func apply(_ changes: [VaultChange], ifCounterIs expected: Int64?) throws(VaultUseError) -> [UUID]
  /// Takes the last change back; with a step only if it is that one.
  @discardableResult
  func undo(ifStepIs step: Int64?) throws(VaultUseError) -> UndoReport
  /// What that would take back.
  func lastChange() throws(VaultUseError) -> LastChange
  /// What was removed, its secrets masked if the agent holds them.
  func bin() throws(VaultUseError) -> [BinnedEntry]
  /// How many entries were removed.
  func binnedCount() throws(VaultUseError) -> Int
  /// What became of the backups, oldest line first.
  func ledger() throws(VaultUseError) -> [LedgerLine]
  /// Takes the entries of a file in as one whole, or says what that would do.
  func merge(_ records: Records, _ options: ImportOptions) throws(VaultUseError) -> ImportReport
  /// All that is wrong with the vault, and apart from it what reading leaves out.
  func verify() throws(VaultUseError) -> (faults: [VaultFault], damage: [VaultFault])
  /// Everything, for a file.
  func records(for purpose: AgentRequest.Purpose) throws(VaultUseError) -> Records
}

/// An entry that was read.
package struct ReadEntry: Sendable {
  /// The counter of the vault's state that it was read from.
  package let counter: Int64
  package let stored: StoredEntry
  /// Names of the secrets that stand-ins stand for.
  package let masked: [String]
}

/// A vault whose keys this process holds.
package final class DirectVault: UnlockedVault {
  package let vault: Vault
  package private(set) var notices: AgentAnswer.Notices
  private var index: SearchIndex?

  package init(_ vault: Vault) {
    self.vault = vault
    // Whoever unlocked it has said what that found.
    notices = AgentAnswer.Notices()
  }

  package func lock() {
    index = nil
    vault.lock()
  }

  private func noteDamage() { notices.damage = vault.damage.map { "\($0)" } }

  package func list() throws(VaultUseError) -> [EntrySummary] {
    defer { noteDamage() }
    return try vaultCall { () throws(VaultError) in try vault.summaries() }
  }

  package func find(_ query: String, onlyCodes: Bool) throws(VaultUseError) -> Found {
    if index == nil { index = try vaultCall { () throws(VaultError) in try SearchIndex(of: vault) } }
    return found(query, onlyCodes)
  }

  private func found(_ query: String, _ onlyCodes: Bool) -> Found {
    let places = index?.places(fitting: query, onlyCodes: onlyCodes) ?? []
    notices.damage = index?.damage.map { "\($0)" } ?? []
    let hits = places.prefix(Found.limit).compactMap { place in
      index?.withSummary(at: place) { id, bytes in EntrySummary(bytes, id: id) } ?? nil
    }
    return Found(total: places.count, isVaultEmpty: index?.count == 0, hits: hits)
  }

  package func code(
    _ query: String, next: Bool, at time: Timestamp
  ) throws(VaultUseError) -> (found: Found, code: OneTimeCode?) {
    let found = try find(query, onlyCodes: true)
    guard found.total == 1, let hit = found.hits.first else { return (found, nil) }
    return (found, try CodeMaker.code(of: hit.id, in: vault, at: time, next: next))
  }

  package func entry(_ id: UUID) throws(VaultUseError) -> ReadEntry {
    try vaultCall { () throws(VaultError) in
      ReadEntry(counter: try vault.counter(), stored: try vault.entry(id), masked: [])
    }
  }

  package func revealed(_ entry: ReadEntry) -> Entry { entry.stored.entry }

  package func secret(_ field: String, of entry: ReadEntry) throws(VaultUseError) -> SecretValue {
    try agentCall { () throws(AgentRefusal) in try EntrySecrets.value(field, of: entry.stored.entry) }
  }

  @discardableResult
  package func apply(_ changes: [VaultChange], ifCounterIs expected: Int64?) throws(VaultUseError) -> [UUID] {
    index = nil
    return try vaultCall { () throws(VaultError) in try vault.apply(changes, ifCounterIs: expected) }
  }

  @discardableResult
  package func undo(ifStepIs step: Int64?) throws(VaultUseError) -> UndoReport {
    index = nil
    return try vaultCall { () throws(VaultError) in try UndoReport.undo(vault, ifStepIs: step) }
  }

  package func lastChange() throws(VaultUseError) -> LastChange {
    try vaultCall { () throws(VaultError) in try vault.lastChange() }
  }

  package func bin() throws(VaultUseError) -> [BinnedEntry] {
    defer { noteDamage() }
    return try vaultCall { () throws(VaultError) in try vault.bin() }
  }

  package func binnedCount() throws(VaultUseError) -> Int {
    try vaultCall { () throws(VaultError) in try vault.binnedCount() }
  }

  package func ledger() throws(VaultUseError) -> [LedgerLine] {
    try vaultCall { () throws(VaultError) in try LedgerLine.all(of: vault) }
  }

  package func merge(_ records: Records, _ options: ImportOptions) throws(VaultUseError) -> ImportReport {
    index = nil
    return try vaultCall { () throws(VaultError) in try VaultImport.run(records, options, into: vault) }
  }

  package func verify() throws(VaultUseError) -> (faults: [VaultFault], damage: [VaultFault]) {
    try vaultCall { () throws(VaultError) in try vault.lookThrough() }
  }

  package func records(for purpose: AgentRequest.Purpose) throws(VaultUseError) -> Records {
    defer { noteDamage() }
    return try vaultCall { () throws(VaultError) in try vault.records() }
  }
}

extension UnlockedVault {
  /// Takes the last change back, whichever it is.
  @discardableResult
  package func undo() throws(VaultUseError) -> UndoReport { try undo(ifStepIs: nil) }

  /// A value that was taken out of an entry: itself, or the secret that it stands for.
  package func unmasked(_ value: SecretValue, of entry: ReadEntry) throws(VaultUseError) -> SecretValue {
    for field in entry.masked {
      let standIn = try agentCall { () throws(AgentRefusal) in
        try EntrySecrets.value(field, of: entry.stored.entry)
      }
      if standIn == value { return try secret(field, of: entry) }
    }
    return value
  }
}
