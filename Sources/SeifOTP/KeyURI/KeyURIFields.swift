internal import SeifBytes

/// Where the parts of a Key URI stand in its text; nothing is copied or decoded yet.
struct KeyURIFields {
  /// The parameters that have a meaning.
  enum Name: Int, CaseIterable {
    case secret, issuer, algorithm, digits, period, counter, encoder, steam, pin, account

    var text: StaticString {
      switch self {
      case .secret: "secret"
      case .issuer: "issuer"
      case .algorithm: "algorithm"
      case .digits: "digits"
      case .period: "period"
      case .counter: "counter"
      case .encoder: "encoder"
      case .steam: "steam"
      case .pin: "pin"
      case .account: "account"
      }
    }
  }

  /// The type, in front of the label.
  private(set) var type = 0..<0
  /// The label, escaped as it stands.
  private(set) var label = 0..<0
  /// Names and values that have no meaning for every kind of URI, `pin` and `account` among them.
  private(set) var others: [(name: Range<Int>, value: Range<Int>)] = []
  private var known = [Range<Int>?](repeating: nil, count: Name.allCases.count)
  private var otherNames: Set<[UInt8]> = []
  private var count = 0

  /// Where the value of a parameter stands, or nil if there is no such parameter.
  subscript(name: Name) -> Range<Int>? { known[name.rawValue] }

  /// The parts from `start`, behind the scheme, to `end`. `hasType` is false for `motp://`, where the label comes first.
  init(_ uri: RawSpan, from start: Int, to end: Int, hasType: Bool, dialect: KeyURI.Dialect) throws(KeyURIError) {
    let isList = dialect == .list
    var offset = start
    if hasType {
      while offset < end, ![0x2F, 0x3F].contains(uri.byte(at: offset)), isList || uri.byte(at: offset) != 0x23 {
        offset += 1
      }
      type = start..<offset
    }
    if offset < end, uri.byte(at: offset) == 0x2F { offset += 1 }
    let labelStart = offset
    while offset < end, uri.byte(at: offset) != 0x3F, isList || uri.byte(at: offset) != 0x23 { offset += 1 }
    label = labelStart..<offset
    guard offset < end, uri.byte(at: offset) == 0x3F else { return }
    offset += 1
    while offset < end {
      let partStart = offset
      var equals: Int?
      while offset < end, uri.byte(at: offset) != 0x26 {
        let byte = uri.byte(at: offset)
        if byte == 0x23, !isList { break }
        if byte == 0x3D, equals == nil { equals = offset }
        offset += 1
      }
      if offset > partStart {
        let value = equals.map { $0 + 1..<offset } ?? offset..<offset
        try add(uri, name: partStart..<(equals ?? offset), value: value, dialect: dialect)
      }
      guard offset < end, uri.byte(at: offset) == 0x26 else { return }
      offset += 1
    }
  }

  private mutating func add(
    _ uri: RawSpan, name range: Range<Int>, value: Range<Int>, dialect: KeyURI.Dialect
  ) throws(KeyURIError) {
    count += 1
    guard count <= KeyURI.maximumParameterCount else { throw KeyURIError(.tooManyParameters) }
    var value = value
    let name = Self.name(uri, range, ignoringCase: dialect == .list)
    // A raw `#` is a letter in the names that other programs write, and the start of nothing that is wanted elsewhere.
    if dialect == .list, name != .issuer, let hash = value.first(where: { uri.byte(at: $0) == 0x23 }) {
      value = value.lowerBound..<hash
    }
    if let name {
      guard known[name.rawValue] == nil else { throw KeyURIError(.duplicateParameter) }
      known[name.rawValue] = value
    }
    switch name {
    case nil, .pin, .account:
      if dialect == .backup {
        let isNew = otherNames.insert(KeyURIReader.bytes(uri, range)).inserted
        guard isNew else { throw KeyURIError(.duplicateParameter) }
      }
      others.append((range, value))
    default: break
    }
  }

  private static func name(_ uri: RawSpan, _ range: Range<Int>, ignoringCase: Bool) -> Name? {
    let text = uri.extracting(range)
    guard range.contains(where: { uri.byte(at: $0) == 0x25 }) else { return match(text, ignoringCase: ignoringCase) }
    var decoded: [UInt8] = []
    PercentEncoding.decode(text) { decoded.append($0) }
    return unsafe match(decoded.span.bytes, ignoringCase: ignoringCase)
  }

  /// The parameter of a name.
  static func match(_ text: RawSpan, ignoringCase: Bool) -> Name? {
    Name.allCases.first { text.isEqual(to: $0.text, ignoringCase: ignoringCase) }
  }
}

extension RawSpan {
  /// Whether these bytes are an ASCII text, which is in lower case if case doesn't count.
  func isEqual(to text: StaticString, ignoringCase: Bool) -> Bool {
    byteCount == text.utf8CodeUnitCount && hasPrefix(text, ignoringCase: ignoringCase)
  }

  /// Whether these bytes begin with an ASCII text, which is in lower case if case doesn't count.
  func hasPrefix(_ text: StaticString, ignoringCase: Bool) -> Bool {
    guard byteCount >= text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { text in
      for offset in 0..<text.count {
        let (byte, wanted) = (byte(at: offset), unsafe text[offset])
        guard (ignoringCase ? byte.asciiLowercased : byte) == wanted else { return false }
      }
      return true
    }
  }
}
