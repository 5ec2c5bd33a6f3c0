internal import SeifBytes
internal import SeifOTP

/// What makes two entries the same thing, compared by bytes: names in another normal form are other names.
///
/// Accounts: kind, secret, algorithm, digits, period, never the counter, which moves. Logins: title, user name, password,
/// first host; of settings also what they are. Cards: number and expiry. Notes: title and text. Document vaults: identifier and master key.
struct EquivalenceKey: Hashable {
  private let parts: [SecretValue]

  init(_ entry: Entry) {
    func text(_ value: String) -> SecretValue { SecretValue(utf8: value) }
    switch entry {
    case .account(let account):
      let otp = account.otp
      let shape: String
      switch otp.kind {
      case .totp(let period): shape = "totp \(period)"
      case .hotp: shape = "hotp"
      case .steam: shape = "steam"
      }
      parts = [text("account \(shape) \(otp.algorithm.name) \(otp.digits)"), otp.secret]
    case .otherAccount(let other):
      let names = other.secret == nil ? [text(other.issuer), text(other.account)] : []
      parts = [text("other"), text(other.type), other.secret ?? .empty, other.pin ?? .empty] + names
    case .password(let login):
      let host = login.info.urls.first.map(Self.host) ?? ""
      parts =
        [text("password"), text(login.title), text(login.username), login.password, text(host)]
        + (SettingTag.identity(of: login) ?? [])
    case .card(let card):
      parts = [text("card"), card.number, text(card.expiry ?? "")]
    case .note(let note):
      parts = [text("note"), text(note.title), note.text]
    case .document(let document):
      parts = [text("document"), text(Self.identifier(document)), document.masterKey]
    }
  }

  /// The name under which a person would take two different things for one; nil where there is no name, and of settings,
  /// which have no versions either.
  static func label(_ entry: Entry) -> SecretValue? {
    func joined(_ kind: String, _ first: String, _ second: String) -> SecretValue? {
      first.isEmpty && second.isEmpty ? nil : SecretValue(utf8: "\(kind)\u{0}\(first)\u{0}\(second)")
    }
    switch entry {
    case .account(let account): return joined("account", account.issuer, account.account)
    case .otherAccount(let other): return joined("other \(other.type)", other.issuer, other.account)
    case .password(let login): return login.isSetting ? nil : joined("password", login.title, login.username)
    case .card(let card): return joined("card", card.name, card.holder)
    case .note(let note): return joined("note", note.title, "")
    case .document(let document): return joined("document", Self.identifier(document), "")
    }
  }

  // A UUID in one spelling.
  private static func identifier(_ document: DocumentVault) -> String {
    UUID(document.id)?.description ?? document.id
  }

  // The host between the scheme and the first `/`, `?` or `#`, ASCII letters folded. For telling entries apart only:
  // whether an entry fits a page is decided elsewhere.
  private static func host(_ address: String) -> String {
    let bytes = Array(address.utf8)
    var start = 0
    if let scheme = bytes.firstIndex(of: 0x3A), bytes.dropFirst(scheme + 1).starts(with: [0x2F, 0x2F]) {
      start = scheme + 3
    }
    let authority = bytes[start...].prefix { ![0x2F, 0x3F, 0x23].contains($0) }
    let folded = authority.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    return String(decoding: folded, as: UTF8.self)
  }
}
