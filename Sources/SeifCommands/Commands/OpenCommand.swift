internal import SeifCommandLine
internal import SeifBytes
internal import SeifFormats
internal import SeifRecords

/// `seif open FILE`: what a backup holds, with codes. Writes nothing anywhere and needs no vault and no home folder.
struct OpenCommand: Command {
  static let name = "open"
  static let summary = "show what a backup of any known format holds, with codes"
  static let usage = """
    seif open FILE [OPTIONS]

    Opens a backup, asks for its passphrase if it has one, and shows its entries with
    their one-time codes. Nothing is saved anywhere. Secrets are masked unless you say
    --reveal. FILE may be - for standard input. In a pipe each line begins with its kind:
    code, login, card, note or document.

    Codes of counter-based accounts are those of the counter in the file: each is good
    once, and using it makes the file's counter old.
    """
  static var options: [Option] {
    OpeningOptions.options + RevealOptions.options + ClockOptions.options + OutputOptions.options
  }

  private let file: String
  private let opening: OpeningOptions
  private let reveal: RevealOptions
  private let clock: ClockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    file = try arguments.positional("FILE")
    opening = try OpeningOptions(&arguments)
    reveal = try RevealOptions(&arguments)
    clock = try ClockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let backup = try BackupOpening.open(file, opening, context)
    let time = Timestamp(seconds: clock.clock(context).now())
    if output.json {
      let document = NeutralJSON.write(
        source: SourceFacts(backup), records: backup.records, problems: backup.problems, reveal: reveal.reveal,
        codesAt: time)
      try document.withBytes { (bytes) throws(CommandFailure) in try context.output.write(raw: bytes) }
    } else {
      let tables = RecordTables(at: time, reveals: reveal.reveal, style: context.output.style)
      try context.output.write(tables.text(backup.records))
      try context.output.flush()
      context.talk.say(RecordTables.summary(backup.records) + ". Nothing saved.")
    }
    BackupOpening.report(backup, context)
    let records = backup.records
    let hasMasks = !(records.passwords.isEmpty && records.cards.isEmpty && records.notes.isEmpty)
    if !reveal.reveal, !output.json, hasMasks { context.talk.hint("seif open --reveal \(BackupOpening.shown(file))") }
    return backup.problems.isEmpty ? .done : .partial
  }
}
