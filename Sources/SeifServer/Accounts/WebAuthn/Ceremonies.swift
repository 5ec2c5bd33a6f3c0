package import SeifBytes
internal import SeifCrypto

/// A credential that a browser made (WebAuthn level 2 §7.1), checked but for its challenge, which the caller knows.
package struct Registration: Sendable {
  package static let maximumByteCount = 8192

  package let challenge: SecretValue
  package let credentialID: [UInt8]
  package let publicKey: [UInt8]
  package let signCount: UInt32

  /// - Throws: the first check that failed.
  package init(
    id: [UInt8], clientData: [UInt8], attestationObject: [UInt8], for party: RelyingParty
  ) throws(WebAuthnError) {
    let client = try ClientData(clientData, for: party, .create)
    guard attestationObject.count <= Self.maximumByteCount else { throw .attestation }
    let value: CBORValue
    do throws(CBORError) { value = try CBORReader.read(attestationObject) } catch { throw .attestation }
    guard let map = value.map, map.keys.count == 3, let format = map["fmt"]?.text,
      let statement = map["attStmt"]?.map, let bytes = map["authData"]?.bytes
    else { throw .attestation }
    let data = try AuthenticatorData(bytes, for: party, attested: true)
    guard let attested = data.attested, attested.credentialID == id else { throw .credentialID }
    switch format {
    case "none":
      guard statement.keys.isEmpty else { throw .attestation }
    case "packed":
      // Signed by the credential itself, which browsers hand on unasked; by its maker's certificate isn't taken.
      guard statement.keys.count == 2, statement["alg"]?.integer == -7, let signature = statement["sig"]?.bytes else {
        throw .format
      }
      try Signature.check(signature, by: attested.publicKey, data: bytes, client: client)
    default: throw .format
    }
    challenge = client.challenge
    credentialID = attested.credentialID
    publicKey = attested.publicKey
    signCount = data.signCount
  }
}

/// An answer to a challenge (WebAuthn level 2 §7.2), read; `check` verifies it with the key that the server has.
package struct Assertion: Sendable {
  package let credentialID: [UInt8]
  package let challenge: SecretValue
  private let client: ClientData
  private let data: AuthenticatorData
  private let signed: [UInt8]
  private let signature: [UInt8]
  private let userHandle: [UInt8]
  package var signCount: UInt32 { data.signCount }

  /// - Throws: the first check that failed of those that need no key.
  package init(
    id: [UInt8], clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], userHandle: [UInt8],
    for party: RelyingParty
  ) throws(WebAuthnError) {
    guard (1...1023).contains(id.count) else { throw .credentialID }
    client = try ClientData(clientData, for: party, .get)
    data = try AuthenticatorData(authenticatorData, for: party, attested: false)
    credentialID = id
    challenge = client.challenge
    signed = authenticatorData
    self.signature = signature
    self.userHandle = userHandle
  }

  /// Whether it was made by a key, for an account, and after the use that the server noted last.
  package func check(publicKey: [UInt8], account: UUID, signCount: UInt32) throws(WebAuthnError) {
    guard userHandle == account.bytes else { throw .userHandle }
    try Signature.check(signature, by: publicKey, data: signed, client: client)
    guard data.signCount > signCount || (data.signCount == 0 && signCount == 0) else { throw .counter }
  }
}

private enum Signature {
  static func check(
    _ signature: [UInt8], by point: [UInt8], data: [UInt8], client: ClientData
  ) throws(WebAuthnError) {
    let message = data + client.hash
    let isValid: Bool
    do throws(ES256KeyError) {
      isValid = try ES256PublicKey(uncompressed: point).isValid(signature, of: message.span.bytes)
    } catch {
      throw .key
    }
    guard isValid else { throw .signature }
  }
}
