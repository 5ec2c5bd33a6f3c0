public import SeifBytes
internal import SeifCrypto
internal import SeifSQL

/// A way in that was presented: it is proven and goes over to the new data key.
public struct PresentedWayIn {
  /// Its row.
  public let id: UUID
  /// What opens it.
  public let provider: any WayInProvider

  /// A way in and what opens it.
  public init(id: UUID, provider: any WayInProvider) {
    self.id = id
    self.provider = provider
  }
}

extension Vault {
  /// Seals everything anew under a new data key, in a new file that takes the place of this one. Afterwards the vault is
  /// locked: open it again.
  ///
  /// Until the new file takes the name the old one is as it was; from then on the new one is whole. All the while no other
  /// process can open the vault. Afterwards the old file is overwritten, as far as the disk allows.
  ///
  /// - Parameters:
  ///   - presented: the ways in that stay, each with what opens it. Recovery codes never stay.
  ///   - recoveryCode: the new one.
  ///   - dropped: ways in that aren't presented, given up on a person's word.
  ///   - passphrases: as for `removeWayIn`.
  ///   - prove: opens the new file, which has another name yet, by each of its ways in, in another process.
  /// - Throws: `unverified` if anything isn't as it was last written; `wayInNotPresented`; `wrongPassphrase` for one that
  ///   doesn't open; `lastStrongWayIn`; `busy` if another process has the vault open; `changedMeanwhile`; what `prove`
  ///   throws. After `io` from the very last step either file may come back after a loss of power: both are whole.
  public func rotate(
    presented: [PresentedWayIn], recoveryCode: borrowing RecoveryCode, dropped: Set<UUID> = [],
    passphrases: Set<UUID> = [], prove: (VaultLocation, [WayIn]) throws(VaultError) -> Void
  ) throws(VaultError) {
    guard access == .readWrite else { throw VaultError(.readOnly, "opened for reading") }
    let counter = try counter()
    guard try verify().isEmpty else { throw VaultError(.unverified) }
    let (connection, keys) = try opened()
    let old = try wraps()
    try check(old, presented, dropped)
    let name = location.fileName + ".new-" + Base16.encode(random.makeBytes(8))
    let candidate = VaultLocation(
      folder: location.folder, stateFolder: location.stateFolder, vfs: location.vfs, fileName: name,
      fileSystemType: location.fileSystemType)
    var made: [KeyWrap] = []
    var isPublished = false
    do throws(VaultError) {
      try connection.alone { () throws(VaultError) in
        let state = try keys.accumulator.read(from: connection)
        guard Int64(clamping: state.counter) == counter,
          try keys.accumulator.sum(of: tables, in: connection) == state.sum
        else { throw VaultError(.changedMeanwhile) }
        let generation = try generation(connection)
        guard generation < .max else { throw VaultError(.damaged, "generation") }
        let dataKey = random.makeSecret(byteCount: 32)
        try makeWays(old, presented, recoveryCode, dataKey: dataKey, generation: generation + 1, into: &made)
        guard WayIn.areStrong(made.map(\.wayIn), passphrases: passphrases) else {
          throw VaultError(.lastStrongWayIn)
        }
        let newKeys = try VaultKeys(dataKey: dataKey, vaultID: id, random: random)
        try fill(candidate.file, from: connection, keys, newKeys, made, state, generation: generation + 1)
        try prove(candidate, made.map(\.wayIn))
        try replaceFile(by: candidate.file, &isPublished)
      }
    } catch {
      if isPublished {
        close(emptyingLog: false)
      } else {
        for suffix in ["", "-wal", "-shm", "-journal"] { Folders.remove(candidate.file + suffix) }
        // What devices keep for ways in that never came to be.
        for way in made.map(\.wayIn) { try? provider(of: way.id, presented)?.erase(way, vaultID: id) }
      }
      throw error
    }
    keepsCounter = mark.raise(to: UInt64(clamping: counter) &+ 1)
    close(emptyingLog: false)
    for way in old.map(\.wayIn) { try? provider(of: way.id, presented)?.erase(way, vaultID: id) }
    for version in 1..<max(1, schema.version) { Folders.remove(location.file + ".version-\(version)") }
    let present = made.map(\.id)
    for way in present { WayInUses(folder: location.stateFolder, vaultID: id).note(way, at: clock(), present: present) }
  }

  // MARK: - Ways in

  private func provider(of id: UUID, _ presented: [PresentedWayIn]) -> (any WayInProvider)? {
    presented.first { $0.id == id }?.provider
  }

  /// Each way in but recovery codes is presented and opens, or is given up.
  private func check(
    _ old: [KeyWrap], _ presented: [PresentedWayIn], _ dropped: Set<UUID>
  ) throws(VaultError) {
    guard presented.allSatisfy({ way in old.contains { $0.id == way.id } }) else { throw VaultError(.noSuchWayIn) }
    let keys = try opened().keys
    for wrap in old where wrap.kind != .recovery && !dropped.contains(wrap.id) {
      guard let provider = provider(of: wrap.id, presented) else {
        throw VaultError(.wayInNotPresented, wrap.kind.name)
      }
      guard let opened = try wrap.open(with: provider, vaultID: id) else {
        throw VaultError(.wrongPassphrase, wrap.kind.name)
      }
      let isSame = opened.withBytes { left in keys.dataKey.withBytes { right in constantTimeEqual(left, right) } }
      guard isSame else { throw VaultError(.damaged, "way_in") }
    }
  }

  /// - Parameter made: filled one by one, so that after a failure it is known what was made.
  private func makeWays(
    _ old: [KeyWrap], _ presented: [PresentedWayIn], _ code: borrowing RecoveryCode, dataKey: borrowing SecretBytes,
    generation: Int64, into made: inout [KeyWrap]
  ) throws(VaultError) {
    let now = clock().wholeSeconds
    for wrap in old where wrap.kind != .recovery {
      guard let provider = provider(of: wrap.id, presented) else { continue }
      made.append(
        try wrap.renewed(
          by: provider, dataKey: dataKey, vaultID: id, generation: generation, now: now, random: random))
    }
    made.append(
      try KeyWrap.make(
        RecoveryProvider(code), dataKey: dataKey, vaultID: id, generation: generation, now: now, random: random))
  }

  // MARK: - The new file

  private func fill(
    _ path: String, from old: Connection, _ oldKeys: VaultKeys, _ newKeys: VaultKeys, _ ways: [KeyWrap],
    _ state: AccumulatorState, generation: Int64
  ) throws(VaultError) {
    let migrator = schema.migrator(applying: nil)
    let (vfs, options) = (location.vfs, ConnectionOptions(journal: location.journal, hasLargePages: true))
    let new = try sql { () throws(SQLError) in
      try migrator.open(path: path, mode: .create, vfs: vfs, options: options)
    }
    var beginning = AccumulatorState()
    beginning.counter = state.counter
    try new.transaction(.immediate) { () throws(VaultError) in
      var writer = RowWriter(connection: new, keys: newKeys, random: random, now: clock(), state: beginning)
      for table in tables {
        switch table.name {
        case VaultTable.vault.name: try copyVault(old, generation: generation, &writer)
        case VaultTable.wayIn.name:
          for (index, way) in ways.enumerated() {
            try writer.insert(.wayIn, way.id, way.values(position: Int64(index) + 1))
          }
        default: try Self.reseal(table, from: old, oldKeys, newKeys, &writer)
        }
      }
      try writer.finish()
    }
    // The file takes its name alone: nothing may be left in a log beside it.
    try sql { () throws(SQLError) in
      try new.checkpoint(truncate: true)
      try new.close()
    }
  }

  private func copyVault(
    _ old: Connection, generation: Int64, _ writer: inout RowWriter
  ) throws(VaultError) {
    let table = VaultTable.vault
    let values = try sql { () throws(SQLError) in
      let statement = try old.prepare(table.selectOne)
      try statement.bind(id.bytes, at: 1)
      guard try statement.step() else { throw SQLError(.corrupt, message: "no vault row") }
      return try Self.values(table, statement)
    }
    var changed = values
    changed[table.index(of: "generation")] = .integer(generation)
    guard case .integer(let revision) = values[table.index(of: "revision")], revision < .max else {
      throw VaultError(.damaged, "revision")
    }
    changed[table.index(of: "revision")] = .integer(revision + 1)
    try writer.insert(table, id, changed)
  }

  /// Copies a table, each sealed value opened at its place and sealed for the same place under the new key.
  private static func reseal(
    _ table: VaultTable, from old: Connection, _ oldKeys: VaultKeys, _ newKeys: VaultKeys, _ writer: inout RowWriter
  ) throws(VaultError) {
    // A table that nobody listed would be copied under the old key.
    guard let columns = sealedColumns[table.name] else { throw VaultError(.internalFailure, table.name) }
    let (opener, sealer) = (try oldKeys.sealer(table), try newKeys.sealer(table))
    let statement = try old.statement(table.selectAll)
    while try statement.next() {
      var values = try sql { () throws(SQLError) in try Self.values(table, statement) }
      guard case .blob(let bytes) = values[table.idIndex], let row = UUID(bytes: bytes),
        case .integer(let revision) = values[table.index(of: "revision")]
      else { throw VaultError(.damaged, "a row of \(table.name)") }
      for column in columns {
        let index = table.index(of: column)
        guard case .blob(let sealed) = values[index] else { throw VaultError(.damaged, column) }
        let plain = try opener.open(sealed.span.bytes, row: row, column: column, revision: revision)
        values[index] = .blob(try sealer.seal(plain, row: row, column: column, revision: revision))
      }
      try writer.insert(table, row, values)
    }
  }

  private static func values(_ table: VaultTable, _ statement: borrowing Statement) throws(SQLError) -> [SQLValue] {
    var values: [SQLValue] = []
    for index in table.columns.indices { values.append(try statement.value(index)) }
    return values
  }

  /// Puts the new file in the place of the old one, and overwrites the old one once the new name is durable.
  private func replaceFile(by path: String, _ isPublished: inout Bool) throws(VaultError) {
    let old = try OldFile(location.file)
    let failure = Folders.replace(location.file, by: path)
    guard failure == 0 else { throw Folders.error(failure) }
    isPublished = true
    let unsynced = Folders.sync(location.folder)
    guard unsynced == 0 else { throw Folders.error(unsynced) }
    // Whoever waits for the old file finds no database in it, and its wraps are gone from this disk as far as that goes.
    old.erase()
  }
}
