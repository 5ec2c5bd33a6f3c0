internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifFormats
internal import SeifRecords
internal import SeifVault

/// A restore from a place into a vault that is open: which file, with what question, and what is said of it.
struct RestoreRun {
  /// What is asked before anything is written.
  enum Question {
    /// Whether to take a file that nothing proves; one that the person named, or that this vault has proven, is taken.
    case unproven(isNamed: Bool)
    /// Whether to take what the policy offers: into an empty vault, or beside so many entries.
    case offered(besides: Int)
  }

  let destination: DestinationOptions
  let transport: any BackupTransport
  /// The destination's name in the ledger.
  let place: String
  let opening: OpeningOptions
  let plan: ImportOptions
  let isYes: Bool
  let output: OutputOptions
  /// The command, as typed.
  let command: String

  /// - Parameter name: the file that is meant; nil: the newest.
  func run(
    _ name: String?, _ question: Question, into vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> ExitCode {
    let events = try withVault(folder) { () throws(VaultUseError) in
      try vault.ledger().map { LedgerEvent($0.entry) }
    }
    let backup = try BackupFinder(
      destination: destination, transport: transport, place: place, history: LedgerHistory(events), opening: opening,
      context: context
    ).find(name)
    BackupOpening.report(backup.opened, context)
    try settle(backup, question, context)
    var plan = plan
    if !plan.isDryRun {
      plan.restored = RestoredBackup(
        destination: place, name: backup.name, sha256: backup.sha256, byteCount: backup.byteCount)
    }
    let report = try withVault(folder) { () throws(VaultUseError) in try vault.merge(backup.opened.records, plan) }
    let damage = VaultDamage(lines: report.damage).tell(context)
    try MergeReport(
      schema: "seif-backup-restore", command: command, options: plan, next: "seif list",
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
  private func settle(
    _ backup: StoredBackup, _ question: Question, _ context: Context
  ) throws(CommandFailure) {
    let now = Timestamp(seconds: context.clock.now())
    let made =
      backup.opened.exportedAt.map { "made \(LocalTime.age($0, now: now))" } ?? "it doesn't say when it was made"
    let what = "\(backup.name): \(made), \(RecordTables.summary(backup.opened.records, zeros: false))"
    context.talk.say(what)
    let words: String
    var isUsual = false
    switch question {
    case .unproven(let isNamed):
      // By its name the person has chosen it.
      guard backup.proof == nil || backup.isOlder, !isNamed else { return }
      words = "Restore it?"
    case .offered(besides: 0): (words, isUsual) = ("The vault is empty. Restore it?", true)
    case .offered(let count):
      words = "The vault has \(count) \(count == 1 ? "entry" : "entries"), which stay as they are. Restore it?"
    }
    guard !isYes, !plan.isDryRun else { return }
    if backup.hasDoubt { context.talk.warn("files that claim to be newer couldn't be opened") }
    if backup.proof == nil { context.talk.warn("this vault hasn't proven it: an old file can pass as the newest") }
    guard try context.confirm(words, default: isUsual, insteadGive: "--yes") else {
      throw CommandFailure(
        .interrupted, "nothing was restored", hint: "Name one: seif backup list --destination \(destination.name)")
    }
  }
}
