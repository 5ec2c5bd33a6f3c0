internal import SeifCommandLine
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
    try InspectionReport(input, reading, file: BackupOpening.shown(file)).show(json: output.json, context)
    return .done
  }
}
