internal import SeifAgent
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
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    let hit = try Query(query).resolve(in: vault, folder: folder, context)
    _ = vault.tell(context)
    var said = Said(name: fields.name, account: fields.account)
    if isInteractive {
      said.name = try answer("Name", hit.name, context)
      if hit.kind != .notes { said.account = try answer("Account", hit.account, context) }
    }
    said.text = try fields.text(context)
    if asksSecret || fields.secret != .person {
      said.secret = try fields.secret("New secret (not shown)", context)
      if said.secret == nil { throw CommandFailure(.usage, "no new secret was given", hint: "Nothing was changed.") }
    }
    return try write(said, hit.id, vault, folder, context)
  }

  /// What a person wants changed, asked for before the entry is read: a prompt may stand for minutes.
  private struct Said {
    var name: String?
    var account: String?
    var text: SecretValue?
    var secret: SecretValue?
  }

  // Reads, changes and writes; begins again where another writer came between.
  private func write(
    _ said: Said, _ id: UUID, _ vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> ExitCode {
    var meanwhile = VaultError(.changedMeanwhile)
    for _ in 0..<3 {
      // The agent leaves out the secrets, and puts those back that stay as they are.
      let read = try withVault(folder) { () throws(VaultUseError) in try vault.entry(id) }
      let before = read.stored.entry
      let changed = try apply(said, to: before, context)
      guard !sameText(changed, before) else {
        context.talk.say("Nothing changed.")
        return .done
      }
      do throws(VaultUseError) {
        try vault.apply([.replace(id, changed)], ifCounterIs: read.counter)
      } catch {
        guard case .vault(let refusal) = error, refusal.code == .changedMeanwhile else {
          throw CommandFailure(error, folder: folder)
        }
        meanwhile = refusal
        continue
      }
      context.talk.say(
        .ok, "Changed \(EntryLabel.text(changed.name, changed.account)).")
      context.talk.hint("seif undo")
      return .done
    }
    throw CommandFailure(meanwhile, folder: folder)
  }

  private func apply(_ said: Said, to before: Entry, _ context: Context) throws(CommandFailure) -> Entry {
    var changed = before
    try rename(&changed, said.name, said.account)
    var info = changed.info
    fields.apply(to: &info)
    changed.info = info
    if let text = said.text { setText(&changed, text) }
    if let secret = said.secret { try setSecret(&changed, secret, context) }
    if !sameText(changed, before) { stamp(&changed, context) }
    return changed
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

  private func setText(_ entry: inout Entry, _ text: SecretValue) {
    if case .note(var note) = entry {
      note.text = text
      entry = .note(note)
    } else {
      var info = entry.info
      info.notes = text
      entry.info = info
    }
  }

  private func setSecret(
    _ entry: inout Entry, _ given: SecretValue, _ context: Context
  ) throws(CommandFailure) {
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
      account.otp = try CodeInput.replacement(given, for: account.otp)
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
