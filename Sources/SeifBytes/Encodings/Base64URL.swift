/// Base64 for addresses, without padding (RFC 4648 §5, RFC 7636 appendix A).
public enum Base64URL {
  /// The text of some bytes.
  public static func encode(_ bytes: RawSpan) -> SecretValue {
    let padded = Base64.encode(bytes)
    var text = SecretBuffer(capacity: padded.byteCount)
    padded.withBytes { bytes in
      for offset in 0..<bytes.byteCount {
        switch unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) {
        case UInt8(ascii: "+"): text.append(UInt8(ascii: "-"))
        case UInt8(ascii: "/"): text.append(UInt8(ascii: "_"))
        case UInt8(ascii: "="): break
        case let byte: text.append(byte)
        }
      }
    }
    return text.finish()
  }

  /// The bytes of a text: strict, so that no two texts have the same bytes.
  ///
  /// - Throws: as `Base64.decode`; the padding of the other alphabet is a fault too.
  public static func decode(_ text: RawSpan) throws(EncodingError) -> SecretValue {
    var padded = SecretBuffer(capacity: text.byteCount + 3)
    for offset in 0..<text.byteCount {
      switch unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self) {
      case UInt8(ascii: "-"): padded.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): padded.append(UInt8(ascii: "/"))
      case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
        throw EncodingError(code: .character, offset: offset)
      case let byte: padded.append(byte)
      }
    }
    // One character over a group is no byte: it fails as a length does.
    for _ in 0..<(4 - text.byteCount % 4) % 4 where text.byteCount % 4 != 1 { padded.append(UInt8(ascii: "=")) }
    return try padded.finish().withBytes { (bytes) throws(EncodingError) in try Base64.decode(bytes) }
  }
}
