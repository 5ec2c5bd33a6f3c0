internal import SeifCommandLine
internal import SeifBytes
internal import SeifFormats
internal import SeifVault

/// `seif formats`: what is read and written.
struct FormatsCommand: Command {
  static let name = "formats"
  static let summary = "list the formats that are read and written"
  static let usage = """
    seif formats [OPTIONS]

    Lists every format with its versions. Files are recognised by their bytes, never by
    their names.
    """
  static var options: [Option] { OutputOptions.options }

  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let written = Dictionary(grouping: FormatRegistry.writers, by: \.identifier)
    if output.json {
      try context.output.writeLine(json: document(written))
      return .done
    }
    var table = Table([
      Table.Column("format"), Table.Column("written"), Table.Column("sealed"), Table.Column("name", rank: 1),
    ])
    for format in Self.formats {
      if format.identifier == .seifvault {
        table.add([format.identifier.rawValue, "v1", "yes", format.displayName])
        continue
      }
      let writers = written[format.identifier] ?? []
      let versions = Set(writers.map(\.version)).sorted().map { "v\($0)" }
      let sealed: String
      switch (writers.contains(where: \.isSealed), writers.contains { !$0.isSealed }) {
      case (true, true): sealed = "both"
      case (true, false): sealed = "yes"
      case (false, true): sealed = "no"
      case (false, false): sealed = "-"
      }
      table.add([
        format.identifier.rawValue, versions.isEmpty ? "-" : versions.joined(separator: ", "), sealed,
        format.displayName,
      ])
    }
    try context.output.write(table.text(context.output.style))
    return .done
  }

  // Snapshots aren't made of records, so their writer isn't among the others.
  private static let formats = FormatRegistry.formats + [SnapshotFormat()]

  private func document(_ written: [FormatIdentifier: [any BackupWriter]]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-formats", 1)
    writer.key("formats")
    writer.beginArray()
    for format in Self.formats {
      writer.beginObject()
      writer.key("id")
      writer.string(format.identifier.rawValue)
      writer.key("name")
      writer.string(format.displayName)
      writer.key("written")
      writer.beginArray()
      for writable in written[format.identifier] ?? [] {
        writer.beginObject()
        writer.key("version")
        writer.integer(Int64(writable.version))
        writer.key("sealed")
        writer.bool(writable.isSealed)
        writer.endObject()
      }
      if format.identifier == .seifvault {
        writer.beginObject()
        writer.member("version", 1)
        writer.member("sealed", true)
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
