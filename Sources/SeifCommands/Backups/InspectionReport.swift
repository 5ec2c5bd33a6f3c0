internal import SeifCommandLine
internal import SeifBytes
internal import SeifFormats

/// What a file's outside tells, for `inspect` and `backup inspect`.
struct InspectionReport {
  private let inspection: Inspection
  private let name: String

  /// - Parameter file: how it is called in messages.
  init(_ input: FormatInput, _ reading: ReadingOptions, file: String) throws(CommandFailure) {
    do throws(FormatError) {
      let header = try FormatRegistry.read(input, options: reading)
      let formats = FormatRegistry.formats + reading.further
      name = formats.first { $0.identifier == header.header.format }?.displayName ?? header.header.format.rawValue
      inspection = Inspection(
        header, isSelfOpening: input.isSelfOpening,
        guessesPerSecond: try GuessingCost.measured { () throws(FormatError) in
          try Inspection.deriveOnce(header.header)
        })
    } catch {
      throw CommandFailure(error, file: file)
    }
  }

  /// - Parameter source: of a file that was fetched: its name, and since when its bytes are proven.
  func show(
    json: Bool, source: (name: String, provenAt: Timestamp?)? = nil, _ context: Context
  ) throws(CommandFailure) {
    guard json else {
      if let source { try context.output.writeField("name", source.name, width: 11) }
      for (label, text) in lines { try context.output.writeField(label, text, width: 11) }
      return
    }
    let header = inspection.header
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema(source == nil ? "seif-inspect" : "seif-backup-inspect", 1)
    if let source {
      writer.member("name", source.name)
      writer.member("proven", source.provenAt != nil)
      if let at = source.provenAt { writer.member("provenAt", at.rfc3339) }
    }
    writer.member("format", header.format.rawValue)
    writer.member("formatVersion", header.version)
    if let variant = header.variant { writer.member("variant", variant) }
    if inspection.isSelfOpening { writer.member("selfOpening", true) }
    writer.member("sealed", header.isSealed)
    writer.member("keyDerivation", inspection.keyDerivation)
    writer.member("bound", inspection.bound)
    writer.member("notBound", inspection.notBound)
    writer.member("inClear", inspection.inClear)
    writer.member("weaknesses", inspection.weaknesses)
    if let speed = inspection.guessesPerSecond {
      writer.member("millisecondsPerGuess", max(1, Int((1000 / speed).rounded())))
    }
    writer.endObject()
    try context.output.writeLine(json: writer.finish())
  }

  private var lines: [(String, String)] {
    let header = inspection.header
    var lines = [("format", "\(name) \(header.version)" + (header.variant.map { ", \($0)" } ?? ""))]
    if inspection.isSelfOpening { lines.append(("file", "a page that opens it in a browser")) }
    lines.append(("opening", inspection.keyDerivation))
    lines.append(("bound", inspection.bound.isEmpty ? "nothing" : inspection.bound.joined(separator: ", ")))
    if !inspection.notBound.isEmpty { lines.append(("not bound", inspection.notBound.joined(separator: ", "))) }
    lines.append(("in clear", inspection.inClear.isEmpty ? "no names" : inspection.inClear.joined(separator: ", ")))
    if let speed = inspection.guessesPerSecond {
      let time = speed > 1000 ? "less than 1 ms" : "about \(Int((1000 / speed).rounded())) ms"
      lines.append(("one guess", "\(time) on this machine"))
    }
    for weakness in inspection.weaknesses { lines.append(("weak", weakness)) }
    return lines
  }
}
