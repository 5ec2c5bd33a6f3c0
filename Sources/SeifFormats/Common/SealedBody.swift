internal import SeifBytes
internal import SeifCrypto

/// What a header of AES-256-GCM under a passphrase comes down to.
struct SealedBody: Sendable {
  var keyDerivation: HeaderFacts.KeyDerivation
  var salt: [UInt8]
  var nonce: [UInt8]
  var tag: [UInt8]
  var aad: [UInt8]
  var ciphertext: SecretValue

  /// The plaintext, if the tag matches under this passphrase.
  func open(passphrase: borrowing SecretBytes) throws(FormatError) -> SecretValue {
    let key = try Self.deriveKey(keyDerivation, salt: salt, passphrase: passphrase)
    do throws(CryptoError) {
      let cipher = try AES256GCM(key: key)
      return try ciphertext.withBytes { (bytes) throws(CryptoError) in
        unsafe try cipher.open(bytes, nonce: nonce, tag: tag, aad: aad.span.bytes)
      }
    } catch {
      throw error == .authenticationFailed ? .cannotOpen : .cryptography(error)
    }
  }

  /// Seals a body; `aad` binds the header to it.
  static func seal(
    _ plaintext: SecretValue, keyDerivation: HeaderFacts.KeyDerivation, salt: [UInt8], nonce: [UInt8], aad: [UInt8],
    passphrase: borrowing SecretBytes
  ) throws(FormatError) -> SealedBody {
    let key = try deriveKey(keyDerivation, salt: salt, passphrase: passphrase)
    do throws(CryptoError) {
      let cipher = try AES256GCM(key: key)
      var tag: [UInt8] = []
      let ciphertext = unsafe try SecretValue(byteCount: plaintext.byteCount) { (output) throws(CryptoError) in
        tag = try plaintext.withBytes { (bytes) throws(CryptoError) in
          unsafe try cipher.seal(bytes, nonce: nonce, aad: aad.span.bytes, into: output)
        }
      }
      return SealedBody(
        keyDerivation: keyDerivation, salt: salt, nonce: nonce, tag: tag, aad: aad, ciphertext: ciphertext)
    } catch {
      throw .cryptography(error)
    }
  }

  static func deriveKey(
    _ derivation: HeaderFacts.KeyDerivation, salt: [UInt8], passphrase: borrowing SecretBytes
  ) throws(FormatError) -> SecretBytes {
    do throws(CryptoError) {
      switch derivation {
      case .pbkdf2(let rounds):
        return try PBKDF2.deriveKey(passphrase: passphrase, salt: salt, rounds: rounds)
      case .argon2id(let cost):
        return try Argon2id.deriveKey(passphrase: passphrase, salt: salt, cost: cost)
      case .none:
        throw .internalFailure("a key for a file that isn't sealed")
      }
    } catch {
      throw .cryptography(error)
    }
  }
}
