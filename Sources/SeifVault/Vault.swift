public import SeifBytes
public import SeifCrypto
public import SeifFormats
public import SeifRecords
internal import SeifSQL

/// An unlocked vault.
///
/// Not `Sendable`: one task or actor owns it. Several processes may have one vault open: each write waits for its turn.
public final class Vault {
}

/// A vault that was found and whose version is known, not yet unlocked.
public struct LockedVault: ~Copyable {
  /// Identifier of the vault.
  public var id: UUID { fatalError() }
  /// The ways in, in the order in which they were made.
  public var waysIn: [WayIn] { [] }
  /// Opens with a passphrase: its bytes as they came, then their NFC, then their NFD form.
  ///
  /// - Throws: `wrongPassphrase`, `noSuchWayIn`, `costRefused`.
  public consuming func unlock(passphrase: borrowing SecretBytes) throws(VaultError) -> Vault { fatalError() }
  /// Opens with a recovery code.
  ///
  /// - Throws: `wrongPassphrase`, `noSuchWayIn`, `costRefused`.
  public consuming func unlock(recoveryCode: borrowing RecoveryCode) throws(VaultError) -> Vault { fatalError() }
}

extension Vault {
  /// Makes a vault and leaves it unlocked.
  ///
  /// - Parameter passphrase: in its NFC form.
  public static func create(
    at location: VaultLocation, passphrase: borrowing SecretBytes, recoveryCode: borrowing RecoveryCode,
    cost: VaultCost, random: RandomSource = .system, now: @escaping @Sendable () -> Timestamp = { Timestamp.now }
  ) throws(VaultError) -> Vault { fatalError() }

  /// Finds a vault and checks its version; a newer one is refused and stays as it is.
  public static func open(
    at location: VaultLocation, access: VaultAccess, random: RandomSource = .system,
    now: @escaping @Sendable () -> Timestamp = { Timestamp.now }
  ) throws(VaultError) -> LockedVault { fatalError() }

  /// Identifier of the vault.
  public var id: UUID { fatalError() }
  /// What unlocking found: contents that aren't as last written (looked at up to 10,000 rows), an older copy.
  public var openingFaults: [VaultFault] { [] }
  /// Wipes the keys and closes the file; every later call fails with `locked`.
  public func lock() {}
  /// How many changes the vault has seen.
  public func counter() throws(VaultError) -> Int64 { fatalError() }

  // Reading
  public func entries() throws(VaultError) -> [StoredEntry] { fatalError() }
  public func summaries() throws(VaultError) -> [EntrySummary] { fatalError() }
  public func entry(_ id: UUID) throws(VaultError) -> StoredEntry { fatalError() }
  public func records() throws(VaultError) -> Records { fatalError() }
  public func bin() throws(VaultError) -> [BinnedEntry] { fatalError() }
  public func tombstones() throws(VaultError) -> Set<UUID> { fatalError() }

  // Writing
  @discardableResult public func add(_ entries: [Entry]) throws(VaultError) -> [UUID] { fatalError() }
  public func replace(_ id: UUID, with entry: Entry) throws(VaultError) { fatalError() }
  public func remove(_ ids: [UUID]) throws(VaultError) { fatalError() }
  public func restoreFromBin(_ ids: [UUID]) throws(VaultError) { fatalError() }
  @discardableResult public func apply(_ changes: [VaultChange]) throws(VaultError) -> [UUID] { fatalError() }
  public func undo() throws(VaultError) { fatalError() }
  public func advanceCounter(_ id: UUID) throws(VaultError) -> Account { fatalError() }
  @discardableResult public func purgeBin() throws(VaultError) -> Int { fatalError() }

  // Ledger and chain of backups
  @discardableResult public func appendToLedger(_ entry: LedgerEntry) throws(VaultError) -> LedgerEntry { fatalError() }
  public func ledger() throws(VaultError) -> [LedgerEntry] { fatalError() }
  public func contentDigest(of records: Records) throws(VaultError) -> [UInt8] { fatalError() }
  public func nextBackupLink() throws(VaultError) -> BackupLink { fatalError() }
  public func recordBackup(sequence: Int64, sha256: [UInt8]) throws(VaultError) { fatalError() }

  // Checking
  public func verify() throws(VaultError) -> [VaultFault] { fatalError() }
  public func acceptOlderCopy() throws(VaultError) { fatalError() }
}
