internal import SeifCommandLine
internal import SeifBytes
internal import SeifFormats
internal import SeifRecords

/// `seif convert IN --to FORMAT -o OUT`: from any format that is read to any that is written, without a vault.
struct ConvertCommand: Command {
  static let name = "convert"
  static let summary = "turn a file of one format into another, naming what the target can't hold"
  static let usage = """
    seif convert IN --to FORMAT -o OUT [OPTIONS]

    Opens IN and writes its entries as another format. What the target can't hold is
    named, and IN is left as it is. Formats without a passphrase (json, uri-list) give a
    file that anyone can read: on a terminal you are asked to type a word first, or say
    --yes. IN and OUT may be - for standard input and output. --json prints every loss by place and name.
    """
  static let yes = Option.flag("yes", "write a file that anyone can read without asking for a word first")
  static var options: [Option] { [yes] + TargetOptions.options + OpeningOptions.options + OutputOptions.options }

  private let file: String
  private let opening: OpeningOptions
  private let target: TargetOptions
  private let output: OutputOptions
  private let isConfirmed: Bool

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    file = try arguments.positional("IN")
    opening = try OpeningOptions(&arguments)
    target = try TargetOptions(&arguments)
    output = try OutputOptions(&arguments)
    isConfirmed = arguments.flag(Self.yes)
    guard target.write.output != nil else { throw UsageError("-o OUT is needed; - for standard output") }
    try WritingDocument.check(output, target)
  }

  func run(_ context: Context) throws -> ExitCode {
    try FileWriting.checkFree(target)
    let backup = try BackupOpening.open(file, opening, context)
    BackupOpening.report(backup, context)
    let records = backup.records
    let losses = try FileWriting.settleLosses(records, target, context)
    // A script has said the format; whom it is said to is a person who may not know what it means.
    if !target.writer.isSealed, !isConfirmed, context.talk.style.isTerminal, TerminalDevice(context) != nil {
      try FileWriting.consent(losses.written, target, context)
    }
    let now = Timestamp(seconds: context.clock.now())
    let bytes: SecretValue
    if target.writer.identifier == .json {
      bytes = NeutralJSON.write(
        source: SourceFacts(backup), records: records, problems: backup.problems, losses: losses.all, reveal: true)
    } else {
      bytes = try FileWriting.seal(records, target, now: now, context)
    }
    try bytes.withBytes { (span) throws(CommandFailure) in
      try Destination.write(
        span, to: target.write.output, replacing: target.write.force, isBinary: false, context)
    }
    if output.json {
      try context.output.writeLine(
        json: WritingDocument.make(
          "seif-convert", target, losses: losses, entries: records.count, problems: backup.problems))
    }
    context.talk.say(
      .ok,
      "\(losses.written.count) of \(records.count) entries written to \(BackupOpening.shown(output: target.write.output))"
    )
    if !target.writer.isSealed { context.talk.warn("anyone who has that file can read it") }
    if losses.isEmpty, backup.problems.isEmpty { return .done }
    context.talk.say("Keep \(BackupOpening.shown(file)) until you've checked.")
    return .partial
  }
}
