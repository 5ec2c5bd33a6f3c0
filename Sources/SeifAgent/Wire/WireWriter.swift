package import SeifBytes

/// Builds the payload of a message: numbers big endian, texts and bytes behind their length in 4 bytes (docs/agent.md).
///
/// In a buffer that is wiped, since payloads hold passphrases and codes.
package struct WireWriter: ~Copyable {
  fileprivate var buffer: SecretBuffer

  package init(capacity: Int = 256) { buffer = SecretBuffer(capacity: capacity) }

  package var byteCount: Int { buffer.byteCount }

  package mutating func byte(_ value: UInt8) { buffer.append(value) }
  package mutating func bool(_ value: Bool) { buffer.append(value ? 1 : 0) }
  package mutating func count(_ value: Int) { buffer.appendBigEndian(UInt64(clamping: value), byteCount: 4) }
  package mutating func number(_ value: Int64) { buffer.appendBigEndian(UInt64(bitPattern: value), byteCount: 8) }
  package mutating func id(_ value: UUID) { for byte in value.bytes { buffer.append(byte) } }

  package mutating func text(_ value: String) {
    count(value.utf8.count)
    buffer.append(utf8: value)
  }

  package mutating func texts(_ values: [String]) {
    count(values.count)
    for value in values { text(value) }
  }

  package mutating func secret(_ value: SecretValue) {
    count(value.byteCount)
    buffer.append(value)
  }

  package mutating func secret(_ value: borrowing SecretBytes) {
    count(value.byteCount)
    value.withBytes { buffer.append($0) }
  }

  package mutating func bytes(_ value: RawSpan) {
    count(value.byteCount)
    buffer.append(value)
  }

  /// An optional: a byte 0, or a byte 1 and the value.
  package mutating func optional<Value>(_ value: Value?, _ write: (inout WireWriter, Value) -> Void) {
    bool(value != nil)
    if let value { write(&self, value) }
  }

  package consuming func finish() -> SecretValue { buffer.finish() }
}

extension WireWriter {
  /// What another writer made, as it is.
  package mutating func append(_ payload: SecretValue) { buffer.append(payload) }
}
