private import COpenSSL
public import SeifBytes

/// Where random bytes come from: an argument with a default, so that tests can write a vector's bytes.
@safe
public struct RandomSource: Sendable {
  private let fill: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// A source that fills a buffer. For tests: a program has `system`.
  package init(fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) {
    unsafe self.fill = fill
  }

  /// OpenSSL's generator, seeded by the kernel.
  public static let system = unsafe RandomSource { buffer in
    // Lengths are Int32 there, so a longer buffer is filled in pieces: a part left out would be zeros.
    var filled = 0
    while filled < buffer.count {
      let count = min(1 << 30, buffer.count - filled)
      let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + count])
      let status = unsafe libcrypto.pointee.RAND_bytes(
        piece.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(count))
      // Going on without randomness would be worse than any crash.
      guard status == 1 else { fatalError("internal error: no randomness") }
      filled += count
    }
  }

  /// Random bytes that will be public: a nonce, a salt, an identifier.
  public func makeBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe bytes.withUnsafeMutableBytes { unsafe fill($0) }
    return bytes
  }

  /// A random key.
  public func makeSecret(byteCount: Int) -> SecretBytes {
    unsafe SecretBytes(byteCount: byteCount) { buffer in
      unsafe fill(buffer)
      return byteCount
    }
  }

  /// A random UUID (version 4).
  public func makeUUID() -> UUID {
    guard let uuid = UUID(random: makeBytes(16)) else { fatalError("internal error: 16 bytes make a UUID") }
    return uuid
  }

  /// A number from 0 to below `bound`, each as likely as the others.
  public func makeNumber(below bound: UInt32) -> UInt32 {
    precondition(bound > 0, "internal error: no number below zero")
    // Rejects the top of the range that would favour small remainders.
    let limit = UInt32.max - UInt32.max % bound
    while true {
      let value = makeBytes(4).reduce(0) { $0 << 8 | UInt32($1) }
      if value < limit { return value % bound }
    }
  }
}
