internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifOTP
internal import SeifRecords
internal import SeifVault

/// `seif code QUERY`: the one-time code of one entry.
struct CodeCommand: Command {
  static let name = "code"
  static let summary = "show the one-time code of an account or login"
  static let usage = """
    seif code QUERY [OPTIONS]

    Shows one code: on a terminal whose it is, then the code in groups of three with the
    seconds left; in a pipe the plain code and a line end. QUERY is a name, a part of one,
    name:account, an id or its first eight digits.
    The counter of a counter-based account is stored before its code is shown.

    --watch goes on showing the code, on a screen of its own of which nothing stays: q or
    ctrl-C ends it. With --plain, for a screen reader or in a pipe it prints a line for
    each new code instead, and those stay. A counter-based account can't be watched.
    """
  static let next = Option.flag("next", "the code after the present one")
  static let watch = Option.flag("watch", "go on showing the present code")
  static let plain = Option.flag("plain", "with --watch: a line for each new code, no screen of its own")
  static var options: [Option] {
    [next, watch, plain] + CopyOptions.optionsWithCopy + UnlockOptions.options + ClockOptions.options
      + OutputOptions.options
  }

  private let query: String
  private let isNext: Bool
  private let watches: Bool
  private let isPlain: Bool
  private let copying: CopyOptions
  private let unlock: UnlockOptions
  private let clock: ClockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    query = try arguments.positional("QUERY")
    isNext = arguments.flag(Self.next)
    watches = arguments.flag(Self.watch)
    isPlain = arguments.flag(Self.plain)
    copying = try CopyOptions(withCopy: &arguments)
    unlock = try UnlockOptions(&arguments)
    clock = try ClockOptions(&arguments)
    output = try OutputOptions(&arguments)
    if isPlain, !watches { throw UsageError("--plain goes with --watch") }
    if watches, isNext || copying.isWanted || output.json || clock.at != nil {
      throw UsageError("--watch goes with none of --next, --copy, --json, --at")
    }
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    if watches { return try watch(folder, context) }
    let query = Query(query)
    try query.check()
    let (vault, first) = try ask(folder, context)
    defer { vault.lock() }
    var (found, code) = first
    let damage = vault.tell(context)
    if code == nil { Interrupts.start() }
    let hit = try query.resolve(found, context)
    if code == nil { (found, code) = try self.code(hit.id.description, vault, folder, context) }
    guard let code else { throw CommandFailure(.notFound, "\"\(self.query)\" has no one-time code") }
    if code.secondsLeft != nil { clock.warnOfClock(context) }
    if copying.isWanted {
      Interrupts.start()
      let copied = try copying.put(SecretBytes(copying: SecretValue(utf8: code.text)), context)
      if output.json {
        try context.output.writeLine(json: CopiedDocument.text(hit, field: EntryField.code.rawValue, copied))
      }
    } else {
      try show(code, hit, context)
    }
    return damage.exitCode
  }

  private typealias Answer = (found: Found, code: OneTimeCode?)

  private func code(
    _ query: String, _ vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> Answer {
    let now = Timestamp(seconds: clock.clock(context).now())
    return try withVault(folder) { () throws(VaultUseError) in try vault.code(query, next: isNext, at: now) }
  }

  /// The vault and its first answer. The agent is asked without asking before whether the vault is open in it.
  private func ask(_ folder: String, _ context: Context) throws(CommandFailure) -> (any UnlockedVault, Answer) {
    let now = Timestamp(seconds: clock.clock(context).now())
    let inAgent = try unlock.inAgent(context) { (vault) throws(VaultUseError) -> Answer in
      try vault.code(query, next: isNext, at: now)
    }
    if let inAgent { return (inAgent.vault, inAgent.result) }
    // Read-write from the start: whether a counter must move is known only once the entry is found. A timed code is
    // shown from a full disk too.
    let vault = DirectVault(try unlock.unlock(.readWrite, mayOnlyRead: true, context))
    return (vault, try code(query, vault, folder, context))
  }

  /// The present code over and over. The vault isn't open in this process while somebody looks on: what makes the code is
  /// enough.
  private func watch(_ folder: String, _ context: Context) throws(CommandFailure) -> ExitCode {
    try Query(query).check()
    let inAgent = try unlock.inAgent(context) { (vault) throws(VaultUseError) in
      try vault.find(query, onlyCodes: true)
    }
    if let inAgent { return try watch(inAgent.vault, inAgent.result, folder, context) }
    let vault = DirectVault(try unlock.unlock(.readWrite, mayOnlyRead: true, context))
    defer { vault.lock() }
    let found = try withVault(folder) { () throws(VaultUseError) in try vault.find(query, onlyCodes: true) }
    let damage = vault.tell(context)
    let hit = try Query(query).resolve(found, context)
    let stored = try withVault(folder) { () throws(VaultUseError) in try vault.entry(hit.id).stored }
    let codes = EntryCode(stored, query: query)
    guard let timed = try codes.timed() else { throw Self.counts }
    clock.warnOfClock(context)
    vault.lock()
    try CodeWatch(name: EntryLabel.text(hit.name, hit.account), code: timed).run(plain: isPlain, context)
    return damage.exitCode
  }

  /// The same by the agent, which is asked anew when a code is over.
  private func watch(
    _ vault: AgentVault, _ found: Found, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> ExitCode {
    defer { vault.lock() }
    let damage = vault.tell(context)
    let hit = try Query(query).resolve(found, context)
    // Before a code is asked for: each of a counter is used up by that.
    let entry = try withVault(folder) { () throws(VaultUseError) in try vault.entry(hit.id).stored.entry }
    if case .account(let account) = entry, account.otp.counter != nil { throw Self.counts }
    clock.warnOfClock(context)
    var present: OneTimeCode?
    let watch = CodeWatch(name: EntryLabel.text(hit.name, hit.account)) { (time) throws(CommandFailure) in
      if let code = present, let end = code.validUntil, let first = code.secondsLeft {
        let left = end.seconds &- time.seconds
        // Not where the clock was put back either.
        if left > 0, left <= first { return OneTimeCode(text: code.text, secondsLeft: Int(left), validUntil: end) }
      }
      let code = try withVault(folder) { () throws(VaultUseError) in
        try vault.code(hit.id.description, next: false, at: time).code
      }
      guard let code else { throw CommandFailure(.notFound, "\"\(query)\" has no one-time code") }
      guard code.secondsLeft != nil else { throw Self.counts }
      present = code
      return code
    }
    try watch.run(plain: isPlain, context)
    return damage.exitCode
  }

  private static let counts = CommandFailure(
    .usage, "this account counts: a code that is shown is used up", hint: "Leave out --watch.")

  private func show(_ code: OneTimeCode, _ hit: EntrySummary, _ context: Context) throws(CommandFailure) {
    guard output.json else {
      // A part of a name may have found another than was meant.
      if context.talk.style.isTerminal { context.talk.say(EntryLabel.text(hit.name, hit.account)) }
      let style = context.output.style
      guard style.isTerminal else { return try context.output.writeLine(code.text) }
      let left = code.secondsLeft.map { "   \($0) s left" } ?? ""
      return try context.output.writeLine(style.bold(CodeText.grouped(code.text)) + left)
    }
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-code", 1)
    writer.member("id", hit.id.description)
    writer.member("name", hit.name)
    writer.member("account", hit.account)
    writer.member("code", code.text)
    if let left = code.secondsLeft {
      writer.key("secondsLeft")
      writer.integer(Int64(left))
    }
    writer.endObject()
    try context.output.writeLine(json: writer.finish())
  }
}
