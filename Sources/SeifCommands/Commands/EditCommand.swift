internal import SeifCommandLine
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
    at the prompt Enter alone has a login's password made up. The last ten passwords of a
    login are kept. Without any option a terminal asks for each field: Enter leaves it as
    it is, a single - clears it. Secrets aren't shown.
    """
  static let secret = Option.flag("secret", "ask for a new secret (password, seed or Key URI, number, text)")
  static var options: [Option] {
    [secret] + EntryOptions.options + UnlockOptions.options + OutputOptions.options
  }

  private let query: String
  private let asksSecret: Bool
  private let fields: EntryOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    query = try arguments.positional("QUERY")
    asksSecret = arguments.flag(Self.secret)
    fields = try EntryOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  /// Nothing says what to change: a person is asked.
  private var isInteractive: Bool { !fields.saysAnything && !asksSecret }

  func run(_ context: Context) throws -> ExitCode {
    if isInteractive, TerminalDevice(context) == nil {
      throw CommandFailure(.usage, "nothing says what to change", hint: "See: seif help edit")
    }
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    let hit = try Query(query).resolve(in: vault, folder: folder, context)
    _ = vault.tell(context)
    return try change(hit.id, in: vault, folder, context)
  }

  /// Changes an entry of an open vault.
  func change(
    _ id: UUID, in vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> ExitCode {
    var said = EditedFields(options: fields)
    if isInteractive {
      let entry = try withVault(folder) { () throws(VaultUseError) in try vault.entry(id) }.stored.entry
      said = try EditPrompts(entry, context).ask()
    }
    if let text = try fields.text(context) { said.text = text }
    if asksSecret || fields.secret != .person {
      // Tried on what is there now, so that a person can be asked again.
      var entry = try withVault(folder) { () throws(VaultUseError) in try vault.entry(id) }.stored.entry
      if case .password = entry, fields.asksPerson(context) {
        said.secret = try LoginPassword.ask("New password", fields, context).password
        return try write(said, id, vault, folder, context)
      }
      said.secret = try fields.secret("New secret (not shown)", context) { (given) throws(CommandFailure) in
        guard let given else {
          throw CommandFailure(.usage, "no new secret was given", hint: "Nothing was changed.")
        }
        try EditedFields.setSecret(&entry, given, nil)
        return given
      }
    }
    return try write(said, id, vault, folder, context)
  }

  // Reads, changes and writes; begins again where another writer came between.
  private func write(
    _ said: EditedFields, _ id: UUID, _ vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> ExitCode {
    var meanwhile = VaultError(.changedMeanwhile)
    for _ in 0..<3 {
      // The agent leaves out the secrets, and puts those back that stay as they are.
      let read = try withVault(folder) { () throws(VaultUseError) in try vault.entry(id) }
      let before = read.stored.entry
      let changed = try apply(said, to: before, context)
      guard !sameText(changed, before) else {
        context.talk.say("Nothing changed.")
        try show(id, before, changed: false, context)
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
      try show(id, changed, changed: true, context)
      context.talk.hintUndo()
      return .done
    }
    throw CommandFailure(meanwhile, folder: folder)
  }

  private func show(_ id: UUID, _ entry: Entry, changed: Bool, _ context: Context) throws(CommandFailure) {
    guard output.json else { return }
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-edit", 1)
    writer.member("changed", changed)
    writer.key("entry")
    writer.entry(id, entry.kind, name: entry.name, account: entry.account)
    writer.endObject()
    try context.output.writeLine(json: writer.finish())
  }

  private func apply(
    _ said: EditedFields, to before: Entry, _ context: Context
  ) throws(CommandFailure) -> Entry {
    var changed = before
    try said.apply(to: &changed, context)
    if !sameText(changed, before) { stamp(&changed, context) }
    return changed
  }

  // Equality of records takes letters in another normal form for the same; the person may want just that changed.
  private func sameText(_ left: Entry, _ right: Entry) -> Bool { left.json() == right.json() }

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
