/// The text of JSON strings: taken out of their escapes and put into them.
enum JSONText {
  /// Four hexadecimal digits, or nil.
  static func hexUnit(_ bytes: RawSpan, at offset: Int) -> UInt16? {
    guard offset + 4 <= bytes.byteCount else { return nil }
    var unit: UInt16 = 0
    for index in offset..<offset + 4 {
      let digit = bytes.byte(index)
      let value: UInt8
      switch digit {
      case 0x30...0x39: value = digit - 0x30
      case 0x41...0x46: value = digit - 0x37
      case 0x61...0x66: value = digit - 0x57
      default: return nil
      }
      unit = unit << 4 | UInt16(value)
    }
    return unit
  }

  /// The UTF-8 of a string node, of a key for comparison: keys are no secrets.
  static func unescaped(_ bytes: RawSpan, _ node: JSONNode) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(Int(node.end - node.start))
    unescape(bytes, node) { result.append($0) }
    return result
  }

  /// Gives the UTF-8 of a string node byte by byte. The node comes from the parser, so its escapes are known to be
  /// whole; half a surrogate pair, which only the foreign policy lets through, becomes U+FFFD.
  static func unescape(_ bytes: RawSpan, _ node: JSONNode, _ emit: (UInt8) -> Void) {
    var offset = Int(node.start)
    let end = Int(node.end)
    while offset < end {
      let byte = bytes.byte(offset)
      guard byte == 0x5C else {
        emit(byte)
        offset += 1
        continue
      }
      offset += 2
      switch bytes.byte(offset - 1) {
      case 0x62: emit(0x08)
      case 0x66: emit(0x0C)
      case 0x6E: emit(0x0A)
      case 0x72: emit(0x0D)
      case 0x74: emit(0x09)
      case 0x75:
        let unit = hexUnit(bytes, at: offset) ?? 0xFFFD
        offset += 4
        var code = UInt32(unit)
        if (0xD800..<0xDC00).contains(unit), offset + 6 <= end, bytes.byte(offset) == 0x5C,
          bytes.byte(offset + 1) == 0x75, let low = hexUnit(bytes, at: offset + 2),
          (0xDC00..<0xE000).contains(low)
        {
          offset += 6
          code = 0x10000 + (code - 0xD800) << 10 + UInt32(low) - 0xDC00
        }
        let scalar = Unicode.Scalar(code) ?? "\u{FFFD}"
        for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { emit(unit) }
      case let other: emit(other)
      }
    }
  }

  /// Adds a string in quotes: `"` and `\` escaped, controls as `\b \f \n \r \t` or `\u00xx` in lower case, all else raw.
  static func quote(_ bytes: RawSpan, into buffer: inout SecretBuffer) {
    buffer.append(0x22)
    var clean = 0
    func flush(_ end: Int, _ buffer: inout SecretBuffer) {
      if clean < end { buffer.append(bytes.extracting(clean..<end)) }
    }
    for offset in 0..<bytes.byteCount {
      let byte = bytes.byte(offset)
      guard byte < 0x20 || byte == 0x22 || byte == 0x5C else { continue }
      flush(offset, &buffer)
      clean = offset + 1
      buffer.append(0x5C)
      switch byte {
      case 0x22, 0x5C: buffer.append(byte)
      case 0x08: buffer.append(0x62)
      case 0x09: buffer.append(0x74)
      case 0x0A: buffer.append(0x6E)
      case 0x0C: buffer.append(0x66)
      case 0x0D: buffer.append(0x72)
      default:
        buffer.append(utf8: "u00")
        buffer.append(byte < 0x10 ? 0x30 : 0x31)
        let low = byte & 15
        buffer.append(low < 10 ? 0x30 + low : 0x57 + low)
      }
    }
    flush(bytes.byteCount, &buffer)
    buffer.append(0x22)
  }
}
