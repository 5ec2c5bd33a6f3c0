import SeifCommandLine
import SeifBytes
import SeifOTP
import SeifRecords
import SeifVault

/// What must be on the disk after some number of steps, worked out without any of the code that writes it.
struct Model {
  struct Row: Equatable {
    let id: UUID
    var entry: Entry
    /// When it was last written, or removed.
    var at: Timestamp
    var position: Int64
  }

  /// The vault beside: made, filled, brought to a made-up version 2.
  struct Second: Equatable {
    var folder: String
    var entries: [Entry] = []
    var version: Int32 = 1
  }

  private struct Change {
    var items: [Row]
    var bin: [Row]
    var unusable: [UnusableEntry]
    var opaque: [OpaqueMember]
  }

  /// Transactions of the vault; nil: there is none.
  private(set) var counter: Int64?
  private(set) var items: [Row] = []
  private(set) var bin: [Row] = []
  private(set) var unusable: [UnusableEntry] = []
  private(set) var opaque: [OpaqueMember] = []
  private(set) var tombstones: Set<UUID> = []
  private(set) var ledger: [String] = []
  private(set) var link: (sequence: Int64, previous: [UInt8]) = (0, [UInt8](repeating: 0, count: 32))
  private(set) var backups: [String: [UInt8]] = [:]
  private(set) var outputs: [String: [UInt8]] = [:]
  private(set) var second: Second?
  /// The second passphrase, where there is one.
  private(set) var passphrase: String?
  /// Of the data key.
  private(set) var generation: Int64 = 1
  private var changes: [Change] = []
  var history: Int { changes.count }

  mutating func apply(_ step: Step, at now: Timestamp) {
    switch step {
    case .createVault: counter = 1
    case .reopen, .openSecond: break
    case .apply(let list): change { model in for each in list { model.make(each, now) } }
    case .restoreFromBin(let id):
      change { $0.restore(id) }
    case .undo:
      guard let last = changes.popLast() else { return }
      let (present, thrown) = (items, bin)
      let known = Set((last.items + last.bin).map(\.id))
      // What was added goes to the bin, where what came there so before stays.
      for row in items where !known.contains(row.id) { discard(row, now) }
      let strays = bin.filter { !known.contains($0.id) }
      (items, bin, unusable, opaque) = (last.items, last.bin, last.unusable, last.opaque)
      bin = (bin + strays).sorted { $0.position < $1.position }
      // A counter never goes back.
      for row in present { keepCounter(of: row) }
      for row in present + thrown { keepPasswords(of: row, now) }
      count()
    case .advanceCounter(let id):
      guard let index = items.firstIndex(where: { $0.id == id }) else { return }
      items[index].entry = Self.advanced(items[index].entry)
      count()
    case .purge:
      let due = Timestamp(milliseconds: now.milliseconds - 30 * 86_400_000)
      guard bin.contains(where: { $0.at <= due }) else { return }
      tombstones.formUnion(bin.filter { $0.at <= due }.map(\.id))
      bin.removeAll { $0.at <= due }
      changes = []
      count()
    case .appendToLedger(let entry):
      ledger.append(entry.name)
      count()
    case .nextBackupLink:
      link.sequence += 1
      count()
    case .recordBackup(_, let sha256):
      link.previous = sha256
      count()
    case .upload(let name, let bytes, _), .uploadFile(let name, let bytes): backups[name] = bytes
    case .deleteBackup(let name): backups[name] = nil
    case .output(let name, let bytes, _, _): outputs[name] = bytes
    case .createSecond(let folder): second = Second(folder: folder)
    case .fillSecond(let entries): second?.entries += entries
    case .migrateSecond: second?.version = 2
    case .addWayIn(let text), .changeWayIn(let text):
      passphrase = text
      count()
    case .removeWayIn:
      passphrase = nil
      count()
    case .rotate:
      generation += 1
      count()
    }
  }

  private mutating func count() { counter = (counter ?? 0) + 1 }

  private mutating func change(_ body: (inout Model) -> Void) {
    changes.append(Change(items: items, bin: bin, unusable: unusable, opaque: opaque))
    if changes.count > 10 { changes.removeFirst() }
    body(&self)
    count()
  }

  private mutating func make(_ change: VaultChange, _ now: Timestamp) {
    switch change {
    case .add(let entry):
      guard let id = entry.info.id else { preconditionFailure("internal error: entries of the plan have identifiers") }
      let last = (items + bin).map(\.position).max() ?? 0
      items.append(Row(id: id, entry: entry, at: now, position: last + 1))
    case .replace(let id, var entry):
      guard let index = items.firstIndex(where: { $0.id == id }) else { return }
      if case .password(var new) = entry, case .password(let old) = items[index].entry, new.password != old.password {
        new.history.insert(PreviousPassword(password: old.password, changedAt: now.wholeSeconds), at: 0)
        if new.history.count > 10 { new.history.removeLast(new.history.count - 10) }
        entry = .password(new)
      }
      items[index].entry = entry
      items[index].at = now
    case .remove(let id):
      guard let index = items.firstIndex(where: { $0.id == id }) else { return }
      discard(items.remove(at: index), now)
    case .restore(let id): restore(id)
    case .addUnusable(let entry): unusable.append(entry)
    case .setOpaque(let members): opaque = members
    // Nothing of the plan is damaged, and what opens stays where it is.
    case .setAside: break
    }
  }

  /// What was the password before an undo, or in the history then, stays in the history.
  private mutating func keepPasswords(of row: Row, _ now: Timestamp) {
    guard case .password(let before) = row.entry else { return }
    func kept(_ entry: Entry) -> Entry {
      guard case .password(var login) = entry else { return entry }
      var all = login.history
      for past in before.history.reversed() + [PreviousPassword(password: before.password, changedAt: now.wholeSeconds)]
      where past.password != login.password && !login.history.contains(where: { $0.password == past.password }) {
        all.insert(past, at: 0)
      }
      login.history = Array(all.prefix(10))
      return .password(login)
    }
    for index in items.indices where items[index].id == row.id { items[index].entry = kept(items[index].entry) }
    for index in bin.indices where bin[index].id == row.id { bin[index].entry = kept(bin[index].entry) }
  }

  // When entries in the bin were last written.
  private var times: [UUID: Timestamp] = [:]

  private mutating func discard(_ row: Row, _ now: Timestamp) {
    times[row.id] = row.at
    bin.append(Row(id: row.id, entry: row.entry, at: now, position: row.position))
    bin.sort { $0.position < $1.position }
  }

  private mutating func restore(_ id: UUID) {
    guard let index = bin.firstIndex(where: { $0.id == id }) else { return }
    var row = bin.remove(at: index)
    row.at = times[row.id] ?? row.at
    items.append(row)
    items.sort { $0.position < $1.position }
  }

  private mutating func keepCounter(of present: Row) {
    guard let index = items.firstIndex(where: { $0.id == present.id }),
      case .account(let new) = present.entry, case .account(var old) = items[index].entry,
      let high = new.otp.counter, let low = old.otp.counter, high > low, let otp = try? old.otp.withCounter(high)
    else { return }
    old.otp = otp
    items[index].entry = .account(old)
  }

  private static func advanced(_ entry: Entry) -> Entry {
    guard case .account(var account) = entry, let next = try? account.otp.advanced() else { return entry }
    account.otp = next
    return .account(account)
  }
}

/// The models after each number of steps, worked out once.
struct Models {
  let seed: UInt64
  private var first = 0
  private var known = [Model()]

  init(seed: UInt64) { self.seed = seed }

  /// The model after so many steps.
  subscript(_ number: Int) -> Model {
    mutating get {
      if number < first { (first, known) = (0, [Model()]) }
      while first + known.count <= number {
        let count = first + known.count - 1
        var model = known[known.count - 1]
        model.apply(Plan.step(count, seed, model), at: Plan.moment(count))
        known.append(model)
        // The last few are enough for who goes forward; replays ask for low numbers only.
        if known.count > 400 {
          known.removeFirst(200)
          first += 200
        }
      }
      return known[number - first]
    }
  }
}
