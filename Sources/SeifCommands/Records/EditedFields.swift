internal import SeifCommandLine
internal import SeifBytes
internal import SeifOTP
internal import SeifRecords

/// What a person wants changed of an entry, asked for before the entry is read for writing: a prompt may stand for
/// minutes. Nil leaves a field as it is, an empty value clears it.
struct EditedFields {
  var name: String?
  var account: String?
  /// The name on a card, where an option says it; else `account` is that.
  var holder: String?
  var expiry: String?
  var urls: [String]?
  var tags: [String]?
  var isFavorite: Bool?
  /// The text of a note, else the notes beside an entry.
  var text: SecretValue?
  var secret: SecretValue?
  /// The Key URI of a login's one-time code.
  var oneTimeCode: SecretValue?
  var cvc: SecretValue?

  init() {}

  /// What options say; secrets and texts come from elsewhere.
  init(options: EntryOptions) {
    name = options.name
    (account, holder) = (options.account, options.holder)
    (expiry, urls, tags, isFavorite) = (options.expiry, options.urls, options.tags, options.favorite)
  }

  /// Puts them into an entry.
  func apply(to entry: inout Entry, _ context: Context) throws(CommandFailure) {
    try rename(&entry)
    var info = entry.info
    if let urls { info.urls = urls }
    if let tags { info.tags = tags }
    if let isFavorite { info.isFavorite = isFavorite }
    entry.info = info
    if let text { setText(&entry, text) }
    if let secret { try Self.setSecret(&entry, secret, context.talk) }
  }

  private func rename(_ entry: inout Entry) throws(CommandFailure) {
    switch entry {
    case .account(var item):
      (item.issuer, item.account) = (name ?? item.issuer, account ?? item.account)
      entry = .account(item)
    case .otherAccount(var item):
      (item.issuer, item.account) = (name ?? item.issuer, account ?? item.account)
      entry = .otherAccount(item)
    case .password(var item):
      (item.title, item.username) = (name ?? item.title, account ?? item.username)
      item.totp = oneTimeCode ?? item.totp
      entry = .password(item)
    case .card(var item):
      (item.name, item.holder) = (name ?? item.name, holder ?? account ?? item.holder)
      if let expiry { item.expiry = expiry.isEmpty ? nil : expiry }
      if let cvc { item.cvc = cvc.isEmpty ? nil : cvc }
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

  /// - Parameter talk: for what is odd about it and no reason to refuse it.
  static func setSecret(
    _ entry: inout Entry, _ given: SecretValue, _ talk: Talk?
  ) throws(CommandFailure) {
    switch entry {
    case .password(var login):
      login.password = given
      entry = .password(login)
    case .card(var card):
      card.number = given.withoutSpaces
      if card.hasValidCheckDigit != true { talk?.warn("the number's check digit doesn't fit") }
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
}
