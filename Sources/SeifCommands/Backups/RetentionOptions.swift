internal import SeifCommandLine
internal import SeifBackups

/// How many proven backups stay: `--keep-last`, `--keep-daily`, `--keep-weekly`, `--keep-monthly`.
struct RetentionOptions: OptionGroup, Sendable {
  static let last = Option.value("keep-last", "N", "so many of the newest stay (else 10)")
  static let daily = Option.value("keep-daily", "N", "one a day stays, for so many days (else 7)")
  static let weekly = Option.value("keep-weekly", "N", "one a week, for so many weeks (else 4)")
  static let monthly = Option.value("keep-monthly", "N", "one a month, for so many months (else 12)")
  static var options: [Option] { [last, daily, weekly, monthly] }

  let rule: RetentionRule

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    var rule = RetentionRule()
    rule.last = try arguments.integer(Self.last, in: 0...10_000) ?? rule.last
    rule.daily = try arguments.integer(Self.daily, in: 0...10_000) ?? rule.daily
    rule.weekly = try arguments.integer(Self.weekly, in: 0...10_000) ?? rule.weekly
    rule.monthly = try arguments.integer(Self.monthly, in: 0...10_000) ?? rule.monthly
    self.rule = rule
  }
}

/// What a person takes for right, so that old backups may go again.
struct AcceptOptions: Sendable {
  static let shrunk = Option.flag("accept-shrunk", "the vault holds so much less on purpose")
  static let clock = Option.flag("accept-clock", "the clock is right, whatever the ledger's times say")
  static let lost = Option.flag("accept-lost", "let go of backups that are missing or altered")
  /// For a backup.
  static let creating = [shrunk, clock]
  static let all = [lost] + creating

  let accepting: Set<Acceptance>

  init(_ options: [Option], _ arguments: inout ParsedArguments) {
    var accepting: Set<Acceptance> = []
    if arguments.flag(Self.shrunk) { accepting.insert(.shrunk) }
    if arguments.flag(Self.clock) { accepting.insert(.clock) }
    if options.contains(where: { $0.name == Self.lost.name }), arguments.flag(Self.lost) { accepting.insert(.lost) }
    self.accepting = accepting
  }
}
