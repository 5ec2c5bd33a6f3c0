/// A UUID: 16 bytes, read in any case, written in lower case with hyphens (RFC 9562 §4).
public struct UUID: Hashable, Sendable, CustomStringConvertible {
  // Two numbers, no array: a list of a hundred thousand entries makes as many of these.
  private let high: UInt64
  private let low: UInt64

  /// The 16 bytes, most significant first.
  public var bytes: [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
      guard let start = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
      unsafe start.storeBytes(of: high.bigEndian, as: UInt64.self)
      unsafe start.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      count = 16
    }
  }

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
    guard let start = UnsafeMutableRawPointer(text.baseAddress) else { return }
    let parts = (Self.digits(of: high >> 32), Self.digits(of: high), Self.digits(of: low >> 32), Self.digits(of: low))
    // 8-4-4-4-12 digits: each store writes eight, and the next one or a hyphen overwrites what was too much.
    unsafe start.storeBytes(of: parts.0.littleEndian, as: UInt64.self)
    unsafe start.storeBytes(of: parts.1.littleEndian, toByteOffset: 9, as: UInt64.self)
    unsafe start.storeBytes(of: (parts.1 >> 32).littleEndian, toByteOffset: 14, as: UInt64.self)
    unsafe start.storeBytes(of: parts.2.littleEndian, toByteOffset: 19, as: UInt64.self)
    unsafe start.storeBytes(of: (parts.2 >> 32).littleEndian, toByteOffset: 24, as: UInt64.self)
    unsafe start.storeBytes(of: parts.3.littleEndian, toByteOffset: 28, as: UInt64.self)
    unsafe start.storeBytes(of: 0x2D, toByteOffset: 8, as: UInt8.self)
    unsafe start.storeBytes(of: 0x2D, toByteOffset: 13, as: UInt8.self)
    unsafe start.storeBytes(of: 0x2D, toByteOffset: 18, as: UInt8.self)
    unsafe start.storeBytes(of: 0x2D, toByteOffset: 23, as: UInt8.self)
  }

  /// The eight lower-case digits of a number's low four bytes, the first in the lowest byte: eight at once, since the
  /// additional data of each sealed value holds a whole text.
  private static func digits(of number: UInt64) -> UInt64 {
    // One nibble a byte.
    var nibbles = number & 0xFFFF_FFFF
    nibbles = (nibbles << 16 | nibbles) & 0x0000_FFFF_0000_FFFF
    nibbles = (nibbles << 8 | nibbles) & 0x00FF_00FF_00FF_00FF
    nibbles = (nibbles << 4 | nibbles) & 0x0F0F_0F0F_0F0F_0F0F
    // 1 in each byte whose nibble is above 9: those are letters, 0x27 further on.
    let letters = (nibbles + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return (nibbles + 0x3030_3030_3030_3030 + letters * 0x27).byteSwapped
  }
}
