public import SeifBytes
internal import SeifCrypto

/// The key that a passkey gives through the WebAuthn PRF extension (seed *Formatul seifului*: "Opening the vault with a
/// passkey").
public enum PasskeyKey {
  /// The label that everything is derived from, ASCII.
  public static let label = "tapsign-vault-v1"
  /// What a browser passes as `first`, 32 bytes: SHA-256 of the label.
  public static let evaluationInput: [UInt8] = [
    0x8A, 0x4A, 0x41, 0x0D, 0x3F, 0x84, 0xA4, 0xDB, 0x36, 0xFA, 0x49, 0x0C, 0x0E, 0x08, 0x51, 0xB5,
    0xFE, 0xBD, 0x16, 0xF9, 0x62, 0xD8, 0xBE, 0xB8, 0x6B, 0x94, 0x74, 0x57, 0x7C, 0x82, 0x4A, 0x1B,
  ]
  /// Bytes of a PRF result, of the key, and of what a security key is given.
  public static let byteCount = 32

  /// What a security key gets as hmac-secret's salt where no browser stands between, 32 bytes: WebAuthn hashes the input
  /// once more (W3C Web Authentication, prf extension).
  public static var hmacSecretSalt: [UInt8] {
    let message = Array("WebAuthn PRF".utf8) + [0] + evaluationInput
    return unsafe Digest.sha256(message.span.bytes)
  }

  /// The key that seals the master key in a passkey's row: HKDF-SHA256 with an empty salt and the label as info.
  ///
  /// - Parameter prfOutput: what the authenticator gave.
  /// - Throws: `noKey` for other than 32 bytes, before anything is derived.
  public static func deriveKey(prfOutput: borrowing SecretBytes) throws(DocumentFormatError) -> SecretBytes {
    guard prfOutput.byteCount == byteCount else { throw .noKey }
    do throws(CryptoError) {
      return try HKDF.deriveKey(from: prfOutput, salt: [], info: Array(label.utf8))
    } catch {
      throw .noKey
    }
  }
}
