internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats
internal import SeifRecords
internal import SeifVault

/// `seif backup create`: a new backup that counts once it has come back and opened.
struct BackupCreateCommand: Command {
  static let name = "backup create"
  static let summary = "make a backup and prove that it opens"
  static let usage = """
    seif backup create --destination PLACE [OPTIONS]

    Writes the whole vault as an AuthBackup file, reads it back from where it lies, opens
    it and compares every record. Only then it is a proven backup. Then old proven backups
    may go: ten stay, and one for each of 7 days, 4 weeks and 12 months (--keep-…); three always.
    Each is compared with what was proven first. Nothing goes where one is missing or altered
    or can't be read (exit code 2 where that is new), where the vault isn't as it was last
    written, where a list is much shorter than in a backup that is kept (--accept-shrunk), or
    where the clock doesn't fit the ledger (--accept-clock).

    With --self-opening the file is a page that opens in any browser, offline, by the
    passphrase: see docs/formats/self-opening.md.

    --passphrase-fd opens the vault, --new-passphrase-fd seals the backup.

    --snapshot stores a copy of the vault as it is, which the vault's own passphrase or
    recovery code opens, and asks for no passphrase of a backup. A vault that is open in the
    agent needs none at all, at destinations approved by `seif backup schedule`; without
    --destination the copy goes to all of these. With --keep-… or --accept-… the vault is
    opened here: the agent takes no command's word.
    """
  static let selfOpening = Option.flag("self-opening", "make the file a page that opens itself in a browser")
  static let snapshot = Option.flag("snapshot", "a sealed copy of the vault, opened by its own ways in")
  static var options: [Option] {
    DestinationOptions.options + [selfOpening, snapshot] + RetentionOptions.options + AcceptOptions.creating
      + UnlockOptions.options + NewPassphraseOptions.options + OutputOptions.options
  }

  private let destination: DestinationOptions?
  private let isSelfOpening: Bool
  private let isSnapshot: Bool
  private let retention: RetentionOptions
  private let accept: AcceptOptions
  private let unlock: UnlockOptions
  private let passphrase: NewPassphraseOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    isSnapshot = arguments.flag(Self.snapshot)
    let isForAll = isSnapshot && arguments.value(DestinationOptions.destination) == nil
    destination = isForAll ? nil : try DestinationOptions(&arguments)
    isSelfOpening = arguments.flag(Self.selfOpening)
    guard !isSelfOpening || !isSnapshot else {
      throw UsageError("--self-opening and --snapshot are two kinds of files: one of them")
    }
    retention = try RetentionOptions(&arguments)
    accept = AcceptOptions(AcceptOptions.creating, &arguments)
    unlock = try UnlockOptions(&arguments)
    passphrase = try NewPassphraseOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    guard let destination, !isSnapshot else {
      return try SnapshotCreate(
        destination: destination, accepting: accept.accepting, rule: retention.rule, unlock: unlock, output: output
      ).run(context)
    }
    return try run(destination, context)
  }

  private func run(_ destination: DestinationOptions, _ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let writer: any BackupWriter = isSelfOpening ? try SelfOpeningTemplate.writer(context) : AuthBackupWriter()
    // A path is looked at before anybody is asked for a passphrase; a name needs the vault.
    if !destination.isNamed { try check(destination.local().0, destination) }
    let vault = try unlock.unlockForLedger(context)
    defer { vault.lock() }
    let (transport, place) = try destination.transport(DirectVault(vault), folder, context)
    try check(transport, destination)
    // The ledger says what may go, so it is checked whole, and everything else too.
    let faults = try Self.faults(of: vault, folder, context)
    let random = RandomSource.system
    let isPerson = passphrase.source == .person
    let secret = try passphrase.obtain(
      for: "the backup",
      guesses: GuessingCost(of: writer.identifier, version: writer.version), context,
      random: isPerson ? { random.makeBytes($0) } : nil)
    let records = try withVaultErrors(folder) { () throws(VaultError) in try vault.records() }
    let damage = VaultDamage(vault)
    guard damage.lines.isEmpty else {
      throw CommandFailure(
        .checkFailed, "no backup was made: the vault is damaged, and a backup would lack what doesn't open",
        hint: "Older backups are as they were. Look with: seif doctor", details: damage.lines)
    }
    var options = WritingOptions(exportedAt: Timestamp(seconds: context.clock.now()))
    // The number is stored before the file leaves: a file whose number was never used is harmless, two with one aren't.
    let link = try withVaultErrors(folder) { () throws(VaultError) in try vault.nextBackupLink() }
    options.link = link
    let service = BackupService(
      transport: transport, ledger: VaultLedger(vault: vault, sequence: link.sequence), destination: place)
    let report: BackupReport
    let unfinished = UnfinishedBackup(destination: destination.name)
    defer { unfinished.end() }
    do {
      report = try service.create(
        records, writer: writer, options: options, passphrase: secret, mayPrune: faults.isEmpty,
        accepting: accept.accepting, rule: retention.rule
      ) { stage in
        unfinished.note(stage)
        if let words = Self.words(stage) { context.talk.say(words) }
      }
    } catch let failure as BackupFailure {
      throw CommandFailure(failure, destination: destination.name, of: records)
    } catch let error as VaultError {
      throw CommandFailure(error, folder: folder)
    }
    try show(report, records, faults, destination, context)
    return faults.isEmpty && !report.isAlarming ? .done : .checkFailed
  }

  private func check(
    _ transport: any BackupTransport, _ destination: DestinationOptions
  ) throws(CommandFailure) {
    do throws(BackupFailure) {
      try BackupService.checkPlace(transport)
    } catch {
      throw CommandFailure(error, destination: destination.name)
    }
  }

  /// What is wrong with the vault; what unlocking didn't find and say already is said here.
  static func faults(
    of vault: Vault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> [VaultFault] {
    if !vault.openingFaults.isEmpty { return vault.openingFaults }
    let faults = try withVaultErrors(folder) { () throws(VaultError) in try vault.verify() }
    for fault in faults { context.talk.warn("\(fault)") }
    return faults
  }

  private static func words(_ stage: BackupStage) -> String? {
    switch stage {
    case .sending, .proven: nil
    case .sealing: "sealing (about 1 s)"
    case .storing: "storing"
    case .proving: "reading it back and opening it"
    case .checking(count: 1): "comparing 1 older backup with its proof"
    case .checking(let count): "comparing \(count) older backups with their proofs"
    }
  }

  private func show(
    _ report: BackupReport, _ records: Records, _ faults: [VaultFault], _ destination: DestinationOptions,
    _ context: Context
  ) throws(CommandFailure) {
    for line in BackupWords.lines(report) {
      if line.isWarning { context.talk.warn(line.text) } else { context.talk.say(line.text) }
    }
    if output.json {
      try context.output.writeLine(json: document(report, faults))
    } else {
      let ok = Sign.ok.text(context.output.style)
      // On a terminal what it says of the name has a line of its own rather than a break in its middle.
      let between = context.output.style.columns == nil ? "  " : "\n        "
      let entries = records.count == 1 ? "1 entry" : "\(records.count) entries"
      try context.output.writeLine(
        "proven  \(report.proof.name)\(between)fetched again and opened \(ok) \(entries)")
    }
    context.talk.hint("seif backup list --destination \(destination.name)")
  }

  private func document(_ report: BackupReport, _ faults: [VaultFault]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-backup", 1)
    writer.member("name", report.proof.name)
    writer.member("destination", report.proof.destination)
    writer.member("sha256", Base16.encode(report.proof.sha256))
    writer.member("bytes", report.proof.byteCount)
    writer.member("proven", true)
    writer.member("at", report.proof.at.rfc3339)
    writer.key("counts")
    writer.beginObject()
    for kind in RecordKind.allCases { writer.member(kind.rawValue, report.proof.counts[kind] ?? 0) }
    writer.endObject()
    writer.member("pruned", report.pruned)
    writer.member("missing", report.missing)
    writer.member("altered", report.altered)
    writer.member("unread", report.unread)
    writer.member("foreign", report.foreign)
    writer.member("listed", report.isListed)
    writer.member("lookedAfter", report.wasLookedAfter)
    writer.member("faults", faults.map { "\($0)" })
    if let refusal = report.refusal { writer.member("retention", "\(refusal)") }
    writer.endObject()
    return writer.finish()
  }
}
