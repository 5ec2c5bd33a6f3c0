public import SeifBytes
public import SeifRecords
internal import SeifSQL

extension Vault {
  // One damaged row must not take the others with it: each of these leaves such rows out and names them in `damage`.

  /// All entries in the vault's order; those that don't open are left out and named in `damage`.
  public func entries() throws(VaultError) -> [StoredEntry] {
    try reading { (connection, keys, damage) throws(VaultError) in try Self.entries(connection, keys, &damage) }
  }

  /// What a list shows of all entries, in the vault's order; opens no detail and no seed. Those whose summary doesn't
  /// open are left out and named in `damage`.
  public func summaries() throws(VaultError) -> [EntrySummary] {
    try reading { (connection, keys, damage) throws(VaultError) in
      var opener = try keys.sealer(.itemSummary).opener("summary")
      var summaries: [EntrySummary] = []
      let last = try connection.statement("SELECT max(position) FROM item_summary")
      if try last.next(), let count = try? last.integer(0) {
        summaries.reserveCapacity(Int(max(0, min(count, 1 << 17))))
      }
      last.reset()
      let statement = try connection.statement("SELECT id, revision, summary FROM item_summary ORDER BY position")
      while try statement.next() {
        let (id, revision) = try sql { () throws(SQLError) in (try statement.uuid(0), try statement.integer(1)) }
        try Self.keepGoing(past: .value(table: "item_summary", row: id, column: "summary"), &damage) {
          () throws(VaultError) in
          let summary = try statement.withBlob(2) { (sealed) throws(VaultError) in
            try opener.open(sealed, row: id, revision: revision) { SummaryCodec.decode($0, id: id) }
          }
          guard let summary else { throw VaultError(.damaged, "summary") }
          summaries.append(summary)
        }
      }
      return summaries
    }
  }

  /// One entry.
  ///
  /// - Throws: `noSuchEntry`.
  public func entry(_ id: UUID) throws(VaultError) -> StoredEntry {
    try read { (connection, keys) throws(VaultError) in
      guard let row = try ItemRow.find(id, in: .item, connection, keys) else { throw VaultError(.noSuchEntry) }
      return StoredEntry(id: id, entry: try row.entry(connection, keys), updatedAt: row.item.updatedAt)
    }
  }

  /// Everything but the bin: all entries in the vault's order, those that can't be used, members that aren't understood.
  /// What doesn't open is left out and named in `damage`: where that isn't empty, this isn't the whole vault.
  public func records() throws(VaultError) -> Records {
    try reading { (connection, keys, damage) throws(VaultError) in
      var records = Records()
      for stored in try Self.entries(connection, keys, &damage) { records.append(stored.entry) }
      records.unusable = try Self.unusable(connection, keys, &damage)
      records.opaque = try Self.opaqueMembers(connection, keys, &damage).map(\.member)
      return records
    }
  }

  /// The bin, oldest place first; entries that don't open are left out and named in `damage`.
  public func bin() throws(VaultError) -> [BinnedEntry] {
    try reading { (connection, keys, damage) throws(VaultError) in
      var entries: [BinnedEntry] = []
      try Self.forEach(in: .bin, connection, keys, &damage) { (row, entry) in
        entries.append(BinnedEntry(id: row.id, entry: entry, removedAt: row.removedAt ?? row.item.updatedAt))
      }
      return entries
    }
  }

  /// How many entries lie in the bin, those that don't open among them.
  public func binnedCount() throws(VaultError) -> Int {
    let (connection, _) = try opened()
    return try sql { () throws(SQLError) in
      let statement = try connection.prepare("SELECT count(*) FROM bin")
      guard try statement.step() else { return 0 }
      return Int(clamping: try statement.integer(0))
    }
  }

  /// Identifiers of entries that were deleted for good: a backup's entry of one of these comes back only when chosen.
  public func tombstones() throws(VaultError) -> Set<UUID> {
    let (connection, _) = try opened()
    return try sql { () throws(SQLError) in
      let statement = try connection.prepare("SELECT id FROM tombstone")
      var ids = Set<UUID>()
      while try statement.step() { ids.insert(try statement.uuid(0)) }
      return ids
    }
  }

  // MARK: - Parts

  func reading<Result>(
    _ body: (Connection, VaultKeys, inout [VaultFault]) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    var faults: [VaultFault] = []
    let result = try read { (connection, keys) throws(VaultError) in try body(connection, keys, &faults) }
    damage = faults
    return result
  }

  /// Runs the reading of one row; if it is damaged, notes the fault and goes on.
  static func keepGoing(
    past fault: VaultFault, _ damage: inout [VaultFault], _ body: () throws(VaultError) -> Void
  ) throws(VaultError) {
    do throws(VaultError) {
      try body()
    } catch {
      guard error.code == .damaged else { throw error }
      damage.append(fault)
    }
  }

  private static func entries(
    _ connection: Connection, _ keys: VaultKeys, _ damage: inout [VaultFault]
  ) throws(VaultError) -> [StoredEntry] {
    var entries: [StoredEntry] = []
    try forEach(in: .item, connection, keys, &damage) { (row, entry) in
      entries.append(StoredEntry(id: row.id, entry: entry, updatedAt: row.item.updatedAt))
    }
    return entries
  }

  /// Calls `body` with each row of `item` or `bin` that opens, its seed too.
  private static func forEach(
    in table: VaultTable, _ connection: Connection, _ keys: VaultKeys, _ damage: inout [VaultFault],
    _ body: (ItemRow, Entry) -> Void
  ) throws(VaultError) {
    let sealer = try keys.sealer(table)
    let statement = try connection.statement(table.selectAll)
    while try statement.next() {
      let id = try? statement.uuid(table.idIndex)
      var opened: ItemRow?
      try keepGoing(past: .value(table: table.name, row: id, column: "detail"), &damage) { () throws(VaultError) in
        opened = try ItemRow(statement, in: table, sealer)
      }
      guard let row = opened else { continue }
      try keepGoing(past: .damagedSecret(row: row.id), &damage) { () throws(VaultError) in
        body(row, try row.entry(connection, keys))
      }
    }
  }

  private static func unusable(
    _ connection: Connection, _ keys: VaultKeys, _ damage: inout [VaultFault]
  ) throws(VaultError) -> [UnusableEntry] {
    let sealer = try keys.sealer(.unusable)
    let statement = try connection.statement("SELECT id, revision, kind, content FROM unusable ORDER BY position")
    var entries: [UnusableEntry] = []
    while try statement.next() {
      let (id, revision) = try sql { () throws(SQLError) in (try statement.uuid(0), try statement.integer(1)) }
      func open(_ index: Int, _ column: String) throws(VaultError) -> SecretValue {
        try statement.withBlob(index) { (sealed) throws(VaultError) in
          try sealer.open(sealed, row: id, column: column, revision: revision)
        }
      }
      try keepGoing(past: .value(table: "unusable", row: id, column: "content"), &damage) { () throws(VaultError) in
        // EXPOSE: the name of a list is no secret of its own.
        guard let name = try open(2, "kind").exposedText(), let kind = RecordKind(rawValue: name) else {
          throw VaultError(.damaged, "kind")
        }
        entries.append(UnusableEntry(kind: kind, json: try open(3, "content")))
      }
    }
    return entries
  }

  static func opaqueMembers(
    _ connection: Connection, _ keys: VaultKeys, _ damage: inout [VaultFault]
  ) throws(VaultError) -> [(id: UUID, member: OpaqueMember)] {
    let sealer = try keys.sealer(.opaqueMember)
    let statement = try connection.statement("SELECT id, revision, name, content FROM opaque_member ORDER BY position")
    var members: [(id: UUID, member: OpaqueMember)] = []
    while try statement.next() {
      let (id, revision) = try sql { () throws(SQLError) in (try statement.uuid(0), try statement.integer(1)) }
      func open(_ index: Int, _ column: String) throws(VaultError) -> SecretValue {
        try statement.withBlob(index) { (sealed) throws(VaultError) in
          try sealer.open(sealed, row: id, column: column, revision: revision)
        }
      }
      try keepGoing(past: .value(table: "opaque_member", row: id, column: "content"), &damage) {
        () throws(VaultError) in
        // EXPOSE: a member's key is text in `OpaqueMember`.
        guard let key = try open(2, "name").exposedText() else { throw VaultError(.damaged, "name") }
        members.append((id, OpaqueMember(key: key, value: try open(3, "content"))))
      }
    }
    return members
  }
}
