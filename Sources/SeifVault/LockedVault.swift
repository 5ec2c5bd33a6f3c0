public import SeifBytes
internal import SeifCrypto
internal import SeifSQL

/// A vault that was found and whose version is known, not yet unlocked.
public struct LockedVault: ~Copyable {
  /// Identifier of the vault: what its file says, which nothing has proven yet.
  public var id: UUID { ids[0] }
  /// The location it was opened at.
  public let location: VaultLocation
  /// Never empty. More than one only where somebody planted a row: the data key is bound to the right one.
  private let ids: [UUID]
  private let wraps: [KeyWrap]
  private let access: VaultAccess
  private let connection: Connection
  private let schema: VaultSchema
  private let foundVersion: VaultSchemaVersion
  private let random: RandomSource
  private let clock: @Sendable () -> Timestamp

  /// The ways in, in the order in which they were made.
  public var waysIn: [WayIn] { wraps.map(\.wayIn) }

  init(
    at location: VaultLocation, access: VaultAccess, schema: VaultSchema, random: RandomSource,
    clock: @escaping @Sendable () -> Timestamp
  ) throws(VaultError) {
    guard Folders.exists(location.file) else { throw VaultError(.missing) }
    // SQLite would wait for the writer of a pipe.
    guard Folders.isFile(location.file) else { throw VaultError(.notAVault, "it is no file") }
    Self.takeBackHalfDone(location)
    func connect(_ mode: Connection.Mode) throws(VaultError) -> Connection {
      try Connection.vault(location, mode)
    }
    // A look first, so that a file that is refused stays as it is, byte for byte.
    var connection = try connect(.readOnly)
    var version = try schema.check(connection)
    if access == .readWrite {
      try sql(connection.close)
      connection = try connect(.readWrite)
      version = try schema.check(connection)
    } else if version.step != schema.versions.last?.step {
      throw VaultError(.olderVersion)
    }
    (ids, wraps) = try Self.identities(connection)
    self.location = location
    self.access = access
    self.connection = connection
    self.schema = schema
    foundVersion = version
    self.random = random
    self.clock = clock
  }

  /// A vault that is nothing but the bytes of a snapshot, to be read. What this machine remembers of the vault doesn't
  /// count for it: it is older by its nature.
  ///
  /// - Throws: `newerVersion`, `olderVersion`, `notAVault`, `damaged`; `busy` where reading it takes work without end.
  init(
    snapshot bytes: [UInt8], random: RandomSource = .system,
    clock: @escaping @Sendable () -> Timestamp = { Timestamp.now }
  ) throws(VaultError) {
    let opened = try sql { () throws(SQLError) in
      try Connection(reading: bytes, stepLimit: VaultSnapshot.stepLimit(byteCount: bytes.count))
    }
    let version = try VaultSchema.current.check(opened)
    guard version.step == VaultSchema.current.versions.last?.step else { throw VaultError(.olderVersion) }
    (ids, wraps) = try Self.identities(opened)
    connection = opened
    schema = .current
    foundVersion = version
    location = .nowhere
    access = .readOnly
    self.random = random
    self.clock = clock
  }

  /// The vault's rows, the one that has a state and is oldest first, and its ways in.
  private static func identities(_ opened: Connection) throws(VaultError) -> ([UUID], [KeyWrap]) {
    try sql { () throws(SQLError) in
      let statement = try opened.prepare(
        """
        SELECT id FROM vault
        ORDER BY NOT EXISTS (SELECT 1 FROM accumulator WHERE accumulator.id = vault.id), rowid LIMIT ?1
        """)
      try statement.bind(Int64(triedCount + 1), at: 1)
      var ids: [UUID] = []
      while try statement.step() { ids.append(try statement.uuid(0)) }
      guard (1...triedCount).contains(ids.count) else {
        throw SQLError(.corrupt, message: "\(ids.isEmpty ? "no row" : "too many rows") in vault")
      }
      return (ids, try KeyWrap.all(in: opened))
    }
  }

  /// The whole file as it is now, sealed: see `Vault.snapshot()`. Nothing of it is checked without a key.
  ///
  /// - Returns: nil where it is larger than a backup may be.
  public borrowing func snapshot() throws(VaultError) -> VaultSnapshot? {
    try VaultSnapshot.of(connection)
  }

  /// Ends what a rotation began that was killed as it took the file alone: only then there is a journal, but on a network
  /// file system, where each writer has one. Where nothing can be written the
  /// reading that follows says what is wrong.
  private static func takeBackHalfDone(_ location: VaultLocation) {
    let journal = location.file + "-journal"
    // A log that came along with the file is taken in before anybody reads: reading it would need shared memory.
    let hasLog = location.journal == .rollback && Folders.exists(location.file + "-wal")
    guard Folders.exists(journal) || hasLog, let connection = try? Connection.vault(location, .readWrite)
    else { return }
    // SQLite has taken back what was half done. As long as this connection has the log, nobody else makes a journal.
    // Without a log the journal is a writer's, maybe one at work, and never for others to remove.
    if (try? connection.userVersion()) != nil, location.journal == .writeAheadLog { Folders.remove(journal) }
    try? connection.close()
  }

  /// Ways in of one kind, and rows of `vault`, that are tried: rows that somebody added must not keep a person waiting without end.
  static let triedCount = 8

  /// When each way in last opened this vault on this machine, as far as that is known.
  public var lastUses: [UUID: Timestamp] {
    WayInUses(folder: location.stateFolder, vaultID: id).read()
  }

  /// Opens with a passphrase: its bytes as they came, then their NFC, then their NFD form. The ways in that cost least
  /// come first, and of each kind eight are tried.
  ///
  /// - Throws: `wrongPassphrase`, `noSuchWayIn`, `costRefused` or `outOfMemory` if a way in asks for too much and no other
  ///   opens, `migrationFailed` for a file of an older version.
  public consuming func unlock(passphrase: borrowing SecretBytes) throws(VaultError) -> Vault {
    try unlock(with: PassphraseProvider(passphrase))
  }

  /// Opens with a recovery code.
  ///
  /// - Throws: as `unlock(passphrase:)`.
  public consuming func unlock(recoveryCode: borrowing RecoveryCode) throws(VaultError) -> Vault {
    try unlock(with: RecoveryProvider(recoveryCode))
  }

  /// Opens with what a provider has: a passphrase, a code, a device.
  ///
  /// - Parameter only: the one way in that is tried; nil: all of the provider's kind.
  /// - Throws: as `unlock(passphrase:)`, and what the device says: `deviceMissing`, `otherDevice`, `deviceRefused`,
  ///   `deviceLocked`.
  public consuming func unlock(with provider: some WayInProvider, only: UUID? = nil) throws(VaultError) -> Vault {
    let rows = wraps.filter { $0.kind == provider.kind && (only ?? $0.id) == $0.id }
    guard !rows.isEmpty else { throw VaultError(.noSuchWayIn, provider.kind.name) }
    var refusal: VaultError?
    let tried =
      provider.kind == .passphrase
      ? Self.cheapestFirst(rows, &refusal).map(\.row) : Array(rows.prefix(Self.triedCount))
    for row in tried {
      let opened = Self.attempt(&refusal) { () throws(VaultError) in try row.open(with: provider, vaultIDs: ids) }
      if let opened { return try finish(opened, by: row.id) }
    }
    throw refusal ?? VaultError(.wrongPassphrase)
  }

  /// Opens with a way in that isn't in the vault yet: its proof.
  ///
  /// - Throws: as `unlock(with:)`.
  public consuming func unlock(
    with provider: some WayInProvider, candidate: NewWayIn
  ) throws(VaultError) -> Vault {
    guard let opened = try candidate.wrap.open(with: provider, vaultIDs: ids) else {
      throw VaultError(.wrongPassphrase)
    }
    return try finish(opened, by: nil)
  }

  static func cheapestFirst(
    _ rows: [KeyWrap], _ refusal: inout VaultError?
  ) -> [(row: KeyWrap, cost: Argon2idCost)] {
    var known: [(row: KeyWrap, cost: Argon2idCost)] = []
    for row in rows {
      if let cost = attempt(&refusal, { () throws(VaultError) in try row.cost() }) { known.append((row, cost)) }
    }
    // Within the limits of a way in the products are far from overflow. Rows of one cost stay in their order.
    let order = known.enumerated().sorted {
      ($0.element.cost.memoryKiB * $0.element.cost.passes, $0.offset)
        < ($1.element.cost.memoryKiB * $1.element.cost.passes, $1.offset)
    }
    return order.prefix(triedCount).map(\.element)
  }

  // A way in that can't be tried is no reason to leave out the next. What was lacking is said if none opens.
  private static func attempt<Result: ~Copyable>(
    _ refusal: inout VaultError?, _ body: () throws(VaultError) -> Result?
  ) -> Result? {
    do throws(VaultError) {
      return try body()
    } catch {
      if refusal == nil || refusal?.code == .costRefused { refusal = error }
      return nil
    }
  }

  private func finish(_ opened: consuming OpenedKey, by way: UUID?) throws(VaultError) -> Vault {
    let id = opened.vaultID
    let keys = try VaultKeys(dataKey: opened.dataKey.duplicate(), vaultID: id, random: random)
    let isCurrent = foundVersion.step == schema.versions.last?.step
    if !isCurrent { try migrate(keys) }
    let vault = Vault(
      connection: connection, keys: keys, location: location, access: access, schema: schema, random: random,
      clock: clock)
    if location == .nowhere { try vault.checkRowCount() }
    try vault.checkOnOpening()
    vault.openedBy = way
    if let way, vault.openingFaults.isEmpty {
      WayInUses(folder: location.stateFolder, vaultID: id).note(way, at: clock(), present: wraps.map(\.id))
    }
    if access == .readWrite, isCurrent, vault.openingFaults.isEmpty { removeLeftFiles() }
    return vault
  }

  // MARK: - Older versions

  private func oldFile(_ version: Int32) -> String { location.file + ".version-\(version)" }

  private func migrate(_ keys: VaultKeys) throws(VaultError) {
    let migrator = schema.migrator(applying: MigrationKeys(keys: keys, random: random))
    try sql { () throws(SQLError) in
      try migrator.migrate(connection) { (connection, version) throws(SQLError) in
        // From a step that failed before: that copy is the older one, and stays.
        guard !Folders.exists(oldFile(version)) else { return }
        do throws(SQLError) {
          try connection.copy(to: oldFile(version))
        } catch {
          // Another process has copied it or gone on meanwhile: then there is nothing left to keep.
          guard error.code != .alreadyExists, try connection.userVersion() <= version else { return }
          throw error
        }
      }
    }
  }

  /// Removes the copies of older versions, kept until an unlock has found the file up to date and as it was last
  /// written, and what a creation or a copy left that was killed half-way.
  private func removeLeftFiles() {
    for version in 1..<max(1, schema.version) { Folders.remove(oldFile(version)) }
    let name = String(location.file.dropFirst(location.folder.count).drop { $0 == "/" })
    for left in Folders.names(in: location.folder) ?? []
    where left.hasPrefix(name + ".new-") || (left.hasPrefix(name + ".version-") && left.contains(".new-")) {
      Folders.remove("\(location.folder)/\(left)")
    }
  }
}
