import SeifBytes
import SeifOTP
import SeifRecords

/// One entry of every kind with every field set to something that isn't its default.
enum FullRecords {
  static let time = Timestamp(seconds: 1_789_000_000)

  static func uuid(_ byte: UInt8) -> UUID? { UUID(bytes: [UInt8](repeating: byte, count: 16)) }

  static func info(_ byte: UInt8, notes: Bool = true) -> EntryInfo {
    var info = EntryInfo()
    info.id = uuid(byte)
    info.createdAt = time
    info.isFavorite = true
    info.sortIndex = Int64(byte) + 1000
    if notes { info.notes = SecretValue(utf8: "line\nline \(byte)") }
    info.tags = ["work", "caf\u{E9}"]
    info.urls = ["https://example.com/\(byte)"]
    info.exactHost = true
    info.customFields = [
      CustomField(
        name: "PUK", value: SecretValue(utf8: "1234"), isSecret: true,
        opaque: [OpaqueMember(key: "x", value: SecretValue(utf8: "[1]"))])
    ]
    info.opaque = [OpaqueMember(key: "zukunft", value: SecretValue(utf8: "{\"a\":1.50}"))]
    return info
  }

  static func make() throws -> Records {
    var records = Records()
    let secret = SecretValue([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    for (byte, kind) in [
      (1, OTPParameters.Kind.totp(period: 45)), (2, .hotp(counter: 9_007_199_254_740_993)), (3, .steam),
    ] as [(UInt8, OTPParameters.Kind)] {
      let otp = try OTPParameters(kind: kind, secret: secret, algorithm: .sha512, digits: 8)
      records.accounts.append(Account(issuer: "Issuer \(byte)", account: "me", otp: otp, info: info(byte)))
    }
    var password = Password(password: SecretValue(utf8: "p\u{0}\"\\\u{2028}"))
    password.info = info(4)
    password.title = "Title"
    password.username = "me"
    password.updatedAt = time
    password.totp = SecretValue(utf8: "otpauth://totp/A:b?secret=GEZDGNBVGY3TQOJQ&issuer=A")
    var previous = PreviousPassword(password: SecretValue(utf8: "old"), changedAt: time)
    previous.opaque = [OpaqueMember(key: "by", value: SecretValue(utf8: "null"))]
    password.history = [previous]
    records.passwords = [password]
    var card = Card(number: SecretValue(utf8: "4111111111111111"))
    card.info = info(5)
    card.name = "Card"
    card.holder = "A B"
    card.expiry = "2031-12"
    card.cvc = SecretValue(utf8: "012")
    records.cards = [card]
    var note = Note(text: SecretValue(utf8: "text"))
    note.info = info(6, notes: false)
    note.title = "Note"
    note.updatedAt = time
    records.notes = [note]
    for (byte, type) in [(7, "motp"), (8, "yandex"), (9, "push")] as [(UInt8, String)] {
      var other = OtherAccount(type: type)
      other.info = info(byte)
      other.issuer = "Bank"
      other.account = "me"
      other.secret = Base32.encode(SecretValue([UInt8](repeating: byte, count: 16)))
      other.pin = SecretValue(utf8: "1234")
      other.algorithm = "MD5"
      other.digits = 6
      other.period = 10
      other.counter = 3
      records.otherAccounts.append(other)
    }
    var document = DocumentVault(
      id: "0A0A0A0A-0a0a-0a0a-0a0a-0a0a0a0a0a0a", kind: .server,
      masterKey: SecretValue([UInt8](repeating: 7, count: 32)))
    document.server = "https://docs.example.com"
    document.account = "me"
    document.wraps = SecretValue(utf8: "[{\"id\":\"0b0b0b0b-0b0b-0b0b-0b0b-0b0b0b0b0b0b\",\"kind\":\"later\"}]")
    document.opaque = [OpaqueMember(key: "generation", value: SecretValue(utf8: "3"))]
    records.documents = [document]
    records.unusable = [
      UnusableEntry(kind: .accounts, json: SecretValue(utf8: "{\"type\":\"later\"}")),
      UnusableEntry(kind: .notes, json: SecretValue(utf8: "17")),
    ]
    records.opaque = [OpaqueMember(key: "passkeys", value: SecretValue(utf8: "[{\"rp\":\"example.com\"}]"))]
    return records
  }
}

/// The fields of every record that still have their default, found by looking at the values themselves: a field that is
/// added and not filled above shows here.
func fieldsAtTheirDefault(_ value: Any, path: String = "") -> [String] {
  if let secret = value as? SecretValue { return secret.isEmpty ? [path] : [] }
  let mirror = Mirror(reflecting: value)
  switch mirror.displayStyle {
  case .optional: return mirror.children.first.map { fieldsAtTheirDefault($0.value, path: path) } ?? [path]
  case .collection:
    guard !mirror.children.isEmpty else { return [path] }
    return mirror.children.flatMap { fieldsAtTheirDefault($0.value, path: path) }
  case .struct:
    if value is Timestamp || value is UUID || value is OTPParameters { return [] }
    if mirror.children.isEmpty { break }
    return mirror.children.flatMap { fieldsAtTheirDefault($0.value, path: path + "." + ($0.label ?? "")) }
  default: break
  }
  if let bool = value as? Bool { return bool ? [] : [path] }
  if let text = value as? String { return text.isEmpty ? [path] : [] }
  return []
}
