internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifFormats
internal import SeifRecords
internal import SeifVault

/// `seif backup restore`: what a backup holds, into the vault.
struct BackupRestoreCommand: Command {
  static let name = "backup restore"
  static let summary = "take what a backup holds into the vault"
  static let usage = """
    seif backup restore [NAME] --destination PLACE [OPTIONS]

    Takes the newest backup there, or the one called NAME. The newest is the last that this
    vault has proven. Where it has proven none, up to five backups are opened and what stands
    sealed in them decides, by one passphrase; another is asked for what it doesn't open; since an old file could pass as the newest then, its time and
    counts are shown and you are asked first (--yes answers).

    Everything is opened and planned before anything is written, and written as one whole.
    Nothing in the vault is overwritten, as with seif import: what is there already is passed
    over, of two counters the higher one stays, what lies in the bin or was deleted comes back
    only by --from-bin or --deleted-too.

    --passphrase-fd and --passphrase-file speak of the backup, --vault-passphrase-fd and
    --vault-passphrase-file of the vault.
    """
  static let yes = Option.flag("yes", "restore a backup that this vault hasn't proven without asking")
  static var options: [Option] {
    DestinationOptions.options + [yes, ImportCommand.dryRun, ImportCommand.fromBin, ImportCommand.deletedToo]
      + OpeningOptions.options + UnlockOptions.optionsBesideFile + OutputOptions.options
  }

  private let name: String?
  private let destination: DestinationOptions
  private let isYes: Bool
  private let plan: ImportOptions
  private let opening: OpeningOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    name = arguments.optionalPositional()
    destination = try DestinationOptions(&arguments)
    isYes = arguments.flag(Self.yes)
    plan = ImportOptions(
      fromBin: arguments.flag(ImportCommand.fromBin), deletedToo: arguments.flag(ImportCommand.deletedToo),
      isDryRun: arguments.flag(ImportCommand.dryRun))
    opening = try OpeningOptions(&arguments)
    unlock = try UnlockOptions(&arguments, besideFile: ())
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    try destination.checkSpelling()
    // To be written in a dry run too: a place can replace the permission with which it was asked.
    let vault = try unlock.use(.readWrite, mayOnlyRead: plan.isDryRun, context)
    defer { vault.lock() }
    let (transport, place) = try destination.transport(vault, folder, context)
    let events = try withVault(folder) { () throws(VaultUseError) in
      try vault.ledger().map { LedgerEvent($0.entry) }
    }
    let backup = try BackupFinder(
      destination: destination, transport: transport, place: place, history: LedgerHistory(events), opening: opening,
      context: context
    ).find(name)
    BackupOpening.report(backup.opened, context)
    try settle(backup, context)
    let report = try withVault(folder) { () throws(VaultUseError) in try vault.merge(backup.opened.records, plan) }
    let damage = VaultDamage(lines: report.damage).tell(context)
    let asked = name.map { " \($0)" } ?? ""
    try MergeReport(
      schema: "seif-backup-restore", command: "seif backup restore\(asked) --destination \(destination.name)",
      options: plan, next: "seif list",
      facts: { writer in
        writer.member("name", backup.name)
        writer.member("proven", backup.proof != nil)
        if let at = backup.opened.exportedAt { writer.member("exportedAt", at.rfc3339) }
      }
    ).show(report, backup.opened, output, context)
    if !plan.isDryRun { try tellDestinations(vault, folder, context) }
    return backup.opened.problems.isEmpty && !backup.hasDoubt ? damage.exitCode : .partial
  }

  /// Names the destinations that have come with a file and aren't used before somebody has looked at them.
  private func tellDestinations(
    _ vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) {
    let (all, used) = try withVault(folder) { () throws(VaultUseError) in
      (try TransportItem.all(in: vault, importedToo: true), try TransportItem.all(in: vault, importedToo: false))
    }
    let names = all.map(\.name).filter { name in !used.contains { utf8Equal($0.name, name) } }
    guard let first = names.first else { return }
    context.talk.say(
      "Destinations that came along, not used until you have looked at them: " + names.joined(separator: ", "))
    context.talk.hint("seif transport test \(first)")
  }

  /// Says which one it is; what isn't proven is the person's to decide.
  private func settle(_ backup: StoredBackup, _ context: Context) throws(CommandFailure) {
    let now = Timestamp(seconds: context.clock.now())
    let made =
      backup.opened.exportedAt.map { "made \(LocalTime.age($0, now: now))" } ?? "it doesn't say when it was made"
    let what = "\(backup.name): \(made), \(RecordTables.summary(backup.opened.records, zeros: false))"
    context.talk.say(what)
    // By its name the person has chosen it.
    guard backup.proof == nil || backup.isOlder, name == nil, !isYes, !plan.isDryRun else { return }
    if backup.hasDoubt { context.talk.warn("files that claim to be newer couldn't be opened") }
    if backup.proof == nil { context.talk.warn("this vault hasn't proven it: an old file can pass as the newest") }
    guard try context.confirm("Restore it?", insteadGive: "--yes") else {
      throw CommandFailure(
        .interrupted, "nothing was restored", hint: "Name one: seif backup list --destination \(destination.name)")
    }
  }
}
