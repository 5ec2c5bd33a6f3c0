private import COpenSSL
public import SeifBytes

/// HKDF with SHA-256 (RFC 5869).
public enum HKDF {
  /// A key of `byteCount` bytes, at most 8160.
  ///
  /// - Parameter salt: any length; empty is the RFC's string of 32 zero bytes.
  public static func deriveKey(
    from inputKey: borrowing SecretBytes, salt: [UInt8], info: [UInt8], byteCount: Int = 32
  ) throws(CryptoError) -> SecretBytes {
    guard (1...255 * 32).contains(byteCount) else { throw .badLength("derived key") }
    let pseudoRandomKey = inputKey.withBytes { key in
      unsafe HMAC.code(.sha256, key: (salt.isEmpty ? [UInt8](repeating: 0, count: 32) : salt).span.bytes, message: key)
    }
    let extracted = unsafe SecretBytes(copying: pseudoRandomKey.span.bytes)
    return unsafe try SecretBytes(byteCount: byteCount) { (output) throws(CryptoError) in
      // RFC 5869 §2.3: T(n) = HMAC(PRK, T(n - 1) ‖ info ‖ n).
      var block: [UInt8] = []
      var written = 0
      var counter: UInt8 = 1
      while written < output.count {
        let message = block + info + [counter]
        block = extracted.withBytes { key in unsafe HMAC.code(.sha256, key: key, message: message.span.bytes) }
        for byte in block where written < output.count {
          unsafe output[written] = byte
          written += 1
        }
        counter &+= 1
      }
      return written
    }
  }
}
