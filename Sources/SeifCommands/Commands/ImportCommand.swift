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
    counters the higher one stays. --dry-run only says what would happen.

    --passphrase-fd and --passphrase-file speak of FILE, --vault-passphrase-fd and
    --vault-passphrase-file of the vault.
    """
  static let dryRun = Option.flag("dry-run", "say what would happen and write nothing")
  static var options: [Option] {
    [dryRun] + OpeningOptions.options + UnlockOptions.optionsBesideFile + OutputOptions.options
  }

  private let file: String
  private let isDryRun: Bool
  private let opening: OpeningOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    file = try arguments.positional("FILE")
    isDryRun = arguments.flag(Self.dryRun)
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
    let plan = try withVaultErrors(folder) { () throws(VaultError) in
      MergePlan(
        existing: try vault.entries().map { ($0.id, $0.entry) }, existingUnusable: try vault.records().unusable,
        incoming: backup.records)
    }
    if !isDryRun {
      let held = try withVaultErrors(folder) { () throws(VaultError) in try vault.records().opaque }
      let changes = plan.changes(opaque: backup.records.opaque, beside: held)
      if !changes.isEmpty {
        try withVaultErrors(folder) { () throws(VaultError) in _ = try vault.apply(changes) }
      }
    }
    try show(plan, backup, context)
    return backup.problems.isEmpty ? .done : .partial
  }

  private func show(_ plan: MergePlan, _ backup: OpenedBackup, _ context: Context) throws(CommandFailure) {
    let counts = PlanCounts(plan, problems: backup.problems)
    if output.json {
      try context.output.writeLine(json: document(plan, counts, backup))
      return
    }
    for item in plan.items {
      let name = EntryLabel.text(item.entry.name, item.entry.account)
      switch item.outcome {
      case .conflict(let fields):
        context.talk.line("~ " + Display.cleaned("\(name): \(fields.joined(separator: ", ")) differs; both are kept"))
      case .updated(let fields):
        var line = "~ \(name): \(fields.joined(separator: ", ")) added to what is there"
        if fields.contains("counter") {
          line = "~ \(name): the higher counter is kept; codes from the older one may be refused"
        }
        context.talk.line(Display.cleaned(line))
      case .new, .same: break
      }
    }
    context.talk.say(
      "+ \(counts.new) new   = \(counts.same) already here   ~ \(counts.updated + counts.conflicts) differ"
        + (counts.unusable > 0 ? "   ! \(counts.unusable) not usable, kept as they are" : ""))
    if isDryRun {
      context.talk.say("Nothing written.")
      context.talk.hint("seif import \(BackupOpening.shown(file))")
    } else {
      context.talk.hint("seif backup create --destination FOLDER")
    }
  }

  private func document(_ plan: MergePlan, _ counts: PlanCounts, _ backup: OpenedBackup) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-import", 1)
    writer.member("dryRun", isDryRun)
    writer.member("new", counts.new)
    writer.member("same", counts.same)
    writer.member("updated", counts.updated)
    writer.member("conflict", counts.conflicts)
    writer.member("unusable", counts.unusable)
    writer.key("items")
    writer.beginArray()
    for item in plan.items {
      writer.beginObject()
      writer.member("kind", KindName(item.entry.kind).rawValue)
      writer.member("name", item.entry.name)
      writer.member("account", item.entry.account)
      switch item.outcome {
      case .new: writer.member("outcome", "new")
      case .same: writer.member("outcome", "same")
      case .updated(let fields):
        writer.member("outcome", "updated")
        writer.member("fields", fields)
      case .conflict(let fields):
        writer.member("outcome", "conflict")
        writer.member("fields", fields)
      }
      if let existing = item.existing { writer.member("existing", existing.description) }
      writer.endObject()
    }
    writer.endArray()
    writer.key("problems")
    writer.beginArray()
    for problem in backup.problems {
      writer.beginObject()
      writer.member("kind", problem.list)
      if let index = problem.index { writer.member("index", index) }
      if let field = problem.field { writer.member("field", field) }
      writer.member("reason", problem.reason)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}

/// The outcomes of a plan, counted.
struct PlanCounts {
  let new: Int
  let same: Int
  let updated: Int
  let conflicts: Int
  let unusable: Int

  init(_ plan: MergePlan, problems: [EntryProblem]) {
    new = plan.count { if case .new = $0 { true } else { false } }
    same = plan.count { if case .same = $0 { true } else { false } }
    updated = plan.count { if case .updated = $0 { true } else { false } }
    conflicts = plan.count { if case .conflict = $0 { true } else { false } }
    unusable = problems.count { $0.field == nil && $0.index != nil }
  }
}

extension MergePlan {
  /// The plan as changes of a vault, in one transaction.
  ///
  /// - Parameters:
  ///   - opaque: members of the file that aren't understood.
  ///   - held: those of the vault, which stay as they are.
  func changes(opaque: [OpaqueMember], beside held: [OpaqueMember]) -> [VaultChange] {
    var changes: [VaultChange] = []
    for item in items {
      switch (item.outcome, item.existing) {
      case (.new, _), (.conflict, _): changes.append(.add(item.entry))
      case (.updated, let existing?): changes.append(.replace(existing, item.entry))
      case (.updated, nil), (.same, _): break
      }
    }
    changes += unusable.map { .addUnusable($0) }
    let added = opaque.filter { member in !held.contains { $0.key == member.key } }
    if !added.isEmpty { changes.append(.setOpaque(held + added)) }
    return changes
  }
}
