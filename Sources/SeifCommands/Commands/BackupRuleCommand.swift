internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// `seif backup rule`: how old the last backup may be.
struct BackupRuleCommand: Command {
  static let name = "backup rule"
  static let summary = "say how old the last proven backup may be, and in how many places"
  static let usage = """
    seif backup rule [OPTIONS]

    Without options it shows the rule; with them it sets it, and what isn't named stays as it
    is (at first: 24h, 2 places, a drill every 180d). seif status says whether it is kept, and
    ends with 2 where it isn't. A time is whole hours or days: 24h, 7d.

    A place keeps it with a backup that was proven within that time and that nothing was found
    against since. A drill counts where a person typed the passphrase. The rule is an entry of
    the vault with the tag seif-backup-rule, so backups carry it. One that came with a file
    doesn't count until you have looked at it: it is shown, and --imported lets it count, the
    stricter of both where there is another.
    """
  static let every = Option.value("every", "TIME", "how old the newest proof may be")
  static let places = Option.value("places", "N", "in how many places")
  static let drill = Option.value("drill", "TIME", "how long a person may go without a drill; none: for ever")
  static let none = Option.flag("none", "have no rule")
  static let imported = Option.flag("imported", "let the rule count that came with a file")
  static var options: [Option] {
    [every, places, drill, none, imported] + UnlockOptions.options + OutputOptions.options
  }

  private enum Drill {
    case seconds(Int64), none
  }

  private let seconds: Int64?
  private let placeCount: Int?
  private let drill: Drill?
  private let isRemoving: Bool
  private let isAccepting: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    seconds = try arguments.value(Self.every).map { (text) throws(UsageError) in try Self.seconds(text, Self.every) }
    placeCount = try arguments.integer(Self.places, in: BackupRule.placeCounts)
    drill = try arguments.value(Self.drill).map { (text) throws(UsageError) in
      text == "none" ? .none : .seconds(try Self.seconds(text, Self.drill))
    }
    isRemoving = arguments.flag(Self.none)
    isAccepting = arguments.flag(Self.imported)
    if isRemoving || isAccepting, seconds != nil || placeCount != nil || drill != nil || isRemoving && isAccepting {
      throw UsageError("--none and --imported go with no other part of a rule")
    }
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  private static func seconds(_ text: String, _ option: Option) throws(UsageError) -> Int64 {
    guard let seconds = BackupRule.seconds(text) else {
      throw UsageError("--\(option.name) takes whole hours or days up to 3650d, as 24h or 7d")
    }
    return seconds
  }

  private var isSetting: Bool { seconds != nil || placeCount != nil || drill != nil || isAccepting }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(isSetting || isRemoving ? .readWrite : .readOnly, context)
    defer { vault.lock() }
    var standing = try withVault(folder) { () throws(VaultUseError) in
      try BackupRuleItem.standing(in: vault, vault.list())
    }
    if isSetting || isRemoving {
      let rule = isRemoving ? nil : try isAccepting ? accepted(standing) : changed(standing.found)
      try store(rule, in: vault, replacing: standing.ids, folder, context)
      standing = BackupRuleItem.Standing(found: rule.map { .rule($0) } ?? .none)
    }
    let found = standing.found
    if output.json {
      try context.output.writeLine(json: document(standing))
    } else {
      switch found {
      case .rule(let rule): try context.output.writeLine("\(rule)")
      case .none: try context.output.writeLine("no rule")
      case .unreadable: break
      }
      try context.output.flush()
    }
    if !found.isReadable {
      context.talk.warn("there is a rule that this Seif can't read: set it anew, or --none")
      return .checkFailed
    }
    switch standing.imported {
    case .none: break
    case .rule(let rule):
      context.talk.warn("a rule came with a file, and doesn't count: \(rule)")
      context.talk.hint("seif backup rule --imported lets it count; what you set yourself takes its place.")
      return .done
    case .unreadable:
      context.talk.warn("a rule came with a file, doesn't count, and can't be read by this Seif")
    }
    context.talk.hint(found == .none ? "seif backup rule --every 24h --places 2" : "seif status")
    return .done
  }

  /// What counts together with what came with a file.
  private func accepted(_ standing: BackupRuleItem.Standing) throws(CommandFailure) -> BackupRule {
    guard let rule = standing.imported.rule else {
      throw CommandFailure(
        .badInput,
        standing.imported == .none ? "no rule came with a file" : "the rule that came with a file can't be read",
        hint: "seif backup rule")
    }
    return switch standing.found {
    case .none: rule
    case .rule(let own): own.stricter(rule)
    case .unreadable: throw Self.unread
    }
  }

  private static var unread: CommandFailure {
    CommandFailure(
      .badInput, "there is a rule that this Seif can't read, so nobody knows what a part of it would loosen",
      hint: "Give all of it: --every, --places and --drill.")
  }

  // What can't be read may ask for more than what is usual, so nothing is filled in for it.
  private func changed(_ found: BackupRuleItem.Found) throws(CommandFailure) -> BackupRule {
    var rule: BackupRule
    switch found {
    case .none: rule = BackupRule()
    case .rule(let own): rule = own
    case .unreadable(let beside):
      guard beside != nil || seconds != nil && placeCount != nil && drill != nil else { throw Self.unread }
      rule = beside ?? BackupRule()
    }
    rule.seconds = seconds ?? rule.seconds
    rule.places = placeCount ?? rule.places
    switch drill {
    case .seconds(let seconds): rule.drillSeconds = seconds
    case .some(.none): rule.drillSeconds = nil
    case nil: break
    }
    return rule
  }

  /// In the place of all that are there.
  private func store(
    _ rule: BackupRule?, in vault: any UnlockedVault, replacing ids: [UUID], _ folder: String, _ context: Context
  ) throws(CommandFailure) {
    try withVault(folder) { () throws(VaultUseError) in
      var old = ids
      var changes: [VaultChange] = []
      if let rule {
        let entry = BackupRuleItem.entry(rule, now: Timestamp(seconds: context.clock.now()))
        if let first = old.first {
          changes.append(.replace(first, .password(entry)))
          old.removeFirst()
        } else {
          changes.append(.add(.password(entry)))
        }
      }
      changes += old.map { .remove($0) }
      if !changes.isEmpty { _ = try vault.apply(changes, ifCounterIs: nil) }
    }
  }

  private func document(_ standing: BackupRuleItem.Standing) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-backup-rule", 1)
    writer.member("readable", standing.found.isReadable)
    if let rule = standing.found.rule {
      writer.key("rule")
      RuleDocument.write(rule, &writer)
    }
    if let rule = standing.imported.rule {
      writer.key("imported")
      RuleDocument.write(rule, &writer)
    }
    writer.endObject()
    return writer.finish()
  }
}

/// A rule in JSON.
enum RuleDocument {
  static func write(_ rule: BackupRule, _ writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("text", rule.description)
    writer.member("everySeconds", Int(clamping: rule.seconds))
    writer.member("places", rule.places)
    if let seconds = rule.drillSeconds { writer.member("drillSeconds", Int(clamping: seconds)) }
    writer.endObject()
  }
}
