internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifFormats
internal import SeifVault

/// `seif doctor`: checks this machine and the whole vault.
struct DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "check this machine and the whole vault, value by value"
  static let usage = """
    seif doctor [OPTIONS]

    Checks this machine: the clock, whose the vault's files are and on which file system
    they lie, what was left over, the agent, core files, locked memory, swap, the TPM,
    your desktop's keyring and clipboard. Then every value of the vault: that it opens,
    stands where it was written, and that nothing was edited, swapped, removed or put back
    from an older copy; the ledger's chain and the last proven backup; SQLite's own
    structure. Each finding names its cure. By itself it changes nothing. Exit 2: something
    fails; what is only a warning doesn't. --locked leaves out what needs the passphrase.

    --against asks a time server how far off the clock is: the one thing that Seif ever
    asks of a network, and only then. HOST, or HOST:PORT.

    --from puts entries that don't open back from a backup that has them under the same
    identifier. What opens is never touched, and what doesn't is set aside. The plan is
    shown first; with --dry-run that is all. `seif undo` takes it back: what was put back
    then lies in the bin. With --from, --passphrase-fd and --passphrase-file speak of
    BACKUP, --vault-passphrase-fd and --vault-passphrase-file of the vault.

    --set-aside takes what doesn't open out of the way, so that the rest serves as ever
    and can be backed up. Nothing is lost: it stays in the vault as it is for 30 days, and
    `seif undo` puts it back. A damaged summary of an entry that opens is made anew.

    --accept-contents takes what is there for right, once all of it opens: whatever was
    edited, removed or put back behind your back stays so, and no longer shows.

    If you put an older copy of the vault back on purpose, --accept-older-copy says so,
    and the warning ends. What was changed since that copy is lost either way.
    """
  static let locked = Option.flag("locked", "only what can be known without a passphrase")
  static let against = Option.value("against", "HOST", "ask a time server how far off the clock is")
  static let from = Option.value("from", "BACKUP", "put what doesn't open back from a backup")
  static let dryRun = Option.flag("dry-run", "with --from: say what would happen and write nothing")
  static let accept = Option.flag("accept-older-copy", "take this older copy of the vault as the present one")
  static let setAside = Option.flag("set-aside", "set aside what doesn't open")
  static let acceptContents = Option.flag("accept-contents", "take what is there for right, once all of it opens")
  static let yes = Option.flag("yes", "answer yes to the questions that these ask")
  static var options: [Option] {
    [locked, against, from, dryRun, setAside, acceptContents, accept, yes] + OpeningOptions.options
      + UnlockOptions.optionsBesideFile + OutputOptions.options
  }

  private let onlyLocked: Bool
  private let server: TimeServer?
  private let backup: String?
  private let isDryRun: Bool
  private let setsAside: Bool
  private let acceptsContents: Bool
  private let isConfirmed: Bool
  private let accepts: Bool
  private let opening: OpeningOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    onlyLocked = arguments.flag(Self.locked)
    if let host = arguments.value(Self.against) {
      guard let named = TimeServer(host) else { throw UsageError("--against takes HOST or HOST:PORT") }
      server = named
    } else {
      server = nil
    }
    backup = arguments.value(Self.from)
    isDryRun = arguments.flag(Self.dryRun)
    setsAside = arguments.flag(Self.setAside)
    acceptsContents = arguments.flag(Self.acceptContents)
    isConfirmed = arguments.flag(Self.yes)
    accepts = arguments.flag(Self.accept)
    opening = try OpeningOptions(&arguments)
    unlock = backup == nil ? try UnlockOptions(&arguments) : try UnlockOptions(&arguments, besideFile: ())
    output = try OutputOptions(&arguments)
    let writes = setsAside || acceptsContents || accepts
    if onlyLocked, writes || backup != nil { throw UsageError("--locked opens nothing, so nothing can be changed") }
    if isDryRun, backup == nil || writes { throw UsageError("--dry-run goes with --from alone") }
  }

  func run(_ context: Context) throws -> ExitCode {
    let location = try unlock.location(context)
    let machine = Machine(context, location)
    var report = DoctorReport()
    if onlyLocked {
      look(at: machine, &report)
    } else {
      // What may have to be asked comes first, and what is found in the end shows all that was mended.
      try open(location, machine, &report, context)
    }
    if output.json {
      try context.output.writeLine(json: report.document)
    } else {
      try report.show(quiet: output.quiet, context)
    }
    return report.isOK ? .done : .checkFailed
  }

  private func look(at machine: Machine, _ report: inout DoctorReport) {
    var checks = DoctorChecks.ofTheMachine
    if let server { checks.insert(ServerClockCheck(server: server), at: 1) }
    report.findings += checks.flatMap { $0.findings(on: machine) }
    report.clipboard = DesktopClipboardCheck.word(machine)
  }

  private func open(
    _ location: VaultLocation, _ machine: Machine, _ report: inout DoctorReport, _ context: Context
  ) throws {
    let folder = location.folder
    let header = try backup.map { (path) throws(CommandFailure) in
      try BackupOpening.readHeader(path, opening, context)
    }
    // Before the vault is opened: what its opening leaves beside it would be found.
    look(at: machine, &report)
    let isWriting = accepts || setsAside || acceptsContents || (backup != nil && !isDryRun)
    guard isWriting || backup != nil else { return try lookThrough(location, machine, &report, context) }
    let vault = try unlock.unlock(isWriting ? .readWrite : .readOnly, context)
    defer { vault.lock() }
    if accepts { try withVaultErrors(folder) { () throws(VaultError) in try vault.acceptOlderCopy() } }
    if let header, let backup { report.repair = try repair(vault, header, backup, folder, context) }
    var faults = try withVaultErrors(folder) { () throws(VaultError) in try vault.verify() }
    if setsAside, try setAside(faults, of: vault, folder, context) {
      faults = try withVaultErrors(folder) { () throws(VaultError) in try vault.verify() }
    }
    if acceptsContents, !faults.isEmpty, try acceptContents(of: vault, folder, context) {
      faults = try withVaultErrors(folder) { () throws(VaultError) in try vault.verify() }
    }
    report.faults = faults
    // A ledger that doesn't open is among the faults.
    if let ledger = try? vault.ledger() {
      report.findings += BackupCheck(ledger: ledger.map { LedgerEvent($0) }).findings(on: machine)
    }
    if !setsAside, backup == nil, try !Self.movable(faults, vault, folder).isEmpty { Self.hint(context) }
  }

  private static func hint(_ context: Context) { context.talk.hint("seif doctor --from BACKUP, or --set-aside") }

  /// Without a change: of a vault that is open in the agent by the agent.
  private func lookThrough(
    _ location: VaultLocation, _ machine: Machine, _ report: inout DoctorReport, _ context: Context
  ) throws {
    let vault = try unlock.use(.readOnly, context)
    defer { vault.lock() }
    let found = try withVault(location.folder) { () throws(VaultUseError) in try vault.verify() }
    report.faults = found.faults
    // A ledger that doesn't open is among the faults.
    if let ledger = try? vault.ledger() {
      report.findings += BackupCheck(ledger: ledger.map { LedgerEvent($0.entry) }).findings(on: machine)
    }
    if !Self.movable(found.faults + found.damage).isEmpty { Self.hint(context) }
  }

  /// Puts back what the backup has, after the plan was shown and agreed to.
  private func repair(
    _ vault: Vault, _ header: any BackupFile, _ path: String, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> (plan: BackupRepair, isDone: Bool) {
    let opened = try BackupOpening.open(header, path, opening, context)
    BackupOpening.report(opened, context)
    let plan = try withVaultErrors(folder) { () throws(VaultError) in
      try BackupRepair(vault, from: opened.records)
    }
    plan.show(opened, vault, context)
    let count = plan.mended.count
    guard count > 0, !isDryRun else {
      if plan.rows.isEmpty { context.talk.say(.ok, "All entries open: there is nothing to put back.") }
      if isDryRun { context.talk.say("Nothing written.") }
      return (plan, false)
    }
    if !isConfirmed {
      let question = "Put \(count == 1 ? "it" : "these \(count)") back, and set aside what doesn't open?"
      guard try context.confirm(question, insteadGive: "--yes") else { return (plan, false) }
    }
    try withVaultErrors(folder) { () throws(VaultError) in
      _ = try vault.apply(plan.changes, ifCounterIs: plan.counter)
    }
    context.talk.say(.ok, "\(count) put back. seif undo takes it back.")
    if !acceptsContents { context.talk.hint("seif doctor --accept-contents") }
    return (plan, true)
  }

  /// Rows that don't open and can be set aside.
  private static func movable(
    _ faults: [VaultFault], _ vault: Vault, _ folder: String
  ) throws(CommandFailure) -> [UUID] {
    guard !faults.isEmpty else { return [] }
    // A seed that doesn't open is named by its entry here.
    let seeds: [VaultFault] = try withVaultErrors(folder) { () throws(VaultError) in
      _ = try vault.entries()
      let damage = vault.damage
      _ = try vault.bin()
      return damage + vault.damage
    }
    return movable(faults + seeds)
  }

  private static func movable(_ faults: [VaultFault]) -> [UUID] {
    var ids: [UUID] = []
    for fault in faults {
      switch fault {
      case .value("item", let id?, _), .value("item_summary", let id?, _), .value("bin", let id?, _),
        .value("unusable", let id?, _), .value("opaque_member", let id?, _), .missingSummary(let id),
        .damagedSecret(let id), .missingSecret(let id), .strayData("secret", let id):
        if !ids.contains(id) { ids.append(id) }
      default: continue
      }
    }
    return ids
  }

  private func setAside(
    _ faults: [VaultFault], of vault: Vault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> Bool {
    let ids = try Self.movable(faults, vault, folder)
    guard !ids.isEmpty else { return false }
    let what = ids.count == 1 ? "1 row doesn't" : "\(ids.count) rows don't"
    if !isConfirmed {
      guard try context.confirm("\(what) open. Set aside, for 30 days at least?", insteadGive: "--yes") else {
        return false
      }
    }
    try withVaultErrors(folder) { () throws(VaultError) in _ = try vault.apply(ids.map(VaultChange.setAside)) }
    context.talk.say(.ok, "\(ids.count) set aside or mended.")
    context.talk.hintUndo()
    return true
  }

  private func acceptContents(of vault: Vault, _ folder: String, _ context: Context) throws(CommandFailure) -> Bool {
    let question = "What was edited, removed or put back behind your back stays so. Take what is there for right?"
    if !isConfirmed {
      guard try context.confirm(question, insteadGive: "--yes") else { return false }
    }
    try withVaultErrors(folder) { () throws(VaultError) in try vault.acceptContents() }
    return true
  }
}
