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
    seif backup create --destination FOLDER [OPTIONS]

    Writes the whole vault as an AuthBackup file, reads it back from where it lies, opens
    it and compares every record. Only then it is a proven backup. Then old proven backups
    may go: ten stay, and one for each of 7 days, 4 weeks and 12 months; three always.

    --passphrase-fd opens the vault, --new-passphrase-fd seals the backup.
    """
  static var options: [Option] {
    DestinationOptions.options + UnlockOptions.options + NewPassphraseOptions.options + OutputOptions.options
  }

  private let destination: DestinationOptions
  private let unlock: UnlockOptions
  private let passphrase: NewPassphraseOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    destination = try DestinationOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
    passphrase = try NewPassphraseOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let (transport, place) = try destination.transport(context)
    let vault = try unlock.unlock(.readWrite, context)
    defer { vault.lock() }
    let writer = AuthBackupWriter()
    let random = RandomSource.system
    let isPerson = passphrase.source == .person
    let secret = try passphrase.obtain(
      for: "the backup",
      guessesPerSecond: SealingSpeed.derivationsPerSecond(writer.identifier, version: writer.version), context,
      random: isPerson ? { random.makeBytes($0) } : nil)
    let records = try withVaultErrors(folder) { () throws(VaultError) in try vault.records() }
    var options = WritingOptions(exportedAt: Timestamp(seconds: context.clock.now()))
    // The number is stored before the file leaves: a file whose number was never used is harmless, two with one aren't.
    let link = try withVaultErrors(folder) { () throws(VaultError) in try vault.nextBackupLink() }
    options.link = link
    let service = BackupService(
      transport: transport, ledger: RememberingLedger(vault: vault, sequence: link.sequence), destination: place)
    let report: BackupReport
    do {
      report = try service.create(records, writer: writer, options: options, passphrase: secret) { stage in
        context.talk.say(Self.words(stage))
      }
    } catch let failure as BackupFailure {
      throw CommandFailure(failure, destination: destination.name)
    } catch let error as VaultError {
      throw CommandFailure(error, folder: folder)
    }
    try show(report, records, context)
    return .done
  }

  private static func words(_ stage: BackupStage) -> String {
    switch stage {
    case .sealing: "sealing (about 1 s)"
    case .storing: "storing"
    case .proving: "reading it back and opening it"
    }
  }

  private func show(
    _ report: BackupReport, _ records: Records, _ context: Context
  ) throws(CommandFailure) {
    for name in report.missing { context.talk.warn("\(name) was proven here and is gone or altered") }
    if let refusal = report.refusal { context.talk.warn("no old backup was removed: \(refusal)") }
    for name in report.pruned { context.talk.say("removed by the rule: \(name)") }
    switch report.foreign.count {
    case 0: break
    case 1: context.talk.say("1 other file there is left alone.")
    case let count: context.talk.say("\(count) other files there are left alone.")
    }
    if output.json {
      try context.output.writeLine(json: document(report))
    } else {
      let ok = Sign.ok.text(context.output.style)
      try context.output.writeLine(
        "proven  \(report.proof.name)  fetched again and opened \(ok) \(records.count) entries")
    }
    context.talk.hint("seif backup list --destination \(destination.name)")
  }

  private func document(_ report: BackupReport) -> SecretValue {
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
    writer.member("foreign", report.foreign)
    if let refusal = report.refusal { writer.member("retention", "\(refusal)") }
    writer.endObject()
    return writer.finish()
  }
}

/// The vault's ledger, which also remembers the file for the chain of backups as soon as it is stored.
private struct RememberingLedger: ProofLedger {
  let vault: Vault
  let sequence: Int64

  func events() throws -> [LedgerEvent] { try VaultLedger(vault: vault).events() }

  func append(_ event: LedgerEvent, records: Records?) throws {
    if event.kind == .stored { try vault.recordBackup(sequence: sequence, sha256: event.sha256) }
    try VaultLedger(vault: vault).append(event, records: records)
  }
}

extension CommandFailure {
  /// Why a backup doesn't count, with the exit code of the command line.
  init(_ failure: BackupFailure, destination: String) {
    switch failure {
    case .notWhole(let losses):
      self.init(
        .badInput, "this format can't hold the whole vault", hint: "Nothing was stored.",
        details: LossText.lines(losses, format: "it"))
    case .notSealed: self.init(.usage, "backups are always sealed", hint: "For a file in clear: seif export --plain")
    case .format(let error): self.init(error, file: "the backup")
    case .selfCheck(let lists):
      self.init(
        .checkFailed, "the new backup doesn't hold what is in the vault (\(lists.joined(separator: ", ")))",
        hint: "Nothing was stored; the vault is as it was.")
    case .transport(let error):
      let code: ExitCode =
        switch error.code {
        case .notFound: .notFound
        case .exists, .noPermission, .notAFolder, .readOnly: .cannotCreate
        case .unavailable: .unavailable
        case .full, .tooLarge, .failed: .ioFailed
        }
      self.init(code, "no backup was made: \(error)", hint: "Older backups are as they were.")
    case .altered(let name):
      self.init(
        .checkFailed, "\(name) came back from \(destination) altered",
        hint: "It doesn't count as a backup, and nothing was removed. Try another destination.")
    case .notProven(let name, let lists):
      self.init(
        .checkFailed, "\(name) came back but isn't proven (\(lists.joined(separator: ", ")))",
        hint: "It doesn't count as a backup, and nothing was removed.")
    }
  }
}
