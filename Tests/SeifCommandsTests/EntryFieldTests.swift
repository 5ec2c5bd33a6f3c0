import SeifCommandLine
import FoundationEssentials
import SeifBytes
import SeifOTP
import SeifRecords
import SeifTestSupport
import Testing

@testable import SeifCommands

/// The one table of fields: every name, on every kind of entry.
@Suite struct EntryFieldTests {
  private static let seed = SecretValue(utf8: "12345678901234567890")

  /// An entry of each kind with every field that it can have, by what `list` calls the kind.
  static let kinds = Result<[(kind: String, entry: Entry, has: Set<EntryField>)], any Error> {
    func account(_ kind: OTPParameters.Kind) throws -> Entry {
      .account(Account(issuer: "Bank", account: "ana", otp: try OTPParameters(kind: kind, secret: seed)))
    }
    var other = OtherAccount(type: "motp")
    (other.issuer, other.account) = ("Bank", "ana")
    (other.secret, other.pin) = (SecretValue(utf8: "ABCDABCD"), SecretValue(utf8: "1234"))
    var login = Password(password: SecretValue(utf8: "p"))
    (login.title, login.username, login.totp) = ("Bank", "ana", SecretValue(utf8: "otpauth://totp/x"))
    var card = Card(number: SecretValue(utf8: "4111111111111111"))
    (card.name, card.holder, card.expiry, card.cvc) = ("Bank", "ANA", "2029-04", SecretValue(utf8: "123"))
    var note = Note(text: SecretValue(utf8: "a text"))
    note.title = "Bank"
    var document = DocumentVault(id: "d1", kind: .server, masterKey: seed)
    (document.server, document.account) = ("https://example.org", "ana")
    let common: Set<EntryField> = [.name, .notes, .url]
    return [
      ("account", filled(try account(.totp(period: 30))), common.union([.code, .user, .secret])),
      ("counting", filled(try account(.hotp(counter: 5))), common.union([.code, .user, .secret])),
      ("other", filled(.otherAccount(other)), common.union([.code, .user, .secret, .pin])),
      ("login", filled(.password(login)), common.union([.password, .user, .code])),
      ("card", filled(.card(card)), common.union([.number, .cvc, .expiry, .holder])),
      ("note", filled(.note(note)), common),
      ("document", .document(document), [.id, .server, .user]),
    ]
  }

  private static func filled(_ entry: Entry) -> Entry {
    var info = EntryInfo()
    info.urls = ["https://bank.example.org"]
    var entry = entry
    if case .note = entry {} else { info.notes = SecretValue(utf8: "some notes") }
    info.customFields = [CustomField(name: "Colour", value: SecretValue(utf8: "red"), isSecret: false)]
    entry.info = info
    return entry
  }

  @Test func aNameMeansOneFieldInAnyCase() {
    var seen: Set<String> = []
    for field in EntryField.allCases {
      for name in field.names {
        #expect(seen.insert(name).inserted, "\(name)")
        #expect(EntryField(named: name) == field)
        #expect(EntryField(named: name.uppercased()) == field)
      }
    }
    #expect(EntryField(named: "colour") == nil)
  }

  @Test func eachKindHasItsFieldsByAllTheirNamesAndNoOthers() throws {
    for (kind, entry, has) in try Self.kinds.get() {
      for field in EntryField.allCases {
        for name in field.names {
          #expect((FieldName(name).value(of: entry) != nil) == has.contains(field), "\(kind) \(name)")
        }
      }
      #expect(has.contains(EntryField.main(of: entry)), "\(kind)")
    }
  }

  @Test func whatACommandOffersItTakes() throws {
    for (kind, entry, has) in try Self.kinds.get() {
      let offered = FieldName.all(of: entry)
      #expect(offered.first == EntryField.main(of: entry).rawValue, "\(kind)")
      #expect(Set(offered.compactMap { EntryField(named: $0) }) == has, "\(kind)")
      for name in offered { #expect(FieldName(name).value(of: entry) != nil, "\(kind) \(name)") }
    }
  }

  /// Whatever stands before a value in `show` can be asked for, but for what isn't a value: what the codes are like, when
  /// it was made, how many passwords there were.
  @Test func whatShowLabelsIsAName() throws {
    let facts: Set<String> = ["kind", "next counter", "key"]
    for (kind, entry, _) in try Self.kinds.get() {
      let lines = EntryFields(entry, reveals: false, style: .plain).lines
      #expect(lines.count > 2, "\(kind)")
      for (label, _) in lines where !facts.contains(label) {
        #expect(FieldName(label).value(of: entry) != nil, "\(kind) \(label)")
      }
    }
  }

  @Test func secretsAreMaskedWhereShowMasksThem() throws {
    for (kind, entry, has) in try Self.kinds.get() {
      let shown = Dictionary(
        EntryFields(entry, reveals: false, style: .plain).lines, uniquingKeysWith: { first, _ in first })
      let mask = RecordTables.mask(.plain)
      for field in has {
        guard let found = field.value(of: entry), let text = shown[field.label(in: entry)] else {
          // An account's code is made, not kept.
          #expect(field == .code, "\(kind) \(field)")
          continue
        }
        #expect(found.isSecret == (text == mask), "\(kind) \(field)")
      }
    }
  }

  @Test func onlyCountingMovesACounter() throws {
    let moving = try Self.kinds.get().filter { EntryField.code.value(of: $0.entry)?.moves ?? false }
    #expect(moving.map(\.kind) == ["counting"])
  }

  @Test func aFieldOfOnesOwnCountsWhereTheEntryHasNoOtherOfTheName() throws {
    func own(_ names: [String]) -> Entry {
      var login = Password(password: SecretValue(utf8: "p"))
      login.info.customFields = names.map {
        CustomField(name: $0, value: SecretValue(utf8: "own \($0)"), isSecret: true)
      }
      return .password(login)
    }
    func text(_ name: String, _ entry: Entry) -> String? {
      guard case .value(let value, _) = FieldName(name).value(of: entry) else { return nil }
      return value.exposedText()
    }
    #expect(text("pin", own(["PIN"])) == "own PIN")
    #expect(text("password", own(["password"])) == "p")
    #expect(text("Key", own(["key", "Key"])) == "own Key")
    #expect(text("KEY", own(["key", "Key"])) == nil)
    #expect(text("key", own(["key", "key"])) == nil)
  }

  @Test func helpAndThePageOfReferencesNameTheWholeTable() throws {
    for field in EntryField.allCases {
      #expect(CopyCommand.usage.contains(try Regex("\\b\(field.rawValue)\\b")), "\(field)")
    }
    let root = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }
    let page = try String(contentsOfFile: root + "/docs/references.md", encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
      row.split(separator: "|").prefix(2).flatMap {
        $0.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }
      }
      .map { String($0.element) }
    }
    #expect(rows.filter { $0.first.flatMap { EntryField(rawValue: $0) } != nil } == EntryField.allCases.map(\.names))
  }
}
