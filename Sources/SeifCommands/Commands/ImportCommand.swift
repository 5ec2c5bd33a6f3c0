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

    --passphrase-fd and --passphrase-file speak of FILE, --vault-passphrase-fd and
    --vault-passphrase-file of the vault.
    """
  static let dryRun = Option.flag("dry-run", "say what would happen and write nothing")
  static let fromBin = Option.flag("from-bin", "bring back what lies in the bin")
  static let deletedToo = Option.flag("deleted-too", "bring back what was deleted for good")
  static var options: [Option] {
    [dryRun, fromBin, deletedToo] + OpeningOptions.options + UnlockOptions.optionsBesideFile + OutputOptions.options
  }

  let file: String
  let isDryRun: Bool
  let fromBin: Bool
  let deletedToo: Bool
  private let opening: OpeningOptions
  private let unlock: UnlockOptions
  let output: OutputOptions

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
    let vault = try unlock.unlock(isDryRun ? .readOnly : .readWrite, context)
    defer { vault.lock() }
    let backup = try BackupOpening.open(header, file, opening, context)
    BackupOpening.report(backup, context)
    var planned = try plan(backup, vault, folder)
    if !isDryRun {
      for attempt in 1...3 {
        do throws(VaultError) {
          _ = try vault.apply(planned.changes, ifCounterIs: planned.counter)
          break
        } catch {
          // What another writer did meanwhile belongs into the plan.
          guard error.code == .changedMeanwhile, attempt < 3 else { throw CommandFailure(error, folder: folder) }
          planned = try plan(backup, vault, folder)
        }
      }
    }
    let damage = VaultDamage(planned.damaged).tell(context)
    let plan = planned.plan
    try show(plan, backup, context)
    return backup.problems.isEmpty ? damage.exitCode : .partial
  }

  /// A plan with what it was made from.
  private struct Planned {
    var plan: MergePlan
    var changes: [VaultChange]
    var damaged: [VaultFault]
    var counter: Int64
  }

  private func plan(_ backup: OpenedBackup, _ vault: Vault, _ folder: String) throws(CommandFailure) -> Planned {
    try withVaultErrors(folder) { () throws(VaultError) in
      let counter = try vault.counter()
      let bin = try vault.bin().map { ($0.id, $0.entry) }
      var damaged = vault.damage
      let entries = try vault.entries().map { ($0.id, $0.entry) }
      // Records look at all that entries do, so what they leave out is all of it.
      let records = try vault.records()
      damaged += vault.damage
      let plan = MergePlan(
        existing: entries, existingUnusable: records.unusable, bin: bin, tombstones: try vault.tombstones(),
        fromBin: fromBin, deletedToo: deletedToo, historyCount: Vault.historyCount, incoming: backup.records)
      return Planned(
        plan: plan, changes: plan.changes(opaque: backup.records.opaque, beside: records.opaque), damaged: damaged,
        counter: counter)
    }
  }
}

extension MergePlan {
  /// The plan as changes of a vault, in one transaction.
  ///
  /// - Parameters:
  ///   - opaque: members of the file that aren't understood.
  ///   - held: those of the vault, which stay as they are; another value of the same key joins them under `key (2)`.
  func changes(opaque: [OpaqueMember], beside held: [OpaqueMember]) -> [VaultChange] {
    var changes: [VaultChange] = []
    // Several entries of the file may have met one of the vault; each item shows what all of them make of it.
    var (restored, replaced): (Set<UUID>, Set<UUID>) = ([], [])
    for item in items {
      switch (item.outcome, item.existing) {
      case (.new, _), (.conflict, _): changes.append(.add(item.entry))
      case (.updated, let existing?):
        if replaced.insert(existing).inserted { changes.append(.replace(existing, item.entry)) }
      case (.restored(let fields), let existing?):
        if restored.insert(existing).inserted { changes.append(.restore(existing)) }
        if !fields.isEmpty, replaced.insert(existing).inserted { changes.append(.replace(existing, item.entry)) }
      case (.updated, nil), (.restored, nil), (.same, _), (.inBin, _), (.deleted, _): break
      }
    }
    changes += unusable.map { .addUnusable($0) }
    let gained = OpaqueMerge.gained(opaque, beside: held)
    if !gained.isEmpty { changes.append(.setOpaque(held + gained)) }
    return changes
  }
}
