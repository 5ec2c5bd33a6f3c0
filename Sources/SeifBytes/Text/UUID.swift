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
    func value(_ byte: UInt8) -> UInt8? {
      switch byte {
      case 0x30...0x39: byte - 0x30
      case 0x41...0x46: byte - 0x37
      case 0x61...0x66: byte - 0x57
      default: nil
      }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    var high: UInt8?
    var position = 0
    for byte in text.utf8 {
      if position == 8 || position == 13 || position == 18 || position == 23 {
        guard byte == 0x2D else { return nil }
      } else {
        guard position < 36, let digit = value(byte) else { return nil }
        if let first = high {
          bytes.append(first << 4 | digit)
          high = nil
        } else {
          high = digit
        }
      }
      position += 1
    }
    guard position == 36, bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The 36 characters in lower case.
  public var description: String {
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for (index, byte) in bytes.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { text.append(0x2D) }
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }
}
