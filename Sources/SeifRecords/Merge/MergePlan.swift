public import SeifBytes

/// What becomes of the entries of a file in a vault, decided before anything is written. Nothing is lost: what differs is
/// kept twice, joins the notes or becomes a field of the person's own.
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
    /// It lies in the bin and stays there.
    case inBin
    /// It was deleted for good and stays so.
    case deleted
    /// It comes back from the bin and gains these fields.
    case restored(fields: [String])
  }

  /// One entry of the file.
  public struct Item: Sendable {
    /// The entry as it will stand in the vault (for `same`: as it stands; for `inBin` and `deleted`: as the file has it).
    public var entry: Entry
    /// The entry of the vault that it meets (for `inBin` and `restored` one of the bin, for `deleted` the one that was),
    /// nil for `new`.
    public var existing: UUID?
    /// What becomes of it.
    public var outcome: Outcome
  }

  /// Every entry of the file, in its order. Several may meet one of the vault: each then shows what all of them make of it.
  public private(set) var items: [Item] = []
  /// Entries that can't be used, to be kept as they came; those that the vault holds already aren't repeated.
  public private(set) var unusable: [UnusableEntry] = []

  /// How many entries have an outcome.
  public func count(where matches: (Outcome) -> Bool) -> Int { items.count { matches($0.outcome) } }

  /// Plans the import of `incoming` into a vault that holds `existing`. Takes time linear in all of it.
  ///
  /// Each entry of the vault meets at most one of the file, older and newer versions of a login excepted, so a file that
  /// holds a thing twice brings it twice, and the same file a second time changes nothing.
  ///
  /// - Parameters:
  ///   - existing: the entries of the vault, in its order.
  ///   - existingUnusable: those that it keeps as they came.
  ///   - bin: what lies in its bin. An HOTP account that is added goes on
  ///     from the highest counter of its seed there or in the vault.
  ///   - tombstones: identifiers of what was deleted for good.
  ///   - fromBin: whether what lies in the bin comes back, with what the file has beside it.
  ///   - deletedToo: whether what was deleted for good comes back.
  ///   - historyCount: how many previous passwords the vault keeps of a login; more become fields of the person's own.
  ///   - incoming: the contents of the file.
  public init(
    existing: [(id: UUID, entry: Entry)], existingUnusable: [UnusableEntry] = [],
    bin: [(id: UUID, entry: Entry)] = [], tombstones: Set<UUID> = [], fromBin: Bool = false, deletedToo: Bool = false,
    historyCount: Int = .max, incoming: Records
  ) {
    var planner = Planner(
      existing, bin: bin, fromBin: fromBin, tombstones: deletedToo ? [] : tombstones, historyCount: historyCount)
    items = planner.items(for: incoming.entries)
    let held = Set(existingUnusable)
    unusable = incoming.unusable.filter { !held.contains($0) }
  }
}
