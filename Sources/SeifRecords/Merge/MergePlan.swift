public import SeifBytes

/// What becomes of the entries of a file in a vault, decided before anything is written. Nothing is lost: what differs is
/// kept twice or moves into the notes.
public struct MergePlan: Sendable {
  /// What becomes of one entry.
  public enum Outcome: Sendable {
    /// It isn't there yet and will be added.
    case new
    /// It is there already; nothing changes.
    case same
    /// It is there already; the entry in the vault gains these fields (`counter`: the higher one is kept).
    case updated(fields: [String])
    /// Another entry has its name but differs in these fields: both will be kept.
    case conflict(fields: [String])
  }

  /// One entry of the file.
  public struct Item: Sendable {
    /// The entry as it will stand in the vault (for `same`: as it stands).
    public var entry: Entry
    /// The entry of the vault that it meets, nil for `new`.
    public var existing: UUID?
    /// What becomes of it.
    public var outcome: Outcome
  }

  /// Every entry of the file, in its order.
  public private(set) var items: [Item] = []
  /// Entries that can't be used, to be kept as they came; those that the vault holds already aren't repeated.
  public private(set) var unusable: [UnusableEntry] = []

  /// How many entries have an outcome.
  public func count(where matches: (Outcome) -> Bool) -> Int { items.count { matches($0.outcome) } }

  /// Plans the import of `incoming` into a vault that holds `existing`.
  ///
  /// Each entry of the vault meets at most one of the file, so a file that holds a thing twice brings it twice, and the same
  /// file a second time changes nothing.
  public init(existing: [(id: UUID, entry: Entry)], existingUnusable: [UnusableEntry] = [], incoming: Records) {
    var byLabel: [SecretValue: Int] = [:]
    for (index, stored) in existing.enumerated() {
      if let label = EquivalenceKey.label(stored.entry) { byLabel[label] = index }
    }
    let entries = incoming.entries
    var meetings = Meetings(existing.map(\.entry))
    let met = meetings.partners(of: entries)
    var usedIDs = Set(existing.map(\.id))
    for (entry, partner) in zip(entries, met) {
      if let partner {
        let stored = existing[partner]
        let (merged, fields) = EntryMerge.merge(stored.entry, with: entry)
        items.append(
          Item(entry: merged, existing: stored.id, outcome: fields.isEmpty ? .same : .updated(fields: fields)))
        continue
      }
      if let label = EquivalenceKey.label(entry), let index = byLabel[label] {
        let stored = existing[index]
        if case .password(let ours) = stored.entry, case .password(let theirs) = entry,
          let outcome = Self.versions(of: ours, theirs)
        {
          items.append(Item(entry: outcome.0, existing: stored.id, outcome: outcome.1))
          continue
        }
        let fields = EntryMerge.differences(stored.entry, entry)
        items.append(
          Item(entry: Self.free(entry, &usedIDs), existing: stored.id, outcome: .conflict(fields: fields)))
        continue
      }
      items.append(Item(entry: Self.free(entry, &usedIDs), existing: nil, outcome: .new))
    }
    let held = Set(existingUnusable)
    unusable = incoming.unusable.filter { !held.contains($0) }
  }

  // Two passwords of one login where one side's history holds the other's present password: an older and a newer version.
  private static func versions(of ours: Password, _ theirs: Password) -> (Entry, Outcome)? {
    if ours.history.contains(where: { $0.password == theirs.password }) { return (.password(ours), .same) }
    guard theirs.history.contains(where: { $0.password == ours.password }) else { return nil }
    var newer = ours
    newer.password = theirs.password
    newer.updatedAt = theirs.updatedAt
    newer.history =
      theirs.history + ours.history.filter { row in !theirs.history.contains { $0.password == row.password } }
    let (merged, fields) = EntryMerge.merge(.password(newer), with: .password(theirs))
    return (merged, .updated(fields: ["password"] + fields))
  }

  // An identifier that is taken already is left to the vault to replace.
  private static func free(_ entry: Entry, _ used: inout Set<UUID>) -> Entry {
    var entry = entry
    if let id = entry.info.id, !used.insert(id).inserted { entry.info.id = nil }
    return entry
  }
}
