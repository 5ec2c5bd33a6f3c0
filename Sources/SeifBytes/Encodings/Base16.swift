/// Hexadecimal (RFC 4648 §8), written in lower case.
public enum Base16 {
  /// Two lower-case digits a byte.
  public static func encode(_ bytes: RawSpan) -> String {
    unsafe String(unsafeUninitializedCapacity: bytes.byteCount * 2) { text in
      for offset in 0..<bytes.byteCount {
        let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        unsafe text[2 * offset] = digit(byte >> 4)
        unsafe text[2 * offset + 1] = digit(byte & 15)
      }
      return bytes.byteCount * 2
    }
  }

  /// Two lower-case digits a byte.
  public static func encode(_ bytes: [UInt8]) -> String {
    unsafe encode(bytes.span.bytes)
  }

  /// The bytes of a text with an even number of digits, upper or lower case, and nothing else.
  public static func decode(_ text: String) throws(EncodingError) -> [UInt8] {
    let digits = text.utf8Span.span
    guard digits.count % 2 == 0 else { throw EncodingError(code: .length, offset: digits.count) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]) else { throw EncodingError(code: .character, offset: index) }
      guard let low = value(digits[index + 1]) else { throw EncodingError(code: .character, offset: index + 1) }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  static func digit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? 0x30 + nibble : 0x57 + nibble
  }

  static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }
}
