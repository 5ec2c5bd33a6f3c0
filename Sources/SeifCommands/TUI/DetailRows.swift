internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifFormats
internal import SeifOTP
internal import SeifRecords
internal import SeifTUI
internal import SeifVault

/// The fields of an entry as rows of the screen: names in clear, secrets by the name that ``EntryField`` knows them by.
struct DetailRows {
  private(set) var rows: [Details.Row] = []

  init(_ read: ReadEntry) {
    let entry = read.stored.entry
    switch entry {
    case .account(let account):
      text("name", "name", account.issuer)
      text("account", "account", account.account)
      code(Self.timing(read))
    case .otherAccount(let other):
      text("name", "name", other.issuer)
      text("account", "account", other.account)
      code(Self.timing(read))
    case .password(let login):
      text("name", "name", login.title)
      text("user", "user", login.username)
      secret("password", login.password)
      if !login.totp.isEmpty { code(Self.timing(read)) }
    case .card(let card):
      text("name", "name", card.name)
      secret("number", card.number)
      text("expires", "expiry", card.expiry ?? "")
      secret("cvc", card.cvc ?? .empty)
      text("holder", "holder", card.holder)
    case .note(let note):
      text("title", "name", note.title)
      secret("text", note.text)
    case .document(let document):
      text("id", "id", document.id)
      text("server", "server", Disclosure.masked(url: document.server))
      text("account", "account", document.account)
    }
    common(entry)
  }

  private mutating func common(_ entry: Entry) {
    let info = entry.info
    for (index, url) in info.urls.enumerated() {
      // The first is what `url` copies.
      text("address", index == 0 ? "url" : nil, Disclosure.masked(url: url))
    }
    secret("notes", info.notes)
    text("tags", nil, info.tags.joined(separator: ", "))
    for field in info.customFields {
      // One that goes by the name of another can't be asked for.
      let named = FieldName(field.name)
      let name = named.known?.value(of: entry) == nil && named.own(of: entry) != nil ? field.name : nil
      if Disclosure.isOpen(name: field.name, value: field.value, isSecret: field.isSecret) {
        // EXPOSE: the person marked this field as no secret, and it doesn't look like one.
        text(field.name, name, field.value.exposedText() ?? "")
      } else {
        rows.append(.init(field.name, field: name.map { .named($0) }, .secret))
      }
    }
    if let made = info.createdAt { text("made", nil, String(LocalTime.text(made).prefix(10))) }
  }

  private mutating func text(_ label: String, _ field: String?, _ value: String) {
    if !value.isEmpty { rows.append(.init(label, field: field.map { .named($0) }, .text(value))) }
  }

  private mutating func secret(_ name: String, _ value: SecretValue) {
    if !value.isEmpty { rows.append(.init(name, field: .named(name), .secret)) }
  }

  private mutating func code(_ timing: CodeTiming) {
    rows.append(.init("code", field: .code, .code(timing)))
    if timing != .counter { rows.append(.init("next", field: .nextCode, .nextCode)) }
  }

  /// How the entry's codes follow each other. Of a login in the agent that isn't known: its Key URI stays there.
  static func timing(_ read: ReadEntry) -> CodeTiming {
    switch read.stored.entry {
    case .account(let account):
      if case .hotp = account.otp.kind { return .counter }
      return .period(account.otp.period ?? 30)
    case .otherAccount(let other): return other.type == "motp" ? .period(10) : .period(30)
    case .password(let login):
      guard read.masked.isEmpty, let uri = try? KeyURI(parsing: login.totp) else { return .unknown }
      if case .hotp = uri.parameters.kind { return .counter }
      return .period(uri.parameters.period ?? 30)
    case .card, .note, .document: return .unknown
    }
  }
}
