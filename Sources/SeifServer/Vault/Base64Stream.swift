internal import SeifBytes

/// Base64 (RFC 4648 §4, padded, without line breaks) that comes in pieces.
struct Base64Stream {
  private var waiting: [UInt8] = []
  private var hasEnded = false

  /// The bytes that the text stands for up to here; nil: it is no base64.
  mutating func decode(_ piece: UnsafeRawBufferPointer) -> [UInt8]? {
    guard !piece.isEmpty else { return [] }
    guard !hasEnded else { return nil }
    waiting.append(contentsOf: piece)
    // The last group may be padded, which is known when the next one doesn't come.
    let ready = max(0, (waiting.count - 1) / 4 * 4)
    guard let bytes = Self.decode(waiting[..<ready]), bytes.count == ready / 4 * 3 else { return nil }
    waiting.removeFirst(ready)
    return bytes
  }

  /// The last bytes; nil: the text ended inside a group.
  mutating func finish() -> [UInt8]? {
    hasEnded = true
    defer { waiting = [] }
    return Self.decode(waiting[...])
  }

  private static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    // EXPOSE: sealed.
    (try? Base64.decode(Array(text).span.bytes))?.exposedBytes()
  }
}
