internal import CSeif
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
    // Read-write from the start: whether a counter must move is known only once the entry is found. A timed code is
    // shown from a full disk too.
    let vault = try unlock.unlock(.readWrite, mayOnlyRead: true, context)
    defer { vault.lock() }
    let summaries = try withVaultErrors(folder) { () throws(VaultError) in try vault.summaries() }
    let damage = VaultDamage(vault).tell(context)
    let hit = try Query(query).resolve(summaries.filter { $0.hasOneTimeCode || KindName($0.kind) == .code }, context)
    let stored = try withVaultErrors(folder) { () throws(VaultError) in try vault.entry(hit.id) }
    let code = try code(of: stored, vault, folder, context)
    try show(code, hit, context)
    return damage.exitCode
  }

  private func code(
    of stored: StoredEntry, _ vault: Vault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> OneTimeCode {
    var time = Timestamp(seconds: clock.clock(context).now())
    func timed(_ otp: OTPParameters) throws(CommandFailure) -> OneTimeCode {
      if clock.at == nil, seif_clock_unsynchronised() == 1 {
        context.talk.say(.warn, "the kernel says that the clock isn't synchronised; codes may be refused")
      }
      if isNext { time = Timestamp(seconds: time.seconds + Int64(otp.period ?? 30)) }
      do throws(OTPError) {
        return try OneTimePassword.code(otp, at: time)
      } catch {
        throw CommandFailure(.badInput, "there is no code for this entry: \(error)")
      }
    }
    switch stored.entry {
    case .account(let account):
      guard case .hotp = account.otp.kind else { return try timed(account.otp) }
      if isNext {
        throw CommandFailure(
          .usage, "this account counts, so its next code is that of the next call", hint: "Leave out --next.")
      }
      let shown = try withVaultErrors(folder) { () throws(VaultError) in try vault.advanceCounter(stored.id) }
      do throws(OTPError) {
        return try OneTimePassword.code(shown.otp, at: time)
      } catch {
        throw CommandFailure(.badInput, "there is no code for this entry: \(error)")
      }
    case .password(let login) where !login.totp.isEmpty:
      guard let uri = try? KeyURI(parsing: login.totp) else {
        throw CommandFailure(.badInput, "the login's one-time code can't be read")
      }
      return try timed(uri.parameters)
    case .otherAccount(let other):
      if isNext { time = Timestamp(seconds: time.seconds + (other.type == "motp" ? 10 : 30)) }
      guard let code = OtherCodes.code(other, at: time) else {
        throw CommandFailure(.badInput, "codes of the kind \(other.type) can't be computed here")
      }
      return code
    default:
      throw CommandFailure(.notFound, "\"\(query)\" has no one-time code")
    }
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
