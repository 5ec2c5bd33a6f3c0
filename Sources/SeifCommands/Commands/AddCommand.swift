internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifOTP
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
    asked last and may be left out. A login's password is typed twice; Enter alone has one
    made up, which is then offered for the clipboard. A note's text may have several lines:
    it is typed up to a line of a single dot, or comes from a file or a pipe (--text-file -).

    --qr FILE adds the codes of a picture of QR codes instead, --clipboard those of a copied
    Key URI or picture, --screen those that an X11 screen shows. Each is shown and asked for
    before it is added. A picture is read by a process that can open nothing.
    """
  enum Kind: String, CaseIterable { case code, login, card, note }

  static var options: [Option] {
    EntryOptions.options + AddFromPicture.options + UnlockOptions.options + OutputOptions.options
  }

  private static var kinds: String { "KIND is one of: \(Kind.allCases.map(\.rawValue).joined(separator: ", "))" }

  private let picture: AddFromPicture?
  private let kind: Kind
  private let entry: EntryOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    let given = arguments.optionalPositional()
    picture = try AddFromPicture(&arguments, kind: given)
    guard let word = picture == nil ? given : "code" else { throw UsageError("KIND is missing. \(Self.kinds)") }
    guard let kind = Kind(rawValue: word) else {
      throw UsageError(Self.kinds)
    }
    self.kind = kind
    entry = try EntryOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    if let picture { return try picture.run(context) }
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    return try add(to: vault, folder, offersCopy: true, context)
  }

  /// Adds to an open vault.
  ///
  /// - Parameter offersCopy: whether a password that was made up is offered for the clipboard.
  func add(
    to vault: any UnlockedVault, _ folder: String, offersCopy: Bool = false, _ context: Context
  ) throws(CommandFailure) -> ExitCode {
    var (made, madeUp) = try make(context)
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
    if case .account(let account) = made, account.otp.secret.byteCount < 10 {
      context.talk.warn("its secret is very short; was all of it copied? Compare: seif code")
    }
    context.talk.say(.ok, "Added \(EntryLabel.text(made.name, made.account)).")
    if let madeUp, offersCopy, !output.json, offerCopy(of: madeUp, context) { return .done }
    if kind == .login, let id = ids.first { context.talk.hint("seif copy \(id.description.prefix(8))") }
    return .done
  }

  /// Nobody has seen it yet, and it is wanted at once where the login is.
  ///
  /// The entry is in the vault whatever comes of this.
  ///
  /// - Returns: whether it was copied.
  private func offerCopy(of password: SecretValue, _ context: Context) -> Bool {
    guard CopyOptions.hasDisplay(context.environment), !context.talk.isQuiet else { return false }
    do throws(CommandFailure) {
      let seconds = CopyOptions.usual.seconds
      guard
        try context.confirm("Copy the password, for \(seconds) s?", default: true, insteadGive: "seif copy")
      else { return false }
      _ = try CopyOptions.usual.put(SecretBytes(copying: password), context)
      return true
    } catch {
      if error.exitCode != .interrupted { context.talk.warn("not copied: \(error.what)") }
      return false
    }
  }

  /// The entry, and its password where that was made up.
  private func make(_ context: Context) throws(CommandFailure) -> (entry: Entry, madeUp: SecretValue?) {
    switch kind {
    case .code: return (try code(context), nil)
    case .login:
      let title = try said(entry.name, "Name", "--name NAME", context)
      let username = try said(entry.account, "User name", "--account ACCOUNT", context, isOptional: true)
      let (password, isMadeUp) = try password(context)
      var login = Password(password: password)
      (login.title, login.username) = (title, username)
      login.updatedAt = Timestamp(seconds: context.clock.now())
      // In the order of `edit`; what options say is put in with the rest.
      if entry.urls == nil, entry.asksPerson(context) {
        let typed = try context.ask(
          "Address, such as https://example.org (Enter leaves it out)", insteadGive: "--url URL")
        login.info.urls = typed.split(separator: " ").map(String.init)
      }
      return (.password(login), isMadeUp ? password : nil)
    case .card: return (.card(try card(context)), nil)
    case .note:
      let title = try said(entry.name, "Title", "--name NAME", context)
      var note = Note(text: try noteText(context))
      note.title = title
      note.updatedAt = Timestamp(seconds: context.clock.now())
      return (.note(note), nil)
    }
  }

  private func password(_ context: Context) throws(CommandFailure) -> (password: SecretValue, isMadeUp: Bool) {
    if entry.asksPerson(context) { return try LoginPassword.ask("Password", entry, context) }
    guard let password = try entry.secret("Password", context) else {
      throw CommandFailure(
        .usage, "a login needs a password", hint: "Make one up (seif generate), or add a note instead.")
    }
    return (password, false)
  }

  private func code(_ context: Context) throws(CommandFailure) -> Entry {
    let question = "Key URI or secret (not shown)"
    let (made, isURI) = try entry.secret(question, context) { (given) throws(CommandFailure) in
      guard let given else { throw CommandFailure(.usage, "a code needs its secret") }
      return (try CodeInput.account(given, name: entry.name, account: entry.account), CodeInput.isURI(given))
    }
    // A Key URI says what it belongs to, a bare secret doesn't.
    guard case .account(var account) = made, !isURI else { return made }
    account.issuer = try said(entry.name, "Name", "--name NAME", context, isOptional: entry.account != nil)
    account.account = try said(entry.account, "Account", "--account ACCOUNT", context, isOptional: true)
    return .account(account)
  }

  /// From a file or descriptor; else typed, as many lines as it takes.
  private func noteText(_ context: Context) throws(CommandFailure) -> SecretValue {
    if let text = try entry.text(context) { return text }
    guard entry.secret == .person, let terminal = TerminalDevice(context) else {
      guard let text = try entry.secret("Text (one line, not shown)", context) else { throw Self.noText }
      return text
    }
    while true {
      let text = try terminal.readHiddenLines(
        "Text (not shown). Several lines may follow; a line of a single dot, or Ctrl-D, ends it:")
      guard let text else { throw Context.cancelled }
      // EXPOSE: only looked at for its encoding.
      guard text.exposedText() != nil else { throw CommandFailure(.badInput, "what was given isn't UTF-8") }
      if !text.isEmpty { return text }
      context.talk.fail(Self.noText)
    }
  }

  private static var noText: CommandFailure {
    CommandFailure(.usage, "a note needs a text", hint: "From a file: --text-file F.")
  }

  private func card(_ context: Context) throws(CommandFailure) -> Card {
    let label = try said(entry.name, "Name of the card", "--name NAME", context)
    let number = try entry.secret("Card number (not shown)", context) { (typed) throws(CommandFailure) in
      guard let typed, !typed.withoutSpaces.isEmpty else { throw CommandFailure(.usage, "a card needs its number") }
      return typed.withoutSpaces
    }
    var card = Card(number: number)
    card.name = label
    switch card.hasValidCheckDigit {
    case true?: break
    case false?: context.talk.warn("the number's check digit doesn't fit: one digit may be mistyped")
    case nil: context.talk.warn("that isn't a card number of digits alone; it is kept as it is")
    }
    let expiry = try said(
      entry.expiry, "Expires (YYYY-MM)", "--expiry YYYY-MM", context, isOptional: true, fault: EntryOptions.monthFault)
    if !expiry.isEmpty { card.expiry = expiry }
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
    _ given: String?, _ question: String, _ option: String, _ context: Context, isOptional: Bool = false,
    fault: (String) -> String? = { _ in nil }
  ) throws(CommandFailure) -> String {
    if let given { return given }
    guard isOptional else {
      return try context.ask(question, insteadGive: option) { $0.isEmpty ? "Something has to stand here." : fault($0) }
    }
    guard entry.asksPerson(context) else { return "" }
    return try context.ask(question + " (Enter leaves it out)", insteadGive: option) { $0.isEmpty ? nil : fault($0) }
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
