package import SeifBytes

/// Takes a payload apart. Lengths and counts are held against the bytes that are left before anything is made of them,
/// texts must be UTF-8, a flag is 0 or 1, and nothing may be left at the end.
package struct WireReader {
  private let payload: SecretValue
  private var position = 0

  package init(_ payload: SecretValue) { self.payload = payload }

  package var bytesLeft: Int { payload.byteCount - position }

  package mutating func byte() throws(AgentRefusal) -> UInt8 {
    guard bytesLeft >= 1 else { throw AgentRefusal(.badMessage, "it ends too early") }
    defer { position += 1 }
    let position = position
    return payload.withBytes { $0.unsafeLoad(fromByteOffset: position, as: UInt8.self) }
  }

  package mutating func bool() throws(AgentRefusal) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    default: throw AgentRefusal(.badMessage, "flag")
    }
  }

  package mutating func count() throws(AgentRefusal) -> Int {
    var value = 0
    for _ in 0..<4 { value = value << 8 | Int(try byte()) }
    return value
  }

  package mutating func number() throws(AgentRefusal) -> Int64 {
    var value: UInt64 = 0
    for _ in 0..<8 { value = value << 8 | UInt64(try byte()) }
    return Int64(bitPattern: value)
  }

  package mutating func id() throws(AgentRefusal) -> UUID {
    let bytes = try take(16).exposedBytes()
    guard let id = UUID(bytes: bytes) else { throw AgentRefusal(.badMessage, "identifier") }
    return id
  }

  package mutating func secret() throws(AgentRefusal) -> SecretValue { try take(try count()) }

  /// Bytes that belong into locked memory.
  package mutating func secretBytes() throws(AgentRefusal) -> SecretBytes {
    let length = try count()
    guard length <= bytesLeft else { throw AgentRefusal(.badMessage, "length") }
    defer { position += length }
    let position = position
    return payload.withBytes { SecretBytes(copying: $0.extracting(position..<position + length)) }
  }

  package mutating func text() throws(AgentRefusal) -> String {
    // EXPOSE: names and queries are text wherever they are shown.
    guard let text = try secret().exposedText() else { throw AgentRefusal(.badMessage, "text") }
    return text
  }

  package mutating func texts() throws(AgentRefusal) -> [String] {
    try list(leastByteCount: 4) { (reader) throws(AgentRefusal) in try reader.text() }
  }

  /// As many values as a count says, each of at least so many bytes.
  package mutating func list<Value>(
    leastByteCount: Int, _ read: (inout WireReader) throws(AgentRefusal) -> Value
  ) throws(AgentRefusal) -> [Value] {
    let count = try count()
    guard count <= bytesLeft / max(1, leastByteCount) else { throw AgentRefusal(.badMessage, "count") }
    var values: [Value] = []
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }

  package mutating func optional<Value>(
    _ read: (inout WireReader) throws(AgentRefusal) -> Value
  ) throws(AgentRefusal) -> Value? {
    try bool() ? try read(&self) : nil
  }

  package func end() throws(AgentRefusal) {
    guard bytesLeft == 0 else { throw AgentRefusal(.badMessage, "bytes after its end") }
  }

  private mutating func take(_ length: Int) throws(AgentRefusal) -> SecretValue {
    guard length <= bytesLeft else { throw AgentRefusal(.badMessage, "length") }
    defer { position += length }
    let position = position
    return payload.withBytes { SecretValue(copying: $0.extracting(position..<position + length)) }
  }
}
