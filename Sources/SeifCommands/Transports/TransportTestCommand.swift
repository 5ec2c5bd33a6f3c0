internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifTransports
internal import SeifVault

/// `seif transport test PLACE`: whether a destination does what backups need.
struct TransportTestCommand: Command {
  static let name = "transport test"
  static let summary = "try out whether a destination does what backups need"
  static let usage = """
    seif transport test PLACE [OPTIONS]

    Stores files of the test's own at the destination, reads them back, lists, overwrites and
    removes them, and says which rules hold. PLACE is a destination of the vault or a folder.
    Exit code 2: a rule doesn't hold. Whether the place refuses to overwrite is noted in the
    vault: without it the names of backups get random digits.
    """
  static let full = Option.flag("full", "more: files of up to 16 MB, and over 1,000 of them")
  static let yes = Option.flag("yes", "a destination that came with a file may be used: don't ask")
  static var options: [Option] { [full, yes] + UnlockOptions.options + OutputOptions.options }

  private let destination: DestinationOptions
  private let extent: TransportConformance.Extent
  private let isYes: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    destination = try DestinationOptions(named: arguments.positional("PLACE"))
    extent = arguments.flag(Self.full) ? .full : .short
    isYes = arguments.flag(Self.yes)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    guard destination.isNamed else { return try local(destination.local().0, context) }
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    guard
      case (let id, var settings, let isImported)? = try TransportItem.settings(
        named: destination.name, in: vault, folder, importedToo: true)
    else {
      // A folder of this name can be meant, as with backups.
      return try local(destination.transport(vault, folder, context).0, context)
    }
    if isImported { try lookAt(settings, context) }
    settings.keepSecret = TransportItem.keeper(of: id, in: vault)
    let report = try TransportTrial(registry: context.transports).run(settings, extent) { try? tell($0, context) }
    try note(report, id, vault, folder)
    return try show(report, settings, context)
  }

  private func local(_ transport: any BackupTransport, _ context: Context) throws(CommandFailure) -> ExitCode {
    guard transport.fixedName == nil else {
      throw CommandFailure(
        .usage, "\(destination.name) holds a single file, which a trial can't overwrite",
        hint: "Try the folder in which it lies.")
    }
    var report = TransportTrial.Report(createsConditionally: transport.createsConditionally)
    try TransportTrial.run(transport, extent, into: &report, name: destination.name) { try? tell($0, context) }
    return try show(report, TransportSettings(name: destination.name, kind: transport.id), context)
  }

  /// Each rule once: as it was found, or for `--json` as it is tried. An output that can't be written to is told in the end.
  private func tell(_ step: TransportTrial.Step, _ context: Context) throws(CommandFailure) {
    switch step {
    case .asking(let place): context.talk.say("asking \(place)")
    case .trying(let rule): if output.json { context.talk.say(rule) }
    case .tried(let rule, let finding):
      guard !output.json else { return }
      let sign = (finding == nil ? Sign.ok : Sign.warn).text(context.output.style)
      try context.output.writeLine("\(sign) \(rule)" + (finding.map { ": \($0)" } ?? ""))
      try context.output.flush()
    }
  }

  /// What came with a file is shown before anything of it is spoken to or run.
  private func lookAt(_ settings: TransportSettings, _ context: Context) throws(CommandFailure) {
    let values = settings.values.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
    context.talk.warn("\(settings.name) came with a file: \(settings.kind)")
    for (field, value) in values { context.talk.item("-", "\(field): \(Display.cleaned(value))") }
    if isYes { return }
    guard try context.confirm("Is this yours, and may it be used?", insteadGive: "--yes") else {
      throw CommandFailure(.interrupted, "nothing was tried", hint: "Forget it: seif transport remove \(settings.name)")
    }
  }

  private func note(
    _ report: TransportTrial.Report, _ id: UUID, _ vault: any UnlockedVault, _ folder: String
  ) throws(CommandFailure) {
    try withVault(folder) { () throws(VaultUseError) in
      let read = try vault.entry(id)
      guard case .password(let login) = read.stored.entry else { return }
      let noted = TransportItem.approved(
        TransportItem.noting(report.createsConditionally, place: report.place, in: login))
      guard noted != login else { return }
      _ = try vault.apply([.replace(id, .password(noted))], ifCounterIs: read.counter)
    }
  }

  private func show(
    _ report: TransportTrial.Report, _ settings: TransportSettings, _ context: Context
  ) throws(CommandFailure) -> ExitCode {
    if output.json {
      try context.output.writeLine(json: TransportDocument.trial("seif-transport-test", settings, report))
    } else {
      if !report.createsConditionally {
        context.talk.say(
          "The place itself doesn't refuse a name that is taken: Seif looks first, and names of backups get random digits."
        )
      }
    }
    return report.isGood ? .done : .checkFailed
  }
}
