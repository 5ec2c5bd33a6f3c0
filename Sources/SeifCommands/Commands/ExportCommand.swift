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
    hold. A format without a passphrase gives a file that anyone can read: that needs
    --plain and a yes.

    --passphrase-fd opens the vault, --new-passphrase-fd seals the file.
    """
  static let plain = Option.flag("plain", "allow a file that anyone can read")
  static let yes = Option.flag("yes", "answer yes to the question that --plain asks")
  static var options: [Option] {
    TargetOptions.options + [plain, yes] + UnlockOptions.options + [OutputOptions.quiet]
  }

  private let target: TargetOptions
  private let isPlain: Bool
  private let isConfirmed: Bool
  private let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    target = try TargetOptions(&arguments)
    isPlain = arguments.flag(Self.plain)
    isConfirmed = arguments.flag(Self.yes)
    unlock = try UnlockOptions(&arguments)
    guard let output = target.write.output else { throw UsageError("-o OUT is needed") }
    if !target.writer.isSealed {
      guard isPlain else {
        throw UsageError("\(target.writer.identifier.rawValue) can be read by anyone: that needs --plain")
      }
      guard output != "-" else { throw UsageError("a file in clear needs a name: -o FILE") }
    }
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    try FileWriting.checkFree(target)
    let vault = try unlock.use(.readOnly, context)
    defer { vault.lock() }
    let records = try withVault(folder) { () throws(VaultUseError) in try vault.records(for: .export) }
    let damage = vault.tell(context)
    let losses = try FileWriting.settleLosses(records, target, context)
    if !target.writer.isSealed {
      context.talk.warn("readable to anyone who gets the file: \(RecordTables.summary(records))")
      if !isConfirmed {
        guard try context.confirm("Write it in clear?", default: false, insteadGive: "--yes") else {
          throw CommandFailure(.interrupted, "nothing was written")
        }
      }
    }
    let now = Timestamp(seconds: context.clock.now())
    let bytes = try FileWriting.seal(records, target, now: now, context)
    try bytes.withBytes { (span) throws(CommandFailure) in
      try Destination.write(
        span, to: target.write.output, replacing: target.write.force, isBinary: false, context)
    }
    context.talk.say(.ok, "Written to \(BackupOpening.shown(output: target.write.output)).")
    return losses.isEmpty ? damage.exitCode : .partial
  }
}
