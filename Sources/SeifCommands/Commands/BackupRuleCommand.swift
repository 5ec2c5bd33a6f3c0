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
    the vault with the tag seif-backup-rule, so backups carry it.
    """
  static let every = Option.value("every", "TIME", "how old the newest proof may be")
  static let places = Option.value("places", "N", "in how many places")
  static let drill = Option.value("drill", "TIME", "how long a person may go without a drill; none: for ever")
  static let none = Option.flag("none", "have no rule")
  static var options: [Option] { [every, places, drill, none] + UnlockOptions.options + OutputOptions.options }

  private enum Drill {
    case seconds(Int64), none
  }

  private let seconds: Int64?
  private let placeCount: Int?
  private let drill: Drill?
  private let isRemoving: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    seconds = try arguments.value(Self.every).map { (text) throws(UsageError) in try Self.seconds(text, Self.every) }
    placeCount = try arguments.integer(Self.places, in: BackupRule.placeCounts)
    drill = try arguments.value(Self.drill).map { (text) throws(UsageError) in
      text == "none" ? .none : .seconds(try Self.seconds(text, Self.drill))
    }
    isRemoving = arguments.flag(Self.none)
    if isRemoving, seconds != nil || placeCount != nil || drill != nil {
      throw UsageError("--none goes with no other part of a rule")
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

  private var isSetting: Bool { seconds != nil || placeCount != nil || drill != nil }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(isSetting || isRemoving ? .readWrite : .readOnly, context)
    defer { vault.lock() }
    var found = try withVault(folder) { () throws(VaultUseError) in
      try BackupRuleItem.find(in: vault, vault.list())
    }
    if isSetting || isRemoving {
      let rule = isRemoving ? nil : changed(found.rule ?? BackupRule())
      try store(rule, in: vault, folder, context)
      found = rule.map { .rule($0) } ?? .none
    }
    if output.json {
      try context.output.writeLine(json: document(found))
    } else {
      switch found {
      case .rule(let rule): try context.output.writeLine("\(rule)")
      case .none: try context.output.writeLine("no rule")
      case .unreadable: break
      }
      try context.output.flush()
    }
    if found == .unreadable {
      context.talk.warn("there is a rule that this Seif can't read: set it anew, or --none")
      return .checkFailed
    }
    context.talk.hint(found == .none ? "seif backup rule --every 24h --places 2" : "seif status")
    return .done
  }

  private func changed(_ rule: BackupRule) -> BackupRule {
    var rule = rule
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
    _ rule: BackupRule?, in vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) {
    try withVault(folder) { () throws(VaultUseError) in
      var old = try BackupRuleItem.all(in: vault).map(\.id)
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

  private func document(_ found: BackupRuleItem.Found) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-backup-rule", 1)
    writer.member("readable", found != .unreadable)
    if let rule = found.rule {
      writer.key("rule")
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
