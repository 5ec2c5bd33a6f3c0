internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

/// `seif audit`: which passwords should be changed.
struct AuditCommand: Command {
  static let name = "audit"
  static let summary = "say which passwords are weak, reused, old or from a break-in"
  static let usage = """
    seif audit [OPTIONS]

    Looks at the passwords of your logins and names those that should be changed; it shows
    no password, changes nothing and asks nobody. Exit 2: there are some.

    weak      guessed within a day at ten million guesses a second
    reused    several logins have the same
    old       unchanged for two years (--older-than), where a date is known
    breached  in the public list of passwords from break-ins, with --breached

    The list is a file that you have: SHA-1, ordered by hash, a line HASH:COUNT each. It
    is searched in place, tens of gigabytes too, in little memory.
    """
  static let breached = Option.value("breached", "FILE", "the list of breached passwords, ordered by hash")
  static let olderThan = Option.value("older-than", "YEARS", "years after which a password is old (else 2)")
  static var options: [Option] { [breached, olderThan] + UnlockOptions.options + OutputOptions.options }

  private static let secondsOfYear: Int64 = 31_557_600

  private let breached: String?
  private let years: Int
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    breached = arguments.value(Self.breached)
    years = try arguments.integer(Self.olderThan, in: 1...100) ?? 2
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    // A file that is no such list is said before a passphrase is asked for.
    let file = try breached.map { (path) throws(CommandFailure) in try BreachedFile(path) }
    let vault = try unlock.unlock(.readOnly, context)
    defer { vault.lock() }
    let entries = try withVaultErrors(folder) { () throws(VaultError) in try vault.entries() }
    let damage = VaultDamage(vault).tell(context)
    let audit: PasswordAudit
    do throws(BreachedList.Fault) {
      audit = try PasswordAudit(
        entries, changedBefore: Timestamp(seconds: context.clock.now() - Int64(years) * Self.secondsOfYear),
        list: file?.list)
    } catch {
      throw CommandFailure(error, list: breached ?? "")
    }
    if !audit.isStrengthJudged { context.talk.warn("strength isn't judged: zxcvbn isn't installed (libzxcvbn0)") }
    if output.json {
      try context.output.writeLine(json: document(audit))
    } else {
      try show(audit, context)
    }
    return audit.isClean ? damage.exitCode : .checkFailed
  }

  private func show(_ audit: PasswordAudit, _ context: Context) throws(CommandFailure) {
    let now = Timestamp(seconds: context.clock.now())
    var lines: [(Sign, String, String)] = []
    for (login, count) in audit.breached {
      lines.append((.fail, "breached", "\(Self.label(login)): \(count) \(count == 1 ? "time" : "times") in the list"))
    }
    for (login, bits) in audit.weak {
      let seconds = Strength(bits: bits).seconds(
        guessesPerSecond: PasswordAudit.guessesPerSecond, machines: Strength.manyMachines)
      lines.append((.fail, "weak", "\(Self.label(login)): guessed in \(Strength.words(forSeconds: seconds))"))
    }
    for group in audit.reused {
      lines.append((.fail, "reused", group.map(Self.label).joined(separator: "; ")))
    }
    for (login, since) in audit.old {
      lines.append((.fail, "old", "\(Self.label(login)): unchanged since \(LocalTime.age(since, now: now))"))
    }
    let style = context.output.style
    for (sign, word, text) in lines {
      let padding = String(repeating: " ", count: max(1, 10 - word.count))
      try context.output.writeLine("\(sign.text(style)) \(word)\(padding)\(Display.cleaned(text))")
    }
    if lines.isEmpty, !output.quiet {
      let unsearched = breached == nil ? "; not looked for in lists of break-ins (--breached)" : ""
      let count = audit.loginCount
      try context.output.writeLine(
        "\(Sign.ok.text(style)) \(count) \(count == 1 ? "password" : "passwords"), none to change\(unsearched)")
    }
    if let first = audit.breached.first?.login ?? audit.weak.first?.login {
      try context.output.flush()
      context.talk.hint("seif edit \(first.id.description) --secret")
    }
  }

  private static func label(_ login: PasswordAudit.Login) -> String { EntryLabel.text(login.name, login.account) }

  private func document(_ audit: PasswordAudit) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-audit", 1)
    writer.member("ok", audit.isClean)
    writer.member("logins", audit.loginCount)
    writer.member("judged", audit.isStrengthJudged)
    writer.member("searched", breached != nil)
    list("breached", audit.breached.map(\.login), &writer) { index, writer in
      writer.member("count", Int(clamping: audit.breached[index].count))
    }
    list("weak", audit.weak.map(\.login), &writer) { index, writer in
      writer.member("guesses2exp", Int(audit.weak[index].bits))
    }
    writer.key("reused")
    writer.beginArray()
    for group in audit.reused {
      writer.beginArray()
      for login in group { Self.object(login, &writer) { _ in } }
      writer.endArray()
    }
    writer.endArray()
    list("old", audit.old.map(\.login), &writer) { index, writer in
      writer.member("since", audit.old[index].since.rfc3339)
    }
    writer.endObject()
    return writer.finish()
  }

  private func list(
    _ key: String, _ logins: [PasswordAudit.Login], _ writer: inout JSONWriter,
    _ more: (Int, inout JSONWriter) -> Void
  ) {
    writer.key(key)
    writer.beginArray()
    for (index, login) in logins.enumerated() { Self.object(login, &writer) { more(index, &$0) } }
    writer.endArray()
  }

  private static func object(
    _ login: PasswordAudit.Login, _ writer: inout JSONWriter, _ more: (inout JSONWriter) -> Void
  ) {
    writer.beginObject()
    writer.member("id", login.id.description)
    writer.member("name", login.name)
    writer.member("account", login.account)
    more(&writer)
    writer.endObject()
  }
}
