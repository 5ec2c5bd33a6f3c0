internal import SeifBytes
internal import SeifOTP
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
    // Read-write from the start: whether a counter must move is known only once the entry is found. A timed code is
    // shown from a full disk too.
    let vault = try unlock.unlock(.readWrite, mayOnlyRead: true, context)
    defer { vault.lock() }
    let summaries = try withVaultErrors(folder) { () throws(VaultError) in try vault.summaries() }
    let damage = VaultDamage(vault).tell(context)
    let hit = try Query(query).resolve(summaries.filter { $0.hasOneTimeCode || KindName($0.kind) == .code }, context)
    let stored = try withVaultErrors(folder) { () throws(VaultError) in try vault.entry(hit.id) }
    let codes = EntryCode(stored, query: query, isNext: isNext, clock: clock)
    if watches {
      guard let timed = try codes.timed() else {
        throw CommandFailure(
          .usage, "this account counts: a code that is shown is used up", hint: "Leave out --watch.")
      }
      codes.warnOfClock(context)
      // What makes the code is enough: the vault isn't open while somebody looks on.
      vault.lock()
      try CodeWatch(name: EntryLabel.text(hit.name, hit.account), code: timed).run(plain: isPlain, context)
      return damage.exitCode
    }
    let code = try codes.code(vault, folder, context)
    if copying.isWanted {
      let copied = try copying.put(SecretBytes(copying: SecretValue(utf8: code.text)), context)
      if output.json { try context.output.writeLine(json: CopiedDocument.text(hit, field: "code", copied)) }
    } else {
      try show(code, hit, context)
    }
    return damage.exitCode
  }

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
