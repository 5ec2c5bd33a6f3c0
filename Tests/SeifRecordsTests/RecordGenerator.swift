import SeifBytes
import SeifOTP
import SeifRecords
import SeifTestSupport
import Testing

/// Entries of all kinds from a seed. Few names, seeds and passwords, so that many are the same thing or share a name; all
/// else is told apart by what stands in it.
struct RecordGenerator {
  private var chance: SeededGenerator
  private var serial = 0
  private let side: String

  init(seed: UInt64, side: String) {
    chance = SeededGenerator(seed: seed)
    self.side = side
  }

  private mutating func pick<Value>(_ values: [Value]) throws -> Value {
    try #require(values.randomElement(using: &chance))
  }

  private mutating func sometimes() -> Bool { Int.random(in: 0..<3, using: &chance) == 0 }

  // Half of them stand nowhere else, the others may well.
  private mutating func value(_ name: String) throws -> String {
    serial += 1
    return sometimes() ? "\(name) \(side)\(serial)" : try pick(["\(name) x", "\(name) y", "Caf\u{E9}", "Cafe\u{301}"])
  }

  private mutating func list(_ name: String) throws -> [String] {
    try (0..<Int.random(in: 0..<3, using: &chance)).map { _ in try value(name) }
  }

  private mutating func members(_ keys: [String] = ["icon", "zone", "tags"]) throws -> [OpaqueMember] {
    var members: [OpaqueMember] = []
    for key in keys where sometimes() {
      serial += 1
      members.append(OpaqueMember(key: key, value: SecretValue(utf8: sometimes() ? "\(serial)" : "[1]")))
    }
    return members
  }

  mutating func entries(_ count: Int) throws -> [Entry] {
    try (0..<count).map { _ in try entry() }
  }

  private mutating func info(_ hasNotes: Bool = true) throws -> EntryInfo {
    var info = EntryInfo()
    if sometimes() { info.createdAt = Timestamp(milliseconds: Int64.random(in: 0..<9, using: &chance) * 1000) }
    (info.isFavorite, info.exactHost) = (sometimes(), sometimes())
    if hasNotes, sometimes() { info.notes = SecretValue(utf8: try value("note\nline")) }
    (info.tags, info.urls) = (try list("tag"), try list("https://host/"))
    for name in try list("field") {
      info.customFields.append(
        CustomField(
          name: name, value: SecretValue(utf8: try value("value")), isSecret: sometimes(), opaque: try members(["kind"])
        ))
    }
    info.opaque = try members()
    // What can't be understood stands for what isn't there.
    if !info.tags.isEmpty { info.opaque.removeAll { $0.key == "tags" } }
    return info
  }

  private mutating func entry() throws -> Entry {
    switch Int.random(in: 0..<6, using: &chance) {
    case 0:
      let kind = try pick([
        OTPParameters.Kind.totp(period: 30), .hotp(counter: Int64.random(in: 0..<9, using: &chance)),
      ])
      let secret = SecretValue([try pick([1, 2]), 7, 7])
      return .account(
        Account(
          issuer: try value("issuer"), account: try pick(["", "ana"]),
          otp: try OTPParameters(kind: kind, secret: secret),
          info: try info()))
    case 1:
      var other = OtherAccount(type: "odd")
      if sometimes() { other.secret = SecretValue(utf8: try pick(["S", "T"])) }
      if sometimes() { other.pin = SecretValue(utf8: "1") }
      (other.issuer, other.account) = (try pick(["", "A", "B"]), try value("account"))
      if sometimes() { other.algorithm = try value("algorithm") }
      if sometimes() { other.digits = try pick([6, 8]) }
      if sometimes() { other.period = try pick([30, 60]) }
      if sometimes() { other.counter = try pick([1, 99]) }
      other.info = try info()
      return .otherAccount(other)
    case 2:
      let passwords = ["p1", "p2", "p3", "p4"]
      var login = Password(password: SecretValue(utf8: try pick(passwords)))
      (login.title, login.username) = (try pick(["Shop", "Bank"]), try pick(["ana", ""]))
      if sometimes() { login.totp = SecretValue(utf8: "otpauth://totp/x?secret=\(try pick(["MY", "ME"]))") }
      for _ in 0..<Int.random(in: 0..<3, using: &chance) {
        var row = PreviousPassword(password: SecretValue(utf8: try pick(passwords + ["p \(serial)"])), changedAt: nil)
        if sometimes() { row.changedAt = Timestamp(milliseconds: Int64.random(in: 0..<9, using: &chance) * 1000) }
        row.opaque = try members(["why"])
        login.history.append(row)
      }
      login.info = try info()
      return .password(login)
    case 3:
      var card = Card(number: SecretValue(utf8: try pick(["4111", "4222"])))
      (card.name, card.holder) = (try value("card"), try pick(["", "ANA"]))
      if sometimes() { card.expiry = "2030-01" }
      if sometimes() { card.cvc = SecretValue(utf8: try pick(["123", "456"])) }
      card.info = try info()
      return .card(card)
    case 4:
      var note = Note(text: SecretValue(utf8: try pick(["one", "two"])))
      note.title = try pick(["", "Keys"])
      note.info = try info(false)
      return .note(note)
    default:
      let key = SecretValue([UInt8](repeating: try pick([1, 2]), count: 32))
      var document = DocumentVault(
        id: try pick(["ef238090-1890-43bd-899d-7fb833c9eb7b", "EF238090-1890-43bd-899d-7fb833c9eb7b"]),
        kind: try pick([.local, .server]), masterKey: key)
      if document.kind == .server { document.server = try value("https://server/") }
      if sometimes() { document.account = try value("account") }
      if sometimes() {
        let rows = try list("row").map { #"{"id":"\#($0)"}"# }
        document.wraps = rows.isEmpty ? nil : SecretValue(utf8: "[\(rows.joined(separator: ","))]")
      }
      document.opaque = try members(document.wraps == nil ? ["icon", "wraps"] : ["icon"])
      return .document(document)
    }
  }
}
