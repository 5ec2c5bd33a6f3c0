internal import SeifBytes

/// Reads the fields of a header in the order in which a format asks for them: the first fault is the one that is named.
struct HeaderReader {
  private let object: JSONValue
  private let prefix: String

  init(_ object: JSONValue, prefix: String = "") {
    self.object = object
    self.prefix = prefix
  }

  private func value(_ key: String) throws(FormatError) -> JSONValue {
    guard let value = object[key] else { throw .badHeader(field: prefix + key, .missing) }
    return value
  }

  func has(_ key: String) -> Bool { object[key] != nil }

  func string(_ key: String) throws(FormatError) -> String {
    guard let text = try value(key).string else { throw .badHeader(field: prefix + key, .wrongType) }
    return text
  }

  func secret(_ key: String) throws(FormatError) -> SecretValue {
    guard let text = try value(key).secret else { throw .badHeader(field: prefix + key, .wrongType) }
    return text
  }

  func bool(_ key: String) throws(FormatError) -> Bool {
    guard let bool = try value(key).bool else { throw .badHeader(field: prefix + key, .wrongType) }
    return bool
  }

  func integer(_ key: String) throws(FormatError) -> JSONValue.Integer {
    guard let integer = try value(key).integer else { throw .badHeader(field: prefix + key, .wrongType) }
    return integer
  }

  /// An integer, nil where it has more than 64 bits.
  func int64(_ key: String) throws(FormatError) -> Int64? {
    if case .value(let number) = try integer(key) { number } else { nil }
  }

  func object(_ key: String) throws(FormatError) -> HeaderReader {
    let inner = try value(key)
    guard inner.kind == .object else { throw .badHeader(field: prefix + key, .wrongType) }
    return HeaderReader(inner, prefix: prefix + key + ".")
  }

  func base64(_ key: String, lineBreaks: Bool = false) throws(FormatError) -> SecretValue {
    let text = try value(key)
    guard text.kind == .string else { throw .badHeader(field: prefix + key, .wrongType) }
    let decoded = text.withString { bytes in try? Base64.decode(bytes, lineBreaks: lineBreaks) }
    guard let decoded, let decoded else { throw .badHeader(field: prefix + key, .encoding) }
    return decoded
  }

  func base64(_ key: String, byteCount: Int, lineBreaks: Bool = false) throws(FormatError) -> [UInt8] {
    let decoded = try base64(key, lineBreaks: lineBreaks)
    guard decoded.byteCount == byteCount else { throw .badHeader(field: prefix + key, .length) }
    // EXPOSE: salts, nonces and tags are public.
    return decoded.exposedBytes()
  }

  /// Ciphertext with its 16-byte tag appended.
  func ciphertextWithTag(_ key: String, lineBreaks: Bool = false) throws(FormatError) -> (SecretValue, [UInt8]) {
    let both = try base64(key, lineBreaks: lineBreaks)
    guard both.byteCount >= 16 else { throw .badHeader(field: prefix + key, .length) }
    return both.withBytes { bytes in
      let body = SecretValue(copying: bytes.extracting(0..<both.byteCount - 16))
      // EXPOSE: a tag is public.
      let tag = SecretValue(copying: bytes.extracting(both.byteCount - 16..<both.byteCount)).exposedBytes()
      return (body, tag)
    }
  }
}

/// Compares with ASCII letters folded and nothing else: `lowercased()` would map the Kelvin sign to k.
func equalFoldingASCIICase(_ left: String, _ right: String) -> Bool {
  func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
  return left.utf8.map(folded) == right.utf8.map(folded)
}
