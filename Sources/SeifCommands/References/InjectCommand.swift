internal import SeifCommandLine
internal import SeifBytes

/// `seif inject`: a template with its references filled in.
struct InjectCommand: Command {
  static let name = "inject"
  static let summary = "fill the references of a template"
  static let usage = """
    seif inject [-i TEMPLATE] [-o OUT] [OPTIONS]

    Copies TEMPLATE (else standard input) to OUT (else standard output) with a value in the
    place of each {{ seif://ITEM/FIELD }}. Everything else stays as it is, byte by byte.
    OUT is readable to you alone and appears whole or not at all. Nothing is written unless
    every reference has a value (66).
    """
  static let input = Option.value("input", "TEMPLATE", short: "i", "the template; - for standard input")
  static var options: [Option] { [input] + WriteOptions.options + UnlockOptions.options + [OutputOptions.quiet] }
  /// The largest template: 8 MiB.
  private static let byteLimit = 8 << 20

  private let input: String
  private let write: WriteOptions
  private let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    input = arguments.value(Self.input) ?? "-"
    write = try WriteOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    try Destination.checkFree(write.output, replacing: write.force)
    let text = try InputFile.read(input, context, byteLimit: Self.byteLimit)
    let name = input == "-" ? "standard input" : input
    let template: Template
    do throws(Template.Fault) { template = try Template(text) } catch {
      throw CommandFailure(
        .badInput, "\(name), line \(error.line), column \(error.column): \(error.what)", hint: "Nothing was written.")
    }
    if template.references.isEmpty { context.talk.warn("\(name) has no {{ seif://ITEM/FIELD }}") }
    let values = try ReferenceValues(
      template.references, unlock: unlock, otherwise: "Nothing was written.", context)
    let filled = template.filled { values[$0] }
    try filled.withBytes { (bytes) throws(CommandFailure) in
      try Destination.write(bytes, to: write.output, replacing: write.force, isBinary: false, context)
    }
    return .done
  }
}
