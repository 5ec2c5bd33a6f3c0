internal import SeifBytes
internal import SeifOTP
internal import SeifRecords
package import SeifVault
internal import Synchronization

/// A vault that is open in the agent: its keys, its list, and when it locks.
///
/// One caller at a time: `turn` is held for each use. What takes long, deriving a key, asking a person, sending, is done
/// without it.
final class OpenVault: @unchecked Sendable {
  let folder: String
  /// Where it was opened, and what is remembered of it elsewhere.
  let location: VaultLocation
  /// A number of its own for each unlock.
  let opening: UInt64
  let lockAfter: LockAfter
  /// The login session that it was unlocked from, if the kernel knew one.
  let loginSession: String?

  private let turn = Mutex(())
  // Held while a copy with the same keys is open; never taken within a turn.
  private let copies = Mutex(())
  private let vault: Vault
  private var index: SearchIndex
  // Apart from the turn: whoever looks for what is due must not wait for work on a vault.
  private let lastUse = Mutex(Deadline.now)
  private var isLocked = false

  init(
    _ vault: Vault, folder: String, opening: UInt64, lockAfter: LockAfter, loginSession: String?
  ) throws(VaultError) {
    self.vault = vault
    location = vault.location
    self.folder = folder
    self.opening = opening
    self.lockAfter = lockAfter
    self.loginSession = loginSession
    index = try SearchIndex(of: vault)
  }

  // MARK: - Locking

  /// Wipes keys and list.
  func lock() {
    turn.withLock { _ in
      isLocked = true
      index = SearchIndex()
      vault.lock()
    }
    // Its copies have the same keys: locked is what nobody has them of.
    copies.withLock { _ in }
  }

  /// Runs work that has keys of this vault beside it.
  func withoutLocking<Result: Sendable>(
    _ work: () throws(VaultUseError) -> Result
  ) throws(VaultUseError) -> Result {
    try copies.withLock { _ throws(VaultUseError) in try work() }
  }

  /// Milliseconds since the start of the machine at which it is locked if nobody uses it; nil where it is the first use
  /// that locks it.
  var due: Int64? {
    if case .use = lockAfter { return nil }
    return latest
  }

  /// The same also where the first use locks it: one that nobody uses doesn't stay open for ever.
  var latest: Int64 {
    let seconds =
      switch lockAfter {
      case .use: LockAfter.standardSeconds
      case .seconds(let seconds): seconds
      }
    return lastUse.withLock { $0 &+ seconds &* 1000 }
  }

  /// Whether the file that is open is still the one of its name.
  var hasItsFile: Bool { turn.withLock { _ in !isLocked && vault.hasItsFile() } }

  /// Whether what was opened beside it is the same vault.
  func isSame(as other: Vault) -> Bool { turn.withLock { _ in !isLocked && vault.hasSameKey(as: other) } }

  // MARK: - Using

  /// Runs work on the vault. The list is read anew first if another program wrote to the file.
  ///
  /// - Parameter counts: whether it puts off the time at which the vault locks.
  private func use<Result: Sendable>(
    counts: Bool = true, _ work: () throws(VaultUseError) -> Result
  ) throws(VaultUseError) -> (AgentAnswer.Notices, Result) {
    try turn.withLock { _ throws(VaultUseError) in
      guard !isLocked else { throw .agent(AgentRefusal(.locked)) }
      if counts { lastUse.withLock { $0 = Deadline.now } }
      do throws(VaultError) {
        if index.counter == nil || index.counter != (try? vault.counter()) { index = try SearchIndex(of: vault) }
      } catch {
        throw .vault(error)
      }
      let result = try work()
      let notices = AgentAnswer.Notices(
        faults: vault.openingFaults.map { "\($0)" }, damage: index.damage.map { "\($0)" })
      return (notices, result)
    }
  }

  /// Runs work of others on the vault, which puts nothing off.
  func withVault<Result: Sendable>(
    _ work: (Vault) throws(VaultUseError) -> Result
  ) throws(VaultUseError) -> Result {
    try use(counts: false) { () throws(VaultUseError) in try work(vault) }.1
  }

  /// All summaries.
  ///
  /// - Parameter counts: whether that is a use.
  func list(counts: Bool = true) throws(VaultUseError) -> SecretValue {
    let (notices, body) = try use(counts: counts) { () throws(VaultUseError) in
      var writer = WireWriter(capacity: 1 << 16)
      writer.count(index.count)
      index.forEach { id, bytes in
        writer.id(id)
        writer.bytes(bytes)
      }
      return writer.finish()
    }
    return AgentAnswer.success(notices) { $0.append(body) }
  }

  /// The entries that a query fits best: how many, and the first twenty.
  func find(_ query: String, onlyCodes: Bool) throws(VaultUseError) -> SecretValue {
    let (notices, body) = try use { () throws(VaultUseError) in
      var writer = WireWriter()
      hits(index.places(fitting: query, onlyCodes: onlyCodes), &writer)
      return writer.finish()
    }
    return AgentAnswer.success(notices) { $0.append(body) }
  }

  private func hits(_ places: [Int], _ writer: inout WireWriter) {
    writer.count(places.count)
    writer.bool(index.count == 0)
    let shown = places.prefix(Found.limit)
    writer.count(shown.count)
    for place in shown {
      index.withSummary(at: place) { id, bytes in
        writer.id(id)
        writer.bytes(bytes)
      }
    }
  }

  /// The code of the one entry that a query fits, else what `find` says. A counter is stored before its code is made.
  func code(_ query: String, next: Bool, at time: Timestamp) throws(VaultUseError) -> SecretValue {
    let (notices, body) = try use { () throws(VaultUseError) in
      let places = index.places(fitting: query, onlyCodes: true)
      var writer = WireWriter()
      hits(places, &writer)
      guard places.count == 1, let place = places.first else { return writer.finish() }
      let id = index.withSummary(at: place) { id, _ in id }
      let made = try CodeMaker.code(of: id, in: vault, at: time, next: next)
      // A counter changes nothing that the list shows; if this was the only change, the list still holds.
      if made.secondsLeft == nil, let counter = index.counter, (try? vault.counter()) == counter &+ 1 {
        index.counter = counter &+ 1
      }
      writer.text(made.text)
      writer.optional(made.secondsLeft) { $0.count($1) }
      writer.optional(made.validUntil) { $0.number($1.seconds) }
      return writer.finish()
    }
    return AgentAnswer.success(notices) { $0.append(body) }
  }

  /// An entry with stand-ins for its secrets, and the counter of the state that it was read from.
  func entry(_ id: UUID) throws(VaultUseError) -> SecretValue {
    let (notices, body) = try use { () throws(VaultUseError) in
      let (counter, stored) = try vaultCall { () throws(VaultError) in (try vault.counter(), try vault.entry(id)) }
      let (entry, fields) = try agentCall { () throws(AgentRefusal) in try EntrySecrets.masked(stored.entry) }
      var writer = WireWriter()
      writer.number(counter)
      writer.stored(StoredEntry(entry, id: stored.id, updatedAt: stored.updatedAt))
      writer.texts(fields)
      return writer.finish()
    }
    return AgentAnswer.success(notices) { $0.append(body) }
  }

  /// What a question about an entry calls it.
  func subject(_ id: UUID) throws(VaultUseError) -> (kind: RecordKind, name: String) {
    try use { () throws(VaultUseError) in
      let entry = try vaultCall { () throws(VaultError) in try vault.entry(id).entry }
      return (entry.kind, entry.name)
    }.1
  }

  /// One secret of an entry; whether it may be shown was settled before.
  func reveal(_ id: UUID, field: String) throws(VaultUseError) -> SecretValue {
    let (notices, value) = try use { () throws(VaultUseError) in
      let stored = try vaultCall { () throws(VaultError) in try vault.entry(id) }
      return try agentCall { () throws(AgentRefusal) in try EntrySecrets.value(field, of: stored.entry) }
    }
    return AgentAnswer.success(notices) { $0.secret(value) }
  }

  /// Makes changes as one whole; stand-ins become the secrets that they stand for.
  func apply(_ changes: [VaultChange], expected: Int64?) throws(VaultUseError) -> SecretValue {
    let (notices, ids) = try use { () throws(VaultUseError) in
      let counter = try vaultCall { () throws(VaultError) in try vault.counter() }
      let now = vault.now
      let whole = try changes.map { (change) throws(VaultUseError) -> VaultChange in
        switch change {
        case .replace(let id, let entry):
          let present = try vaultCall { () throws(VaultError) in try vault.entry(id).entry }
          let filled = try agentCall { () throws(AgentRefusal) in try EntrySecrets.filled(entry, from: present) }
          return .replace(id, Self.withoutComparing(filled, sent: entry, present, at: now))
        case .add(let entry):
          try agentCall { () throws(AgentRefusal) in try EntrySecrets.checkWhole(entry) }
          return change
        default: return change
        }
      }
      // The secrets were taken from this state, so it has to be the one that is written over.
      return try vaultCall { () throws(VaultError) in
        try vault.apply(whole, ifCounterIs: expected ?? counter, comparesSecrets: false)
      }
    }
    return AgentAnswer.success(notices) { writer in
      writer.count(ids.count)
      for id in ids { writer.id(id) }
    }
  }

  /// Where a client sends a secret of its own, what follows is the same whether it is the present one or not: it could
  /// guess, look, and take the guess back. The present password joins the history either way, and only a counter whose
  /// seed the client left alone never goes back.
  private static func withoutComparing(_ filled: Entry, sent: Entry, _ present: Entry, at now: Timestamp) -> Entry {
    switch (filled, present) {
    case (.password(var login), .password(let before)):
      guard EntrySecrets.isOwn("password", in: sent), !(login.password.isEmpty && before.password.isEmpty) else {
        return filled
      }
      login.history.insert(PreviousPassword(password: before.password, changedAt: now), at: 0)
      return .password(login)
    case (.account(var account), .account(let before)):
      guard !EntrySecrets.isOwn("secret", in: sent), let counter = before.otp.counter, let wanted = account.otp.counter,
        wanted < counter, let kept = try? account.otp.withCounter(counter)
      else { return filled }
      account.otp = kept
      return .account(account)
    default: return filled
    }
  }

  func undo(ifStepIs step: Int64?) throws(VaultUseError) -> SecretValue {
    let (notices, report) = try use { () throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in try UndoReport.undo(vault, ifStepIs: step, comparesSecrets: false) }
    }
    return AgentAnswer.success(notices) { $0.report(report) }
  }

  func lastChange() throws(VaultUseError) -> SecretValue {
    let (notices, change) = try use { () throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in try vault.lastChange() }
    }
    return AgentAnswer.success(notices) { $0.lastChange(change) }
  }

  /// The bin, with stand-ins for secrets.
  func bin() throws(VaultUseError) -> SecretValue {
    let (notices, body) = try use { () throws(VaultUseError) in
      let bin = try vaultCall { () throws(VaultError) in try vault.bin() }
      let damage = vault.damage.map { "\($0)" }
      var writer = WireWriter()
      writer.texts(damage)
      writer.count(bin.count)
      for binned in bin {
        let masked = try agentCall { () throws(AgentRefusal) in try EntrySecrets.masked(binned.entry).entry }
        writer.stored(StoredEntry(masked, id: binned.id, updatedAt: binned.removedAt))
      }
      return writer.finish()
    }
    return AgentAnswer.success(notices) { $0.append(body) }
  }

  /// How many lie in the bin; none of them is opened.
  func binnedCount() throws(VaultUseError) -> SecretValue {
    let (notices, count) = try use { () throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in try vault.binnedCount() }
    }
    return AgentAnswer.success(notices) { $0.count(count) }
  }

  /// Takes the entries of a file in; whether what it says of them may be told was settled before.
  func merge(_ records: Records, _ options: ImportOptions) throws(VaultUseError) -> SecretValue {
    let (notices, report) = try use { () throws(VaultUseError) in
      for entry in records.entries { try agentCall { () throws(AgentRefusal) in try EntrySecrets.checkWhole(entry) } }
      return try vaultCall { () throws(VaultError) in try VaultImport.run(records, options, into: vault) }
    }
    return AgentAnswer.success(notices) { $0.report(report) }
  }

  /// What is wrong with the vault, value by value, and what reading leaves out.
  func verify() throws(VaultUseError) -> SecretValue {
    let (notices, found) = try use { () throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in try vault.lookThrough() }
    }
    return AgentAnswer.success(notices) { writer in
      writer.faults(found.faults)
      writer.faults(found.damage)
    }
  }

  /// What became of the backups; no secret.
  func ledger() throws(VaultUseError) -> SecretValue {
    let (notices, lines) = try use { () throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in try LedgerLine.all(of: vault) }
    }
    return AgentAnswer.success(notices) { writer in
      writer.count(lines.count)
      for line in lines { writer.line(line) }
    }
  }

  /// Everything; whether it may leave was settled before.
  func records() throws(VaultUseError) -> SecretValue {
    let (notices, body) = try use { () throws(VaultUseError) in
      let records = try vaultCall { () throws(VaultError) in try vault.records() }
      var writer = WireWriter(capacity: 1 << 16)
      writer.texts(vault.damage.map { "\($0)" })
      writer.records(records)
      return writer.finish()
    }
    return AgentAnswer.success(notices) { $0.append(body) }
  }
}

extension Vault {
  /// All that is wrong, and apart from it what reading entries and bin leaves out: a seed that doesn't open is named by
  /// its entry there.
  func lookThrough() throws(VaultError) -> (faults: [VaultFault], damage: [VaultFault]) {
    let faults = try verify()
    guard !faults.isEmpty else { return ([], []) }
    _ = try entries()
    let damage = self.damage
    _ = try bin()
    return (faults, damage + self.damage)
  }
}

package func vaultCall<Result: ~Copyable>(_ body: () throws(VaultError) -> Result) throws(VaultUseError) -> Result {
  do throws(VaultError) { return try body() } catch { throw .vault(error) }
}

func agentCall<Result>(_ body: () throws(AgentRefusal) -> Result) throws(VaultUseError) -> Result {
  do throws(AgentRefusal) { return try body() } catch { throw .agent(error) }
}

/// What a query fits.
package struct Found: Sendable {
  /// How many are named, at most.
  package static let limit = 20

  /// How many there are.
  package var total: Int
  /// Whether the vault has no entries at all.
  package var isVaultEmpty: Bool
  /// The first of them.
  package var hits: [EntrySummary]

  package init(total: Int, isVaultEmpty: Bool, hits: [EntrySummary]) {
    self.total = total
    self.isVaultEmpty = isVaultEmpty
    self.hits = hits
  }
}
