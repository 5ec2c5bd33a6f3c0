public import SeifBytes
public import SeifCrypto
internal import SeifSQL

extension Vault {
  /// Makes a vault and leaves it unlocked. Until the whole of it is on the disk there is no file of its name.
  ///
  /// - Parameter passphrase: in its NFC form; whether it is good enough is for the caller to say.
  /// - Throws: `alreadyExists`, `full`, `cantOpen`, `outOfMemory`.
  public static func create(
    at location: VaultLocation, passphrase: borrowing SecretBytes, recoveryCode: borrowing RecoveryCode,
    cost: VaultCost, random: RandomSource = .system, now: @escaping @Sendable () -> Timestamp = { Timestamp.now }
  ) throws(VaultError) -> Vault {
    let failure = Folders.make(location.folder)
    guard failure == 0 else { throw Folders.error(failure) }
    if let reason = Folders.refusal(afterClosing: location.folder) { throw VaultError(.cantOpen, reason) }
    guard !Folders.exists(location.file) else { throw VaultError(.alreadyExists) }
    let dataKey = random.makeSecret(byteCount: 32)
    let id = random.makeUUID()
    let moment = now()
    let wraps = [
      try KeyWrap.make(
        PassphraseProvider(passphrase, cost: cost), dataKey: dataKey, vaultID: id, generation: 1, now: moment,
        random: random),
      try KeyWrap.make(
        RecoveryProvider(recoveryCode), dataKey: dataKey, vaultID: id, generation: 1, now: moment, random: random),
    ]
    let keys = try VaultKeys(dataKey: dataKey, vaultID: id, random: random)
    let temporary = location.file + ".new-" + Base16.encode(random.makeBytes(8))
    do throws(VaultError) {
      try fill(temporary, location, keys: keys, wraps: wraps, random: random, now: moment)
    } catch {
      for suffix in ["", "-wal", "-shm", "-journal"] { Folders.remove(temporary + suffix) }
      throw error
    }
    // SQLite would apply the log of a vault that stood here before to the new one.
    guard !["-wal", "-shm", "-journal"].contains(where: { Folders.exists(location.file + $0) }) else {
      Folders.remove(temporary)
      throw VaultError(.alreadyExists)
    }
    let refusal = Folders.publish(temporary, as: location.file)
    guard refusal == 0 else {
      Folders.remove(temporary)
      throw Folders.exists(location.file) ? VaultError(.alreadyExists) : Folders.error(refusal)
    }
    // A run that was killed may have made the folder, so its name is made durable whoever made it.
    let unsynced = [location.folder, Folders.parent(of: location.folder)].map(Folders.sync).first { $0 != 0 }
    if let unsynced {
      Folders.remove(location.file)
      throw Folders.error(unsynced)
    }
    let connection: Connection
    do throws(VaultError) {
      connection = try Connection.vault(location, .readWrite)
    } catch {
      // Nobody was told of it yet, so a creation that fails leaves none.
      for suffix in ["", "-wal", "-shm", "-journal"] { Folders.remove(location.file + suffix) }
      throw error
    }
    let vault = Vault(
      connection: connection, keys: keys, location: location, access: .readWrite, schema: .current, random: random,
      clock: now)
    vault.keepsCounter = vault.mark.raise(to: 1)
    return vault
  }

  private static func fill(
    _ path: String, _ location: VaultLocation, keys: VaultKeys, wraps: [KeyWrap], random: RandomSource, now: Timestamp
  ) throws(VaultError) {
    let migrator = VaultSchema.current.migrator(applying: nil)
    let connection = try sql { () throws(SQLError) in
      try migrator.open(
        path: path, mode: .create, vfs: location.vfs,
        options: ConnectionOptions(journal: location.journal, hasLargePages: true))
    }
    try connection.transaction(.immediate) { () throws(VaultError) in
      var writer = RowWriter(
        connection: connection, keys: keys, random: random, now: now, state: AccumulatorState())
      try writer.insert(
        .vault, keys.vaultID,
        [.integer(now.milliseconds), .integer(1), .blob(keys.vaultID.bytes), .integer(1)])
      for wrap in wraps {
        try writer.insert(.wayIn, wrap.id, wrap.values(position: try writer.nextPosition(.wayIn)))
      }
      try writer.finish()
    }
    // The file takes its name alone: nothing may be left in a log beside it.
    try sql { () throws(SQLError) in
      try connection.checkpoint(truncate: true)
      try connection.close()
    }
  }

  /// Finds a vault and checks its version; a newer one is refused and stays as it is.
  ///
  /// - Throws: `missing`, `newerVersion`, `olderVersion` (read-only), `notAVault`, `damaged`, `busy`.
  public static func open(
    at location: VaultLocation, access: VaultAccess, random: RandomSource = .system,
    now: @escaping @Sendable () -> Timestamp = { Timestamp.now }
  ) throws(VaultError) -> LockedVault {
    try LockedVault(at: location, access: access, schema: .current, random: random, clock: now)
  }

  /// As `open`, for tests with a schema of their own.
  package static func open(
    at location: VaultLocation, access: VaultAccess, schema: VaultSchema
  ) throws(VaultError) -> LockedVault {
    try LockedVault(at: location, access: access, schema: schema, random: .system, clock: { Timestamp.now })
  }
}
