/// A UUID: 16 bytes, read in any case, written in lower case with hyphens (RFC 9562 §4).
public struct UUID: Hashable, Sendable, CustomStringConvertible {
  // Two numbers, no array: a list of a hundred thousand entries makes as many of these.
  private let high: UInt64
  private let low: UInt64

  /// The 16 bytes, most significant first.
  public var bytes: [UInt8] { (0..<16).map { byte($0) } }

  /// A version 4 UUID of 16 random bytes, or nil for another number of bytes.
  public init?(random: [UInt8]) {
    guard let id = UUID(bytes: random) else { return nil }
    high = id.high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    low = id.low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
  }

  /// The UUID with exactly these 16 bytes, or nil for another number.
  public init?(bytes: [UInt8]) {
    unsafe self.init(bytes: bytes.span.bytes)
  }

  /// The UUID with exactly these 16 bytes, or nil for another number.
  public init?(bytes: RawSpan) {
    guard bytes.byteCount == 16 else { return nil }
    high = UInt64(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self))
    low = UInt64(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// The UUID written as 8-4-4-4-12 hexadecimal digits, or nil for any other text.
  public init?(_ text: String) {
    let characters = text.utf8Span.span
    guard characters.count == Self.characterCount else { return nil }
    var halves: (high: UInt64, low: UInt64) = (0, 0)
    for index in 0..<Self.characterCount {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard characters[index] == 0x2D else { return nil }
        continue
      }
      guard let digit = Base16.value(characters[index]) else { return nil }
      halves = (halves.high << 4 | halves.low >> 60, halves.low << 4 | UInt64(digit))
    }
    (high, low) = halves
  }

  /// Characters of the text.
  public static let characterCount = 36

  /// The 36 characters in lower case.
  public var description: String {
    // In one piece: every entry that is written holds one or two of these.
    unsafe String(unsafeUninitializedCapacity: Self.characterCount) { text in
      unsafe write(to: text)
      return Self.characterCount
    }
  }

  /// Writes the 36 lower-case characters of the text to the start of a buffer, which has room for them.
  @unsafe
  public func write(to text: UnsafeMutableBufferPointer<UInt8>) {
    precondition(text.count >= Self.characterCount, "internal error: no room for an identifier")
    var position = 0
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 {
        unsafe text[position] = 0x2D
        position += 1
      }
      let byte = byte(index)
      unsafe text[position] = Base16.digit(byte >> 4)
      unsafe text[position + 1] = Base16.digit(byte & 15)
      position += 2
    }
  }

  private func byte(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - 8 * (index & 7)))
  }
}
