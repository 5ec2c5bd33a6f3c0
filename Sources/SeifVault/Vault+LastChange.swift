public import SeifBytes
internal import SeifRecords
internal import SeifSQL

/// The change that `undo()` would take back: what was done to which entries, and when. It holds no secret, and says the
/// same whether what was written equals what was there before or not.
public struct LastChange: Sendable {
  /// What was done to an entry.
  public enum Kind: UInt8, Sendable, CaseIterable {
    case added = 1
    case edited = 2
    case removed = 3
    /// Brought back from the bin.
    case restored = 4
  }
  /// Entries to which the same was done.
  public struct Group: Sendable {
    /// What was done.
    public let kind: Kind
    /// The first ten, as they are called now; one that doesn't open is left out.
    public let names: [(name: String, account: String)]
    /// How many there are.
    public let total: Int

    /// A group as it came from elsewhere.
    public init(kind: Kind, names: [(name: String, account: String)], total: Int) {
      self.kind = kind
      self.names = names
      self.total = total
    }
  }

  /// Entries that are named of each group.
  public static let shownCount = 10

  /// Which change it is: the counter that the vault had after it.
  public let step: Int64
  /// When it was made, in whole seconds; nil where the vault doesn't know.
  public let madeAt: Timestamp?
  /// None is empty.
  public let groups: [Group]
  /// Changes of what lists don't show: entries that can't be used, members that aren't understood, damaged rows that were
  /// set aside.
  public let otherCount: Int

  /// A change as it came from elsewhere.
  public init(step: Int64, madeAt: Timestamp?, groups: [Group], otherCount: Int) {
    self.step = step
    self.madeAt = madeAt
    self.groups = groups
    self.otherCount = otherCount
  }
}

extension Vault {
  /// What `undo()` would take back.
  ///
  /// - Throws: `nothingToUndo`.
  public func lastChange() throws(VaultError) -> LastChange {
    try read { (connection, keys) throws(VaultError) in
      guard let last = try UndoStep.last(connection, keys) else { throw VaultError(.nothingToUndo) }
      var order: [UUID] = []
      var kinds: [UUID: LastChange.Kind] = [:]
      var others = 0
      var madeAt: Timestamp?
      for operation in last.operations {
        let (id, kind): (UUID, LastChange.Kind)
        switch operation {
        case .removeItem(let added): (id, kind) = (added, .added)
        case .restoreItem(let edited, _, _): (id, kind) = (edited, .edited)
        case .unbin(let removed): (id, kind) = (removed, .removed)
        case .bin(let restored, _): (id, kind) = (restored, .restored)
        case .deleteUnusable, .setOpaque, .unsetAside:
          others += 1
          continue
        case .madeAt(let time):
          madeAt = time
          continue
        }
        if kinds[id] == nil { order.append(id) }
        // Where an entry that is edited also comes or goes, that is what undoing brings about.
        if kind != .edited || kinds[id] == nil { kinds[id] = kind }
      }
      var groups: [LastChange.Group] = []
      for kind in LastChange.Kind.allCases {
        let ids = order.filter { kinds[$0] == kind }
        var names: [(name: String, account: String)] = []
        for id in ids.prefix(LastChange.shownCount) {
          let table: VaultTable = kind == .removed ? .bin : .item
          guard let entry = try Self.named(id, in: table, connection, keys) else { continue }
          names.append((entry.name, entry.account))
        }
        if !ids.isEmpty { groups.append(LastChange.Group(kind: kind, names: names, total: ids.count)) }
      }
      return LastChange(step: last.step, madeAt: madeAt, groups: groups, otherCount: others)
    }
  }

  private static func named(
    _ id: UUID, in table: VaultTable, _ connection: Connection, _ keys: VaultKeys
  ) throws(VaultError) -> Entry? {
    do throws(VaultError) {
      return try ItemRow.find(id, in: table, connection, keys)?.item.entry
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }
}

/// What takes back one change, as it is stored.
struct UndoStep {
  /// The counter of the vault's state after the change.
  let step: Int64
  /// The rows that hold it.
  let rows: [UUID]
  /// In the order in which the change did things.
  let operations: [UndoOperation]

  /// That of the last change; nil where there is none.
  static func last(_ connection: Connection, _ keys: VaultKeys) throws(VaultError) -> UndoStep? {
    let sealer = try keys.sealer(.undo)
    let statement = try connection.statement(
      "SELECT id, revision, content, step FROM undo WHERE step = (SELECT max(step) FROM undo) ORDER BY position")
    var step: Int64?
    var rows: [UUID] = []
    var operations: [UndoOperation] = []
    while try statement.next() {
      let (id, revision) = try sql { () throws(SQLError) in (try statement.uuid(0), try statement.integer(1)) }
      let content = try statement.withBlob(2) { (sealed) throws(VaultError) in
        try sealer.open(sealed, row: id, column: "content", revision: revision)
      }
      operations += try content.withBytes { (bytes) throws(VaultError) in try UndoRecorder.decode(bytes) }
      rows.append(id)
      step = try sql { () throws(SQLError) in try statement.integer(3) }
    }
    return step.map { UndoStep(step: $0, rows: rows, operations: operations) }
  }
}
