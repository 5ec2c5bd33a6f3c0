internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifFormats
internal import SeifOTP
internal import SeifRecords
internal import SeifVault

/// A field that Seif knows of an entry: the one table of their names, for `copy`, references, `show` and completion.
/// docs/references.md has the same table.
enum EntryField: String, CaseIterable {
  case code, password, user, secret, pin, number, cvc, expiry, holder, notes, url, name, id, server

  /// What else it goes by: as other programs call it, and as `show` labels it.
  var aliases: [String] {
    switch self {
    case .code: ["totp", "one-time code"]
    case .user: ["username", "account"]
    case .notes: ["text"]
    case .url: ["address"]
    case .name: ["title", "issuer"]
    case .id: ["document vault"]
    default: []
    }
  }

  var names: [String] { [rawValue] + aliases }

  private static let byName: [String: EntryField] = allCases.reduce(into: [:]) { known, field in
    for name in field.names { known[Query.folded(name)] = field }
  }

  /// The field that a name means, in whatever case.
  init?(named name: String) {
    guard let field = Self.byName[Query.folded(name)] else { return nil }
    self = field
  }

  /// What an entry gives for a field.
  enum Found {
    /// The value, or what stands for it where the agent holds the secret.
    case value(SecretValue, isSecret: Bool)
    /// The secret that makes codes, to be written in base32.
    case seed
    /// A one-time code, which has to be made.
    case code(counts: Bool)

    /// Whether it is masked in output: passwords are, user names aren't.
    var isSecret: Bool { if case .value(_, let isSecret) = self { isSecret } else { true } }

    /// Whether giving it moves a counter.
    var moves: Bool { if case .code(let counts) = self { counts } else { false } }
  }

  /// The field's label in the entry's own words; each is a name too.
  func label(in entry: Entry) -> String {
    switch (self, entry) {
    case (.code, _): "one-time code"
    case (.user, .account), (.user, .otherAccount), (.user, .document): "account"
    case (.name, .account), (.name, .otherAccount): "issuer"
    case (.name, .password), (.name, .note): "title"
    case (.notes, .note): "text"
    case (.url, _): "address"
    case (.id, _): "document vault"
    default: rawValue
    }
  }

  /// The field that is copied where none is named.
  static func main(of entry: Entry) -> EntryField {
    switch entry {
    case .account, .otherAccount: .code
    case .password: .password
    case .card: .number
    case .note: .notes
    case .document: .id
    }
  }

  /// The value, or nil where the entry has none or an empty one.
  func value(of entry: Entry) -> Found? {
    switch (self, entry) {
    case (.code, .account(let account)):
      if case .hotp = account.otp.kind { return .code(counts: true) }
      return .code(counts: false)
    case (.code, .otherAccount(let other)): return other.secret == nil || other.pin == nil ? nil : .code(counts: false)
    case (.code, .password(let login)): return login.totp.isEmpty ? nil : .code(counts: false)
    case (.password, .password(let login)): return Self.secret(login.password)
    case (.user, .account(let account)): return Self.open(account.account)
    case (.user, .otherAccount(let other)): return Self.open(other.account)
    case (.user, .password(let login)): return Self.open(login.username)
    case (.user, .document(let document)): return Self.open(document.account)
    case (.secret, .account): return .seed
    case (.secret, .otherAccount(let other)): return other.secret.flatMap { Self.secret($0) }
    case (.pin, .otherAccount(let other)): return other.pin.flatMap { Self.secret($0) }
    case (.number, .card(let card)): return Self.secret(card.number)
    case (.cvc, .card(let card)): return card.cvc.flatMap { Self.secret($0) }
    case (.expiry, .card(let card)): return Self.open(card.expiry ?? "")
    case (.holder, .card(let card)): return Self.open(card.holder)
    case (.notes, .note(let note)): return Self.secret(note.text)
    case (.notes, _): return Self.secret(entry.info.notes)
    case (.url, _): return Self.address(entry.info.urls.first ?? "")
    case (.name, _): return Self.open(Self.name(of: entry))
    case (.id, .document(let document)): return Self.open(document.id)
    case (.server, .document(let document)): return Self.address(document.server)
    default: return nil
    }
  }

  /// Whether an entry of this kind can have the field: names are compared among these alone, so that a login and its
  /// code may share one.
  func mayStand(in summary: EntrySummary) -> Bool {
    let isCode = summary.kind == .accounts || summary.kind == .otherAccounts
    switch self {
    case .password: return summary.kind == .passwords
    case .user: return summary.kind == .passwords || isCode || summary.kind == .documents
    case .code: return summary.hasOneTimeCode || isCode
    case .secret: return isCode
    case .pin: return summary.kind == .otherAccounts
    case .number, .cvc, .expiry, .holder: return summary.kind == .cards
    case .url: return !summary.urls.isEmpty
    case .notes: return summary.kind != .documents
    case .id, .server: return summary.kind == .documents
    case .name: return true
    }
  }

  private static func name(of entry: Entry) -> String {
    switch entry {
    case .account(let account): account.issuer
    case .otherAccount(let other): other.issuer
    case .password(let login): login.title
    case .card(let card): card.name
    case .note(let note): note.title
    case .document: ""
    }
  }

  private static func open(_ text: String) -> Found? {
    text.isEmpty ? nil : .value(SecretValue(utf8: text), isSecret: false)
  }

  private static func address(_ url: String) -> Found? {
    url.isEmpty ? nil : .value(SecretValue(utf8: url), isSecret: Disclosure.masked(url: url) != url)
  }

  fileprivate static func secret(_ value: SecretValue, isSecret: Bool = true) -> Found? {
    value.isEmpty ? nil : .value(value, isSecret: isSecret)
  }
}

/// A field's name as it was given: one of the table's, or that of a field of the person's own.
struct FieldName: Hashable, Sendable {
  let text: String
  let known: EntryField?

  init(_ text: String) {
    self.text = text
    known = EntryField(named: text)
  }

  /// What the entry has under this name; the person's own field where it has no other.
  func value(of entry: Entry) -> EntryField.Found? { known?.value(of: entry) ?? own(of: entry) }

  /// The person's own field of this name; letter for letter first, then in whatever case. Nil too where there are two:
  /// which is meant can't be told.
  func own(of entry: Entry) -> EntryField.Found? {
    let wanted = Normalization.nfc(text)
    var fields = entry.info.customFields.filter { Normalization.nfc($0.name) == wanted }
    if fields.isEmpty { fields = entry.info.customFields.filter { Query.folded($0.name) == Query.folded(text) } }
    guard fields.count == 1, let only = fields.first else { return nil }
    let isOpen = Disclosure.isOpen(name: only.name, value: only.value, isSecret: only.isSecret)
    return EntryField.secret(only.value, isSecret: !isOpen)
  }

  /// The names of all fields that an entry has, its main one first, then the person's own.
  static func all(of entry: Entry) -> [String] {
    let main = EntryField.main(of: entry)
    let fields = ([main] + EntryField.allCases.filter { $0 != main }).filter { $0.value(of: entry) != nil }
    return fields.map(\.rawValue) + entry.info.customFields.map(\.name)
  }
}

extension UnlockedVault {
  /// The bytes of a field of an entry of this vault; nil for a code, which ``UnlockedVault/code(_:next:at:)`` makes.
  func value(_ found: EntryField.Found, of read: ReadEntry) throws(VaultUseError) -> SecretValue? {
    switch found {
    case .value(let value, _): try unmasked(value, of: read)
    case .seed: Base32.encode(try secret("secret", of: read))
    case .code: nil
    }
  }
}
