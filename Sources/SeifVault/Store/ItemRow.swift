internal import SeifBytes
internal import SeifRecords
internal import SeifSQL

/// A row of `item` or `bin`, opened.
struct ItemRow {
  let id: UUID
  let position: Int64
  let revision: Int64
  let detail: SecretValue
  let item: ItemDetail
  /// Only in the bin.
  let removedAt: Timestamp?

  /// The row on which a statement of all the table's columns stands.
  init(_ statement: borrowing Statement, in table: VaultTable, _ sealer: TableSealer) throws(VaultError) {
    let (id, position, revision) = try sql { () throws(SQLError) in
      (
        try statement.uuid(table.index(of: "id")), try statement.integer(table.index(of: "position")),
        try statement.integer(table.index(of: "revision"))
      )
    }
    func open(_ column: String) throws(VaultError) -> SecretValue {
      try statement.withBlob(table.index(of: column)) { (sealed) throws(VaultError) in
        try sealer.open(sealed, row: id, column: column, revision: revision)
      }
    }
    detail = try open("detail")
    item = try ItemCodec.decode(detail)
    if table.name == "bin" {
      removedAt = try open("removed_at").withBytes { bytes in
        bytes.byteCount == 8 ? Timestamp(milliseconds: Int64(bitPattern: bytes.number(at: 0))) : nil
      }
    } else {
      removedAt = nil
    }
    self.id = id
    self.position = position
    self.revision = revision
  }

  /// The row with an identifier, or nil.
  static func find(
    _ id: UUID, in table: VaultTable, _ connection: Connection, _ keys: VaultKeys
  ) throws(VaultError) -> ItemRow? {
    let statement = try connection.statement(table.selectOne, binding: id)
    guard try statement.next() else { return nil }
    return try ItemRow(statement, in: table, try keys.sealer(table))
  }

  /// Calls `body` with each row in order of position.
  static func forEach(
    in table: VaultTable, _ connection: Connection, _ keys: VaultKeys, _ body: (ItemRow) throws(VaultError) -> Void
  ) throws(VaultError) {
    let sealer = try keys.sealer(table)
    let statement = try connection.statement(table.selectAll)
    while try statement.next() { try body(try ItemRow(statement, in: table, sealer)) }
  }

  static func all(
    in table: VaultTable, _ connection: Connection, _ keys: VaultKeys
  ) throws(VaultError) -> [ItemRow] {
    var rows: [ItemRow] = []
    try forEach(in: table, connection, keys) { rows.append($0) }
    return rows
  }

  /// The entry with its seed.
  func entry(_ connection: Connection, _ keys: VaultKeys) throws(VaultError) -> Entry {
    guard let reference = item.secretRef else { return item.entry }
    return try ItemCodec.entry(item.entry, seed: try SecretRow.find(reference, connection, keys).seed)
  }
}

/// A row of `secret`, opened.
struct SecretRow {
  let id: UUID
  let position: Int64
  let revision: Int64
  let seed: SecretValue

  /// - Throws: `damaged` if it isn't there.
  static func find(_ id: UUID, _ connection: Connection, _ keys: VaultKeys) throws(VaultError) -> SecretRow {
    let sealer = try keys.sealer(.secret)
    let statement = try connection.statement("SELECT position, revision, value FROM secret WHERE id = ?1", binding: id)
    guard try statement.next() else { throw VaultError(.damaged, "a seed is missing") }
    let (position, revision) = try sql { () throws(SQLError) in (try statement.integer(0), try statement.integer(1)) }
    let seed = try statement.withBlob(2) { (sealed) throws(VaultError) in
      try sealer.open(sealed, row: id, column: "value", revision: revision)
    }
    return SecretRow(id: id, position: position, revision: revision, seed: seed)
  }
}
