internal import SeifBytes
internal import SeifSQL

// What a person can do about rows that don't open: a damaged row can't be mended, but it must not be in the way.
extension Vault {
  /// The rows that were set aside, oldest first; those that don't open are left out and named in `damage`.
  public func rowsSetAside() throws(VaultError) -> [SetAsideRow] {
    try reading { (connection, keys, damage) throws(VaultError) in
      var rows: [SetAsideRow] = []
      for (_, content) in try Self.setAside(connection, keys, &damage) {
        guard let first = content.rows.first else { continue }
        let id = try SetAsideCodec.id(first.table, first.values)
        rows.append(SetAsideRow(id: id, table: first.table.name, at: content.at))
      }
      return rows
    }
  }

  /// Takes the contents as they are for right, on a person's word, so that the vault can be purged and found whole
  /// again; whatever was edited, removed or put back behind our back stays so. Rows that belong to nothing here are
  /// dropped: of the vault itself, of its state, of summaries.
  ///
  /// - Throws: `damaged` while something doesn't open or hang together: that is for the person to settle first.
  public func acceptContents() throws(VaultError) {
    // In one transaction: what another program puts there in between would be taken for right unseen.
    try write { (rows) throws(VaultError) in
      for fault in try allFaults(rows.connection, rows.keys) {
        switch fault {
        case .contents, .rowCount, .olderCopy, .strayData("vault", _), .strayData("accumulator", _),
          .strayData("item_summary", _):
          continue
        default: throw VaultError(.damaged, "\(fault)")
        }
      }
      try rows.acceptContents(of: tables)
    }
    openingFaults.removeAll { if case .olderCopy = $0 { false } else { true } }
  }

  // MARK: - Parts

  /// Takes a row out of its table, whole and as it stands, unless it opens.
  static func setAside(
    _ id: UUID, _ writer: inout ItemWriter, _ undo: inout UndoRecorder
  ) throws(VaultError) {
    for table in SetAsideCodec.tables {
      guard let values = try values(id, table, writer.rows) else { continue }
      var content = SetAsideCodec.Content(at: writer.rows.now, rows: [(table, values)])
      switch table.name {
      case "item", "bin":
        let row = try Self.opened(id, in: table, writer)
        if let row, (try? row.entry(writer.rows.connection, writer.rows.keys)) != nil {
          if table.name == "item" { try writer.writeSummary(of: row) }
          return
        }
        if table.name == "item", let summary = try self.values(id, .itemSummary, writer.rows) {
          content.rows.append((.itemSummary, summary))
        }
        if let reference = row?.item.secretRef, let seed = try self.values(reference, .secret, writer.rows) {
          content.rows.append((.secret, seed))
        }
      case "secret": guard try !isReferredTo(id, writer) else { throw VaultError(.noSuchEntry) }
      default: break
      }
      return try keep(content, &writer, &undo)
    }
    throw VaultError(.noSuchEntry)
  }

  private static func keep(
    _ content: SetAsideCodec.Content, _ writer: inout ItemWriter, _ undo: inout UndoRecorder
  ) throws(VaultError) {
    // Summaries are found by their entries, so they go first.
    for (table, values) in content.rows.reversed() {
      try writer.rows.delete(table, try SetAsideCodec.id(table, values))
    }
    let id = writer.rows.makeID()
    let sealer = try writer.rows.keys.sealer(.setAside)
    let sealed = try sealer.seal(SetAsideCodec.encode(content), row: id, column: "content", revision: 1)
    try writer.rows.insert(
      .setAside, id,
      [.blob(sealed), .blob(id.bytes), .integer(try writer.rows.nextPosition(.setAside)), .integer(1)])
    try undo.record(.unsetAside(id), &writer.rows)
  }

  /// The row of an entry, or nil if its detail doesn't open.
  private static func opened(
    _ id: UUID, in table: VaultTable, _ writer: ItemWriter
  ) throws(VaultError) -> ItemRow? {
    do throws(VaultError) {
      return try ItemRow.find(id, in: table, writer.rows.connection, writer.rows.keys)
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }

  /// Whether an entry that opens, here or in the bin, has this seed.
  private static func isReferredTo(_ id: UUID, _ writer: ItemWriter) throws(VaultError) -> Bool {
    for table in [VaultTable.item, .bin] {
      let sealer = try writer.rows.keys.sealer(table)
      let statement = try writer.rows.connection.statement(table.selectAll)
      while try statement.next() {
        if (try? ItemRow(statement, in: table, sealer))?.item.secretRef == id { return true }
      }
    }
    return false
  }

  private static func values(
    _ id: UUID, _ table: VaultTable, _ rows: RowWriter
  ) throws(VaultError) -> [SQLValue]? {
    let statement = try rows.connection.statement(table.selectOne, binding: id)
    defer { statement.reset() }
    guard try statement.next() else { return nil }
    return try sql { () throws(SQLError) in
      try table.columns.indices.map { (column) throws(SQLError) in try statement.value(column) }
    }
  }

  /// Puts back what was set aside, at its place or, where that is taken, at the end.
  static func takeBackSetAside(_ id: UUID, _ writer: inout ItemWriter) throws(VaultError) {
    var damage: [VaultFault] = []
    let all = try setAside(writer.rows.connection, writer.rows.keys, &damage)
    guard let row = all.first(where: { $0.id == id }) else { throw VaultError(.noSuchEntry) }
    var entryPosition: Int64?
    for (table, values) in row.content.rows {
      var values = values
      let index = table.index(of: "position")
      guard case .integer(let old) = values[index] else { throw VaultError(.damaged, "set_aside") }
      if table.name == "item_summary", let entryPosition {
        values[index] = .integer(entryPosition)
      } else {
        let position = try writer.rows.isFree(old, in: table) ? old : writer.rows.nextPosition(table)
        if table.name == "item" { entryPosition = position }
        values[index] = .integer(position)
      }
      try writer.rows.insert(table, try SetAsideCodec.id(table, values), values)
    }
    try writer.rows.delete(.setAside, id)
  }

  static func setAside(
    _ connection: Connection, _ keys: VaultKeys, _ damage: inout [VaultFault]
  ) throws(VaultError) -> [(id: UUID, content: SetAsideCodec.Content)] {
    let sealer = try keys.sealer(.setAside)
    let statement = try connection.statement("SELECT id, revision, content FROM set_aside ORDER BY position")
    var rows: [(id: UUID, content: SetAsideCodec.Content)] = []
    while try statement.next() {
      let (id, revision) = try sql { () throws(SQLError) in (try statement.uuid(0), try statement.integer(1)) }
      try keepGoing(past: .value(table: "set_aside", row: id, column: "content"), &damage) { () throws(VaultError) in
        let json = try statement.withBlob(2) { (sealed) throws(VaultError) in
          try sealer.open(sealed, row: id, column: "content", revision: revision)
        }
        rows.append((id, try SetAsideCodec.decode(json)))
      }
    }
    return rows
  }
}
