internal import SeifBytes
public import SeifRecords

/// Compares two sets of records by the text that a whole backup would hold of them.
public enum RecordComparison {
  /// The lists in which something differs; empty: every record came back equal.
  public static func differences(_ left: Records, _ right: Records) -> [String] {
    var names: [String] = []
    for kind in RecordKind.allCases where text(kind, left) != text(kind, right) { names.append(kind.rawValue) }
    if opaque(left) != opaque(right) { names.append("unknown members") }
    return names
  }

  private static func text(_ kind: RecordKind, _ records: Records) -> SecretValue {
    var writer = JSONWriter(capacity: 4096)
    EntryEncoding.encode(kind, of: records, into: &writer)
    return writer.finish()
  }

  private static func opaque(_ records: Records) -> SecretValue {
    var writer = JSONWriter()
    writer.beginObject(opaque: records.opaque)
    writer.endObject()
    return writer.finish()
  }
}
