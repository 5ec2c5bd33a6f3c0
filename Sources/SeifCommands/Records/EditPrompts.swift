internal import SeifCommandLine
internal import SeifBytes
internal import SeifFormats
internal import SeifOTP
internal import SeifRecords

/// Asks a person for each field of an entry: what stands there is kept by Enter and cleared by a single `-`. Secrets are
/// neither shown nor said to be there.
struct EditPrompts {
  private let entry: Entry
  private let context: Context

  init(_ entry: Entry, _ context: Context) {
    self.entry = entry
    self.context = context
  }

  func ask() throws(CommandFailure) -> EditedFields {
    guard let terminal = TerminalDevice(context) else { throw PassphraseSource.nobody }
    var said = EditedFields()
    terminal.write(lines: "Enter keeps what is there, - clears it.")
    switch entry {
    case .account(let account):
      try names("Name", "Account", &said)
      said.secret = try hidden("Key URI or secret", terminal) { (given) throws(CommandFailure) in
        _ = try CodeInput.replacement(given, for: account.otp)
      }
    case .otherAccount: try names("Name", "Account", &said)
    case .password:
      try names("Name", "User name", &said)
      repeat {
        said.secret = try hidden("Password", terminal)
      } while try said.secret.map { (typed) throws(CommandFailure) in
        try !LoginPassword.isTypedAgain(typed, context)
      } ?? false
      said.oneTimeCode = try hidden("Key URI of its one-time code", terminal, clears: true) {
        (given) throws(CommandFailure) in
        guard (try? KeyURI(parsing: given)) != nil else {
          throw CommandFailure(.badInput, "that isn't a Key URI (otpauth://…) Seif can use")
        }
      }
    case .card(let card):
      // In the order of `add`.
      said.name = try line("Name of the card", entry.name, clears: !entry.account.isEmpty)
      said.secret = try hidden("Card number", terminal)
      said.expiry = try line("Expires (YYYY-MM)", card.expiry ?? "", fault: EntryOptions.monthFault)
      said.account = try line("Name on the card", entry.account)
      said.cvc = try hidden("CVC", terminal, clears: true)
    case .note:
      said.name = try line("Title", entry.name, clears: false)
      said.text = try hidden("Text (several lines: --text-file F)", terminal)
    case .document: throw CommandFailure(.usage, "a document vault's key isn't edited here")
    }
    try common(&said, terminal)
    return said
  }

  private func names(_ name: String, _ account: String, _ said: inout EditedFields) throws(CommandFailure) {
    said.name = try line(name, entry.name, clears: !entry.account.isEmpty)
    said.account = try line(account, entry.account)
  }

  private func common(_ said: inout EditedFields, _ terminal: borrowing TerminalDevice) throws(CommandFailure) {
    let info = entry.info
    if entry.kind != .notes {
      let urls = info.urls.map { Disclosure.masked(url: $0) }.joined(separator: " ")
      said.urls = try line("Addresses, a space between", urls).map { list($0, " ") }
    }
    said.tags = try line("Tags, a comma between", info.tags.joined(separator: ", ")).map { list($0, ",") }
    let answers = ["y": true, "yes": true, "n": false, "no": false, "": false]
    said.isFavorite = try line("Favourite", info.isFavorite ? "yes" : "no") {
      answers[$0.lowercased()] == nil ? "Type y or n." : nil
    }.flatMap { answers[$0.lowercased()] }
    if entry.kind != .notes { said.text = try hidden("Notes", terminal, clears: true) }
  }

  private func list(_ text: String, _ separator: Character) -> [String] {
    text.split(separator: separator).map { part in
      var part = part.drop { $0 == " " }
      while part.last == " " { part.removeLast() }
      return String(part)
    }.filter { !$0.isEmpty }
  }

  /// A line; nil: as it was, empty: cleared.
  private func line(
    _ question: String, _ present: String, clears: Bool = true, fault: (String) -> String? = { _ in nil }
  ) throws(CommandFailure) -> String? {
    let shown = CellWidth.shortened(Display.cleaned(present), to: 40)
    let typed = try context.ask("\(question) [\(shown)]", insteadGive: "an option") { typed in
      if typed.isEmpty { return nil }
      if typed == "-" { return clears ? nil : "Something has to stand here." }
      return fault(typed)
    }
    return typed.isEmpty ? nil : typed == "-" ? "" : typed
  }

  /// A secret; nil: as it was, empty: cleared.
  private func hidden(
    _ question: String, _ terminal: borrowing TerminalDevice, clears: Bool = false,
    check: (SecretValue) throws(CommandFailure) -> Void = { _ in }
  ) throws(CommandFailure) -> SecretValue? {
    let choices = clears ? "not shown; Enter keeps it, - clears it" : "not shown; Enter keeps it"
    while true {
      guard let typed = try terminal.readHidden("\(question) (\(choices)): ") else { throw Context.cancelled }
      guard typed.byteCount > 0 else { return nil }
      let value = typed.withBytes { SecretValue(copying: $0) }
      if value == SecretValue(utf8: "-") {
        if clears { return .empty }
        terminal.write(lines: "Something has to stand here.")
        continue
      }
      do throws(CommandFailure) {
        // EXPOSE: only looked at for its encoding.
        guard value.exposedText() != nil else { throw CommandFailure(.badInput, "what was given isn't UTF-8") }
        try check(value)
        return value
      } catch {
        context.talk.fail(error)
      }
    }
  }
}
