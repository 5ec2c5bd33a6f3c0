internal import SeifAgent
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// `seif add KIND`: a new entry.
struct AddCommand: Command {
  static let name = "add"
  static let summary = "add a code, login, card or note"
  static let usage = """
    seif add KIND [OPTIONS]

    KIND is code, login, card or note. What isn't said by an option is asked for on a
    terminal. Secrets are never arguments: they come from a prompt, --secret-fd or
    --secret-file. A code's secret is a Key URI (otpauth://…) or base32. A card's CVC is
    asked last and may be left out.
    """
  enum Kind: String, CaseIterable { case code, login, card, note }

  static var options: [Option] { EntryOptions.options + UnlockOptions.options + OutputOptions.options }

  private let kind: Kind
  private let entry: EntryOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    let word = try arguments.positional("KIND")
    guard let kind = Kind(rawValue: word) else {
      throw UsageError("KIND is one of: \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self.kind = kind
    entry = try EntryOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    var made = try make(context)
    var info = made.info
    entry.apply(to: &info)
    info.createdAt = Timestamp(seconds: context.clock.now())
    if kind != .note, let notes = try entry.text(context) { info.notes = notes }
    made.info = info
    let entry = made
    let ids = try withVault(folder) { () throws(VaultUseError) in try vault.apply([.add(entry)], ifCounterIs: nil) }
    let id = ids.first?.description ?? ""
    if output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-add", 1)
      writer.member("id", id)
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
    }
    context.talk.say(.ok, "Added \(EntryLabel.text(made.name, made.account)).")
    return .done
  }

  private func make(_ context: Context) throws(CommandFailure) -> Entry {
    switch kind {
    case .code:
      guard let given = try entry.secret("Key URI or secret (not shown)", context) else {
        throw CommandFailure(.usage, "a code needs its secret")
      }
      let made = try CodeInput.account(given, name: entry.name, account: entry.account)
      // A Key URI says what it belongs to, a bare secret doesn't.
      guard case .account(var account) = made, !CodeInput.isURI(given) else { return made }
      account.issuer = try said(entry.name, "Name", "--name NAME", context, isOptional: entry.account != nil)
      account.account = try said(entry.account, "Account", "--account ACCOUNT", context, isOptional: true)
      return .account(account)
    case .login:
      let title = try said(entry.name, "Name", "--name NAME", context)
      let username = try said(entry.account, "User name", "--account ACCOUNT", context, isOptional: true)
      guard let password = try entry.secret("Password (not shown)", context) else {
        throw CommandFailure(.usage, "a login needs a password", hint: "Make one up elsewhere, or add a note instead.")
      }
      var login = Password(password: password)
      (login.title, login.username) = (title, username)
      login.updatedAt = Timestamp(seconds: context.clock.now())
      return .password(login)
    case .card: return .card(try card(context))
    case .note:
      let title = try said(entry.name, "Title", "--name NAME", context)
      var text = try entry.text(context)
      if text == nil { text = try entry.secret("Text (one line, not shown)", context) }
      guard let text else {
        throw CommandFailure(.usage, "a note needs a text", hint: "Give it with --text FILE.")
      }
      var note = Note(text: text)
      note.title = title
      note.updatedAt = Timestamp(seconds: context.clock.now())
      return .note(note)
    }
  }

  private func card(_ context: Context) throws(CommandFailure) -> Card {
    let label = try said(entry.name, "Name of the card", "--name NAME", context)
    guard let typed = try entry.secret("Card number (not shown)", context) else {
      throw CommandFailure(.usage, "a card needs its number")
    }
    var card = Card(number: typed.withoutSpaces)
    card.name = label
    switch card.hasValidCheckDigit {
    case true?: break
    case false?: context.talk.warn("the number's check digit doesn't fit: one digit may be mistyped")
    case nil: context.talk.warn("that isn't a card number of digits alone; it is kept as it is")
    }
    let expiry = try said(entry.expiry, "Expires (YYYY-MM)", "--expiry YYYY-MM", context, isOptional: true)
    if !expiry.isEmpty {
      guard EntryOptions.isMonth(expiry) else {
        throw CommandFailure(.usage, "\(expiry) isn't a year and month, as 2029-04")
      }
      card.expiry = expiry
    }
    card.holder = try said(entry.holder, "Name on the card", "--holder NAME", context, isOptional: true)
    // Only a person is asked: a script leaves it out.
    if entry.secret == .person, let terminal = TerminalDevice(context) {
      guard let cvc = try terminal.readHidden("CVC (not shown; Enter leaves it out): ") else { throw Context.cancelled }
      if cvc.byteCount > 0 { card.cvc = cvc.withBytes { SecretValue(copying: $0) } }
    }
    return card
  }

  // What an option said, else what the person answers; without either an optional field stays empty.
  private func said(
    _ given: String?, _ question: String, _ option: String, _ context: Context, isOptional: Bool = false
  ) throws(CommandFailure) -> String {
    if let given { return given }
    guard isOptional else { return try context.ask(question, insteadGive: option) }
    guard entry.secret == .person, TerminalDevice(context) != nil else { return "" }
    return try context.ask(question + " (Enter leaves it out)", insteadGive: option)
  }
}

extension SecretValue {
  /// The same without spaces and hyphens, as numbers are typed in groups.
  var withoutSpaces: SecretValue {
    var kept = SecretBuffer(capacity: byteCount)
    withBytes { bytes in
      bytes.withUnsafeBytes { for byte in $0 where byte != 0x20 && byte != 0x2D { kept.append(byte) } }
    }
    return kept.finish()
  }
}
