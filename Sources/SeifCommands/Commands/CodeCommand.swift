internal import CSeif
internal import SeifAgent
internal import SeifBytes
internal import SeifVault

/// `seif code QUERY`: the one-time code of one entry.
struct CodeCommand: Command {
  static let name = "code"
  static let summary = "show the one-time code of an account or login"
  static let usage = """
    seif code QUERY [OPTIONS]

    Shows one code: on a terminal in groups of three with the seconds left, in a pipe the
    plain code and a line end. QUERY is a name, a part of one, name:account, or an id.
    The counter of a counter-based account is stored before its code is shown.
    """
  static let next = Option.flag("next", "the code after the present one")
  static var options: [Option] { [next] + UnlockOptions.options + ClockOptions.options + OutputOptions.options }

  private let query: String
  private let isNext: Bool
  private let unlock: UnlockOptions
  private let clock: ClockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    query = try arguments.positional("QUERY")
    isNext = arguments.flag(Self.next)
    unlock = try UnlockOptions(&arguments)
    clock = try ClockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let query = Query(query)
    try query.check()
    let now = Timestamp(seconds: clock.clock(context).now())
    let (vault, first) = try ask(folder, now, context)
    defer { vault.lock() }
    var (found, code) = first
    let damage = vault.tell(context)
    if code == nil { Interrupts.start() }
    let hit = try query.resolve(found, context)
    if code == nil {
      (found, code) = try withVault(folder) { () throws(VaultUseError) in
        try vault.code(hit.id.description, next: isNext, at: now)
      }
    }
    guard let code else { throw CommandFailure(.notFound, "\"\(self.query)\" has no one-time code") }
    if code.secondsLeft != nil, clock.at == nil, seif_clock_unsynchronised() == 1 {
      context.talk.say(.warn, "the kernel says that the clock isn't synchronised; codes may be refused")
    }
    try show(code, hit, context)
    return damage.exitCode
  }

  private typealias Answer = (found: Found, code: CodeMaker.Made?)

  /// The vault and its first answer. The agent is asked without asking before whether the vault is open in it.
  private func ask(
    _ folder: String, _ now: Timestamp, _ context: Context
  ) throws(CommandFailure) -> (any UnlockedVault, Answer) {
    let inAgent = try unlock.inAgent(context) { (vault) throws(VaultUseError) -> Answer in
      try vault.code(query, next: isNext, at: now)
    }
    if let inAgent { return (inAgent.vault, inAgent.result) }
    // Read-write from the start: whether a counter must move is known only once the entry is found. A timed code is
    // shown from a full disk too.
    let vault = DirectVault(try unlock.unlock(.readWrite, mayOnlyRead: true, context))
    return (vault, try withVault(folder) { () throws(VaultUseError) in try vault.code(query, next: isNext, at: now) })
  }

  private func show(_ code: CodeMaker.Made, _ hit: EntrySummary, _ context: Context) throws(CommandFailure) {
    guard output.json else {
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
