internal import SeifBytes
internal import SeifDocuments
internal import SeifHTTP

/// The object that a server answered with: what isn't as docs/api.md has it makes the answer damaged.
struct ServerJSON {
  private let root: JSONValue
  private let place: String

  init(_ answer: HTTPResponse, place: String) throws(DocumentError) {
    let policy = JSONPolicy(
      isStrict: true, maximumByteCount: ServerBounds.manifestAnswerByteCount, maximumDepth: 8, maximumValueCount: 20_000
    )
    guard let document = try? JSONDocument(parsing: answer.body, policy: policy), document.root.kind == .object else {
      throw DocumentError(.damaged, place: place, reason: "its answer isn't JSON")
    }
    self.init(document.root, place)
  }

  private init(_ root: JSONValue, _ place: String) {
    self.root = root
    self.place = place
  }

  var canonical: SecretValue { root.canonical }

  func bool(_ name: String) throws(DocumentError) -> Bool {
    guard let value = root[name]?.bool else { throw wrong(name) }
    return value
  }

  /// Zero or more.
  func number(_ name: String) throws(DocumentError) -> Int {
    guard let value = root[name]?.int64, value >= 0 else { throw wrong(name) }
    return Int(value)
  }

  func id(_ name: String) throws(DocumentError) -> UUID {
    guard let id = root[name]?.string.flatMap({ UUID($0) }) else { throw wrong(name) }
    return id
  }

  func optionalID(_ name: String) throws(DocumentError) -> UUID? {
    guard let value = root[name] else { throw wrong(name) }
    return value.kind == .null ? nil : try id(name)
  }

  func time(_ name: String) throws(DocumentError) -> Timestamp {
    guard let time = root[name]?.string.flatMap({ Timestamp(rfc3339: $0) }) else { throw wrong(name) }
    return time
  }

  func base64(_ name: String, at lengths: ClosedRange<Int>) throws(DocumentError) -> [UInt8] {
    guard let text = root[name]?.secret, let bytes = text.withBytes({ try? Base64.decode($0) }),
      lengths.contains(bytes.byteCount)
    else { throw wrong(name) }
    // EXPOSE: sealed.
    return bytes.exposedBytes()
  }

  func forEach(
    _ name: String, most: Int, _ body: (ServerJSON) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    guard let list = root[name], list.kind == .array else { throw wrong(name) }
    var count = 0
    for value in list.elements {
      count += 1
      guard count <= most, value.kind == .object else { throw wrong(name) }
      try body(ServerJSON(value, place))
    }
  }

  private func wrong(_ name: String) -> DocumentError {
    DocumentError(.damaged, place: place, reason: "its answer's \(name) is wrong")
  }
}
