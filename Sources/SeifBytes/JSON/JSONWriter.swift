/// A member that nobody here understands, kept as canonical JSON to be written back at its place.
public struct OpaqueMember: Sendable, Hashable {
  /// Its key.
  public let key: String
  /// Its value as JSON without white space, keys sorted.
  public let value: SecretValue

  /// A member with a value in canonical JSON.
  public init(key: String, value: SecretValue) {
    self.key = key
    self.value = value
  }
}

/// Writes JSON into a buffer that is wiped. Members must come in the order in which they shall stand.
///
/// Strings: `"` and `\` escaped, controls as `\b \f \n \r \t` or `\u00xx`, all else raw, `/` too; integers bare. That is
/// what `JSON.stringify` writes for an object with sorted keys.
public struct JSONWriter: ~Copyable {
  private var buffer: SecretBuffer
  private let indent: Int
  private var frames: [Frame] = []
  private var afterKey = false

  private struct Frame {
    var isObject: Bool
    var isEmpty = true
    var opaque: [OpaqueMember]
    var nextOpaque = 0
  }

  /// A writer without white space, or with `indent` spaces a level, line feeds and one space after each colon.
  public init(indent: Int = 0, capacity: Int = 256) {
    self.indent = indent
    buffer = SecretBuffer(capacity: capacity)
  }

  /// Begins an object. `opaque` members are put among the others, which then must come in the order of their keys' bytes.
  /// A key is never written twice: a member written by name goes before an opaque one, of two opaque ones the last.
  public mutating func beginObject(opaque: [OpaqueMember] = []) {
    beginValue()
    buffer.append(0x7B)
    frames.append(Frame(isObject: true, opaque: opaque.count > 1 ? Self.sorted(opaque) : opaque))
  }

  /// Ends the object begun last.
  public mutating func endObject() {
    flushOpaque(before: nil)
    end(0x7D)
  }

  /// Begins an array.
  public mutating func beginArray() {
    beginValue()
    buffer.append(0x5B)
    frames.append(Frame(isObject: false, opaque: []))
  }

  /// Ends the array begun last.
  public mutating func endArray() {
    end(0x5D)
  }

  /// Begins a member; its value follows.
  public mutating func key(_ key: String) {
    flushOpaque(before: key)
    writeKey(key)
  }

  /// Begins a member, unless one of the opaque members has its key and the value is only a default: then the opaque one
  /// stays, else it is dropped.
  ///
  /// - Returns: whether the value must follow.
  public mutating func key(_ key: String, isDefault: Bool) -> Bool {
    let last = frames.count - 1
    if last >= 0, let index = frames[last].opaque.firstIndex(where: { utf8Equal($0.key, key) }) {
      if isDefault { return false }
      frames[last].opaque.remove(at: index)
    }
    self.key(key)
    return true
  }

  /// A string.
  public mutating func string(_ text: String) {
    beginValue()
    unsafe JSONText.quote(text.utf8Span.span.bytes, into: &buffer)
  }

  /// A string that is a secret; its bytes must be UTF-8.
  public mutating func string(_ value: SecretValue) {
    beginValue()
    value.withBytes { JSONText.quote($0, into: &buffer) }
  }

  /// An integer.
  public mutating func integer(_ number: Int64) {
    beginValue()
    buffer.append(utf8: String(number))
  }

  /// `true` or `false`.
  public mutating func bool(_ value: Bool) {
    beginValue()
    buffer.append(utf8: value ? "true" : "false")
  }

  /// `null`.
  public mutating func null() {
    beginValue()
    buffer.append(utf8: "null")
  }

  /// A value that is JSON already.
  public mutating func raw(_ json: SecretValue) {
    beginValue()
    buffer.append(json)
  }

  /// A value of a document, its keys sorted by their bytes; of keys that stand twice (foreign files) the last.
  public mutating func copy(_ value: JSONValue) {
    switch value.kind {
    case .null: null()
    case .bool: bool(value.bool == true)
    case .number:
      beginValue()
      let node = value.node
      value.storage.bytes.withBytes { buffer.append($0.extracting(Int(node.start)..<Int(node.end))) }
    case .string: if let secret = value.secret { string(secret) }
    case .array:
      beginArray()
      for element in value.elements { copy(element) }
      endArray()
    case .object:
      beginObject()
      let sorted = value.members.map { ($0.key.text, $0.value) }.enumerated().sorted { left, right in
        utf8Precedes(left.element.0, right.element.0)
          || (utf8Equal(left.element.0, right.element.0) && left.offset < right.offset)
      }
      for (position, entry) in sorted.enumerated() {
        if position + 1 < sorted.count, utf8Equal(sorted[position + 1].element.0, entry.element.0) { continue }
        writeKey(entry.element.0)
        copy(entry.element.1)
      }
      endObject()
    }
  }

  /// Number of bytes written so far.
  public var byteCount: Int { buffer.byteCount }

  /// The text; the writer is wiped.
  public consuming func finish() -> SecretValue {
    precondition(frames.isEmpty, "internal error: JSON finished inside of a container")
    return buffer.finish()
  }

  private static func sorted(_ members: [OpaqueMember]) -> [OpaqueMember] {
    let ordered = members.enumerated().sorted { left, right in
      utf8Precedes(left.element.key, right.element.key)
        || (utf8Equal(left.element.key, right.element.key) && left.offset < right.offset)
    }
    var kept: [OpaqueMember] = []
    for (_, member) in ordered {
      if let last = kept.last, utf8Equal(last.key, member.key) { kept.removeLast() }
      kept.append(member)
    }
    return kept
  }

  private mutating func flushOpaque(before key: String?) {
    guard let frame = frames.last, frame.nextOpaque < frame.opaque.count else { return }
    var next = frame.nextOpaque
    while next < frame.opaque.count {
      if let key {
        guard !utf8Precedes(key, frame.opaque[next].key) else { break }
        if utf8Equal(key, frame.opaque[next].key) {
          next += 1
          break
        }
      }
      writeKey(frame.opaque[next].key)
      raw(frame.opaque[next].value)
      next += 1
    }
    frames[frames.count - 1].nextOpaque = next
  }

  private mutating func writeKey(_ key: String) {
    separate()
    unsafe JSONText.quote(key.utf8Span.span.bytes, into: &buffer)
    buffer.append(0x3A)
    if indent > 0 { buffer.append(0x20) }
    afterKey = true
  }

  private mutating func beginValue() {
    if afterKey {
      afterKey = false
    } else if !frames.isEmpty {
      separate()
    }
  }

  private mutating func separate() {
    let last = frames.count - 1
    guard last >= 0 else { return }
    if frames[last].isEmpty { frames[last].isEmpty = false } else { buffer.append(0x2C) }
    newLine()
  }

  private mutating func end(_ bracket: UInt8) {
    let frame = frames.removeLast()
    if !frame.isEmpty { newLine() }
    buffer.append(bracket)
  }

  private mutating func newLine() {
    guard indent > 0 else { return }
    buffer.append(0x0A)
    for _ in 0..<indent * frames.count { buffer.append(0x20) }
  }
}

/// Whether one text stands before another in the order of their UTF-8 bytes; `String`'s own order is by normal form.
public func utf8Precedes(_ left: String, _ right: String) -> Bool {
  left.utf8.lexicographicallyPrecedes(right.utf8)
}

/// Whether two texts have the same UTF-8 bytes; `String`'s `==` calls composed and decomposed letters equal.
public func utf8Equal(_ left: String, _ right: String) -> Bool {
  left.utf8.elementsEqual(right.utf8)
}
