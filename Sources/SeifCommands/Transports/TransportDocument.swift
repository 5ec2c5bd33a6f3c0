internal import SeifCommandLine
internal import SeifBackups
internal import SeifBytes

/// Destinations and what was found out about them, for `--json`.
enum TransportDocument {
  static func trial(_ schema: String, _ settings: TransportSettings, _ report: TransportTrial.Report?) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema(schema, 1)
    writer.member("name", settings.name)
    writer.member("kind", settings.kind)
    if let report {
      writer.member("refusesOverwriting", report.createsConditionally)
      writer.key("rules")
      writer.beginArray()
      for row in report.rows {
        writer.beginObject()
        writer.member("rule", row.rule)
        writer.member("holds", row.finding == nil)
        if let finding = row.finding { writer.member("finding", finding) }
        writer.endObject()
      }
      writer.endArray()
    }
    writer.endObject()
    return writer.finish()
  }

  /// One row of a list.
  struct Row {
    var name: String
    var kind: String
    var place: String
    var refusesOverwriting: Bool
    /// Whether it came with a file and nobody has looked at it yet.
    var isImported = false
  }

  static func list(_ rows: [Row]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-transport-list", 1)
    writer.key("transports")
    writer.beginArray()
    for row in rows {
      writer.beginObject()
      writer.member("name", row.name)
      writer.member("kind", row.kind)
      writer.member("place", row.place)
      writer.member("refusesOverwriting", row.refusesOverwriting)
      writer.member("imported", row.isImported)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
