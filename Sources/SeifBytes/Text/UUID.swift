/// A UUID: 16 bytes, read in any case, written in lower case with hyphens (RFC 9562 §4).
public struct UUID: Hashable, Sendable, CustomStringConvertible {
  /// The 16 bytes, most significant first.
  public let bytes: [UInt8]

  /// A version 4 UUID of 16 random bytes, or nil for another number of bytes.
  public init?(random: [UInt8]) {
    guard random.count == 16 else { return nil }
    var bytes = random
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.bytes = bytes
  }

  /// The UUID with exactly these 16 bytes, or nil for another number.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The UUID written as 8-4-4-4-12 hexadecimal digits, or nil for any other text.
  public init?(_ text: String) {
    let characters = text.utf8Span.span
    guard characters.count == 36 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    var index = 0
    while bytes.count < 16 {
      if Self.isHyphen(index) {
        guard characters[index] == 0x2D else { return nil }
        index += 1
      }
      guard let high = Base16.value(characters[index]), let low = Base16.value(characters[index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
      index += 2
    }
    self.bytes = bytes
  }

  /// The 36 characters in lower case.
  public var description: String {
    // In one piece: every entry that is written holds one or two of these.
    unsafe String(unsafeUninitializedCapacity: 36) { text in
      var index = 0
      for byte in bytes {
        if Self.isHyphen(index) {
          unsafe text[index] = 0x2D
          index += 1
        }
        unsafe text[index] = Base16.digit(byte >> 4)
        unsafe text[index + 1] = Base16.digit(byte & 15)
        index += 2
      }
      return index
    }
  }

  private static func isHyphen(_ index: Int) -> Bool {
    index == 8 || index == 13 || index == 18 || index == 23
  }
}
