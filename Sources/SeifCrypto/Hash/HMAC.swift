private import COpenSSL
public import SeifBytes

/// Keyed hashes (RFC 2104).
public enum HMAC {
  /// The code of `message` under a key of any length, as long as the function's digest.
  public static func code(_ function: HashFunction, key: RawSpan, message: RawSpan) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: function.digestByteCount)
    var length: UInt32 = 0
    let result = unsafe key.withUnsafeBytes { key in
      unsafe message.withUnsafeBytes { message in
        // A null key would mean "the key from before" to OpenSSL, so an empty one is given an address.
        var none: UInt8 = 0
        return unsafe withUnsafePointer(to: &none) { none in
          unsafe COpenSSL.HMAC(
            function.evp, key.baseAddress ?? UnsafeRawPointer(none), Int32(clamping: key.count),
            message.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? none, message.count, &code, &length) != nil
        }
      }
    }
    precondition(result && Int(length) == code.count, "internal error: HMAC failed")
    return code
  }
}

/// HMAC-SHA256 under one key, set up once and used for many messages (a row's digest, a hundred thousand times).
@safe
public struct HMACSHA256: ~Copyable {
  private let context: OpaquePointer

  /// A keyed function for a key of any length.
  public init(key: borrowing SecretBytes) throws(CryptoError) {
    let context = unsafe key.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { unsafe seif_hmac_sha256_new($0.baseAddress, $0.count) }
    }
    guard let context = unsafe context else { throw .outOfMemory }
    unsafe self.context = context
  }

  /// The 32-byte code of a message.
  public borrowing func code(_ message: RawSpan) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    let done = unsafe message.withUnsafeBytes { unsafe seif_hmac_code(context, $0.baseAddress, $0.count, &code) }
    precondition(done == 1, "internal error: HMAC failed")
    return code
  }

  deinit {
    unsafe EVP_MAC_CTX_free(context)
  }
}
