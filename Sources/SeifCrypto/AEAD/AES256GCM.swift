private import COpenSSL
public import SeifBytes

/// AES-256-GCM (NIST SP 800-38D) under one key: 12-byte nonces, 16-byte tags.
///
/// The key schedule is set up once, so that sealing a hundred thousand rows pays it once. Only authenticated plaintext
/// leaves.
@safe
public struct AES256GCM: ~Copyable {
  /// Length of a key, in bytes.
  public static let keyByteCount = 32
  /// Length of a nonce, in bytes.
  public static let nonceByteCount = 12
  /// Length of a tag, in bytes.
  public static let tagByteCount = 16

  private let context: OpaquePointer
  private let pieceByteCount: Int

  /// A cipher under a key of exactly 32 bytes.
  ///
  /// - Throws: `badLength("key")`.
  public init(key: borrowing SecretBytes) throws(CryptoError) {
    // EVP lengths are Int32, so longer input goes in pieces.
    try self.init(key: key, pieceByteCount: 1 << 30)
  }

  /// For tests: with pieces small enough that input of several can be made.
  package init(key: borrowing SecretBytes, pieceByteCount: Int) throws(CryptoError) {
    precondition((1...1 << 30).contains(pieceByteCount), "internal error: pieces of an impossible length")
    guard key.byteCount == Self.keyByteCount else { throw .badLength("key") }
    guard let context = unsafe libcrypto.pointee.EVP_CIPHER_CTX_new() else { throw .outOfMemory }
    let status = key.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { key in
        unsafe libcrypto.pointee.EVP_CipherInit_ex(
          context, libcrypto.pointee.EVP_aes_256_gcm(), nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nil,
          1)
      }
    }
    guard status == 1 else {
      unsafe libcrypto.pointee.EVP_CIPHER_CTX_free(context)
      throw .internalFailure("EVP_CipherInit_ex")
    }
    unsafe self.context = context
    self.pieceByteCount = pieceByteCount
  }

  deinit {
    unsafe libcrypto.pointee.EVP_CIPHER_CTX_free(context)
  }

  /// Seals `plaintext` into `output`, which has room for exactly as many bytes, and gives the 16-byte tag.
  ///
  /// A nonce must never be used twice under one key.
  public borrowing func seal(
    _ plaintext: RawSpan, nonce: [UInt8], aad: RawSpan, into output: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) -> [UInt8] {
    guard nonce.count == Self.nonceByteCount else { throw .badLength("nonce") }
    precondition(output.count == plaintext.byteCount, "internal error: output of another length")
    try start(nonce: nonce, encrypting: true, aad: aad)
    unsafe try update(plaintext, output)
    var tag = [UInt8](repeating: 0, count: Self.tagByteCount)
    var rest: Int32 = 0
    var end = [UInt8](repeating: 0, count: 16)
    guard unsafe libcrypto.pointee.EVP_CipherFinal_ex(context, &end, &rest) == 1,
      unsafe seif_ctrl_get_tag(libcrypto, context, Int32(Self.tagByteCount), &tag) == 1
    else { throw .internalFailure("EVP_CipherFinal_ex") }
    return tag
  }

  /// Opens `ciphertext` into a value of as many bytes, which is wiped and not given if the tag doesn't match.
  ///
  /// - Throws: `authenticationFailed`; `badLength` for a nonce of other than 12 or a tag of other than 16 bytes.
  public borrowing func open(
    _ ciphertext: RawSpan, nonce: [UInt8], tag: [UInt8], aad: RawSpan
  ) throws(CryptoError) -> SecretValue {
    guard nonce.count == Self.nonceByteCount else { throw .badLength("nonce") }
    guard tag.count == Self.tagByteCount else { throw .badLength("tag") }
    try start(nonce: nonce, encrypting: false, aad: aad)
    return unsafe try SecretValue(byteCount: ciphertext.byteCount) { (output) throws(CryptoError) in
      unsafe try update(ciphertext, output)
      var tag = tag
      var rest: Int32 = 0
      var end = [UInt8](repeating: 0, count: 16)
      guard unsafe seif_ctrl_set_tag(libcrypto, context, Int32(Self.tagByteCount), &tag) == 1,
        unsafe libcrypto.pointee.EVP_CipherFinal_ex(context, &end, &rest) == 1
      else { throw .authenticationFailed }
    }
  }

  /// Seals into one value `nonce ‖ ciphertext ‖ tag`, 28 bytes longer than the plaintext.
  public borrowing func sealCombined(
    _ plaintext: RawSpan, nonce: [UInt8], aad: RawSpan
  ) throws(CryptoError) -> [UInt8] {
    guard nonce.count == Self.nonceByteCount else { throw .badLength("nonce") }
    let head = Self.nonceByteCount
    var combined = [UInt8](repeating: 0, count: head + plaintext.byteCount + Self.tagByteCount)
    combined.replaceSubrange(0..<head, with: nonce)
    // `withUnsafeMutableBytes` doesn't carry typed errors, hence the result.
    let result = unsafe combined.withUnsafeMutableBytes { bytes in
      Result { () throws(CryptoError) in
        let body = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[head..<head + plaintext.byteCount])
        return unsafe try seal(plaintext, nonce: nonce, aad: aad, into: body)
      }
    }
    combined.replaceSubrange(head + plaintext.byteCount..<combined.count, with: try result.get())
    return combined
  }

  /// Opens what `sealCombined` made.
  ///
  /// - Throws: `badLength("sealed value")` for fewer than 28 bytes, else as `open`.
  public borrowing func openCombined(_ sealed: RawSpan, aad: RawSpan) throws(CryptoError) -> SecretValue {
    let (head, tail) = (Self.nonceByteCount, Self.tagByteCount)
    guard sealed.byteCount >= head + tail else { throw .badLength("sealed value") }
    let body = head..<sealed.byteCount - tail
    return try open(
      sealed.extracting(body), nonce: bytes(sealed.extracting(0..<head)),
      tag: bytes(sealed.extracting(body.upperBound..<sealed.byteCount)), aad: aad)
  }

  private borrowing func bytes(_ span: RawSpan) -> [UInt8] {
    unsafe span.withUnsafeBytes { unsafe [UInt8]($0) }
  }

  private borrowing func start(nonce: [UInt8], encrypting: Bool, aad: RawSpan) throws(CryptoError) {
    guard unsafe libcrypto.pointee.EVP_CipherInit_ex(context, nil, nil, nil, nonce, encrypting ? 1 : 0) == 1 else {
      throw .internalFailure("EVP_CipherInit_ex")
    }
    if aad.byteCount > 0 { unsafe try update(aad, nil) }
  }

  private borrowing func update(_ input: RawSpan, _ output: UnsafeMutableRawBufferPointer?) throws(CryptoError) {
    var offset = 0
    while offset < input.byteCount {
      let count = min(pieceByteCount, input.byteCount - offset)
      let status = unsafe input.extracting(offset..<offset + count).withUnsafeBytes { source in
        var written: Int32 = 0
        let target = unsafe output?.baseAddress.map { unsafe ($0 + offset).assumingMemoryBound(to: UInt8.self) }
        return unsafe libcrypto.pointee.EVP_CipherUpdate(
          context, target, &written, source.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(count))
      }
      guard status == 1 else { throw .internalFailure("EVP_CipherUpdate") }
      offset += count
    }
  }
}
