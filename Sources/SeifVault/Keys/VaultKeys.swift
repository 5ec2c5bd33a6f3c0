internal import SeifBytes
internal import SeifCrypto

/// The data key of an open vault and what is derived from it. Letting go of it wipes all.
///
/// Owned by one task, like the vault: its ciphers are used by one caller at a time.
final class VaultKeys {
  let vaultID: UUID
  let dataKey: SecretBytes
  let accumulator: Accumulator
  private let random: RandomSource
  private var sealers: [String: TableSealer] = [:]

  init(dataKey: consuming SecretBytes, vaultID: UUID, random: RandomSource) throws(VaultError) {
    let key = try Self.subkey("accumulator", of: dataKey, vaultID: vaultID)
    accumulator = try Accumulator(key: key, vaultID: vaultID)
    self.vaultID = vaultID
    self.dataKey = dataKey
    self.random = random
  }

  /// The cipher of a table, made at its first use.
  func sealer(_ table: VaultTable) throws(VaultError) -> TableSealer {
    if let sealer = sealers[table.name] { return sealer }
    let key = try Self.subkey(table.name, of: dataKey, vaultID: vaultID)
    let sealer = try TableSealer(table: table.name, key: key, random: random)
    sealers[table.name] = sealer
    return sealer
  }

  /// The key under which the ledger's digests of contents are made.
  func ledgerKey() throws(VaultError) -> SecretBytes {
    try Self.subkey("ledger", of: dataKey, vaultID: vaultID)
  }

  /// The key under which destinations are approved.
  func approvalKey() throws(VaultError) -> SecretBytes {
    try Self.subkey("destination", of: dataKey, vaultID: vaultID)
  }

  private static func subkey(
    _ name: String, of dataKey: borrowing SecretBytes, vaultID: UUID
  ) throws(VaultError) -> SecretBytes {
    do throws(CryptoError) {
      return try HKDF.deriveKey(from: dataKey, salt: vaultID.bytes, info: Array(("seif-vault-v1/" + name).utf8))
    } catch {
      throw VaultError(.internalFailure, "subkey")
    }
  }
}
