internal import SeifBytes
internal import SeifOTP
internal import SeifRecords

/// One field of an entry, by the name that a person gives it.
enum EntryField {
  /// A value of the entry, or its one-time code, which has to be made.
  enum Found {
    case value(name: String, SecretValue)
    case code
  }

  /// The field that is meant.
  ///
  /// - Parameter name: nil for the main one: the code of an account, the password of a login, the number of a card, the
  ///   text of a note. A custom field goes by its own name; the names of ``names(of:)`` come first.
  /// - Throws: exit 66, naming the fields that there are.
  static func find(_ name: String?, in entry: Entry) throws(CommandFailure) -> Found {
    guard let name else { return main(entry) }
    let folded = Query.folded(name)
    let fields = all(entry)
    if folded == "code", hasCode(entry) { return .code }
    // References say `username`, as git does; `edit` says `user`.
    let ours = folded == "username" ? "user" : folded
    if let field = fields.first(where: { $0.name == ours }) { return .value(name: field.name, field.value) }
    if let field = entry.info.customFields.first(where: { Query.folded($0.name) == folded }) {
      return .value(name: field.name, field.value)
    }
    throw CommandFailure(.notFound, "it has no field \"\(name)\"", hint: "It has:", details: names(of: entry))
  }

  /// The names of all fields that aren't empty, the main one first.
  static func names(of entry: Entry) -> [String] {
    (hasCode(entry) ? ["code"] : []) + all(entry).map(\.name) + entry.info.customFields.map(\.name)
  }

  private static func main(_ entry: Entry) -> Found {
    switch entry {
    case .account, .otherAccount: return .code
    case .password(let login): return .value(name: "password", login.password)
    case .card(let card): return .value(name: "number", card.number)
    case .note(let note): return .value(name: "text", note.text)
    case .document(let document): return .value(name: "id", SecretValue(utf8: document.id))
    }
  }

  private static func hasCode(_ entry: Entry) -> Bool {
    switch entry {
    case .account, .otherAccount: true
    case .password(let login): !login.totp.isEmpty
    case .card, .note, .document: false
    }
  }

  /// The fields that an entry of a kind has, without empty ones.
  private static func all(_ entry: Entry) -> [(name: String, value: SecretValue)] {
    var fields: [(String, SecretValue)] = []
    func text(_ name: String, _ value: String) { fields.append((name, SecretValue(utf8: value))) }
    switch entry {
    case .account(let account):
      text("name", account.issuer)
      text("account", account.account)
    case .otherAccount(let other):
      text("name", other.issuer)
      text("account", other.account)
    case .password(let login):
      fields.append(("password", login.password))
      text("user", login.username)
      text("name", login.title)
    case .card(let card):
      fields.append(("number", card.number))
      text("expiry", card.expiry ?? "")
      if let cvc = card.cvc { fields.append(("cvc", cvc)) }
      text("holder", card.holder)
      text("name", card.name)
    case .note(let note):
      fields.append(("text", note.text))
      text("name", note.title)
    case .document(let document):
      text("id", document.id)
      text("server", document.server)
      text("account", document.account)
    }
    if let url = entry.info.urls.first { text("url", url) }
    fields.append(("notes", entry.info.notes))
    return fields.filter { !$0.1.isEmpty }
  }
}
