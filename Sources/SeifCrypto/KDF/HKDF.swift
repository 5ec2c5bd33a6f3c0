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
    let digest = HashFunction.sha256.digestByteCount
    let pseudoRandomKey = unsafe SecretBytes(byteCount: digest) { output in
      let salt = salt.isEmpty ? [UInt8](repeating: 0, count: digest) : salt
      inputKey.withBytes { key in unsafe HMAC.write(.sha256, key: salt.span.bytes, message: key, into: output) }
      return digest
    }
    // Room for whole blocks, so that none has to stand anywhere else.
    let blocks = (byteCount + digest - 1) / digest
    return unsafe SecretBytes(byteCount: blocks * digest) { output in
      // RFC 5869 §2.3: T(n) = HMAC(PRK, T(n - 1) ‖ info ‖ n).
      var message = SecretBuffer(capacity: digest + info.count + 1)
      for block in 0..<blocks {
        let start = block * digest
        message.removeAll()
        if block > 0 {
          let last = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(output)[start - digest..<start])
          unsafe message.append(RawSpan(_unsafeBytes: last))
        }
        message.append(info)
        message.append(UInt8(block + 1))
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: output[start..<start + digest])
        message.withBytes { message in
          pseudoRandomKey.withBytes { key in unsafe HMAC.write(.sha256, key: key, message: message, into: target) }
        }
      }
      return byteCount
    }
  }
}
