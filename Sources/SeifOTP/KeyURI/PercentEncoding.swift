internal import SeifBytes

/// Escapes of URIs, taken out as Key URIs need it and put in as RFC 3986 wants it.
enum PercentEncoding {
  /// Gives the bytes of a text without its escapes.
  ///
  /// A run of escapes that is UTF-8 as a whole is decoded; any other stays as it is, so that text in is text out.
  /// With `plusIsSpace` a bare `+` becomes a space, an escaped one doesn't.
  static func decode(_ text: RawSpan, plusIsSpace: Bool = false, _ emit: (UInt8) -> Void) {
    var offset = 0
    while offset < text.byteCount {
      let byte = text.byte(at: offset)
      guard byte == 0x25 else {
        emit(plusIsSpace && byte == 0x2B ? 0x20 : byte)
        offset += 1
        continue
      }
      let end = endOfRun(text, from: offset)
      guard end > offset else {
        emit(byte)
        offset += 1
        continue
      }
      // Decoded twice where it isn't ASCII: the check needs the whole run before any of it may leave.
      if isUTF8(text, from: offset, to: end) {
        for position in stride(from: offset, to: end, by: 3) { emit(escaped(text, at: position)) }
      } else {
        for position in offset..<end { emit(text.byte(at: position)) }
      }
      offset = end
    }
  }

  /// Adds a text with everything escaped but letters, digits, `-`, `.`, `_` and `~`.
  static func encode(_ text: RawSpan, into buffer: inout SecretBuffer) {
    for offset in 0..<text.byteCount {
      let byte = text.byte(at: offset)
      switch byte {
      case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x5F, 0x7E: buffer.append(byte)
      default:
        buffer.append(0x25)
        buffer.append(digit(byte >> 4))
        buffer.append(digit(byte & 15))
      }
    }
  }

  private static func digit(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 + nibble : 0x37 + nibble }

  private static func endOfRun(_ text: RawSpan, from start: Int) -> Int {
    var end = start
    while end + 2 < text.byteCount, text.byte(at: end) == 0x25, text.byte(at: end + 1).hexValue != nil,
      text.byte(at: end + 2).hexValue != nil
    {
      end += 3
    }
    return end
  }

  /// The byte of an escape that `endOfRun` has looked at.
  private static func escaped(_ text: RawSpan, at offset: Int) -> UInt8 {
    (text.byte(at: offset + 1).hexValue ?? 0) << 4 | (text.byte(at: offset + 2).hexValue ?? 0)
  }

  private static func isUTF8(_ text: RawSpan, from start: Int, to end: Int) -> Bool {
    var isASCII = true
    for position in stride(from: start, to: end, by: 3) where escaped(text, at: position) >= 0x80 { isASCII = false }
    guard !isASCII else { return true }
    var run = SecretBuffer(capacity: (end - start) / 3)
    for position in stride(from: start, to: end, by: 3) { run.append(escaped(text, at: position)) }
    return run.withBytes { isUTF8($0) }
  }

  /// Whether bytes are UTF-8.
  static func isUTF8(_ bytes: RawSpan) -> Bool {
    unsafe bytes.withUnsafeBytes { unsafe isValidUTF8($0) }
  }

  private static func isValidUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    unsafe (try? UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)) != nil
  }
}
