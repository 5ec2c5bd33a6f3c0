/// One value in the index of a document: which bytes it covers and where the next one stands.
struct JSONNode {
  enum Kind: UInt8 {
    case null, bool, number, string, array, object
  }
  /// First byte of the token; of a string, the byte after the quote.
  var start: UInt32
  /// Byte after the token; of a string, the closing quote.
  var end: UInt32
  /// Index of the node after this one and all that is inside it.
  var next: UInt32
  var kind: Kind
  var hasEscapes = false
}

/// Builds the index in one pass, without recursion: depth is a number, not the stack.
///
/// It keeps a pointer because a type that holds a span can't be made yet; it lives only inside `withBytes` of the caller.
@safe
struct JSONParser: ~Copyable {
  private let base: UnsafeRawPointer
  private let byteCount: Int
  private let policy: JSONPolicy
  private var position = 0
  private(set) var nodes: [JSONNode] = []
  private(set) var warnings: [JSONWarning] = []
  private var open: [Int] = []

  private static let maximumWarnings = 100

  /// - Parameter bytes: must outlive the parser; not empty.
  init(_ bytes: UnsafeRawBufferPointer, policy: JSONPolicy) throws(JSONError) {
    guard let start = bytes.baseAddress, bytes.count > 0 else { throw JSONError(code: .empty, offset: 0) }
    unsafe base = start
    byteCount = bytes.count
    self.policy = policy
  }

  mutating func parse() throws(JSONError) {
    guard byteCount <= policy.maximumByteCount else { throw fault(.tooLarge, at: policy.maximumByteCount) }
    if byteCount >= 3, byte(0) == 0xEF, byte(1) == 0xBB, byte(2) == 0xBF {
      guard !policy.isStrict else { throw fault(.byteOrderMark, at: 0) }
      warn(.byteOrderMark, at: 0)
      position = 3
    }
    try validateUTF8()
    skipWhiteSpace()
    guard position < byteCount else { throw fault(.empty, at: position) }
    repeat {
      try value()
      try closeAndSeparate()
    } while !open.isEmpty
    guard position == byteCount else { throw fault(.trailingBytes, at: position) }
  }

  // After a value: closes what ends here and stands before the next value, or at the end of the text.
  private mutating func closeAndSeparate() throws(JSONError) {
    while true {
      skipWhiteSpace()
      guard let container = open.last else { return }
      let isObject = nodes[container].kind == .object
      let isEmpty = container == nodes.count - 1
      guard position < byteCount else { throw fault(.unexpectedEnd, at: position) }
      switch byte(position) {
      case isObject ? 0x7D : 0x5D:
        position += 1
        open.removeLast()
        nodes[container].end = UInt32(position)
        nodes[container].next = UInt32(nodes.count)
        if isObject { try checkKeys(of: container) }
      case 0x2C where !isEmpty:
        position += 1
        skipWhiteSpace()
        if isObject { try key() }
        return
      default:
        guard isEmpty else { throw fault(.unexpectedByte, at: position) }
        if isObject { try key() }
        return
      }
    }
  }

  private mutating func key() throws(JSONError) {
    guard position < byteCount else { throw fault(.unexpectedEnd, at: position) }
    guard byte(position) == 0x22 else { throw fault(.unexpectedByte, at: position) }
    try string()
    skipWhiteSpace()
    guard position < byteCount else { throw fault(.unexpectedEnd, at: position) }
    guard byte(position) == 0x3A else { throw fault(.unexpectedByte, at: position) }
    position += 1
    skipWhiteSpace()
  }

  private mutating func value() throws(JSONError) {
    guard position < byteCount else { throw fault(.unexpectedEnd, at: position) }
    switch byte(position) {
    case 0x7B: try openContainer(.object)
    case 0x5B: try openContainer(.array)
    case 0x22: try string()
    case 0x74: try literal("true", .bool)
    case 0x66: try literal("false", .bool)
    case 0x6E: try literal("null", .null)
    case 0x2D, 0x30...0x39: try number()
    default: throw fault(.unexpectedByte, at: position)
    }
  }

  private mutating func openContainer(_ kind: JSONNode.Kind) throws(JSONError) {
    guard open.count < policy.maximumDepth else { throw fault(.tooDeep, at: position) }
    try append(kind, from: position, to: position + 1)
    open.append(nodes.count - 1)
    position += 1
  }

  private mutating func literal(_ text: StaticString, _ kind: JSONNode.Kind) throws(JSONError) {
    let count = text.utf8CodeUnitCount
    for index in 0..<count {
      guard position + index < byteCount else { throw fault(.unexpectedEnd, at: position + index) }
      guard unsafe byte(position + index) == text.utf8Start[index] else {
        throw fault(.unexpectedByte, at: position + index)
      }
    }
    try append(kind, from: position, to: position + count)
    position += count
  }

  private mutating func number() throws(JSONError) {
    let start = position
    if byte(position) == 0x2D { position += 1 }
    let whole = skipDigits()
    guard whole > 0, whole == 1 || byte(position - whole) != 0x30 else { throw fault(.badNumber, at: start) }
    if position < byteCount, byte(position) == 0x2E {
      position += 1
      guard skipDigits() > 0 else { throw fault(.badNumber, at: start) }
    }
    if position < byteCount, byte(position) | 0x20 == 0x65 {
      position += 1
      if position < byteCount, byte(position) == 0x2B || byte(position) == 0x2D { position += 1 }
      guard skipDigits() > 0 else { throw fault(.badNumber, at: start) }
    }
    try append(.number, from: start, to: position)
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while position < byteCount, (0x30...0x39).contains(byte(position)) { position += 1 }
    return position - start
  }

  private mutating func string() throws(JSONError) {
    position += 1
    let start = position
    var hasEscapes = false
    while position < byteCount {
      let current = byte(position)
      if current == 0x22 {
        try append(.string, from: start, to: position)
        nodes[nodes.count - 1].hasEscapes = hasEscapes
        position += 1
        return
      }
      guard current >= 0x20 else { throw fault(.controlCharacter, at: position) }
      if current == 0x5C {
        hasEscapes = true
        try escape()
      } else {
        position += 1
      }
    }
    throw fault(.unexpectedEnd, at: position)
  }

  private mutating func escape() throws(JSONError) {
    guard position + 1 < byteCount else { throw fault(.unexpectedEnd, at: position) }
    switch byte(position + 1) {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: position += 2
    case 0x75:
      guard let unit = hexUnit(at: position + 2) else { throw fault(.badEscape, at: position) }
      if (0xD800..<0xDC00).contains(unit), position + 7 < byteCount, byte(position + 6) == 0x5C,
        byte(position + 7) == 0x75, let low = hexUnit(at: position + 8), (0xDC00..<0xE000).contains(low)
      {
        position += 12
        return
      }
      if (0xD800..<0xE000).contains(unit) {
        guard !policy.isStrict else { throw fault(.loneSurrogate, at: position) }
        warn(.loneSurrogate, at: position)
      }
      position += 6
    default: throw fault(.badEscape, at: position)
    }
  }

  private func hexUnit(at offset: Int) -> UInt16? {
    JSONText.hexUnit(unsafe RawSpan(_unsafeStart: base, byteCount: byteCount), at: offset)
  }

  // Two keys are the same when their bytes are, after unescaping: never by canonical equivalence, as String has it.
  private mutating func checkKeys(of container: Int) throws(JSONError) {
    let end = Int(nodes[container].next)
    var count = 0
    var hasEscapes = false
    var index = container + 1
    while index < end {
      count += 1
      hasEscapes = hasEscapes || nodes[index].hasEscapes
      index = Int(nodes[index + 1].next)
    }
    guard count > 1 else { return }
    // Up to here comparing each with each costs less than a table. Keys with escapes are taken out of them for each
    // comparison, so they always get the table.
    guard count > 16 || hasEscapes else {
      index = container + 1
      while index < end {
        var earlier = container + 1
        while earlier < index {
          if sameKey(earlier, index) {
            try duplicate(index)
            break
          }
          earlier = Int(nodes[earlier + 1].next)
        }
        index = Int(nodes[index + 1].next)
      }
      return
    }
    try checkKeysByTable(of: container, count: count)
  }

  // A table of node numbers with open addressing, at most half full: 8 to 16 bytes a key, where a set of arrays takes
  // over 100. The hash is seeded anew in each process, so that nobody can choose keys that collide.
  private mutating func checkKeysByTable(of container: Int, count: Int) throws(JSONError) {
    var size = 16
    while size < count * 2 { size *= 2 }
    var table = [UInt32](repeating: 0, count: size)
    let end = Int(nodes[container].next)
    var index = container + 1
    while index < end {
      var slot = keyHash(index) & (size - 1)
      // Node 0 is the outermost value and never a key, so 0 means free.
      while table[slot] != 0, !sameKey(Int(table[slot]), index) { slot = (slot + 1) & (size - 1) }
      if table[slot] != 0 { try duplicate(index) } else { table[slot] = UInt32(index) }
      index = Int(nodes[index + 1].next)
    }
  }

  private func keyHash(_ key: Int) -> Int {
    var hasher = Hasher()
    let node = nodes[key]
    if node.hasEscapes {
      unsafe unescaped(key).withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    } else {
      let bytes = unsafe UnsafeRawBufferPointer(start: base + Int(node.start), count: Int(node.end - node.start))
      unsafe hasher.combine(bytes: bytes)
    }
    return hasher.finalize()
  }

  private func sameKey(_ left: Int, _ right: Int) -> Bool {
    let (a, b) = (nodes[left], nodes[right])
    if a.hasEscapes || b.hasEscapes { return unescaped(left) == unescaped(right) }
    guard a.end - a.start == b.end - b.start else { return false }
    for offset in 0..<Int(a.end - a.start) where byte(Int(a.start) + offset) != byte(Int(b.start) + offset) {
      return false
    }
    return true
  }

  private func unescaped(_ key: Int) -> [UInt8] {
    JSONText.unescaped(unsafe RawSpan(_unsafeStart: base, byteCount: byteCount), nodes[key])
  }

  private mutating func duplicate(_ key: Int) throws(JSONError) {
    guard !policy.isStrict else { throw fault(.duplicateKey, at: Int(nodes[key].start)) }
    warn(.duplicateKey, at: Int(nodes[key].start))
  }

  private mutating func append(_ kind: JSONNode.Kind, from start: Int, to end: Int) throws(JSONError) {
    guard nodes.count < policy.maximumValueCount else { throw fault(.tooManyValues, at: start) }
    nodes.append(JSONNode(start: UInt32(start), end: UInt32(end), next: UInt32(nodes.count + 1), kind: kind))
  }

  private mutating func skipWhiteSpace() {
    while position < byteCount {
      switch byte(position) {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  private func validateUTF8() throws(JSONError) {
    let start = unsafe base.assumingMemoryBound(to: UInt8.self)
    let span = unsafe Span<UInt8>(_unsafeStart: start, count: byteCount)
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: span)
    } catch {
      throw fault(.notUTF8, at: error.byteOffsets.lowerBound)
    }
  }

  private func byte(_ offset: Int) -> UInt8 {
    precondition(offset >= 0 && offset < byteCount, "internal error: offset outside of the text")
    return unsafe base.load(fromByteOffset: offset, as: UInt8.self)
  }

  private mutating func warn(_ code: JSONError.Code, at offset: Int) {
    if warnings.count < Self.maximumWarnings { warnings.append(JSONWarning(code: code, offset: offset)) }
  }

  private func fault(_ code: JSONError.Code, at offset: Int) -> JSONError {
    JSONError(code: code, offset: offset)
  }
}

extension RawSpan {
  /// The byte at an offset, checked.
  @inline(__always)
  func byte(_ offset: Int) -> UInt8 {
    precondition(offset >= 0 && offset < byteCount, "internal error: offset outside of a span")
    return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
