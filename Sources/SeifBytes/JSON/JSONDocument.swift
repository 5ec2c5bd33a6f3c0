/// A JSON text (RFC 8259) and the index of its values: nothing is copied out before it is asked for.
public struct JSONDocument: Sendable {
  let storage: Storage
  /// What was taken although it isn't right; always empty under a strict policy. At most 100.
  public let warnings: [JSONWarning]

  final class Storage: Sendable {
    let bytes: SecretValue
    let nodes: [JSONNode]

    init(bytes: SecretValue, nodes: [JSONNode]) {
      self.bytes = bytes
      self.nodes = nodes
    }
  }

  /// Reads a whole text. Time and memory are linear in its length: 16 bytes a value, within the policy's limits.
  public init(parsing bytes: SecretValue, policy: JSONPolicy) throws(JSONError) {
    var warnings: [JSONWarning] = []
    let nodes = try bytes.withBytes { (span) throws(JSONError) -> [JSONNode] in
      // `withUnsafeBytes` doesn't carry typed errors, hence the result.
      let result = unsafe span.withUnsafeBytes { buffer in
        Result { () throws(JSONError) -> ([JSONNode], [JSONWarning]) in
          var parser = unsafe try JSONParser(buffer, policy: policy)
          try parser.parse()
          return (parser.nodes, parser.warnings)
        }
      }
      let (nodes, found) = try result.get()
      warnings = found
      return nodes
    }
    storage = Storage(bytes: bytes, nodes: nodes)
    self.warnings = warnings
  }

  /// The one value that the text is.
  public var root: JSONValue { JSONValue(storage: storage, index: 0) }
}

/// A value of a document. Holds the whole document in memory.
public struct JSONValue: Sendable {
  let storage: JSONDocument.Storage
  let index: Int

  /// The six kinds of JSON values.
  public enum Kind: Sendable, Equatable {
    case null, bool, number, string, array, object
  }

  /// An integer token `-?(0|[1-9][0-9]*)` without `-0`.
  public enum Integer: Sendable, Equatable {
    /// It fits 64 bits with a sign.
    case value(Int64)
    /// It is an integer of more than 64 bits; whether it is negative.
    case outOfRange(isNegative: Bool)
  }

  var node: JSONNode { storage.nodes[index] }

  /// Which kind this is.
  public var kind: Kind {
    switch node.kind {
    case .null: .null
    case .bool: .bool
    case .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }

  /// Where it begins, in bytes from the start of the document; of a string, the byte after its quote.
  public var offset: Int { Int(node.start) }

  /// `true` or `false`, or nil for another kind.
  public var bool: Bool? {
    guard node.kind == .bool else { return nil }
    return node.end - node.start == 4
  }

  /// The integer, or nil for another kind and for numbers with a fraction or exponent. Never through floating point.
  public var integer: Integer? {
    guard node.kind == .number else { return nil }
    let (start, end) = (Int(node.start), Int(node.end))
    return storage.bytes.withBytes { bytes in
      let isNegative = bytes.byte(start) == 0x2D
      var value: Int64 = 0
      var overflow = false
      for offset in (isNegative ? start + 1 : start)..<end {
        let digit = bytes.byte(offset)
        guard (0x30...0x39).contains(digit) else { return nil }
        guard !overflow else { continue }
        let (product, first) = value.multipliedReportingOverflow(by: 10)
        let (sum, second) =
          isNegative
          ? product.subtractingReportingOverflow(Int64(digit - 0x30))
          : product.addingReportingOverflow(Int64(digit - 0x30))
        (value, overflow) = (sum, first || second)
      }
      if isNegative && value == 0 && !overflow { return nil }
      return overflow ? .outOfRange(isNegative: isNegative) : .value(value)
    }
  }

  /// The integer if it is one of 64 bits.
  public var int64: Int64? {
    if case .value(let value) = integer { value } else { nil }
  }

  /// The string as a secret, or nil for another kind.
  public var secret: SecretValue? {
    guard node.kind == .string else { return nil }
    let node = node
    return storage.bytes.withBytes { bytes in
      guard node.hasEscapes else { return SecretValue(copying: bytes.extracting(Int(node.start)..<Int(node.end))) }
      var buffer = SecretBuffer(capacity: Int(node.end - node.start))
      JSONText.unescape(bytes, node) { buffer.append($0) }
      return buffer.finish()
    }
  }

  /// The string, or nil for another kind. Not wiped: for what isn't secret.
  public var string: String? {
    guard node.kind == .string else { return nil }
    let node = node
    return storage.bytes.withBytes { bytes in
      guard !node.hasEscapes else { return String(decoding: JSONText.unescaped(bytes, node), as: UTF8.self) }
      return unsafe bytes.extracting(Int(node.start)..<Int(node.end)).withUnsafeBytes {
        unsafe String(decoding: $0, as: UTF8.self)
      }
    }
  }

  /// Calls `body` with the string's bytes as they stand if they hold no escape, else unescaped; nil for another kind.
  public func withString<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R? {
    guard node.kind == .string else { return nil }
    if node.hasEscapes, let secret { return try secret.withBytes(body) }
    let range = Int(node.start)..<Int(node.end)
    return try storage.bytes.withBytes { (bytes) throws(E) in try body(bytes.extracting(range)) }
  }

  /// The elements of an array, none for another kind.
  public var elements: JSONElements { JSONElements(parent: self, kind: .array) }

  /// The members of an object in the order of the text, none for another kind.
  public var members: JSONMembers { JSONMembers(values: JSONElements(parent: self, kind: .object)) }

  /// The value of a key, compared byte by byte, or nil. Of several (foreign policy) the last.
  public subscript(key: String) -> JSONValue? {
    var found: JSONValue?
    for (name, value) in members where name.is(key) { found = value }
    return found
  }

  /// This value as JSON without white space, keys sorted by their bytes, numbers with their digits: what is kept of
  /// values that nobody here understands.
  public var canonical: SecretValue {
    var writer = JSONWriter()
    writer.copy(self)
    return writer.finish()
  }
}

/// The values inside a value, in the order of the text.
public struct JSONElements: Sequence, IteratorProtocol {
  private let storage: JSONDocument.Storage
  private var position: Int
  private let end: Int

  init(parent: JSONValue, kind: JSONNode.Kind) {
    storage = parent.storage
    position = parent.index + 1
    end = parent.node.kind == kind ? Int(parent.node.next) : parent.index + 1
  }

  /// The next one, or nil after the last.
  public mutating func next() -> JSONValue? {
    guard position < end else { return nil }
    defer { position = Int(storage.nodes[position].next) }
    return JSONValue(storage: storage, index: position)
  }
}

/// The members of an object: keys and values in the order of the text.
public struct JSONMembers: Sequence, IteratorProtocol {
  var values: JSONElements

  /// The next one, or nil after the last.
  public mutating func next() -> (key: JSONKey, value: JSONValue)? {
    guard let key = values.next(), let value = values.next() else { return nil }
    return (JSONKey(value: key), value)
  }
}

/// The key of a member, compared by its bytes.
public struct JSONKey: Sendable {
  let value: JSONValue

  /// Whether the key is exactly these bytes.
  public func `is`(_ text: String) -> Bool {
    let bytes = text.utf8Span
    return value.withString { key in
      guard key.byteCount == bytes.count else { return false }
      for offset in 0..<key.byteCount where key.byte(offset) != bytes.span[offset] { return false }
      return true
    } ?? false
  }

  /// The key as text.
  public var text: String { value.string ?? "" }
}
