internal import SeifBytes
internal import SeifOTP

/// Works a plan out entry by entry: each sees what those before it made of the vault.
struct Planner {
  /// How often one entry of the vault is compared with versions of a login: a file may hold any number of them.
  private static let attemptCount = 32

  private let ids: [UUID]
  private var entries: [Entry]
  private let keys: [EquivalenceKey]
  /// From here on `entries` are those of the bin that may come back.
  private let binStart: Int
  private var attempts: [Int]
  private var versions = LoginVersions()
  private var byLabel: [SecretValue: Int] = [:]
  private var usedIDs: Set<UUID>
  private let historyCount: Int
  private let bin: StayingBin
  private let tombstones: Set<UUID>
  private var counters: [EquivalenceKey: Int64] = [:]

  init(
    _ existing: [(id: UUID, entry: Entry)], bin: [(id: UUID, entry: Entry)], fromBin: Bool, tombstones: Set<UUID>,
    historyCount: Int
  ) {
    self.historyCount = historyCount
    let pool = fromBin ? existing + bin : existing
    ids = pool.map(\.id)
    entries = pool.map(\.entry)
    keys = entries.map { EquivalenceKey($0) }
    binStart = existing.count
    attempts = [Int](repeating: 0, count: pool.count)
    usedIDs = Set(existing.map(\.id) + bin.map(\.id))
    self.bin = StayingBin(bin, mayComeBack: fromBin)
    self.tombstones = tombstones
    for (_, entry) in bin { noteCounter(entry, EquivalenceKey(entry)) }
    for (index, entry) in entries.enumerated() {
      noteCounter(entry, keys[index])
      if case .password(let login) = entry { versions.note(login, at: index) }
      guard index < binStart, let label = EquivalenceKey.label(entry), byLabel[label] == nil else { continue }
      byLabel[label] = index
    }
  }

  mutating func items(for incoming: [Entry]) -> [MergePlan.Item] {
    let incomingKeys = incoming.map { EquivalenceKey($0) }
    // Before any is added, so that the order of the file doesn't matter.
    for (position, entry) in incoming.enumerated() where counters[incomingKeys[position]] != nil {
      noteCounter(entry, incomingKeys[position])
    }
    let partners = partners(of: incoming, incomingKeys)
    var items: [MergePlan.Item] = []
    var met: [Int?] = []
    for (position, entry) in incoming.enumerated() {
      let key = incomingKeys[position]
      if let index = partners[position] {
        let entry = index >= binStart ? withHighestCounter(entry, key) : entry
        let (merged, fields) = EntryMerge.merge(entries[index], with: entry)
        items.append(gain(merged, fields, at: index))
        met.append(index)
      } else if let (index, merged, fields) = version(of: entry, key) {
        items.append(gain(merged, fields, at: index))
        met.append(index)
      } else {
        items.append(apart(withHighestCounter(entry, key), key))
        met.append(nil)
      }
    }
    // What later entries added stands there in the end.
    for (position, index) in met.enumerated() {
      if let index { items[position].entry = entries[index] }
    }
    return items
  }

  // The living come first; only for what meets none of them is the bin looked at.
  private func partners(of incoming: [Entry], _ incomingKeys: [EquivalenceKey]) -> [Int?] {
    var partners = Meetings.partners(
      of: incoming, incomingKeys, in: Array(entries[..<binStart]), Array(keys[..<binStart]))
    guard binStart < entries.count else { return partners }
    let left = incoming.indices.filter { partners[$0] == nil }
    let binned = Meetings.partners(
      of: left.map { incoming[$0] }, left.map { incomingKeys[$0] }, in: Array(entries[binStart...]),
      Array(keys[binStart...]))
    for (position, index) in zip(left, binned) { partners[position] = index.map { $0 + binStart } }
    return partners
  }

  private mutating func gain(_ merged: Entry, _ fields: [String], at index: Int) -> MergePlan.Item {
    var merged = merged
    if !fields.isEmpty {
      if case .password(let login) = merged, case .password(let before) = entries[index] {
        // The vault itself puts the password that was the present one into the history.
        let isNewer = login.password != before.password
        let fitting = HistoryOverflow.fit(login, isNewer ? max(0, historyCount - 1) : historyCount)
        if isNewer || fields.contains("history") { versions.note(fitting, at: index) }
        merged = .password(fitting)
      }
      entries[index] = merged
    }
    let outcome: MergePlan.Outcome =
      index >= binStart ? .restored(fields: fields) : fields.isEmpty ? .same : .updated(fields: fields)
    return MergePlan.Item(entry: merged, existing: ids[index], outcome: outcome)
  }

  // MARK: - Versions of a login

  // Ours stays the present one where it knows the other's password as an older one.
  private mutating func version(of entry: Entry, _ key: EquivalenceKey) -> (Int, Entry, [String])? {
    guard case .password(let theirs) = entry else { return nil }
    for index in versions.holders(of: theirs) where attempt(index) && EquivalenceKey(entries[index]) != key {
      if EntryMerge.merge(entries[index], with: entry).1.isEmpty { return (index, entries[index], []) }
    }
    for index in versions.newer(than: theirs) where attempt(index) {
      let (merged, fields) = EntryMerge.merge(entries[index], with: entry)
      return (index, merged, fields)
    }
    for index in versions.older(than: theirs) where attempt(index) {
      guard case .password(let ours) = entries[index],
        theirs.history.contains(where: { $0.password == ours.password })
      else { continue }
      let (merged, fields) = EntryMerge.succeed(ours, by: theirs)
      return (index, merged, fields)
    }
    return nil
  }

  private mutating func attempt(_ index: Int) -> Bool {
    guard attempts[index] < Self.attemptCount else { return false }
    attempts[index] += 1
    return true
  }

  // MARK: - What meets nothing

  private mutating func apart(_ entry: Entry, _ key: EquivalenceKey) -> MergePlan.Item {
    if let id = bin.id(of: entry, key) { return MergePlan.Item(entry: entry, existing: id, outcome: .inBin) }
    if let id = entry.info.id, tombstones.contains(id), !usedIDs.contains(id) {
      return MergePlan.Item(entry: entry, existing: id, outcome: .deleted)
    }
    if let label = EquivalenceKey.label(entry), let index = byLabel[label] {
      let fields = EntryMerge.differences(entries[index], entry)
      return MergePlan.Item(entry: addable(entry), existing: ids[index], outcome: .conflict(fields: fields))
    }
    return MergePlan.Item(entry: addable(entry), existing: nil, outcome: .new)
  }

  // As it can be added: an identifier that is taken already is left to the vault to replace.
  private mutating func addable(_ entry: Entry) -> Entry {
    var entry = entry
    if case .password(let login) = entry { entry = .password(HistoryOverflow.fit(login, historyCount)) }
    if let id = entry.info.id, !usedIDs.insert(id).inserted { entry.info.id = nil }
    return entry
  }

  // MARK: - Counters

  // An entry that joins the living never makes a code with a counter from before: of one seed the highest counter that
  // the vault and its bin know is where it goes on.
  private func withHighestCounter(_ entry: Entry, _ key: EquivalenceKey) -> Entry {
    guard case .account(var account) = entry, let counter = account.otp.counter, let highest = counters[key],
      counter < highest, let advanced = try? account.otp.withCounter(highest)
    else { return entry }
    account.otp = advanced
    return .account(account)
  }

  private mutating func noteCounter(_ entry: Entry, _ key: EquivalenceKey) {
    guard case .account(let account) = entry, let counter = account.otp.counter else { return }
    counters[key] = max(counter, counters[key] ?? counter)
  }
}

/// The entries of a bin that stay there.
struct StayingBin {
  private var byKey: [EquivalenceKey: UUID] = [:]
  private var ids: Set<UUID> = []
  private var positions: [UUID] = []
  private var versions = LoginVersions()

  init(_ bin: [(id: UUID, entry: Entry)], mayComeBack: Bool) {
    guard !mayComeBack else { return }
    for (id, entry) in bin {
      let key = EquivalenceKey(entry)
      if byKey[key] == nil { byKey[key] = id }
      ids.insert(id)
      if case .password(let login) = entry { versions.note(login, at: positions.count) }
      positions.append(id)
    }
  }

  /// The binned entry that is the same thing: by what makes it so, as an older version of a login, or by its identifier,
  /// under which it may have changed before it was removed.
  func id(of entry: Entry, _ key: EquivalenceKey) -> UUID? {
    if let id = byKey[key] { return id }
    if case .password(let login) = entry, let index = versions.newer(than: login).first { return positions[index] }
    return entry.info.id.flatMap { ids.contains($0) ? $0 : nil }
  }
}
