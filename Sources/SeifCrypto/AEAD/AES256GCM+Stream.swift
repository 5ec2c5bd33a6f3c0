public import SeifBytes

/// One message sealed with AES-256-GCM in pieces, for what is too large to stand in memory at once.
///
/// The pieces' lengths don't show in the result: it is what `AES256GCM.seal` gives for all of them joined. Under one key a
/// nonce must never be used twice.
public struct AES256GCMSealing: ~Copyable {
  private let cipher: AES256GCM
  private var length = MessageLength()

  /// Begins a message under a key of 32 and a nonce of 12 bytes.
  ///
  /// - Throws: `badLength` for others.
  public init(key: borrowing SecretBytes, nonce: [UInt8], aad: RawSpan = RawSpan()) throws(CryptoError) {
    guard nonce.count == AES256GCM.nonceByteCount else { throw .badLength("nonce") }
    let begun = try AES256GCM(key: key)
    unsafe try begun.start(nonce: nonce.span.bytes, encrypting: true, aad: aad)
    cipher = begun
  }

  /// Seals the next piece into `output`, which has room for exactly as many bytes.
  ///
  /// - Throws: `badLength("message")` where the whole would be longer than the mode takes (2³⁶ - 32 bytes).
  public mutating func update(_ plaintext: RawSpan, into output: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    precondition(output.count == plaintext.byteCount, "internal error: output of another length")
    try length.add(plaintext.byteCount)
    unsafe try cipher.update(plaintext, output)
  }

  /// Seals the next piece where it stands: no plaintext is left of it.
  ///
  /// - Throws: as `update(_:into:)`.
  public mutating func update(inPlace piece: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    try length.add(piece.count)
    unsafe try cipher.update(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(piece)), piece)
  }

  /// Ends the message and gives its 16-byte tag.
  public consuming func finish() throws(CryptoError) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: AES256GCM.tagByteCount)
    // `withUnsafeMutableBytes` doesn't carry typed errors, hence the result; nor may what is consumed be captured.
    let cipher = cipher
    let result = unsafe tag.withUnsafeMutableBytes { tag in
      Result { () throws(CryptoError) in unsafe try cipher.finish(tag: tag) }
    }
    try result.get()
    return tag
  }
}

/// One message opened with AES-256-GCM in pieces.
///
/// **What `update` gives is not authentic yet.** Only `finish` says whether anybody with the key wrote it: until then
/// nothing of it may be shown, acted upon or stand under a final name. For what fits into memory use `AES256GCM.open`,
/// which gives authentic bytes alone.
public struct AES256GCMOpening: ~Copyable {
  private let cipher: AES256GCM
  private var length = MessageLength()

  /// Begins a message under a key of 32 and a nonce of 12 bytes.
  ///
  /// - Throws: `badLength` for others.
  public init(key: borrowing SecretBytes, nonce: [UInt8], aad: RawSpan = RawSpan()) throws(CryptoError) {
    guard nonce.count == AES256GCM.nonceByteCount else { throw .badLength("nonce") }
    let begun = try AES256GCM(key: key)
    unsafe try begun.start(nonce: nonce.span.bytes, encrypting: false, aad: aad)
    cipher = begun
  }

  /// Deciphers the next piece into `output`, which has room for exactly as many bytes; they aren't authentic yet.
  ///
  /// - Throws: as `AES256GCMSealing.update`.
  public mutating func update(
    _ ciphertext: RawSpan, intoUnverified output: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    precondition(output.count == ciphertext.byteCount, "internal error: output of another length")
    try length.add(ciphertext.byteCount)
    unsafe try cipher.update(ciphertext, output)
  }

  /// Ends the message: returns if the tag of exactly 16 bytes matches.
  ///
  /// - Throws: `authenticationFailed`: everything that came out was forged, damaged or of another key; `badLength("tag")`.
  public consuming func finish(tag: RawSpan) throws(CryptoError) {
    guard tag.byteCount == AES256GCM.tagByteCount else { throw .badLength("tag") }
    try cipher.finish(comparing: tag)
  }
}

/// How long a message is so far; more than the mode's counter can count would repeat the key stream.
struct MessageLength {
  /// NIST SP 800-38D §5.2.1.1: 2³⁹ - 256 bits.
  static let limit = 1 << 36 - 32
  private(set) var byteCount = 0

  mutating func add(_ count: Int) throws(CryptoError) {
    let (sum, overflow) = byteCount.addingReportingOverflow(count)
    guard !overflow, sum <= Self.limit else { throw .badLength("message") }
    byteCount = sum
  }
}
