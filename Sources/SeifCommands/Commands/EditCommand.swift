internal import SeifBytes
internal import SeifOTP
internal import SeifRecords
internal import SeifVault

/// `seif edit QUERY`: changes the fields that are said.
struct EditCommand: Command {
  static let name = "edit"
  static let summary = "change fields of an entry"
  static let usage = """
    seif edit QUERY [OPTIONS]

    Changes what the options say and nothing else. --tag and --url replace the whole list.
    A new secret comes from a prompt with --secret, or from --secret-fd or --secret-file;
    the last ten passwords of a login are kept. Without any option a terminal asks for
    each field, and Enter leaves it as it is.
    """
  static let secret = Option.flag("secret", "ask for a new secret (password, seed or Key URI, number, text)")
  static var options: [Option] {
    [secret] + EntryOptions.options + UnlockOptions.options + [OutputOptions.quiet]
  }

  private let query: String
  private let asksSecret: Bool
  private let fields: EntryOptions
  private let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    query = try arguments.positional("QUERY")
    asksSecret = arguments.flag(Self.secret)
    fields = try EntryOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let isInteractive = !fields.saysAnything && !asksSecret
    if isInteractive, TerminalDevice(context) == nil {
      throw CommandFailure(.usage, "nothing says what to change", hint: "See: seif help edit")
    }
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.unlock(.readWrite, context)
    defer { vault.lock() }
    let all = try withVaultErrors(folder) { () throws(VaultError) in try vault.summaries() }
    let hit = try Query(query).resolve(all, context)
    let before = try withVaultErrors(folder) { () throws(VaultError) in try vault.entry(hit.id) }.entry
    var name = fields.name
    var account = fields.account
    if isInteractive {
      name = try answer("Name", before.name, context)
      if case .note = before {} else { account = try answer("Account", before.account, context) }
    }
    var changed = before
    try rename(&changed, name, account)
    var info = changed.info
    fields.apply(to: &info)
    changed.info = info
    try setText(&changed, context)
    if asksSecret || fields.secret != .person { try setSecret(&changed, context) }
    guard changed != before || !sameText(changed, before) else {
      context.talk.say("Nothing changed.")
      return .done
    }
    stamp(&changed, context)
    try withVaultErrors(folder) { () throws(VaultError) in try vault.replace(hit.id, with: changed) }
    context.talk.say(.ok, "Changed \([changed.name, changed.account].filter { !$0.isEmpty }.joined(separator: ", ")).")
    context.talk.hint("seif undo")
    return .done
  }

  // Equality of records takes letters in another normal form for the same; the person may want just that changed.
  private func sameText(_ left: Entry, _ right: Entry) -> Bool { left.json() == right.json() }

  private func answer(_ question: String, _ present: String, _ context: Context) throws(CommandFailure) -> String? {
    let typed = try context.ask("\(question) [\(Display.cleaned(present))]", insteadGive: "--name or --account")
    return typed.isEmpty ? nil : typed
  }

  private func rename(_ entry: inout Entry, _ name: String?, _ account: String?) throws(CommandFailure) {
    switch entry {
    case .account(var item):
      (item.issuer, item.account) = (name ?? item.issuer, account ?? item.account)
      entry = .account(item)
    case .otherAccount(var item):
      (item.issuer, item.account) = (name ?? item.issuer, account ?? item.account)
      entry = .otherAccount(item)
    case .password(var item):
      (item.title, item.username) = (name ?? item.title, account ?? item.username)
      entry = .password(item)
    case .card(var item):
      (item.name, item.holder) = (name ?? item.name, fields.holder ?? account ?? item.holder)
      item.expiry = fields.expiry ?? item.expiry
      entry = .card(item)
    case .note(var item):
      item.title = name ?? item.title
      entry = .note(item)
    case .document: throw CommandFailure(.usage, "a document vault's key isn't edited here")
    }
  }

  private func setText(_ entry: inout Entry, _ context: Context) throws(CommandFailure) {
    guard let text = try fields.text(context) else { return }
    if case .note(var note) = entry {
      note.text = text
      entry = .note(note)
    } else {
      var info = entry.info
      info.notes = text
      entry.info = info
    }
  }

  private func setSecret(_ entry: inout Entry, _ context: Context) throws(CommandFailure) {
    guard let given = try fields.secret("New secret (not shown)", context) else {
      throw CommandFailure(.usage, "no new secret was given", hint: "Nothing was changed.")
    }
    switch entry {
    case .password(var login):
      login.password = given
      entry = .password(login)
    case .card(var card):
      card.number = given.withoutSpaces
      if card.hasValidCheckDigit != true { context.talk.warn("the number's check digit doesn't fit") }
      entry = .card(card)
    case .note(var note):
      note.text = given
      entry = .note(note)
    case .account(var account):
      guard case .account(let made) = try CodeInput.account(given, name: nil, account: nil) else {
        throw CommandFailure(.badInput, "that makes another kind of code; add it as a new entry")
      }
      account.otp = made.otp
      entry = .account(account)
    case .otherAccount, .document:
      throw CommandFailure(.usage, "the secret of this kind isn't edited; add a new entry and remove this one")
    }
  }

  private func stamp(_ entry: inout Entry, _ context: Context) {
    let now = Timestamp(seconds: context.clock.now())
    switch entry {
    case .password(var login):
      login.updatedAt = now
      entry = .password(login)
    case .note(var note):
      note.updatedAt = now
      entry = .note(note)
    default: break
    }
  }
}
