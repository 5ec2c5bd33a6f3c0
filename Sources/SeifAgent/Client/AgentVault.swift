package import SeifBytes
package import SeifOTP
package import SeifRecords
package import SeifVault

/// A vault that is open in the agent: no key comes into this process, and a secret only where it is asked for by name.
package final class AgentVault: UnlockedVault {
  private let client: AgentClient
  /// The vault's absolute folder.
  package let folder: String
  package private(set) var notices = AgentAnswer.Notices()

  package init(_ client: AgentClient, folder: String) {
    self.client = client
    self.folder = folder
  }

  package func lock() {}

  /// Returns if it is open in the agent.
  package func checkOpen() throws(VaultUseError) {
    try call(.isOpen(folder: folder)) { (_) throws(AgentRefusal) in }
  }

  /// Asks, keeps what the vault has to say of itself, and takes the result apart to its end.
  private func call<Result>(
    _ request: AgentRequest, _ patience: AgentClient.Patience = .work,
    _ read: (inout WireReader) throws(AgentRefusal) -> Result
  ) throws(VaultUseError) -> Result {
    var (notices, reader) = try client.call(request, patience)
    self.notices = notices
    return try agentCall { () throws(AgentRefusal) in
      let result = try read(&reader)
      try reader.end()
      return result
    }
  }

  package func list() throws(VaultUseError) -> [EntrySummary] {
    try call(.list(folder: folder)) { (reader) throws(AgentRefusal) in
      try reader.list(leastByteCount: 20) { (reader) throws(AgentRefusal) in try reader.summary() }
    }
  }

  /// As `list`, for who only looks what names there are: it keeps the vault open no longer.
  package func names() throws(VaultUseError) -> [EntrySummary] {
    try call(.names(folder: folder)) { (reader) throws(AgentRefusal) in
      try reader.list(leastByteCount: 20) { (reader) throws(AgentRefusal) in try reader.summary() }
    }
  }

  package func find(_ query: String, onlyCodes: Bool) throws(VaultUseError) -> Found {
    try call(.find(folder: folder, query: query, onlyCodes: onlyCodes)) { (reader) throws(AgentRefusal) in
      try reader.found()
    }
  }

  package func code(
    _ query: String, next: Bool, at time: Timestamp
  ) throws(VaultUseError) -> (found: Found, code: OneTimeCode?) {
    try call(.code(folder: folder, query: query, next: next, at: time.seconds)) { (reader) throws(AgentRefusal) in
      let found = try reader.found()
      guard found.total == 1 else { return (found, nil) }
      let text = try reader.text()
      let left = try reader.optional { (reader) throws(AgentRefusal) in try reader.count() }
      let end = try reader.optional { (reader) throws(AgentRefusal) in Timestamp(seconds: try reader.number()) }
      return (found, OneTimeCode(text: text, secondsLeft: left, validUntil: end))
    }
  }

  package func entry(_ id: UUID) throws(VaultUseError) -> ReadEntry {
    try call(.entry(folder: folder, id)) { (reader) throws(AgentRefusal) in
      let counter = try reader.number()
      let stored = try reader.stored()
      return ReadEntry(counter: counter, stored: stored, masked: try reader.texts())
    }
  }

  package func revealed(_ entry: ReadEntry) throws(VaultUseError) -> Entry {
    var whole = entry.stored.entry
    for field in entry.masked {
      let secret = try secret(field, of: entry)
      whole = try agentCall { () throws(AgentRefusal) in try EntrySecrets.setting(field, of: whole, to: secret) }
    }
    return whole
  }

  package func secret(_ field: String, of entry: ReadEntry) throws(VaultUseError) -> SecretValue {
    try call(.reveal(folder: folder, entry.stored.id, field: field), .person) {
      (reader) throws(AgentRefusal) in try reader.secret()
    }
  }

  @discardableResult
  package func apply(_ changes: [VaultChange], ifCounterIs expected: Int64?) throws(VaultUseError) -> [UUID] {
    try call(.apply(folder: folder, changes, expected: expected)) { (reader) throws(AgentRefusal) in
      try reader.list(leastByteCount: 16) { (reader) throws(AgentRefusal) in try reader.id() }
    }
  }

  @discardableResult
  package func undo(ifStepIs step: Int64?) throws(VaultUseError) -> UndoReport {
    try call(.undo(folder: folder, step: step)) { (reader) throws(AgentRefusal) in try reader.report() }
  }

  package func lastChange() throws(VaultUseError) -> LastChange {
    try call(.lastChange(folder: folder)) { (reader) throws(AgentRefusal) in try reader.lastChange() }
  }

  package func bin() throws(VaultUseError) -> [BinnedEntry] {
    var damage: [String] = []
    let bin = try call(.bin(folder: folder)) { (reader) throws(AgentRefusal) in
      damage = try reader.texts()
      return try reader.list(leastByteCount: 33) { (reader) throws(AgentRefusal) in
        let stored = try reader.stored()
        return BinnedEntry(stored.entry, id: stored.id, removedAt: stored.updatedAt)
      }
    }
    notices.damage = damage
    return bin
  }

  package func binnedCount() throws(VaultUseError) -> Int {
    try call(.binnedCount(folder: folder)) { (reader) throws(AgentRefusal) in try reader.count() }
  }

  package func ledger() throws(VaultUseError) -> [LedgerLine] {
    try call(.ledger(folder: folder)) { (reader) throws(AgentRefusal) in
      try reader.list(leastByteCount: 40) { (reader) throws(AgentRefusal) in try reader.line() }
    }
  }

  package func merge(_ records: Records, _ options: ImportOptions) throws(VaultUseError) -> ImportReport {
    try call(.merge(folder: folder, records, options), .person) { (reader) throws(AgentRefusal) in
      try reader.importReport()
    }
  }

  package func verify() throws(VaultUseError) -> (faults: [VaultFault], damage: [VaultFault]) {
    try call(.verify(folder: folder), .derivation) { (reader) throws(AgentRefusal) in
      (try reader.faults(), try reader.faults())
    }
  }

  /// Has the agent take a snapshot to one destination, or to all that are approved.
  package func backUp(to destination: String?, onlyIfChanged: Bool) throws(VaultUseError) -> [Delivery] {
    try call(.backUp(folder: folder, destination: destination, onlyIfChanged: onlyIfChanged), .transfer) {
      (reader) throws(AgentRefusal) in
      try reader.list(leastByteCount: 22) { (reader) throws(AgentRefusal) in try reader.delivery() }
    }
  }

  /// When it locks; nil where it is no longer open.
  package func state() throws(VaultUseError) -> AgentStatus.OpenVault? {
    try client.status().vaults.first { utf8Equal($0.folder, folder) }
  }

  package func records(for purpose: AgentRequest.Purpose) throws(VaultUseError) -> Records {
    var damage: [String] = []
    let records = try call(.records(folder: folder, purpose), .person) { (reader) throws(AgentRefusal) in
      damage = try reader.texts()
      return try reader.records()
    }
    notices.damage = damage
    return records
  }
}

/// What an agent says of itself.
package struct AgentStatus: Sendable, Equatable {
  /// A vault that is open.
  package struct OpenVault: Sendable, Equatable {
    package let folder: String
    /// Until it locks, if nobody uses it; nil: with the first command that does.
    package let millisecondsLeft: Int64?
    /// A number of its own for each unlock in this agent.
    package let opening: Int64
  }
  package let process: Int64
  /// Whether it hears of suspend, screen lock and log-out.
  package let knowsSessions: Bool
  package let vaults: [OpenVault]
}

extension AgentClient {
  package func status(_ patience: Patience = .work) throws(VaultUseError) -> AgentStatus {
    var (_, reader) = try call(.status, patience)
    return try agentCall { () throws(AgentRefusal) in
      let process = try reader.number()
      let knowsSessions = try reader.bool()
      let vaults = try reader.list(leastByteCount: 13) { (reader) throws(AgentRefusal) in
        let folder = try reader.text()
        let left = try reader.optional { (reader) throws(AgentRefusal) in try reader.number() }
        return AgentStatus.OpenVault(folder: folder, millisecondsLeft: left, opening: try reader.number())
      }
      try reader.end()
      return AgentStatus(process: process, knowsSessions: knowsSessions, vaults: vaults)
    }
  }

  /// Opens a vault in the agent.
  ///
  /// - Returns: what unlocking found; when it locks; whether the highest counter could be kept.
  package func unlock(
    folder: String, stateFolder: String, _ way: AgentRequest.Way, _ secret: borrowing SecretBytes, _ after: LockAfter?
  ) throws(VaultUseError) -> (notices: AgentAnswer.Notices, lockAfter: LockAfter, keepsCounter: Bool) {
    let value = secret.withBytes { SecretValue(copying: $0) }
    var (notices, reader) = try call(
      .unlock(folder: folder, stateFolder: stateFolder, way, value, after), .derivation)
    return try agentCall { () throws(AgentRefusal) in
      guard let lockAfter = LockAfter(wireNumber: try reader.number()) else { throw AgentRefusal(.badMessage, "time") }
      let keepsCounter = try reader.bool()
      try reader.end()
      return (notices, lockAfter, keepsCounter)
    }
  }

  /// Whether a vault is open in the agent.
  package func isOpen(folder: String) throws(VaultUseError) -> Bool {
    do throws(VaultUseError) {
      let (_, reader) = try call(.isOpen(folder: folder))
      try agentCall { () throws(AgentRefusal) in try reader.end() }
      return true
    } catch {
      guard case .agent(let refusal) = error, refusal.code == .locked else { throw error }
      return false
    }
  }

  /// Locks one vault or all.
  ///
  /// - Returns: how many were open.
  package func lock(folder: String?) throws(VaultUseError) -> Int {
    var (_, reader) = try call(.lock(folder: folder))
    return try agentCall { () throws(AgentRefusal) in try reader.count() }
  }
}

extension WireReader {
  fileprivate mutating func summary() throws(AgentRefusal) -> EntrySummary {
    let id = try id()
    guard let summary = try secret().withBytes({ EntrySummary($0, id: id) }) else {
      throw AgentRefusal(.badMessage, "summary")
    }
    return summary
  }

  fileprivate mutating func found() throws(AgentRefusal) -> Found {
    let total = try count()
    let isVaultEmpty = try bool()
    let hits = try list(leastByteCount: 20) { (reader) throws(AgentRefusal) in try reader.summary() }
    guard hits.count == min(total, Found.limit) else { throw AgentRefusal(.badMessage, "hits") }
    return Found(total: total, isVaultEmpty: isVaultEmpty, hits: hits)
  }
}
