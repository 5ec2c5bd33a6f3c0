public import SeifBytes
internal import SeifCrypto
public import SeifFormats
internal import SeifSQL

/// A sealed copy of a whole vault, as the bytes of a file: what is in it opens by the vault's own ways in.
public struct VaultSnapshot: Sendable {
  /// Largest snapshot, in bytes: what a backup may have.
  public static let byteLimit = 64 << 20

  /// The file.
  public let bytes: SecretValue

  /// The copy of a connection's file; nil: it is too large.
  static func of(_ connection: Connection) throws(VaultError) -> VaultSnapshot? {
    let bytes = try sql { () throws(SQLError) in try connection.serialized(limit: byteLimit) }
    return bytes.map { VaultSnapshot(bytes: SecretValue($0)) }
  }

  /// Steps of SQLite's machine that all work on a copy may take: many times what a sound one of this size needs, and
  /// seconds of work at most.
  static func stepLimit(byteCount: Int) -> Int { 20_000_000 + 20 * min(byteCount, byteLimit) }
}

extension Vault {
  /// The whole vault as it is now, sealed, as the bytes of a file (docs/formats/vault.md, "Snapshots"). Others may write
  /// meanwhile: it is of one moment.
  ///
  /// - Returns: nil where it is larger than a backup may be.
  /// - Throws: `noSuchWayIn` for a vault that only devices open: a copy of it couldn't be opened anywhere else.
  public func snapshot() throws(VaultError) -> VaultSnapshot? {
    guard try waysIn().contains(where: \.isPortable) else { throw VaultError(.noSuchWayIn, "passphrase or recovery") }
    return try read { (connection, _) throws(VaultError) in try VaultSnapshot.of(connection) }
  }

  /// Opens a snapshot of this vault with this one's key, as a vault of its own that is read from memory.
  ///
  /// - Throws: `damaged` where it isn't of this vault or of another data key.
  public func opening(_ bytes: SecretValue) throws(VaultError) -> Vault {
    let (_, keys) = try opened()
    // EXPOSE: a sealed file.
    let bytes = bytes.exposedBytes()
    let connection = try sql { () throws(SQLError) in
      try Connection(reading: bytes, stepLimit: VaultSnapshot.stepLimit(byteCount: bytes.count))
    }
    guard try schema.check(connection).step == schema.versions.last?.step else { throw VaultError(.olderVersion) }
    let own = try VaultKeys(dataKey: keys.dataKey.duplicate(), vaultID: id, random: random)
    let vault = Vault(
      connection: connection, keys: own, location: .nowhere, access: .readOnly, schema: schema, random: random,
      clock: clock)
    try vault.checkRowCount()
    try vault.checkOnOpening()
    return vault
  }

  /// Refuses a copy that has more rows than were sealed: what reads it may then count on an end.
  func checkRowCount() throws(VaultError) {
    try read { (connection, keys) throws(VaultError) in
      let sealed = try keys.accumulator.read(from: connection).sum.rows
      guard try keys.accumulator.sum(of: tables, in: connection, limit: sealed) != nil else {
        throw VaultError(.damaged, "more rows than were sealed")
      }
    }
  }

  /// The place in the chain of backups that the vault's last backup has.
  public func lastBackupLink() throws(VaultError) -> BackupLink {
    try read { (connection, keys) throws(VaultError) in try Self.backupLink(connection, keys) }
  }

  /// A digest that only who has this vault's key can make: what it is made of was looked at by a person who opened the
  /// vault, and not put there by a program that may only change entries. 32 bytes.
  public func approval(of content: SecretValue) throws(VaultError) -> [UInt8] {
    let key = try opened().keys.approvalKey()
    return key.withBytes { key in content.withBytes { HMAC.code(.sha256, key: key, message: $0) } }
  }
}
