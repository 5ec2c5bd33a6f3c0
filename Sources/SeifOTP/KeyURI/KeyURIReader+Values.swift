internal import SeifBytes

// The values of single parameters.
extension KeyURIReader {
  /// A value without its escapes, for what is no secret.
  static func bytes(_ uri: RawSpan, _ range: Range<Int>, plusIsSpace: Bool = false) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(range.count)
    PercentEncoding.decode(uri.extracting(range), plusIsSpace: plusIsSpace) { decoded.append($0) }
    return decoded
  }

  /// A value without its escapes.
  static func decoded(_ uri: RawSpan, _ range: Range<Int>, plusIsSpace: Bool = false) -> SecretValue {
    var decoded = SecretBuffer(capacity: range.count)
    PercentEncoding.decode(uri.extracting(range), plusIsSpace: plusIsSpace) { decoded.append($0) }
    return decoded.finish()
  }

  static func secret(
    _ uri: RawSpan, _ range: Range<Int>, plusIsSpace: Bool, _ warnings: inout [KeyURIWarning]
  ) throws(KeyURIError) -> SecretValue {
    var leftover = false
    let secret: SecretValue
    do {
      if range.contains(where: { uri.byte(at: $0) == 0x25 || (plusIsSpace && uri.byte(at: $0) == 0x2B) }) {
        secret = try decoded(uri, range, plusIsSpace: plusIsSpace).withBytes { (text) throws(EncodingError) in
          leftover = hasLeftoverBits(text)
          return try Base32.decodeLeniently(text)
        }
      } else {
        leftover = hasLeftoverBits(uri.extracting(range))
        secret = try Base32.decodeLeniently(uri.extracting(range))
      }
    } catch {
      throw KeyURIError(.secret)
    }
    if leftover { warnings.append(.secretHasLeftoverBits) }
    return secret
  }

  /// Whether base32 characters at the end fill no byte, or hold bits besides the last byte's.
  private static func hasLeftoverBits(_ text: RawSpan) -> Bool {
    var count = 0
    var last: UInt8 = 0
    for offset in 0..<text.byteCount {
      let byte = text.byte(at: offset).asciiLowercased
      switch byte {
      case 0x61...0x7A: last = byte - 0x61
      case 0x32...0x37: last = byte - 0x32 + 26
      default: continue
      }
      count += 1
    }
    let bits = count * 5 % 8
    return bits >= 5 || last & ((1 << UInt8(bits)) - 1) != 0
  }

  static func algorithm(
    _ uri: RawSpan, _ range: Range<Int>?, _ dialect: KeyURI.Dialect
  ) throws(KeyURIError) -> OTPAlgorithm {
    guard let range else { return .sha1 }
    let name = bytes(uri, range).lazy.filter { $0 != 0x2D }.map(\.asciiLowercased)
    var rest = Array(name)[...]
    for prefix in ["algorithm.", "hmac"] where dialect == .list || prefix.utf8.first != 0x61 {
      if rest.starts(with: prefix.utf8) { rest = rest.dropFirst(prefix.utf8.count) }
    }
    switch String(decoding: rest, as: UTF8.self) {
    case "sha1": return .sha1
    case "sha256": return .sha256
    case "sha512": return .sha512
    default: throw KeyURIError(.algorithm)
    }
  }

  /// A number of 1 to 19 ASCII digits within bounds, or nil where the parameter is missing.
  static func number(
    _ uri: RawSpan, _ range: Range<Int>?, _ part: KeyURIError.Part, in bounds: ClosedRange<Int64>
  ) throws(KeyURIError) -> Int64? {
    guard let range else { return nil }
    let digits = bytes(uri, range)
    guard (1...19).contains(digits.count) else { throw KeyURIError(part) }
    var value: Int64 = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { throw KeyURIError(part) }
      let (product, first) = value.multipliedReportingOverflow(by: 10)
      let (sum, second) = product.addingReportingOverflow(Int64(digit - 0x30))
      guard !first, !second else { throw KeyURIError(part) }
      value = sum
    }
    guard bounds.contains(value) else { throw KeyURIError(part) }
    return value
  }

  /// The parameters that nothing was made of.
  static func others(
    _ uri: RawSpan, _ fields: KeyURIFields, used: [Range<Int>?]
  ) throws(KeyURIError) -> [KeyURI.OtherParameter] {
    var others: [KeyURI.OtherParameter] = []
    for other in fields.others where !used.contains(other.value) {
      others.append(
        KeyURI.OtherParameter(name: try string(bytes(uri, other.name)), value: decoded(uri, other.value)))
    }
    return others
  }

  static func string(_ bytes: some Sequence<UInt8>) throws(KeyURIError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw KeyURIError(.text) }
    return text
  }

  /// A range without the bytes at both ends that are `outside`.
  static func trimmed(_ text: RawSpan, _ range: Range<Int>, _ outside: (UInt8) -> Bool) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, outside(text.byte(at: start)) { start += 1 }
    while start < end, outside(text.byte(at: end - 1)) { end -= 1 }
    return start..<end
  }

  static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
