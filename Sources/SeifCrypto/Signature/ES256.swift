private import COpenSSL
internal import SeifBytes

/// Why no public key was made of some bytes.
package struct ES256KeyError: Error, Sendable, Equatable {
  package init() {}
}

/// A public key for ECDSA on P-256 with SHA-256 (ES256, RFC 7518 §3.4), as authenticators sign with.
@safe
package struct ES256PublicKey: ~Copyable {
  /// Length of an uncompressed point: 4, x and y.
  package static let byteCount = 65
  /// Longest signature in DER.
  package static let maximumSignatureByteCount = 72

  private let key: OpaquePointer

  /// The key of an uncompressed point on the curve.
  ///
  /// - Throws: for any other bytes.
  package init(uncompressed point: [UInt8]) throws(ES256KeyError) {
    guard point.count == Self.byteCount, point.first == 4 else { throw ES256KeyError() }
    guard let key = unsafe seif_p256_public(libcrypto, point, point.count) else { throw ES256KeyError() }
    unsafe self.key = key
  }

  /// Whether a signature, in the one DER form that it has, is this key's over a message. The message is hashed here.
  package borrowing func isValid(_ signature: [UInt8], of message: RawSpan) -> Bool {
    guard (8...Self.maximumSignatureByteCount).contains(signature.count) else { return false }
    return unsafe message.withUnsafeBytes {
      unsafe seif_es256_verify(libcrypto, key, $0.baseAddress, $0.count, signature, signature.count) == 1
    }
  }

  deinit {
    unsafe libcrypto.pointee.EVP_PKEY_free(key)
  }
}

/// A key pair of P-256 that lives in memory: what an authenticator made of software signs with. Servers only verify.
@safe
package struct ES256SigningKey: ~Copyable, @unchecked Sendable {
  private let key: OpaquePointer

  /// A new pair.
  package init() throws(CryptoError) {
    guard let key = unsafe seif_p256_make(libcrypto) else { throw .outOfMemory }
    unsafe self.key = key
  }

  /// The uncompressed point: 65 bytes.
  package var publicKey: [UInt8] {
    borrowing get throws(CryptoError) {
      var point = [UInt8](repeating: 0, count: ES256PublicKey.byteCount)
      var length = 0
      let status = unsafe libcrypto.pointee.EVP_PKEY_get_octet_string_param(
        key, "encoded-pub-key", &point, point.count, &length)
      guard status == 1, length == point.count, point.first == 4 else {
        throw .internalFailure("EVP_PKEY_get_octet_string_param")
      }
      return point
    }
  }

  /// A signature of a message, in DER. Two of one message differ.
  package borrowing func sign(_ message: RawSpan) throws(CryptoError) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: ES256PublicKey.maximumSignatureByteCount)
    let length = unsafe message.withUnsafeBytes { message in
      unsafe seif_es256_sign(libcrypto, key, message.baseAddress, message.count, &signature, signature.count)
    }
    guard (8...signature.count).contains(length) else { throw .internalFailure("EVP_DigestSign") }
    return Array(signature.prefix(length))
  }

  deinit {
    unsafe libcrypto.pointee.EVP_PKEY_free(key)
  }
}
