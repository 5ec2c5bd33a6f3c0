package import SeifBytes
package import SeifCrypto
package import SeifVault

/// A security key as a way in: its secret for an input that stands in the row.
package final class SecurityKeyProvider: WayInProvider {
  package let kind = WayIn.Kind.fido2
  private let key: any SecurityKey
  private let pin: SecretBytes?

  /// A name that no web site can have (RFC 2606), so that no site's credential opens a vault.
  package static let relyingParty = "seif.invalid"

  /// - Parameter pin: nil for none, and for a key with a sensor.
  package init(_ key: any SecurityKey, pin: consuming SecretBytes? = nil) {
    self.key = key
    self.pin = pin
  }

  /// Whether the key that is there can tell that the right person is.
  ///
  /// - Throws: `deviceMissing`, `deviceRefused` where there are several.
  package func look() throws(VaultError) -> Bool { try key.canVerifyUser() }

  package func makeKey(for id: UUID, vaultID: UUID, random: RandomSource) throws(VaultError) -> NewWrappingKey {
    let verifiesUser = try key.canVerifyUser()
    let credential = try key.makeCredential(
      relyingParty: Self.relyingParty, userID: id.bytes, verifiesUser: verifiesUser, pin: pin)
    return try make(credential, Self.relyingParty, verifiesUser, random)
  }

  /// The credential stays; the input is another one.
  package func renewKey(of way: WayIn, vaultID: UUID, random: RandomSource) throws(VaultError) -> NewWrappingKey {
    guard let row = Row(way) else { throw VaultError(.damaged, "parameters") }
    return try make(row.credential, row.relyingParty, row.verifiesUser, random)
  }

  private func make(
    _ credential: [UInt8], _ relyingParty: String, _ verifiesUser: Bool, _ random: RandomSource
  ) throws(VaultError) -> NewWrappingKey {
    let input = random.makeBytes(32)
    let row = Row(credential: credential, input: input, relyingParty: relyingParty, verifiesUser: verifiesUser)
    return NewWrappingKey(
      key: try wrappingKey(row),
      parameters: [
        "credentialId": .bytes(credential), "input": .bytes(input), "rpId": .text(relyingParty),
        "uv": .flag(verifiesUser),
      ])
  }

  package func withKeys<Result: ~Copyable>(
    of way: WayIn, vaultID: UUID, _ body: (borrowing SecretBytes) -> Result?
  ) throws(VaultError) -> Result? {
    guard let row = Row(way) else { return nil }
    return body(try wrappingKey(row))
  }

  private func wrappingKey(_ row: Row) throws(VaultError) -> SecretBytes {
    let secret = try key.hmacSecret(
      relyingParty: row.relyingParty, credential: row.credential, salt: Self.salt(row.input),
      verifiesUser: row.verifiesUser, pin: pin)
    guard secret.byteCount == 32 else { throw VaultError(.deviceRefused, "a secret of another length") }
    do throws(CryptoError) {
      return try HKDF.deriveKey(from: secret, salt: [], info: Array("seif-vault-v1/fido2".utf8))
    } catch {
      throw VaultError(.internalFailure, error.description)
    }
  }

  /// The salt that the key gets, as WebAuthn's PRF extension makes it of a site's input.
  package static func salt(_ input: [UInt8]) -> [UInt8] {
    let message = Array("WebAuthn PRF".utf8) + [0] + input
    return Digest.sha256(message.span.bytes)
  }

  private struct Row {
    let credential: [UInt8]
    let input: [UInt8]
    let relyingParty: String
    let verifiesUser: Bool

    init(credential: [UInt8], input: [UInt8], relyingParty: String, verifiesUser: Bool) {
      self.credential = credential
      self.input = input
      self.relyingParty = relyingParty
      self.verifiesUser = verifiesUser
    }

    init?(_ way: WayIn) {
      guard let credential = way.bytes("credentialId"), (1...1024).contains(credential.count),
        let input = way.bytes("input"), input.count == 32, let relyingParty = way.text("rpId"),
        relyingParty == SecurityKeyProvider.relyingParty, let verifiesUser = way.flag("uv")
      else { return nil }
      self.init(credential: credential, input: input, relyingParty: relyingParty, verifiesUser: verifiesUser)
    }
  }
}
