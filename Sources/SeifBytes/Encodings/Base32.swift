/// Base32 with the alphabet A-Z 2-7 (RFC 4648 §6), written in upper case without padding.
public enum Base32 {
  /// The text of `bytes`, ⌈8 n / 5⌉ characters.
  public static func encode(_ bytes: SecretValue) -> SecretValue {
    bytes.withBytes { source in
      unsafe SecretValue(byteCount: (source.byteCount * 8 + 4) / 5) { target in
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        var position = 0
        func write(_ index: UInt32) {
          let index = UInt8(truncatingIfNeeded: index & 31)
          unsafe target[position] = index < 26 ? 0x41 + index : 0x32 + index - 26
          position += 1
        }
        for offset in 0..<source.byteCount {
          pending = (pending & 0xFF) << 8 | UInt32(unsafe source.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
          bits += 8
          while bits >= 5 {
            bits -= 5
            write(pending >> bits)
          }
        }
        if bits > 0 { write(pending << (5 - bits)) }
      }
    }
  }

  /// The bytes of the secret in a Key URI or typed by hand: letters of either case, with spaces (U+0020, tab, line
  /// ends, U+00A0), hyphens and `=` anywhere. Bits that fill no byte are dropped, as authenticators do.
  ///
  /// - Throws: `character` for anything else (0, 1, 8, 9 are never corrected), `length` if no byte comes out.
  public static func decodeLeniently(_ text: RawSpan) throws(EncodingError) -> SecretValue {
    // Decoded into room for the longest possible answer, then copied to its true length: the first is wiped.
    var decoded = SecretBuffer(capacity: text.byteCount * 5 / 8 + 1)
    var pending: UInt32 = 0
    var bits: UInt32 = 0
    func load(_ offset: Int) -> UInt8 { unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
    var offset = 0
    while offset < text.byteCount {
      let byte = load(offset)
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D, 0x2D, 0x3D:
        offset += 1
        continue
      case 0xC2 where offset + 1 < text.byteCount && load(offset + 1) == 0xA0:
        offset += 2
        continue
      default: break
      }
      guard let index = index(byte) else { throw EncodingError(code: .character, offset: offset) }
      pending = (pending & 0xFF) << 5 | UInt32(index)
      bits += 5
      if bits >= 8 {
        bits -= 8
        decoded.append(UInt8(truncatingIfNeeded: pending >> bits))
      }
      offset += 1
    }
    guard decoded.byteCount > 0 else { throw EncodingError(code: .length, offset: text.byteCount) }
    return decoded.finish()
  }

  private static func index(_ character: UInt8) -> UInt8? {
    switch character {
    case 0x41...0x5A: character - 0x41
    case 0x61...0x7A: character - 0x61
    case 0x32...0x37: character - 0x32 + 26
    default: nil
    }
  }
}
