import FoundationEssentials
import SeifBytes
import SeifCrypto
import SeifOTP
import SeifRecords
import SeifSQL
import SeifTestSupport
import Testing

@testable import SeifVault

/// A folder for one test, removed with the last reference to it.
final class TestVault {
  let root: URL
  let location: VaultLocation
  static let passphrase = "correct horse battery staple"

  init() throws {
    root = FileManager.default.temporaryDirectory.appending(path: "seif-vault-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    location = VaultLocation(
      folder: root.appending(path: "vault").path, stateFolder: root.appending(path: "state").path)
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  static func secret(_ text: String) -> SecretBytes { SecretBytes(copying: SecretValue(utf8: text)) }

  /// A new vault at small cost.
  func create(now: Timestamp = Moment.start) throws -> Vault {
    try Vault.create(
      at: location, passphrase: Self.secret(Self.passphrase), recoveryCode: RecoveryCode.make(), cost: .forTests,
      now: { now })
  }

  /// The vault opened again.
  func open(_ access: VaultAccess = .readWrite, now: Timestamp = Moment.start) throws -> Vault {
    try Vault.open(at: location, access: access, now: { now }).unlock(passphrase: Self.secret(Self.passphrase))
  }

  /// Runs `body` on the file behind the vault's back.
  func tamper(_ body: (Connection) throws -> Void) throws {
    let connection = try Connection(path: location.file, mode: .readWrite)
    try body(connection)
    try connection.close()
  }

  /// The bytes of the vault's file and of those beside it.
  func bytes() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: location.folder) {
      files[name] = try Data(contentsOf: URL(filePath: location.folder).appending(path: name))
    }
    return files
  }
}

/// Moments of tests.
enum Moment {
  static let start = Timestamp(seconds: 1_789_000_000)
  static func days(_ days: Int64) -> Timestamp { Timestamp(seconds: 1_789_000_000 + days * 86_400) }
}

/// Entries of tests: invented, every field filled.
enum Sample {
  static func totp(_ issuer: String, _ account: String = "ana@example.com", seed: String = "12345678901234567890")
    throws -> Entry
  {
    .account(
      Account(
        issuer: issuer, account: account,
        otp: try OTPParameters(kind: .totp(period: 30), secret: SecretValue(utf8: seed))))
  }

  static func hotp(counter: Int64) throws -> Entry {
    .account(
      Account(
        issuer: "Token", account: "ana",
        otp: try OTPParameters(kind: .hotp(counter: counter), secret: SecretValue(utf8: "12345678901234567890"))))
  }

  static func login(_ title: String, password: String) -> Entry {
    var login = Password(password: SecretValue(utf8: password))
    login.title = title
    return .password(login)
  }

  static func info(_ number: Int64) -> EntryInfo {
    var info = EntryInfo()
    info.id = UUID(random: [UInt8](repeating: UInt8(number), count: 16))
    info.createdAt = Timestamp(seconds: 1_700_000_000 + number)
    info.isFavorite = true
    info.sortIndex = 100 - number
    info.notes = SecretValue(utf8: "notes \"quoted\" \\ \u{1F511} line\nbreak \(number)")
    info.tags = ["work", "zwei Wörter", ""]
    info.urls = ["https://example.com/\(number)", "not an address"]
    info.exactHost = true
    info.customFields = [
      CustomField(
        name: "PIN", value: SecretValue(utf8: "0000"), isSecret: true,
        opaque: [OpaqueMember(key: "color", value: SecretValue(utf8: "\"red\""))]),
      CustomField(name: "PIN", value: .empty),
    ]
    info.opaque = [
      OpaqueMember(key: "aNewKey", value: SecretValue(utf8: "{\"nested\":[1,2.5,null]}")),
      OpaqueMember(key: "zNewKey", value: SecretValue(utf8: "12345678901234567890123")),
    ]
    return info
  }

  /// Every kind with every field.
  static func full() throws -> Records {
    var records = Records()
    let kinds: [OTPParameters.Kind] = [.totp(period: 60), .hotp(counter: Int64.max - 1), .steam]
    for (index, kind) in kinds.enumerated() {
      records.accounts.append(
        Account(
          issuer: "Issuer \(index)", account: "e\u{301}va@example.com",
          otp: try OTPParameters(
            kind: kind, secret: SecretValue((0..<UInt8(20 + index)).map { $0 &+ 7 }), algorithm: .sha512, digits: 8),
          info: info(Int64(index + 1))))
    }
    var login = Password(password: SecretValue(utf8: "p\u{e4}ss\u{0}word"))
    login.title = "Shop"
    login.username = "ana"
    login.updatedAt = Timestamp(seconds: 1_710_000_000)
    login.totp = SecretValue(utf8: "otpauth://totp/Shop:ana?secret=JBSWY3DPEHPK3PXP&issuer=Shop")
    login.history = [
      PreviousPassword(password: SecretValue(utf8: "old one"), changedAt: Timestamp(seconds: 1_705_000_000)),
      PreviousPassword(password: SecretValue(utf8: "older"), changedAt: nil),
    ]
    login.history[0].opaque = [OpaqueMember(key: "by", value: SecretValue(utf8: "\"hand\""))]
    login.info = info(11)
    records.passwords = [login]
    var card = Card(number: SecretValue(utf8: "4111111111111111"))
    card.name = "Blue card"
    card.holder = "ANA EXAMPLE"
    card.expiry = "2029-04"
    card.cvc = SecretValue(utf8: "123")
    card.info = info(12)
    records.cards = [card]
    var note = Note(text: SecretValue(utf8: "a secret text"))
    note.title = "Alarm"
    note.updatedAt = Timestamp(seconds: 1_711_000_000)
    note.info = info(13)
    note.info.notes = .empty
    records.notes = [note]
    for (index, type) in ["motp", "yandex", "battle.net"].enumerated() {
      var other = OtherAccount(type: type)
      other.issuer = "Other \(index)"
      other.account = "bo"
      other.secret = SecretValue(utf8: type == "battle.net" ? "free text ü" : "MFRGGZDFMZTWQ2LK")
      other.pin = SecretValue(utf8: "1234")
      other.algorithm = "MD5"
      other.digits = 6
      other.period = 10
      other.counter = -3
      other.info = info(Int64(20 + index))
      records.otherAccounts.append(other)
    }
    var bare = OtherAccount(type: "kept only")
    bare.info.id = UUID(random: [UInt8](repeating: 30, count: 16))
    records.otherAccounts.append(bare)
    var document = DocumentVault(
      id: "7F3B2A10-1111-4222-8333-444455556666", kind: .server,
      masterKey: SecretValue([UInt8](repeating: 9, count: 32)))
    document.server = "https://docs.example.com"
    document.account = "ana"
    document.wraps = SecretValue(utf8: "[{\"id\":\"x\",\"kind\":\"new\"}]")
    document.opaque = [OpaqueMember(key: "later", value: SecretValue(utf8: "true"))]
    records.documents = [document]
    records.unusable = [
      UnusableEntry(kind: .accounts, json: SecretValue(utf8: "{\"type\":\"totp\"}")),
      UnusableEntry(kind: .notes, json: SecretValue(utf8: "[1,2]")),
      UnusableEntry(kind: .accounts, json: SecretValue([0xFF, 0x00, 0x41])),
    ]
    records.opaque = [
      OpaqueMember(key: "widgets", value: SecretValue(utf8: "[{\"a\":1}]")),
      OpaqueMember(key: "zulu", value: SecretValue(utf8: "\"text\"")),
    ]
    return records
  }

  /// The changes that bring records into a vault.
  static func changes(_ records: Records) -> [VaultChange] {
    records.entries.map(VaultChange.add) + records.unusable.map(VaultChange.addUnusable)
      + [.setOpaque(records.opaque)]
  }
}
