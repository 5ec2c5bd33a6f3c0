public import SeifBytes
public import SeifRecords
internal import SeifSQL

extension Vault {
  /// All entries in the vault's order.
  ///
  /// - Throws: `damaged` if a value doesn't open; `verify()` names them all.
  public func entries() throws(VaultError) -> [StoredEntry] {
    try read { (connection, keys) throws(VaultError) in try Self.entries(connection, keys) }
  }

  /// What a list shows of all entries, in the vault's order; opens no detail and no seed.
  public func summaries() throws(VaultError) -> [EntrySummary] {
    try read { (connection, keys) throws(VaultError) in
      var opener = try keys.sealer(.item).opener("summary")
      var summaries: [EntrySummary] = []
      let last = try connection.statement("SELECT max(position) FROM item")
      if try last.next(), let count = try? last.integer(0) {
        summaries.reserveCapacity(Int(max(0, min(count, 1 << 17))))
      }
      last.reset()
      let statement = try connection.statement("SELECT id, revision, summary FROM item ORDER BY position")
      while try statement.next() {
        let (id, revision) = try sql { () throws(SQLError) in (try statement.uuid(0), try statement.integer(1)) }
        let plain = try statement.withBlob(2) { (sealed) throws(VaultError) in
          try opener.open(sealed, row: id, revision: revision)
        }
        guard let summary = plain.withBytes({ SummaryCodec.decode($0, id: id) }) else {
          throw VaultError(.damaged, "summary")
        }
        summaries.append(summary)
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
  public func records() throws(VaultError) -> Records {
    try read { (connection, keys) throws(VaultError) in
      var records = Records()
      for stored in try Self.entries(connection, keys) { records.append(stored.entry) }
      records.unusable = try Self.unusable(connection, keys)
      records.opaque = try Self.opaqueMembers(connection, keys)
      return records
    }
  }

  /// The bin, oldest place first.
  public func bin() throws(VaultError) -> [BinnedEntry] {
    try read { (connection, keys) throws(VaultError) in
      var entries: [BinnedEntry] = []
      for row in try ItemRow.all(in: .bin, connection, keys) {
        entries.append(
          BinnedEntry(
            id: row.id, entry: try row.entry(connection, keys), removedAt: row.removedAt ?? row.item.updatedAt))
      }
      return entries
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

  private static func entries(_ connection: Connection, _ keys: VaultKeys) throws(VaultError) -> [StoredEntry] {
    var entries: [StoredEntry] = []
    try ItemRow.forEach(in: .item, connection, keys) { (row) throws(VaultError) in
      entries.append(
        StoredEntry(id: row.id, entry: try row.entry(connection, keys), updatedAt: row.item.updatedAt))
    }
    return entries
  }

  static func unusable(_ connection: Connection, _ keys: VaultKeys) throws(VaultError) -> [UnusableEntry] {
    let sealer = try keys.sealer(.unusable)
    let statement = try connection.statement(
      "SELECT id, revision, kind, content FROM unusable ORDER BY position")
    var entries: [UnusableEntry] = []
    while try statement.next() {
      let (id, revision) = try sql { () throws(SQLError) in (try statement.uuid(0), try statement.integer(1)) }
      func open(_ index: Int, _ column: String) throws(VaultError) -> SecretValue {
        try statement.withBlob(index) { (sealed) throws(VaultError) in
          try sealer.open(sealed, row: id, column: column, revision: revision)
        }
      }
      // EXPOSE: the name of a list is no secret of its own.
      guard let name = try open(2, "kind").exposedText(), let kind = RecordKind(rawValue: name) else {
        throw VaultError(.damaged, "kind")
      }
      entries.append(UnusableEntry(kind: kind, json: try open(3, "content")))
    }
    return entries
  }

  static func opaqueMembers(_ connection: Connection, _ keys: VaultKeys) throws(VaultError) -> [OpaqueMember] {
    let sealer = try keys.sealer(.opaqueMember)
    let statement = try connection.statement(
      "SELECT id, revision, name, content FROM opaque_member ORDER BY position")
    var members: [OpaqueMember] = []
    while try statement.next() {
      let (id, revision) = try sql { () throws(SQLError) in (try statement.uuid(0), try statement.integer(1)) }
      func open(_ index: Int, _ column: String) throws(VaultError) -> SecretValue {
        try statement.withBlob(index) { (sealed) throws(VaultError) in
          try sealer.open(sealed, row: id, column: column, revision: revision)
        }
      }
      // EXPOSE: a member's key is text in `OpaqueMember`.
      guard let key = try open(2, "name").exposedText() else { throw VaultError(.damaged, "name") }
      members.append(OpaqueMember(key: key, value: try open(3, "content")))
    }
    return members
  }
}
