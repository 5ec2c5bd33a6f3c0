internal import SeifBytes
internal import SeifOTP
internal import SeifRecords
internal import SeifSQL

/// Writes entries, their seeds and the bin within one transaction.
struct ItemWriter {
  var rows: RowWriter
  private let items: TableSealer
  private let summaries: TableSealer
  private let bins: TableSealer
  private let secrets: TableSealer
  /// Known once asked for; false again once something was put into it.
  private var binIsEmpty: Bool?

  init(_ rows: RowWriter) throws(VaultError) {
    self.rows = rows
    items = try rows.keys.sealer(.item)
    summaries = try rows.keys.sealer(.itemSummary)
    bins = try rows.keys.sealer(.bin)
    secrets = try rows.keys.sealer(.secret)
  }

  func find(_ id: UUID) throws(VaultError) -> ItemRow? {
    try ItemRow.find(id, in: .item, rows.connection, rows.keys)
  }

  func findInBin(_ id: UUID) throws(VaultError) -> ItemRow? {
    try ItemRow.find(id, in: .bin, rows.connection, rows.keys)
  }

  func seed(of row: ItemRow) throws(VaultError) -> SecretRow? {
    guard let reference = row.item.secretRef else { return nil }
    return try SecretRow.find(reference, rows.connection, rows.keys)
  }

  // MARK: - Entries

  /// Adds an entry at the end. It keeps its identifier unless another entry, here or in the bin, has it.
  mutating func add(_ entry: Entry) throws(VaultError) -> UUID {
    var entry = entry
    let id = try settleIdentifier(&entry)
    if case .password(var password) = entry, password.history.count > Vault.historyCount {
      password.history.removeLast(password.history.count - Vault.historyCount)
      entry = .password(password)
    }
    var item = ItemDetail(entry: entry, secretRef: nil, updatedAt: rows.now)
    if let seed = ItemCodec.seed(of: entry) { item.secretRef = try insertSeed(seed) }
    let position = try rows.nextPosition(.item)
    if try rows.insertIfNew(.item, id, try values(id, item, position: position, revision: 1)) {
      try rows.insert(.itemSummary, id, try summary(id, entry, position: position, revision: 1))
      return id
    }
    // Another entry has the identifier.
    item.entry = entry
    let other = Self.settle(&item.entry, rows.makeID())
    try rows.insert(.item, other, try values(other, item, position: position, revision: 1))
    try rows.insert(.itemSummary, other, try summary(other, item.entry, position: position, revision: 1))
    return other
  }

  private mutating func settleIdentifier(_ entry: inout Entry) throws(VaultError) -> UUID {
    if let own = entry.info.id, try !isInBin(own) { return own }
    return Self.settle(&entry, rows.makeID())
  }

  // A document vault's identifier is its own, and one that isn't a UUID stays among the members that aren't understood.
  private static func settle(_ entry: inout Entry, _ id: UUID) -> UUID {
    if case .document = entry { return id }
    if entry.info.id == nil, entry.info.opaque.contains(where: { utf8Equal($0.key, "id") }) { return id }
    entry.info.id = id
    return id
  }

  private mutating func isInBin(_ id: UUID) throws(VaultError) -> Bool {
    if binIsEmpty == true { return false }
    let connection = rows.connection
    return try sql { () throws(SQLError) in
      let any = try connection.prepare("SELECT 1 FROM bin LIMIT 1")
      binIsEmpty = try !any.step()
      any.reset()
      let statement = try connection.prepare("SELECT 1 FROM bin WHERE id = ?1")
      try statement.bind(id.bytes, at: 1)
      defer { statement.reset() }
      return try statement.step()
    }
  }

  /// Puts an entry in the place of a row, and its seed in the place of the row's.
  mutating func write(_ entry: Entry, over row: ItemRow, updatedAt: Timestamp) throws(VaultError) {
    let old = try seed(of: row)
    let new = ItemCodec.seed(of: entry)
    var item = ItemDetail(entry: entry, secretRef: row.item.secretRef, updatedAt: updatedAt)
    switch (old, new) {
    case (let old?, let new?) where old.seed != new:
      let revision = try Self.next(old.revision)
      let sealed = try secrets.seal(new, row: old.id, column: "value", revision: revision)
      try rows.update(
        .secret, old.id, [.blob(old.id.bytes), .integer(old.position), .integer(revision), .blob(sealed)])
    case (let old?, nil):
      try rows.delete(.secret, old.id)
      item.secretRef = nil
    case (nil, let new?): item.secretRef = try insertSeed(new)
    default: break
    }
    let revision = try Self.next(row.revision)
    try rows.update(.item, row.id, try values(row.id, item, position: row.position, revision: revision))
    try rows.put(.itemSummary, row.id, try summary(row.id, entry, position: row.position, revision: revision))
  }

  /// Takes an entry and its seed out for good.
  mutating func delete(_ row: ItemRow, from table: VaultTable) throws(VaultError) {
    if let reference = row.item.secretRef, try rows.has(.secret, reference) { try rows.delete(.secret, reference) }
    try rows.delete(table, row.id)
  }

  /// Makes the summary of an entry anew.
  mutating func writeSummary(of row: ItemRow) throws(VaultError) {
    let values = try summary(row.id, row.item.shown, position: row.position, revision: row.revision)
    try rows.put(.itemSummary, row.id, values)
  }

  private mutating func insertSeed(_ seed: SecretValue) throws(VaultError) -> UUID {
    let id = rows.makeID()
    let sealed = try secrets.seal(seed, row: id, column: "value", revision: 1)
    try rows.insert(
      .secret, id,
      [.blob(id.bytes), .integer(try rows.nextPosition(.secret)), .integer(1), .blob(sealed)])
    return id
  }

  private func values(
    _ id: UUID, _ item: ItemDetail, position: Int64, revision: Int64
  ) throws(VaultError) -> [SQLValue] {
    let detail = try ItemCodec.encode(item)
    return [
      .blob(try items.seal(detail, row: id, column: "detail", revision: revision)), .blob(id.bytes),
      .integer(position), .integer(revision),
    ]
  }

  private func summary(
    _ id: UUID, _ entry: Entry, position: Int64, revision: Int64
  ) throws(VaultError) -> [SQLValue] {
    let summary = SummaryCodec.encode(entry)
    return [
      .blob(id.bytes), .integer(position), .integer(revision),
      .blob(try summaries.seal(summary, row: id, column: "summary", revision: revision)),
    ]
  }

  // MARK: - The bin

  /// Moves an entry into the bin; its place and its seed stay.
  mutating func moveToBin(_ row: ItemRow, removedAt: Timestamp) throws(VaultError) {
    binIsEmpty = false
    // First the summary, which is found by the entry's position.
    if try rows.has(.itemSummary, row.id) { try rows.delete(.itemSummary, row.id) }
    try rows.delete(.item, row.id)
    let revision = try Self.next(row.revision)
    var time = SecretBuffer(capacity: 16)
    time.appendBigEndian(UInt64(bitPattern: removedAt.milliseconds), byteCount: 8)
    try rows.insert(
      .bin, row.id,
      [
        .blob(try bins.seal(row.detail, row: row.id, column: "detail", revision: revision)), .blob(row.id.bytes),
        .integer(row.position),
        .blob(try bins.seal(time.finish(), row: row.id, column: "removed_at", revision: revision)),
        .integer(revision),
      ])
  }

  /// Moves an entry from the bin to its old place.
  mutating func moveFromBin(_ row: ItemRow) throws(VaultError) {
    try rows.delete(.bin, row.id)
    let revision = try Self.next(row.revision)
    try rows.insert(
      .item, row.id,
      [
        .blob(try items.seal(row.detail, row: row.id, column: "detail", revision: revision)), .blob(row.id.bytes),
        .integer(row.position), .integer(revision),
      ])
    let shown = row.item.shown
    try rows.put(.itemSummary, row.id, try summary(row.id, shown, position: row.position, revision: revision))
  }

  // MARK: - What can't be used or understood

  mutating func add(_ entry: UnusableEntry) throws(VaultError) -> UUID {
    guard entry.json.byteCount <= ItemCodec.maximumByteCount else { throw VaultError(.invalidEntry, "too long") }
    let id = rows.makeID()
    let sealer = try rows.keys.sealer(.unusable)
    let kind = SecretValue(utf8: entry.kind.rawValue)
    try rows.insert(
      .unusable, id,
      [
        .blob(try sealer.seal(entry.json, row: id, column: "content", revision: 1)), .blob(id.bytes),
        .blob(try sealer.seal(kind, row: id, column: "kind", revision: 1)),
        .integer(try rows.nextPosition(.unusable)), .integer(1),
      ])
    return id
  }

  /// Puts members in the place of all that open; a damaged one stays, and is in nobody's way.
  ///
  /// - Returns: those that were there.
  @discardableResult
  mutating func setOpaque(_ members: [OpaqueMember]) throws(VaultError) -> [OpaqueMember] {
    var damage: [VaultFault] = []
    let old = try Vault.opaqueMembers(rows.connection, rows.keys, &damage)
    for (id, _) in old { try rows.delete(.opaqueMember, id) }
    let sealer = try rows.keys.sealer(.opaqueMember)
    for member in members {
      guard member.value.byteCount <= ItemCodec.maximumByteCount else { throw VaultError(.invalidEntry, "too long") }
      let id = rows.makeID()
      try rows.insert(
        .opaqueMember, id,
        [
          .blob(try sealer.seal(member.value, row: id, column: "content", revision: 1)), .blob(id.bytes),
          .blob(try sealer.seal(SecretValue(utf8: member.key), row: id, column: "name", revision: 1)),
          .integer(try rows.nextPosition(.opaqueMember)), .integer(1),
        ])
    }
    return old.map(\.member)
  }

  private static func next(_ revision: Int64) throws(VaultError) -> Int64 {
    let (next, overflow) = revision.addingReportingOverflow(1)
    guard !overflow else { throw VaultError(.damaged, "revision") }
    return next
  }
}
