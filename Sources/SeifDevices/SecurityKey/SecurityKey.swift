package import SeifBytes
package import SeifVault

/// A security key with the extension hmac-secret, as far as a vault needs one. Everything waits for a touch.
package protocol SecurityKey {
  /// Whether it can tell that the right person is there: it has a PIN, or a sensor of its own.
  func canVerifyUser() throws(VaultError) -> Bool

  /// Makes a credential with hmac-secret: ES256, kept by us and not by the key, credProtect 3 where the key offers it.
  ///
  /// - Returns: the credential's identifier.
  /// - Throws: `deviceMissing`, `deviceRefused` (wrong PIN, no touch), `deviceLocked`.
  func makeCredential(
    relyingParty: String, userID: [UInt8], verifiesUser: Bool, pin: borrowing SecretBytes?
  ) throws(VaultError) -> [UInt8]

  /// The key's secret for a credential and a salt of 32 bytes: 32 bytes. A key has one secret with and another one without
  /// verification of the user.
  ///
  /// - Throws: as `makeCredential`; `otherDevice` for a credential of another key.
  func hmacSecret(
    relyingParty: String, credential: [UInt8], salt: [UInt8], verifiesUser: Bool, pin: borrowing SecretBytes?
  ) throws(VaultError) -> SecretBytes
}
