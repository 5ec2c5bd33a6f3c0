private import COpenSSL
public import SeifBytes

/// Keyed hashes (RFC 2104).
public enum HMAC {
  /// The code of `message` under a key of any length, as long as the function's digest.
  public static func code(_ function: HashFunction, key: RawSpan, message: RawSpan) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: function.digestByteCount)
    unsafe code.withUnsafeMutableBytes { unsafe write(function, key: key, message: message, into: $0) }
    return code
  }

  /// The code of `message` as a secret: for codes that open something or are shown to one person.
  public static func secretCode(_ function: HashFunction, key: RawSpan, message: RawSpan) -> SecretValue {
    unsafe SecretValue(byteCount: function.digestByteCount) {
      unsafe write(function, key: key, message: message, into: $0)
    }
  }

  /// Writes the code to where it is wanted, so that no copy of it is left; `output` has a digest's length.
  static func write(
    _ function: HashFunction, key: RawSpan, message: RawSpan, into output: UnsafeMutableRawBufferPointer
  ) {
    var length = 0
    // EVP_Q_mac and not HMAC(): its lengths are whole words, where a key of 2 GiB would have been cut to Int32.
    let done = unsafe key.withUnsafeBytes { key in
      unsafe message.withUnsafeBytes { message in
        // A null key would mean "the key from before" to OpenSSL, so an empty one is given an address.
        var none: UInt8 = 0
        return unsafe withUnsafePointer(to: &none) { none in
          unsafe libcrypto.pointee.EVP_Q_mac(
            nil, "HMAC", nil, function.name, nil, key.baseAddress ?? UnsafeRawPointer(none), key.count,
            message.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? none, message.count,
            output.baseAddress?.assumingMemoryBound(to: UInt8.self), output.count, &length) != nil
        }
      }
    }
    precondition(done && length == function.digestByteCount, "internal error: HMAC failed")
  }
}

/// HMAC-SHA256 under one key, set up once and used for many messages (a row's digest, a hundred thousand times).
@safe
public struct HMACSHA256: ~Copyable {
  private let context: OpaquePointer

  /// A keyed function for a key of any length.
  public init(key: borrowing SecretBytes) throws(CryptoError) {
    let context = unsafe key.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { unsafe seif_hmac_sha256_new(libcrypto, $0.baseAddress, $0.count) }
    }
    guard let context = unsafe context else { throw .outOfMemory }
    unsafe self.context = context
  }

  /// The 32-byte code of a message.
  public borrowing func code(_ message: RawSpan) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    let done = unsafe message.withUnsafeBytes {
      unsafe seif_hmac_code(libcrypto, context, $0.baseAddress, $0.count, &code)
    }
    precondition(done == 1, "internal error: HMAC failed")
    return code
  }

  deinit {
    unsafe libcrypto.pointee.EVP_MAC_CTX_free(context)
  }
}
