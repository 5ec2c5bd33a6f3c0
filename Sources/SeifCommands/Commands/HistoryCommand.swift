internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// `seif history QUERY`: the passwords that a login had before.
struct HistoryCommand: Command {
  static let name = "history"
  static let summary = "list the passwords that a login had before"
  static let usage = """
    seif history QUERY [OPTIONS]

    Lists the last ten passwords of a login, the newest first, with the day on which each
    was replaced or undone. They are masked unless you say --reveal. --copy N copies one
    as `seif copy` does. --restore N makes it the present password again; the one that it
    replaces joins the list, and `seif undo` takes that back.
    """
  static let copied = Option.value("copy", "N", "copy the password of that number; cleared after 30 s")
  static let restored = Option.value("restore", "N", "make the password of that number the present one")
  static var options: [Option] {
    [copied, restored] + CopyOptions.options + RevealOptions.options + UnlockOptions.options + OutputOptions.options
  }

  private enum Act {
    case show
    case copy(Int, CopyOptions)
    case restore(Int)
  }

  private let query: String
  private let act: Act
  private let reveal: RevealOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    query = try arguments.positional("QUERY")
    let toCopy = try arguments.integer(Self.copied, in: 1...Vault.historyCount)
    let toRestore = try arguments.integer(Self.restored, in: 1...Vault.historyCount)
    reveal = try RevealOptions(&arguments)
    switch (toCopy, toRestore) {
    case (nil, nil): act = .show
    case (let number?, nil): act = .copy(number, try CopyOptions(&arguments))
    case (nil, let number?): act = .restore(number)
    default: throw UsageError("--copy and --restore are one too many")
    }
    if case .copy = act {
    } else if CopyOptions.options.contains(where: { arguments.isGiven($0) }) {
      throw UsageError("--for, --primary, --wl-copy and --osc52 go with --copy")
    }
    if reveal.reveal, toCopy != nil || toRestore != nil { throw UsageError("--reveal goes with neither of the two") }
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    var writes = false
    if case .restore = act { writes = true }
    let vault = try unlock.use(writes ? .readWrite : .readOnly, context)
    defer { vault.lock() }
    let hit = try login(in: vault, folder, context)
    let damage = vault.tell(context)
    let read = try withVault(folder) { () throws(VaultUseError) in try vault.entry(hit.id) }
    guard let history = PasswordHistory(read) else {
      throw CommandFailure(
        .notFound, "\"\(query)\" isn't a login, and of other entries no older secrets are kept",
        hint: "An edit just made is taken back by: seif undo")
    }
    switch act {
    case .show: try show(history, hit, vault, folder, context)
    case .copy(let number, let copying):
      let value = try secret(number, of: history, vault, folder)
      let copied = try copying.put(SecretBytes(copying: value), context)
      if output.json {
        try context.output.writeLine(json: CopiedDocument.text(hit, field: "history:\(number)", copied))
      }
    case .restore(let number): try restore(number, history, hit, vault, folder, context)
    }
    return damage.exitCode
  }

  /// Of the logins alone, so that a code of the same name is no choice; of all where none fits, to say what does.
  private func login(
    in vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> EntrySummary {
    let wanted = Query(query)
    try wanted.check()
    let logins = try withVault(folder) { () throws(VaultUseError) in try vault.list() }.filter { $0.kind == .passwords }
    guard !wanted.matches(logins).isEmpty else { return try wanted.resolve(in: vault, folder: folder, context) }
    return try wanted.resolve(logins, context)
  }

  private func secret(
    _ number: Int, of history: PasswordHistory, _ vault: any UnlockedVault, _ folder: String
  ) throws(CommandFailure) -> SecretValue {
    try check(number, of: history)
    return try history.secret(number, in: vault, folder)
  }

  private func check(_ number: Int, of history: PasswordHistory) throws(CommandFailure) {
    guard history.holds(number) else {
      let count = history.login.history.count
      throw CommandFailure(
        .notFound, "there is no password \(number): \(count == 0 ? "none is kept" : "the oldest is \(count)")",
        hint: "Try: seif history \(query)")
    }
  }

  private func show(
    _ history: PasswordHistory, _ hit: EntrySummary, _ vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) {
    let login = history.login
    var values: [SecretValue] = []
    if reveal.reveal {
      for number in login.history.indices {
        values.append(try secret(number + 1, of: history, vault, folder))
      }
    }
    if output.json {
      try context.output.writeLine(json: document(login, hit, values))
      return
    }
    let now = Timestamp(seconds: context.clock.now())
    let style = context.output.style
    var table = Table([
      Table.Column("no", right: true), Table.Column("replaced"), Table.Column("password", shortens: false),
    ])
    for (index, row) in login.history.enumerated() {
      // EXPOSE: the person asked for it with --reveal.
      let shown =
        reveal.reveal ? Display.cleaned(values[index].exposedText() ?? "(not text)") : RecordTables.mask(style)
      table.add([
        String(index + 1), row.changedAt.map { LocalTime.age($0, now: now) } ?? "not known", shown,
      ])
    }
    try context.output.write(table.text(style))
    try context.output.flush()
    if login.history.isEmpty {
      context.talk.say("\(EntryLabel.text(login.title, login.username)) has had no other password here.")
    } else if !reveal.reveal {
      context.talk.hint("seif history \(query) --copy N, or --restore N")
    }
  }

  private func document(_ login: Password, _ hit: EntrySummary, _ values: [SecretValue]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-history", 1)
    writer.key("entry")
    writer.entry(hit.id, hit.kind, name: hit.name, account: hit.account)
    writer.key("passwords")
    writer.beginArray()
    for (index, row) in login.history.enumerated() {
      writer.beginObject()
      writer.member("number", index + 1)
      if let moment = row.changedAt { writer.member("replacedAt", moment.rfc3339) }
      if reveal.reveal {
        writer.key("password")
        writer.string(values[index])
      }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }

  private func restore(
    _ number: Int, _ history: PasswordHistory, _ hit: EntrySummary, _ vault: any UnlockedVault, _ folder: String,
    _ context: Context
  ) throws(CommandFailure) {
    try check(number, of: history)
    let entry = try history.bringBack(number, in: vault, folder, now: Timestamp(seconds: context.clock.now()))
    if output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-edit", 1)
      writer.member("changed", true)
      writer.key("entry")
      writer.entry(hit.id, entry.kind, name: entry.name, account: entry.account)
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
    }
    context.talk.say(.ok, "\(EntryLabel.text(entry.name, entry.account)) has its password \(number) again.")
    context.talk.hintUndo()
  }
}
