internal import SeifBytes
internal import SeifCrypto
internal import SeifSQL

/// Writes rows within one transaction and keeps the sum of their digests.
struct RowWriter {
  let connection: Connection
  let keys: VaultKeys
  let random: RandomSource
  let now: Timestamp
  private(set) var state: AccumulatorState
  private var positions: [String: Int64] = [:]
  private let ids: IDSupply

  init(connection: Connection, keys: VaultKeys, random: RandomSource, now: Timestamp, state: AccumulatorState) {
    self.connection = connection
    self.keys = keys
    self.random = random
    self.now = now
    self.state = state
    ids = IDSupply(random: random)
  }

  mutating func insert(_ table: VaultTable, _ row: UUID, _ values: [SQLValue]) throws(VaultError) {
    try run(table.insert, values)
    state.sum.toggle(keys.accumulator.digest(table, row, values))
    state.sum.rows &+= 1
  }

  // SQLITE_CONSTRAINT_UNIQUE: `id` is the one column that is UNIQUE; a taken position is SQLITE_CONSTRAINT_PRIMARYKEY.
  private static let uniqueViolation: Int32 = 2067

  /// Inserts a row unless its identifier is taken.
  ///
  /// - Returns: whether it was inserted.
  mutating func insertIfNew(_ table: VaultTable, _ row: UUID, _ values: [SQLValue]) throws(VaultError) -> Bool {
    do throws(SQLError) {
      try bindAndRun(table.insert, values)
    } catch {
      guard error.code == .constraint, error.extendedCode == Self.uniqueViolation else { throw VaultError(error) }
      return false
    }
    state.sum.toggle(keys.accumulator.digest(table, row, values))
    state.sum.rows &+= 1
    return true
  }

  /// Puts values in the place of a row that is there.
  mutating func update(_ table: VaultTable, _ row: UUID, _ values: [SQLValue]) throws(VaultError) {
    try forget(table, row)
    try run(table.update, values)
    state.sum.toggle(keys.accumulator.digest(table, row, values))
  }

  /// Puts values in the place of a row, or inserts them where somebody took the row out.
  mutating func put(_ table: VaultTable, _ row: UUID, _ values: [SQLValue]) throws(VaultError) {
    guard try has(table, row) else { return try insert(table, row, values) }
    try update(table, row, values)
  }

  /// Whether a row is there.
  func has(_ table: VaultTable, _ row: UUID) throws(VaultError) -> Bool {
    let statement = try connection.statement(table.selectOne, binding: row)
    defer { statement.reset() }
    return try statement.next()
  }

  mutating func delete(_ table: VaultTable, _ row: UUID) throws(VaultError) {
    try forget(table, row)
    try run(table.delete, [.blob(row.bytes)])
    state.sum.rows &-= 1
  }

  /// Takes the digest of a row as it stands out of the sum; `damaged` if it isn't there.
  private mutating func forget(_ table: VaultTable, _ row: UUID) throws(VaultError) {
    do throws(SQLError) {
      let statement = try connection.prepare(table.selectOne)
      try statement.bind(row.bytes, at: 1)
      guard try statement.step() else { throw SQLError(.corrupt, message: "a row of \(table.name) is missing") }
      do throws(VaultError) {
        state.sum.toggle(try keys.accumulator.digest(table, statement))
      } catch { throw SQLError(.corrupt, message: error.detail) }
    } catch {
      throw VaultError(error)
    }
  }

  private func run(_ sql: StaticString, _ values: [SQLValue]) throws(VaultError) {
    do throws(SQLError) { try bindAndRun(sql, values) } catch { throw VaultError(error) }
  }

  private func bindAndRun(_ sql: StaticString, _ values: [SQLValue]) throws(SQLError) {
    let statement = try connection.prepare(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    try statement.run()
  }

  /// The position after the last row of a table; entries, their summaries and the bin share theirs, so that a place
  /// stays free for an entry that comes back.
  mutating func nextPosition(_ table: VaultTable) throws(VaultError) -> Int64 {
    if let next = positions[table.name] {
      positions[table.name] = next &+ 1
      return next
    }
    var last: Int64 = 0
    for table in ["item", "bin"].contains(table.name) ? [.item, .itemSummary, .bin] : [table] {
      guard let sql = table.lastPosition else { continue }
      do throws(SQLError) {
        let statement = try connection.prepare(sql)
        if try statement.step(), try !statement.isNull(0) { last = max(last, try statement.integer(0)) }
      } catch {
        throw VaultError(error)
      }
    }
    guard last < Int64.max - 0xFFFF_FFFF else { throw VaultError(.damaged, "position") }
    positions[table.name] = last + 2
    return last + 1
  }

  /// Whether no row of a table stands at a position, nor of those that share its positions.
  func isFree(_ position: Int64, in table: VaultTable) throws(VaultError) -> Bool {
    try sql { () throws(SQLError) in
      let statements: [StaticString] =
        switch table.name {
        case "unusable": ["SELECT 1 FROM unusable WHERE position = ?1"]
        case "opaque_member": ["SELECT 1 FROM opaque_member WHERE position = ?1"]
        case "secret": ["SELECT 1 FROM secret WHERE position = ?1"]
        default:
          [
            "SELECT 1 FROM item WHERE position = ?1", "SELECT 1 FROM item_summary WHERE position = ?1",
            "SELECT 1 FROM bin WHERE position = ?1",
          ]
        }
      for text in statements {
        let statement = try connection.prepare(text)
        try statement.bind(position, at: 1)
        defer { statement.reset() }
        if try statement.step() { return false }
      }
      return true
    }
  }

  /// Drops rows that belong to nothing and takes the sum of what is there for the state.
  mutating func acceptContents(of tables: [VaultTable]) throws(VaultError) {
    let (connection, vaultID) = (connection, keys.vaultID)
    try sql { () throws(SQLError) in
      for text: StaticString in [
        "DELETE FROM vault WHERE id <> ?1", "DELETE FROM accumulator WHERE id <> ?1",
      ] {
        let statement = try connection.prepare(text)
        try statement.bind(vaultID.bytes, at: 1)
        try statement.run()
      }
      try connection.execute(
        """
        DELETE FROM item_summary WHERE NOT EXISTS (
          SELECT 1 FROM item WHERE item.position = item_summary.position AND item.id = item_summary.id)
        """)
    }
    state.sum = try keys.accumulator.sum(of: tables, in: connection) ?? RowSum()
  }

  /// A new identifier for a row, random.
  func makeID() -> UUID { ids.makeID() }

  /// Counts the transaction and seals the state.
  mutating func finish() throws(VaultError) {
    state.counter &+= 1
    try keys.accumulator.write(
      state, vaultID: keys.vaultID, nonce: random.makeBytes(AES256GCM.nonceByteCount), to: connection)
  }
}

/// Random identifiers, their bytes drawn for many at once: an import makes two hundred thousand. Shared by all copies of
/// a writer, so that none gives the same twice.
private final class IDSupply {
  private let random: RandomSource
  private var supply: [UInt8] = []
  private static let byteCount = 16

  init(random: RandomSource) { self.random = random }

  func makeID() -> UUID {
    if supply.isEmpty { supply = random.makeBytes(Self.byteCount * 64) }
    let bytes = Array(supply.suffix(Self.byteCount))
    supply.removeLast(Self.byteCount)
    guard let id = UUID(random: bytes) else { fatalError("internal error: an identifier of another length") }
    return id
  }
}
