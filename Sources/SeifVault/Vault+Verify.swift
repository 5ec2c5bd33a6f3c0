internal import SeifBytes
internal import SeifCrypto
internal import SeifSQL

extension Vault {
  /// Checks everything: SQLite's own findings, all rows against the sealed state, every sealed value at its place, every
  /// reference, the ledger's chain, the highest counter seen. Empty if all is as last written.
  public func verify() throws(VaultError) -> [VaultFault] {
    try read { (connection, keys) throws(VaultError) in try allFaults(connection, keys) }
  }

  /// The same within a transaction that is open.
  func allFaults(_ connection: Connection, _ keys: VaultKeys) throws(VaultError) -> [VaultFault] {
    var faults: [VaultFault] = []
    let findings = try sql(connection.integrityCheck)
    if !findings.isEmpty { faults.append(.database(findings: findings.count)) }
    faults += try stateFaults(connection, keys, limit: .max)
    for table in tables { faults += try valueFaults(table, connection, keys) }
    faults += try referenceFaults(connection, keys)
    faults += try Self.summaryFaults(connection)
    faults += try Self.strayVaults(connection, keys)
    faults += try keys.accumulator.strayRows(in: connection).map { .strayData(table: "accumulator", row: $0) }
    faults += ledgerFaults(connection, keys)
    return faults
  }

  /// Takes the vault as it is for the newest, on a person's word: a copy that was put back on purpose.
  public func acceptOlderCopy() throws(VaultError) {
    let counter = try counter()
    keepsCounter = mark.set(to: UInt64(clamping: counter))
    openingFaults.removeAll { if case .olderCopy = $0 { true } else { false } }
  }

  /// What can be checked at every unlocking.
  func checkOnOpening() throws(VaultError) {
    openingFaults = try read { (connection, keys) throws(VaultError) in
      try stateFaults(connection, keys, limit: Self.checkedRowCount) + Self.strayVaults(connection, keys)
    }
    guard access == .readWrite, openingFaults.isEmpty else { return }
    keepsCounter = mark.raise(to: UInt64(clamping: try counter()))
  }

  private func stateFaults(
    _ connection: Connection, _ keys: VaultKeys, limit: UInt64
  ) throws(VaultError) -> [VaultFault] {
    let state: AccumulatorState
    do throws(VaultError) {
      state = try keys.accumulator.read(from: connection)
    } catch {
      guard error.code == .damaged else { throw error }
      return [.accumulator]
    }
    var faults: [VaultFault] = []
    if let seen = mark.read(), seen > state.counter {
      faults.append(.olderCopy(counter: Int64(clamping: state.counter), seen: Int64(clamping: seen)))
    }
    guard state.sum.rows <= limit else { return faults }
    // One row more than expected is enough to know.
    let bound = limit == .max ? limit : state.sum.rows &+ 1
    let found = try keys.accumulator.sum(of: tables, in: connection, limit: bound)
    guard let found else { return faults + [.contents] }
    if found.rows != state.sum.rows {
      faults.append(.rowCount(expected: Int(clamping: state.sum.rows), found: Int(clamping: found.rows)))
    } else if found != state.sum {
      faults.append(.contents)
    }
    return faults
  }

  /// The columns that are sealed, by table.
  static let sealedColumns: [String: [String]] = [
    "item": ["detail"], "item_summary": ["summary"], "secret": ["value"], "bin": ["detail", "removed_at"],
    "tombstone": ["removed_at"], "unusable": ["kind", "content"], "opaque_member": ["name", "content"],
    "set_aside": ["content"], "undo": ["content"], "proofs": ["entry"], "backup_link": ["content"],
  ]

  private func valueFaults(
    _ table: VaultTable, _ connection: Connection, _ keys: VaultKeys
  ) throws(VaultError) -> [VaultFault] {
    guard let columns = Self.sealedColumns[table.name] else { return [] }
    let sealer = try keys.sealer(table)
    let statement = try connection.statement(table.selectAll)
    var faults: [VaultFault] = []
    while try statement.next() {
      guard let id = try? statement.uuid(table.index(of: "id")),
        let revision = try? statement.integer(table.index(of: "revision"))
      else {
        faults.append(.value(table: table.name, row: nil, column: "id"))
        continue
      }
      for column in columns {
        let opened = try? statement.withBlob(table.index(of: column)) { (sealed) throws(VaultError) in
          try sealer.open(sealed, row: id, column: column, revision: revision)
        }
        if opened == nil { faults.append(.value(table: table.name, row: id, column: column)) }
      }
    }
    return faults
  }

  private func referenceFaults(_ connection: Connection, _ keys: VaultKeys) throws(VaultError) -> [VaultFault] {
    var stray = try sql { () throws(SQLError) in
      let statement = try connection.prepare("SELECT id FROM secret")
      var ids = Set<UUID>()
      while try statement.step() { ids.insert(try statement.uuid(0)) }
      return ids
    }
    var faults: [VaultFault] = []
    var isWhole = true
    for table in [VaultTable.item, .bin] {
      let sealer = try keys.sealer(table)
      let statement = try connection.statement(table.selectAll)
      while try statement.next() {
        guard let row = try? ItemRow(statement, in: table, sealer) else {
          isWhole = false
          continue
        }
        guard let reference = row.item.secretRef else { continue }
        if stray.remove(reference) == nil { faults.append(.missingSecret(row: row.id)) }
      }
    }
    let aside = try connection.statement("SELECT 1 FROM set_aside LIMIT 1")
    if try aside.next() { isWhole = false }
    // An entry that doesn't open was reported or set aside; its seed is no stray.
    if isWhole {
      faults += stray.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map {
        .strayData(table: "secret", row: $0)
      }
    }
    return faults
  }

  /// Rows beside the vault's own, which somebody planted.
  private static func strayVaults(_ connection: Connection, _ keys: VaultKeys) throws(VaultError) -> [VaultFault] {
    try sql { () throws(SQLError) in
      let statement = try connection.prepare("SELECT id FROM vault WHERE id <> ?1 LIMIT 8")
      try statement.bind(keys.vaultID.bytes, at: 1)
      var faults: [VaultFault] = []
      while try statement.step() { faults.append(.strayData(table: "vault", row: try statement.uuid(0))) }
      return faults
    }
  }

  /// Entries without a summary of their revision at their place, and summaries without an entry there.
  private static func summaryFaults(_ connection: Connection) throws(VaultError) -> [VaultFault] {
    func rows(_ text: StaticString) throws(VaultError) -> [UUID] {
      try sql { () throws(SQLError) in
        let statement = try connection.prepare(text)
        var ids: [UUID] = []
        while try statement.step() { ids.append(try statement.uuid(0)) }
        return ids
      }
    }
    let missing = try rows(
      """
      SELECT id FROM item WHERE NOT EXISTS (
        SELECT 1 FROM item_summary AS s WHERE s.position = item.position AND s.id = item.id AND s.revision = item.revision)
      """)
    let stray = try rows(
      """
      SELECT id FROM item_summary AS s WHERE NOT EXISTS (
        SELECT 1 FROM item WHERE item.position = s.position AND item.id = s.id)
      """)
    return missing.map { .missingSummary(row: $0) } + stray.map { .strayData(table: "item_summary", row: $0) }
  }

  private func ledgerFaults(_ connection: Connection, _ keys: VaultKeys) -> [VaultFault] {
    // Lines that don't open were reported as values.
    guard let rows = try? Self.ledgerRows(connection, keys) else { return [] }
    var previous = LedgerCodec.zeros
    for (index, row) in rows.enumerated() {
      let sequence = Int64(index) + 1
      guard let entry = row.entry, entry.sequence == sequence, entry.previous == previous else {
        return [.ledger(sequence: sequence)]
      }
      previous = row.json.withBytes { Digest.sha256($0) }
    }
    return []
  }
}
