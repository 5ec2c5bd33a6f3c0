internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifVault

/// `seif backup prune`: old proven backups go by a rule.
struct BackupPruneCommand: Command {
  static let name = "backup prune"
  static let summary = "remove old proven backups by the rule of what stays"
  static let usage = """
    seif backup prune --destination PLACE [OPTIONS]

    Compares every backup that was proven there with its proof, says which go and why the
    others stay, asks, and removes them. The rule is that of seif backup create: ten stay, and
    one for each of 7 days, 4 weeks and 12 months; three always. Files that the ledger doesn't
    know as proven are left alone.

    Nothing goes, and the exit code is 2, where a backup is missing or altered or can't be
    read, where a list of the newest is much shorter than in one that is kept, where the clock
    stands before a time of the ledger or more than 30 days after all of them, or where the
    vault isn't as it was last written. Once you have looked and it is right: --accept-lost
    lets go of what is missing or altered, but never of the newest; --accept-shrunk and
    --accept-clock take the vault and the clock as they are. That is noted and holds from then
    on. --unproven also removes, each by its name, what was stored from this vault and never
    proven, where it lies there as it was sent: what a run leaves that was ended half-way
    (seif backup verify NAME --open proves it instead). What goes is planned again after
    your yes: if it isn't the same, nothing goes.
    """
  static let dryRun = Option.flag("dry-run", "say what would go, and write and remove nothing")
  static let unproven = Option.flag("unproven", "also what was stored and never proven")
  static let yes = Option.flag("yes", "remove without asking")
  static var options: [Option] {
    DestinationOptions.options + RetentionOptions.options + AcceptOptions.all + [unproven, dryRun, yes]
      + UnlockOptions.options
      + OutputOptions.options
  }

  private let destination: DestinationOptions
  private let retention: RetentionOptions
  private let accept: AcceptOptions
  private let isUnprovenToo: Bool
  private let isDryRun: Bool
  private let isYes: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    destination = try DestinationOptions(&arguments)
    retention = try RetentionOptions(&arguments)
    accept = AcceptOptions(AcceptOptions.all, &arguments)
    isUnprovenToo = arguments.flag(Self.unproven)
    isDryRun = arguments.flag(Self.dryRun)
    isYes = arguments.flag(Self.yes)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    try destination.checkSpelling()
    let vault = try unlock.unlockForLedger(context)
    defer { vault.lock() }
    let (transport, place) = try destination.transport(DirectVault(vault), folder, context)
    let service = BackupService(transport: transport, ledger: VaultLedger(vault: vault), destination: place)
    var now = Timestamp(seconds: context.clock.now())
    var plan = try plan(service, vault, folder, now, context)
    if !output.json { try show(plan, now, context) }
    warn(plan, context)
    var report = PruneReport()
    if !isDryRun, plan.refusal == nil, !plan.isEmpty {
      if !isYes, !plan.expired.isEmpty || !plan.letGo.isEmpty || !plan.unproven.isEmpty {
        guard try context.confirm(Self.question(plan), insteadGive: "--yes") else {
          throw CommandFailure(.interrupted, "nothing was removed")
        }
        // However long the answer took: what goes is what is there now, by the clock of now.
        now = Timestamp(seconds: context.clock.now())
        let shown = plan
        plan = try self.plan(service, vault, folder, now, context)
        guard plan.does(theSameAs: shown) else {
          throw CommandFailure(
            .checkFailed, "since you were asked something has changed, so nothing was removed", hint: "Try again.")
        }
      }
      report = service.prune(plan, now: now)
      tell(report, context)
    }
    if output.json { try context.output.writeLine(json: document(plan, report)) }
    return plan.refusal == nil && !report.isAlarming ? .done : .checkFailed
  }

  private func plan(
    _ service: BackupService, _ vault: Vault, _ folder: String, _ now: Timestamp, _ context: Context
  ) throws -> PrunePlan {
    let faults = try BackupCreateCommand.faults(of: vault, folder, context)
    do {
      return try service.planPrune(
        rule: retention.rule, now: now, mayPrune: faults.isEmpty, accepting: accept.accepting,
        unprovenToo: isUnprovenToo, isNoting: !isDryRun
      ) { stage in
        if case .checking(let count) = stage { context.talk.say("comparing \(count) with their proofs") }
      }
    } catch let error as TransportError {
      throw CommandFailure(CommandFailure.code(error), "the backups can't be listed: \(error)")
    } catch let error as VaultError {
      throw CommandFailure(error, folder: folder)
    }
  }

  private static func question(_ plan: PrunePlan) -> String {
    let lost = plan.letGo.count == 1 ? "let go of the lost one" : "let go of \(plan.letGo.count) lost ones"
    let count = plan.expired.count + plan.unproven.count
    let removed = count == 1 ? "Remove it" : "Remove these \(count)"
    if plan.letGo.isEmpty { return removed + "?" }
    return count == 0 ? "\(lost.prefix(1).uppercased())\(lost.dropFirst())?" : "\(removed), and \(lost)?"
  }

  private func show(_ plan: PrunePlan, _ now: Timestamp, _ context: Context) throws(CommandFailure) {
    var table = Table([
      Table.Column("what"), Table.Column("name"), Table.Column("proven"), Table.Column("why", rank: 1),
    ])
    for (proof, reason) in plan.kept {
      table.add(["stays", proof.name, LocalTime.age(proof.at, now: now), BackupWords.reason(reason)])
    }
    for proof in plan.held.reversed() {
      table.add(["stays", proof.name, LocalTime.age(proof.at, now: now), "nothing goes now"])
    }
    for proof in plan.expired.reversed() {
      table.add(["goes", proof.name, LocalTime.age(proof.at, now: now), "no part of the rule keeps it"])
    }
    for sent in plan.unproven.reversed() {
      table.add(["goes", sent.name, "never, stored \(LocalTime.age(sent.at, now: now))", "--unproven"])
    }
    try context.output.write(table.text(context.output.style))
    try context.output.flush()
  }

  private func warn(_ plan: PrunePlan, _ context: Context) {
    for (name, state) in plan.lost { context.talk.warn(BackupWords.loss(name, state)) }
    for name in plan.knownLost { context.talk.say("\(name) isn't as it was proven, as the ledger has it already.") }
    for name in plan.unprovenElse {
      context.talk.warn("\(name) isn't as it was sent, or can't be read: it is left alone")
    }
    switch plan.foreign.count {
    case 0: break
    case 1: context.talk.say("1 other file there is left alone.")
    case let count: context.talk.say("\(count) other files there are left alone.")
    }
    if let refusal = plan.refusal {
      context.talk.warn("old backups are left alone: \(BackupWords.words(refusal))")
    } else if plan.expired.isEmpty, plan.unproven.isEmpty {
      context.talk.say("Nothing goes by this rule.")
    } else if isDryRun {
      context.talk.say("Nothing was removed.")
    }
  }

  private func tell(_ report: PruneReport, _ context: Context) {
    for name in report.missing { context.talk.warn(BackupWords.loss(name, .missing)) }
    for name in report.notRemoved { context.talk.warn("\(name) should go by the rule and couldn't be removed") }
    if !report.wasLookedAfter { context.talk.warn(BackupWords.notLookedAfter) }
    if !report.isNoted { context.talk.warn("no more was removed: the vault's ledger can't be written") }
    let count = report.pruned.count
    if count > 0 { context.talk.say(.ok, count == 1 ? "1 is removed." : "\(count) are removed.") }
  }

  private func document(_ plan: PrunePlan, _ report: PruneReport) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-backup-prune", 1)
    writer.member("dryRun", isDryRun)
    writer.key("kept")
    writer.beginArray()
    for (proof, reason) in plan.kept {
      writer.beginObject()
      writer.member("name", proof.name)
      writer.member("provenAt", proof.at.rfc3339)
      writer.member("reason", reason.rawValue)
      writer.endObject()
    }
    writer.endArray()
    writer.member("expired", plan.expired.map(\.name))
    writer.member("unproven", plan.unproven.map(\.name))
    writer.member("held", plan.held.map(\.name))
    writer.member("removed", report.pruned)
    writer.member("notRemoved", report.notRemoved)
    writer.member("missing", plan.lost.filter { $0.state == .missing }.map(\.name) + report.missing)
    writer.member("altered", plan.lost.filter { $0.state == .altered }.map(\.name))
    writer.member("unread", plan.lost.filter { $0.state == .unread }.map(\.name))
    writer.member("foreign", plan.foreign)
    writer.member("lookedAfter", report.wasLookedAfter)
    writer.member("accepted", plan.accepted.map(\.rawValue).sorted())
    writer.member("letGo", plan.letGo.map(\.name))
    if let refusal = plan.refusal { writer.member("refusal", "\(refusal)") }
    writer.endObject()
    return writer.finish()
  }
}
