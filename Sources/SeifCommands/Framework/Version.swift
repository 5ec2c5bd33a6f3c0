package import SeifCommandLine
internal import SeifBytes
internal import SeifFormats

extension Version {
  /// What `--version` prints; with `--json` also the schema of neutral records and the formats that this
  /// Seif knows.
  package static func text(json: Bool) -> String {
    guard json else { return line + "\n" }
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("schema")
    writer.string("seif-version")
    writer.key("version")
    writer.integer(1)
    writer.key("seif")
    writer.string(number)
    writer.key("records")
    writer.beginObject()
    writer.key("schema")
    writer.string("seif-records")
    writer.key("version")
    writer.integer(1)
    writer.endObject()
    writer.key("formats")
    writer.beginArray()
    for format in FormatIdentifier.allCases { writer.string(format.rawValue) }
    writer.endArray()
    writer.endObject()
    // EXPOSE: nothing in it is secret.
    return (writer.finish().exposedText() ?? "") + "\n"
  }
}
