internal import COpenSSL
internal import SeifBytes

/// SHA-256 (FIPS 180-4) of a message that comes in pieces.
@safe public struct SHA256Stream: ~Copyable {
  private let context: OpaquePointer

  /// Begins an empty message.
  public init() {
    guard let context = unsafe libcrypto.pointee.EVP_MD_CTX_new() else { fatalError("internal error: no memory") }
    unsafe self.context = context
    let status = unsafe libcrypto.pointee.EVP_DigestInit_ex(context, libcrypto.pointee.EVP_sha256(), nil)
    precondition(status == 1, "internal error: EVP_DigestInit_ex failed")
  }

  deinit { unsafe libcrypto.pointee.EVP_MD_CTX_free(context) }

  /// The next piece.
  public mutating func update(_ piece: RawSpan) {
    let status = unsafe piece.withUnsafeBytes {
      unsafe libcrypto.pointee.EVP_DigestUpdate(context, $0.baseAddress, $0.count)
    }
    precondition(status == 1, "internal error: EVP_DigestUpdate failed")
  }

  /// Ends the message: 32 bytes.
  public consuming func finish() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    let status = unsafe libcrypto.pointee.EVP_DigestFinal_ex(context, &digest, nil)
    precondition(status == 1, "internal error: EVP_DigestFinal_ex failed")
    return digest
  }
}
