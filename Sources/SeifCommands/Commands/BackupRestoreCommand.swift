internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifVault

/// `seif backup restore`: what a backup holds, into the vault.
struct BackupRestoreCommand: Command {
  static let name = "backup restore"
  static let summary = "take what a backup holds into the vault"
  static let usage = """
    seif backup restore [NAME] --destination PLACE [OPTIONS]
    seif backup restore --automatic [OPTIONS]

    Takes the newest backup there, or the one called NAME. The newest is the last that this
    vault has proven. Where it has proven none, up to five backups are opened and what stands
    sealed in them decides, by one passphrase; another is asked for what it doesn't open.
    Since an old file could pass as the newest then, its time and counts are shown and you
    are asked first (--yes answers).

    Everything is opened and planned before anything is written, and written as one whole.
    Nothing in the vault is overwritten, as with seif import: what is there already is passed
    over, of two counters the higher one stays, what lies in the bin or was deleted comes back
    only by --from-bin or --deleted-too.

    --automatic looks at the destination that seif backup automatic has chosen for the newest
    backup that another machine made. What was restored before isn't restored again; where
    the destination has gone back to an older one the exit code is 2, and nothing is asked.

    --passphrase-fd and --passphrase-file speak of the backup, --vault-passphrase-fd and
    --vault-passphrase-file of the vault.
    """
  static let yes = Option.flag("yes", "restore a backup that this vault hasn't proven without asking")
  static let automatic = Option.flag("automatic", "the newest that another machine made, where the vault says to look")
  static var options: [Option] {
    DestinationOptions.options + [
      automatic, yes, ImportCommand.dryRun, ImportCommand.fromBin, ImportCommand.deletedToo,
    ]
      + OpeningOptions.options + UnlockOptions.optionsBesideFile + OutputOptions.options
  }

  private let name: String?
  /// Nil: the one that the vault has chosen.
  private let destination: DestinationOptions?
  private let isYes: Bool
  private let plan: ImportOptions
  private let opening: OpeningOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    name = arguments.optionalPositional()
    if arguments.flag(Self.automatic) {
      guard name == nil, arguments.value(DestinationOptions.destination) == nil else {
        throw UsageError("--automatic says which backup: NAME and --destination are too many")
      }
      destination = nil
    } else {
      destination = try DestinationOptions(&arguments)
    }
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
    try destination?.checkSpelling()
    // To be written in a dry run too: a place can replace the permission with which it was asked.
    let vault = try unlock.use(.readWrite, mayOnlyRead: plan.isDryRun, context)
    defer { vault.lock() }
    guard let destination else { return try automatic(vault, folder, context) }
    let (transport, place) = try destination.transport(vault, folder, context)
    let asked = name.map { " \($0)" } ?? ""
    return try RestoreRun(
      destination: destination, transport: transport, place: place, opening: opening, plan: plan, isYes: isYes,
      output: output, command: "seif backup restore\(asked) --destination \(destination.name)"
    ).run(name, .unproven(isNamed: name != nil), into: vault, folder, context)
  }

  // MARK: - What the policy says

  private func automatic(
    _ vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> ExitCode {
    guard let choice = try RestoreChoice.find(in: vault, folder) else {
      throw CommandFailure(
        .notFound, "no destination is chosen for automatic restore",
        hint: "seif backup automatic --destination NAME")
    }
    let offer = try RestoreOffer(choice, unlock.location(context), in: vault, folder, context)
    switch offer.sight.decision {
    case .offer, .ask:
      return try offer.run(
        opening: opening, plan: plan, isYes: isYes, output: output, command: "seif backup restore --automatic",
        into: vault, folder, context)
    case .refused(let marker, let refusal):
      throw CommandFailure(
        .checkFailed, "\(choice.name): \(RestoreSight.words(marker, refusal))",
        hint: "seif backup list --destination \(choice.name). What was seen is forgotten by: "
          + "seif backup automatic --destination \(choice.name)")
    default: break
    }
    if output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-backup-restore", 1)
      writer.member("decision", offer.sight.decisionName)
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
    }
    context.talk.say(offer.sight.idleWords(at: choice.name, now: Timestamp(seconds: context.clock.now())))
    return .done
  }
}
