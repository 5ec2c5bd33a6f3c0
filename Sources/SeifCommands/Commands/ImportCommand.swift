internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifFormats
internal import SeifRecords
internal import SeifVault

/// `seif import FILE`: the entries of a file into the vault, by a plan that is whole before anything is written.
struct ImportCommand: Command {
  static let name = "import"
  static let summary = "take the entries of a file into the vault"
  static let usage = """
    seif import FILE [OPTIONS]

    Opens FILE as `seif open` does and adds what the vault doesn't have yet. Nothing in
    the vault is overwritten: what differs is kept twice or joins the notes, and of two
    counters the higher one stays. What lies in the bin stays there unless you say
    --from-bin, what was deleted for good stays so unless you say --deleted-too.
    --dry-run only says what would happen.

    A vault that is open in the agent takes them after a yes, and FILE's own passphrase.
    --passphrase-fd and --passphrase-file speak of FILE, --vault-passphrase-fd and
    --vault-passphrase-file of the vault.
    """
  static let dryRun = Option.flag("dry-run", "say what would happen and write nothing")
  static let fromBin = Option.flag("from-bin", "bring back what lies in the bin")
  static let deletedToo = Option.flag("deleted-too", "bring back what was deleted for good")
  static var options: [Option] {
    [dryRun, fromBin, deletedToo] + OpeningOptions.options + UnlockOptions.optionsBesideFile + OutputOptions.options
  }

  private let file: String
  private let isDryRun: Bool
  private let fromBin: Bool
  private let deletedToo: Bool
  private let opening: OpeningOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    file = try arguments.positional("FILE")
    isDryRun = arguments.flag(Self.dryRun)
    fromBin = arguments.flag(Self.fromBin)
    deletedToo = arguments.flag(Self.deletedToo)
    opening = try OpeningOptions(&arguments)
    unlock = try UnlockOptions(&arguments, besideFile: ())
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    // A vault that isn't there is said before a passphrase is asked for.
    let header = try BackupOpening.readHeader(file, opening, context)
    let vault = try unlock.use(isDryRun ? .readOnly : .readWrite, context)
    defer { vault.lock() }
    let backup = try BackupOpening.open(header, file, opening, context)
    BackupOpening.report(backup, context)
    let options = ImportOptions(fromBin: fromBin, deletedToo: deletedToo, isDryRun: isDryRun)
    let report = try withVault(folder) { () throws(VaultUseError) in try vault.merge(backup.records, options) }
    let damage = VaultDamage(lines: report.damage).tell(context)
    try MergeReport(
      command: "seif import \(BackupOpening.shown(file))", options: options,
      next: "seif backup create --destination FOLDER"
    ).show(report, backup, output, context)
    return backup.problems.isEmpty ? damage.exitCode : .partial
  }
}
