internal import SeifBytes
internal import SeifRecords

/// A ledger's line as canonical JSON.
enum LedgerCodec {
  /// Stands for the entry before the first.
  static let zeros = [UInt8](repeating: 0, count: 32)

  static func encode(_ entry: LedgerEntry) -> SecretValue {
    var writer = JSONWriter()
    writer.beginObject()
    text("at", entry.at.rfc3339, &writer)
    integer("bytes", entry.bytes, &writer)
    text("content", Base16.encode(entry.content), &writer)
    writer.key("counts")
    writer.beginObject()
    for (kind, count) in entry.counts.sorted(by: { utf8Precedes($0.key.rawValue, $1.key.rawValue) }) {
      integer(kind.rawValue, Int64(count), &writer)
    }
    writer.endObject()
    text("destination", entry.destination, &writer)
    text("event", entry.event.rawValue, &writer)
    text("format", entry.format, &writer)
    text("name", entry.name, &writer)
    text("previous", Base16.encode(entry.previous), &writer)
    integer("seq", entry.sequence, &writer)
    text("sha256", Base16.encode(entry.sha256), &writer)
    integer("state", entry.state, &writer)
    writer.endObject()
    return writer.finish()
  }

  private static func text(_ key: String, _ value: String, _ writer: inout JSONWriter) {
    writer.key(key)
    writer.string(value)
  }

  private static func integer(_ key: String, _ value: Int64, _ writer: inout JSONWriter) {
    writer.key(key)
    writer.integer(value)
  }

  static func decode(_ json: SecretValue) -> LedgerEntry? {
    guard let root = try? JSONDocument(parsing: json, policy: .strict).root,
      let event = root["event"]?.string.flatMap({ LedgerEntry.Event(rawValue: $0) }),
      let at = root["at"]?.string.flatMap({ Timestamp(rfc3339: $0) }), let destination = root["destination"]?.string,
      let name = root["name"]?.string, let format = root["format"]?.string, let bytes = root["bytes"]?.int64,
      let sha256 = hash(root["sha256"]), let content = hash(root["content"]), let previous = hash(root["previous"]),
      let state = root["state"]?.int64, let sequence = root["seq"]?.int64, let counts = root["counts"]
    else { return nil }
    var numbers: [RecordKind: Int] = [:]
    for (key, value) in counts.members {
      guard let kind = RecordKind(rawValue: key.text), let count = value.int64 else { return nil }
      numbers[kind] = Int(count)
    }
    var entry = LedgerEntry(
      event: event, at: at, destination: destination, name: name, format: format, bytes: bytes, sha256: sha256,
      counts: numbers, content: content, state: state)
    entry.sequence = sequence
    entry.previous = previous
    return entry
  }

  private static func hash(_ value: JSONValue?) -> [UInt8]? {
    value?.string.flatMap { try? Base16.decode($0) }
  }
}
