internal import SeifBytes
internal import SeifFormats

/// `seif inspect FILE`: what can be said of a file without its passphrase.
struct InspectCommand: Command {
  static let name = "inspect"
  static let summary = "say what a backup's outside tells, without its passphrase"
  static let usage = """
    seif inspect FILE [OPTIONS]

    Says the format, how the key is made and what one guess costs on this machine, what
    the passphrase's tag binds, and what anyone can read. Nothing said here is proven:
    that needs the passphrase.
    """
  static var options: [Option] {
    [OpeningOptions.format, OpeningOptions.allowCost] + OutputOptions.options
  }

  private let file: String
  private let reading: ReadingOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    file = try arguments.positional("FILE")
    reading = try OpeningOptions.reading(arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let input = FormatInput(try InputFile.read(file, context))
    let inspection: Inspection
    do throws(FormatError) {
      let header = try FormatRegistry.read(input, options: reading)
      inspection = Inspection(
        header,
        guessesPerSecond: try GuessingCost.measured { () throws(FormatError) in
          try Inspection.deriveOnce(header.header)
        })
    } catch {
      throw CommandFailure(error, file: BackupOpening.shown(file))
    }
    try show(inspection, context)
    return .done
  }

  private func show(_ inspection: Inspection, _ context: Context) throws {
    let header = inspection.header
    let formats = FormatRegistry.formats + reading.further
    let name = formats.first { $0.identifier == header.format }?.displayName ?? header.format.rawValue
    guard output.json else {
      var lines = [("format", "\(name) \(header.version)" + (header.variant.map { ", \($0)" } ?? ""))]
      lines.append(("opening", inspection.keyDerivation))
      lines.append(("bound", inspection.bound.isEmpty ? "nothing" : inspection.bound.joined(separator: ", ")))
      if !inspection.notBound.isEmpty { lines.append(("not bound", inspection.notBound.joined(separator: ", "))) }
      lines.append(("in clear", inspection.inClear.isEmpty ? "no names" : inspection.inClear.joined(separator: ", ")))
      if let speed = inspection.guessesPerSecond {
        let time = speed > 1000 ? "less than 1 ms" : "about \(Int((1000 / speed).rounded())) ms"
        lines.append(("one guess", "\(time) on this machine"))
      }
      for weakness in inspection.weaknesses { lines.append(("weak", weakness)) }
      for (label, text) in lines { try context.output.writeField(label, text, width: 11) }
      return
    }
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-inspect", 1)
    writer.member("format", header.format.rawValue)
    writer.member("formatVersion", header.version)
    if let variant = header.variant { writer.member("variant", variant) }
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
}
