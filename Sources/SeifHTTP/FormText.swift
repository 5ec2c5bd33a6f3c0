package import SeifBytes

/// Text as forms have it: escapes of two hexadecimal digits, and `+` for a space.
package enum FormText {
  /// The bytes that a text stands for, wiped with the value; nil: an escape isn't whole.
  package static func decoded(_ text: some StringProtocol) -> SecretValue? {
    func digit(_ byte: UInt8?) -> UInt8? { byte.flatMap { Character(UnicodeScalar($0)).hexDigitValue }.map(UInt8.init) }
    var bytes = SecretBuffer(capacity: text.utf8.count)
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case 0x25:
        guard let high = digit(rest.next()), let low = digit(rest.next()) else { return nil }
        bytes.append(high << 4 | low)
      case 0x2B: bytes.append(0x20)
      default: bytes.append(byte)
      }
    }
    return bytes.finish()
  }
}
