/// Base64 with the standard alphabet, always padded (RFC 4648 §4), and strictly so: no white space, no other alphabet,
/// unused bits zero. One sequence of bytes has one text.
public enum Base64 {
  /// The text of `bytes`, 4 ⌈n / 3⌉ characters, without line breaks.
  public static func encode(_ bytes: RawSpan) -> SecretValue {
    unsafe SecretValue(byteCount: (bytes.byteCount + 2) / 3 * 4) { target in
      var position = 0
      var offset = 0
      while offset < bytes.byteCount {
        let left = bytes.byteCount - offset
        func byte(_ index: Int) -> UInt32 {
          index < left ? UInt32(unsafe bytes.unsafeLoad(fromByteOffset: offset + index, as: UInt8.self)) : 0
        }
        let group = byte(0) << 16 | byte(1) << 8 | byte(2)
        unsafe target[position] = character(group >> 18)
        unsafe target[position + 1] = character(group >> 12)
        unsafe target[position + 2] = left > 1 ? character(group >> 6) : 0x3D
        unsafe target[position + 3] = left > 2 ? character(group) : 0x3D
        position += 4
        offset += 3
      }
    }
  }

  /// The text of public bytes (salts, nonces, tags).
  public static func encode(_ bytes: [UInt8]) -> String {
    // EXPOSE: base64 is ASCII, and the bytes were public.
    unsafe encode(bytes.span.bytes).exposedText() ?? ""
  }

  /// The bytes of a strictly written text.
  ///
  /// - Parameter lineBreaks: takes CR and LF anywhere, as one old Android writer put them.
  public static func decode(_ text: RawSpan, lineBreaks: Bool = false) throws(EncodingError) -> SecretValue {
    if lineBreaks {
      var joined = SecretBuffer(capacity: text.byteCount)
      for offset in 0..<text.byteCount {
        let byte = unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        if byte != 0x0A && byte != 0x0D { joined.append(byte) }
      }
      do {
        return try joined.withBytes { (bytes) throws(EncodingError) in try decode(bytes) }
      } catch {
        throw EncodingError(code: error.code, offset: offset(ofJoined: error.offset, in: text))
      }
    }
    guard text.byteCount % 4 == 0 else { throw EncodingError(code: .length, offset: text.byteCount) }
    guard text.byteCount > 0 else { return .empty }
    func load(_ offset: Int) -> UInt8 { unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
    let padding = load(text.byteCount - 1) != 0x3D ? 0 : load(text.byteCount - 2) != 0x3D ? 1 : 2
    return unsafe try SecretValue(byteCount: text.byteCount / 4 * 3 - padding) { (target) throws(EncodingError) in
      var position = 0
      for offset in stride(from: 0, to: text.byteCount, by: 4) {
        let used = offset + 4 == text.byteCount ? 4 - padding : 4
        var group: UInt32 = 0
        for index in 0..<4 {
          var value: UInt8 = 0
          if index < used {
            value = values[Int(load(offset + index))]
            guard value < 64 else {
              throw EncodingError(
                code: load(offset + index) == 0x3D ? .padding : .character, offset: offset + index)
            }
          }
          group = group << 6 | UInt32(value)
        }
        unsafe target[position] = UInt8(truncatingIfNeeded: group >> 16)
        if used > 2 { unsafe target[position + 1] = UInt8(truncatingIfNeeded: group >> 8) }
        if used > 3 { unsafe target[position + 2] = UInt8(truncatingIfNeeded: group) }
        let unused: UInt32 = used == 2 ? 0xFFFF : used == 3 ? 0xFF : 0
        guard group & unused == 0 else { throw EncodingError(code: .strayBits, offset: offset + used - 1) }
        position += 3
      }
    }
  }

  // Where a byte of the text without its line breaks stands in the text with them.
  private static func offset(ofJoined joined: Int, in text: RawSpan) -> Int {
    var left = joined
    for offset in 0..<text.byteCount {
      let byte = unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      if byte == 0x0A || byte == 0x0D { continue }
      if left == 0 { return offset }
      left -= 1
    }
    return text.byteCount
  }

  private static func character(_ value: UInt32) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: value & 63)
    switch value {
    case 0..<26: return 0x41 + value
    case 26..<52: return 0x61 + value - 26
    case 52..<62: return 0x30 + value - 52
    case 62: return 0x2B
    default: return 0x2F
    }
  }

  private static let values: [UInt8] = {
    var table = [UInt8](repeating: 0xFF, count: 256)
    for value in UInt32(0)..<64 { table[Int(character(value))] = UInt8(value) }
    return table
  }()
}
