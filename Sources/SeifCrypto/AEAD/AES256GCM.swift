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
    var tag = [UInt8](repeating: 0, count: Self.tagByteCount)
    // `withUnsafeMutableBytes` doesn't carry typed errors, hence the result.
    let result = unsafe tag.withUnsafeMutableBytes { tag in
      Result { () throws(CryptoError) in
        unsafe try seal(plaintext, nonce: nonce.span.bytes, aad: aad, into: output, tag: tag)
      }
    }
    try result.get()
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
    return unsafe try open(ciphertext, nonce: nonce.span.bytes, tag: tag.span.bytes, aad: aad)
  }

  /// Seals into one value `nonce ‖ ciphertext ‖ tag`, 28 bytes longer than the plaintext.
  public borrowing func sealCombined(
    _ plaintext: RawSpan, nonce: [UInt8], aad: RawSpan
  ) throws(CryptoError) -> [UInt8] {
    guard nonce.count == Self.nonceByteCount else { throw .badLength("nonce") }
    let head = Self.nonceByteCount
    let end = head + plaintext.byteCount
    var combined = nonce
    combined.reserveCapacity(end + Self.tagByteCount)
    combined.append(contentsOf: repeatElement(0, count: plaintext.byteCount + Self.tagByteCount))
    let result = unsafe combined.withUnsafeMutableBytes { bytes in
      Result { () throws(CryptoError) in
        let body = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[head..<end])
        let tag = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[end...])
        unsafe try seal(plaintext, nonce: nonce.span.bytes, aad: aad, into: body, tag: tag)
      }
    }
    try result.get()
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
      sealed.extracting(body), nonce: sealed.extracting(0..<head),
      tag: sealed.extracting(body.upperBound..<sealed.byteCount), aad: aad)
  }

  /// Opens what `sealCombined` made into the start of `output`, which has room for it; nothing stays there if the tag
  /// doesn't match.
  ///
  /// - Returns: the number of bytes, 28 fewer than were sealed.
  /// - Throws: as `openCombined`.
  public borrowing func openCombined(
    _ sealed: RawSpan, aad: RawSpan, into output: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) -> Int {
    let (head, tail) = (Self.nonceByteCount, Self.tagByteCount)
    guard sealed.byteCount >= head + tail else { throw .badLength("sealed value") }
    let body = head..<sealed.byteCount - tail
    precondition(output.count >= body.count, "internal error: no room for the plaintext")
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: output[..<body.count])
    do throws(CryptoError) {
      unsafe try open(
        sealed.extracting(body), nonce: sealed.extracting(0..<head),
        tag: sealed.extracting(body.upperBound..<sealed.byteCount), aad: aad, into: target)
    } catch {
      unsafe target.initializeMemory(as: UInt8.self, repeating: 0)
      throw error
    }
    return body.count
  }

  // Rows are opened and sealed by the hundred thousand: what follows makes no array.

  private borrowing func seal(
    _ plaintext: RawSpan, nonce: RawSpan, aad: RawSpan, into output: UnsafeMutableRawBufferPointer,
    tag: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    try start(nonce: nonce, encrypting: true, aad: aad)
    unsafe try update(plaintext, output)
    unsafe try finish(tag: tag)
  }

  private borrowing func open(
    _ ciphertext: RawSpan, nonce: RawSpan, tag: RawSpan, aad: RawSpan
  ) throws(CryptoError) -> SecretValue {
    unsafe try SecretValue(byteCount: ciphertext.byteCount) { (output) throws(CryptoError) in
      unsafe try open(ciphertext, nonce: nonce, tag: tag, aad: aad, into: output)
    }
  }

  private borrowing func open(
    _ ciphertext: RawSpan, nonce: RawSpan, tag: RawSpan, aad: RawSpan, into output: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    try start(nonce: nonce, encrypting: false, aad: aad)
    unsafe try update(ciphertext, output)
    try finish(comparing: tag)
  }

  borrowing func start(nonce: RawSpan, encrypting: Bool, aad: RawSpan) throws(CryptoError) {
    let status = unsafe nonce.withUnsafeBytes {
      unsafe libcrypto.pointee.EVP_CipherInit_ex(
        context, nil, nil, nil, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), encrypting ? 1 : 0)
    }
    guard status == 1 else { throw .internalFailure("EVP_CipherInit_ex") }
    if aad.byteCount > 0 { unsafe try update(aad, nil) }
  }

  /// Ends a message that is sealed and writes its 16-byte tag.
  borrowing func finish(tag: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    guard finish(), unsafe seif_ctrl_get_tag(libcrypto, context, Int32(tag.count), tag.baseAddress) == 1 else {
      throw .internalFailure("EVP_CipherFinal_ex")
    }
  }

  /// Ends a message that is opened.
  borrowing func finish(comparing tag: RawSpan) throws(CryptoError) {
    let given = unsafe tag.withUnsafeBytes {
      unsafe seif_ctrl_set_tag(libcrypto, context, Int32($0.count), $0.baseAddress)
    }
    guard given == 1, finish() else { throw .authenticationFailed }
  }

  /// Ends a message; when one is opened, whether its tag matches.
  private borrowing func finish() -> Bool {
    // The mode has no rest to write; a block of room all the same.
    var rest: (UInt64, UInt64) = (0, 0)
    var restCount: Int32 = 0
    return unsafe withUnsafeMutableBytes(of: &rest) { rest in
      unsafe libcrypto.pointee.EVP_CipherFinal_ex(
        context, rest.baseAddress?.assumingMemoryBound(to: UInt8.self), &restCount) == 1
    }
  }

  borrowing func update(_ input: RawSpan, _ output: UnsafeMutableRawBufferPointer?) throws(CryptoError) {
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
