internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifFormats
internal import SeifRecords
internal import SeifVault

/// `seif export --to FORMAT -o OUT`: the vault as a file of some format.
struct ExportCommand: Command {
  static let name = "export"
  static let summary = "write the vault's entries as a file of another format"
  static let usage = """
    seif export --to FORMAT -o OUT [OPTIONS]

    Writes everything in the vault (the bin excepted) as FORMAT and names what it can't
    hold; --json prints every loss by place and name. Every secret goes into the file, so
    you are asked to type a word first, or a script says --yes. A format without a
    passphrase gives a file that anyone can read: that needs --plain too, and destinations
    of backups, with their passwords and tokens, are left out of it.

    --passphrase-fd opens the vault, --new-passphrase-fd seals the file.
    """
  static let plain = Option.flag("plain", "allow a file that anyone can read")
  static let yes = Option.flag("yes", "write the secrets without asking for a word first")
  static var options: [Option] {
    TargetOptions.options + [plain, yes] + UnlockOptions.options + OutputOptions.options
  }

  private let target: TargetOptions
  private let isPlain: Bool
  private let isConfirmed: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    target = try TargetOptions(&arguments)
    isPlain = arguments.flag(Self.plain)
    isConfirmed = arguments.flag(Self.yes)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
    guard let path = target.write.output else { throw UsageError("-o OUT is needed") }
    try WritingDocument.check(output, target)
    if !target.writer.isSealed {
      guard isPlain else {
        throw UsageError("\(target.writer.identifier.rawValue) can be read by anyone: that needs --plain")
      }
      guard path != "-" else { throw UsageError("a file in clear needs a name: -o FILE") }
    }
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    try FileWriting.checkFree(target)
    // Found before anybody is asked for a passphrase.
    if !isConfirmed, TerminalDevice(context) == nil {
      throw CommandFailure(
        .usage, "an export writes every secret of the vault, and there is no terminal to ask for consent",
        hint: "Give --yes.")
    }
    // All secrets leave: a device alone is no consent.
    let vault = try unlock.use(.readOnly, inPerson: true, context)
    defer { vault.lock() }
    var records = try withVault(folder) { () throws(VaultUseError) in try vault.records(for: .export) }
    let damage = vault.tell(context)
    let settings = target.writer.isSealed ? 0 : Self.leaveOutSettings(of: &records)
    if settings > 0 {
      let what = settings == 1 ? "1 setting" : "\(settings) settings"
      context.talk.always("\(what) of Seif left out: destinations' passwords and tokens are for no file in clear")
    }
    let losses = try FileWriting.settleLosses(records, target, context)
    try consent(losses.written, context)
    let now = Timestamp(seconds: context.clock.now())
    let bytes = try FileWriting.seal(records, target, now: now, context)
    try bytes.withBytes { (span) throws(CommandFailure) in
      try Destination.write(
        span, to: target.write.output, replacing: target.write.force, isBinary: false, context)
    }
    if output.json {
      try context.output.writeLine(
        json: WritingDocument.make(
          "seif-export", target, losses: losses, entries: records.count, settingsLeftOut: settings, problems: []))
    }
    context.talk.say(
      .ok,
      "\(losses.written.count) of \(records.count) entries written to \(BackupOpening.shown(output: target.write.output))"
    )
    return losses.isEmpty ? damage.exitCode : .partial
  }

  // What is made for other programs has no use for them, and with a token whoever reads it gets at the backups too.
  private static func leaveOutSettings(of records: inout Records) -> Int {
    let count = records.passwords.count
    records.passwords.removeAll { Entry.password($0).isSetting }
    return count - records.passwords.count
  }

  /// Says what goes where, and has a word typed unless `--yes` stands for it: that a passphrase was typed a moment ago
  /// shows that somebody may read the vault, not that they want its secrets in a file.
  private func consent(_ written: Records, _ context: Context) throws(CommandFailure) {
    if isConfirmed {
      let what = RecordTables.summary(written, zeros: false)
      if !target.writer.isSealed { context.talk.warn("readable to anyone who gets the file: \(what)") }
      return
    }
    try FileWriting.consent(written, target, context)
  }
}
