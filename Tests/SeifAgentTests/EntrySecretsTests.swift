import SeifBytes
import SeifOTP
import SeifRecords
import Testing

@testable import SeifAgent

/// What leaves the agent of an entry, and what comes back.
@Suite struct EntrySecretsTests {
  static let marks = (0..<16).map { "CANARY-\($0)-secret" }

  /// Entries of every kind with something at each place where a secret can stand.
  static var full: [Entry] {
    func secret(_ place: Int) -> SecretValue { SecretValue(utf8: marks[place]) }
    func json(_ place: Int) -> SecretValue { SecretValue(utf8: "\"\(marks[place])\"") }
    func info() -> EntryInfo {
      var info = EntryInfo()
      info.notes = secret(0)
      info.tags = ["open tag"]
      info.customFields = [
        CustomField(
          name: "pin", value: secret(1), isSecret: true, opaque: [OpaqueMember(key: "more", value: json(2))]),
        CustomField(name: "open", value: SecretValue(utf8: "open value"), isSecret: false),
      ]
      info.opaque = [OpaqueMember(key: "foreign", value: json(3))]
      return info
    }
    var login = Password(password: secret(4))
    login.info = info()
    login.title = "open title"
    login.totp = SecretValue(utf8: "otpauth://totp/CANARY-5-secret?secret=GEZDGNBVGY3TQOJQ")
    login.history = [PreviousPassword(password: secret(6), changedAt: nil)]
    login.history[0].opaque = [OpaqueMember(key: "why", value: json(7))]
    var card = Card(number: secret(8))
    card.info = info()
    card.cvc = secret(9)
    var note = Note(text: secret(10))
    note.title = "open title"
    var motp = OtherAccount(type: "motp")
    motp.info = info()
    motp.secret = Base32.encode(secret(11))
    motp.pin = secret(12)
    var document = DocumentVault(
      id: RandomIDs.first.description, kind: .local,
      masterKey: SecretValue(Array("CANARY-13-key-of-32-bytes-in-all".utf8)))
    document.wraps = SecretValue(utf8: "[\"\(marks[14])\"]")
    document.opaque = [OpaqueMember(key: "foreign", value: json(15))]
    var account = Account(issuer: "open", account: "", otp: .made(.hotp(counter: 3)))
    account.info = info()
    return [.account(account), .otherAccount(motp), .password(login), .card(card), .note(note), .document(document)]
  }

  private func sent(_ entry: Entry) throws -> Entry {
    var writer = WireWriter()
    writer.entry(entry)
    var reader = WireReader(writer.finish())
    let entry = try reader.entry()
    try reader.end()
    return entry
  }

  @Test(arguments: full.indices) func aMaskedEntryHoldsNoSecretAndComesBackWhole(place: Int) throws {
    let entry = Self.full[place]
    let (masked, fields) = try EntrySecrets.masked(entry)
    #expect(!fields.isEmpty && Set(fields).count == fields.count)
    let text = masked.json().exposedText() ?? ""
    for form in [Self.marks, Self.marks.map { Base32.encode(SecretValue(utf8: $0)).exposedText() ?? "?" }].joined() {
      #expect(text.utf8.count > 0 && !text.contains(form))
    }
    #expect(!text.contains("IEQHGZLFMQQG6ZRAGIYCAYTZORSXGIJB"))
    #expect(
      !text.contains(
        Base64.encode(SecretValue(Array("CANARY-13-key-of-32-bytes-in-all".utf8)).exposedBytes().span.bytes)
          .exposedText() ?? "?"))
    let arrived = try sent(masked)
    #expect(try EntrySecrets.filled(arrived, from: entry).json() == entry.json())
  }

  @Test(arguments: full.indices) func everySecretIsGivenByItsNameAlone(place: Int) throws {
    let entry = Self.full[place]
    var (whole, fields) = try EntrySecrets.masked(entry)
    for field in fields {
      whole = try EntrySecrets.setting(field, of: whole, to: try EntrySecrets.value(field, of: entry))
    }
    #expect(whole.json() == entry.json())
    #expect(refusal { _ = try EntrySecrets.value("title", of: entry) } == .noSuchField)
    #expect(refusal { _ = try EntrySecrets.value("", of: entry) } == .noSuchField)
  }

  @Test func whatIsChangedStaysChangedAndTheRestIsFilledIn() throws {
    guard case .password(var login) = try sent(try EntrySecrets.masked(Self.full[2]).entry) else { return }
    login.title = "new title"
    login.password = SecretValue(utf8: "new password")
    login.info.customFields.removeLast()
    guard case .password(let filled) = try EntrySecrets.filled(.password(login), from: Self.full[2]),
      case .password(let before) = Self.full[2]
    else { return }
    #expect(filled.title == "new title")
    #expect(filled.password == SecretValue(utf8: "new password"))
    #expect(filled.history == before.history && filled.totp == before.totp && filled.info.notes == before.info.notes)
    #expect(filled.info.customFields == [before.info.customFields[0]])
  }

  @Test(arguments: full.indices) func aStandInIsNeverStoredAsASecret(place: Int) throws {
    let masked = try EntrySecrets.masked(Self.full[place]).entry
    #expect(refusal { try EntrySecrets.checkWhole(masked) } == .noSuchField)
    // Nor that of a secret which the entry has no longer.
    #expect(refusal { _ = try EntrySecrets.filled(masked, from: AgentWorld.entries[0]) } == .noSuchField)
    #expect(refusal { try EntrySecrets.checkWhole(Self.full[place]) } == nil)
  }

  /// Each would give by an easier consent, or by a code, what is asked for under its own name.
  @Test func aSecretMovesToNoOtherPlace() throws {
    let full = Self.full
    guard case .card(var card) = try sent(try EntrySecrets.masked(full[3]).entry),
      case .document(let document) = try EntrySecrets.masked(full[5]).entry,
      case .otherAccount(let other) = try sent(try EntrySecrets.masked(full[1]).entry)
    else { return }
    let code = try #require(card.cvc)
    card.info.notes = code
    #expect(refusal { _ = try EntrySecrets.filled(.card(card), from: full[3]) } == .noSuchField)
    // In an entry of another kind either.
    for key in [document.masterKey, try #require(document.wraps)] {
      let note = Entry.note(Note(text: key))
      #expect(refusal { _ = try EntrySecrets.filled(note, from: full[5]) } == .noSuchField)
    }
    var document2 = document
    document2.opaque = [OpaqueMember(key: "foreign", value: try #require(document.wraps))]
    #expect(refusal { _ = try EntrySecrets.filled(.document(document2), from: full[5]) } == .noSuchField)
    // A PIN beside a secret that the client knows is one that its codes tell.
    var known = other
    known.secret = Base32.encode(SecretValue(utf8: "known to the client"))
    #expect(refusal { _ = try EntrySecrets.filled(.otherAccount(known), from: full[1]) } == .noSuchField)
    var retyped = other
    retyped.type = "yandex"
    #expect(refusal { _ = try EntrySecrets.filled(.otherAccount(retyped), from: full[1]) } == .noSuchField)
  }

  @Test func rowsOfAListMayMoveButASecretFieldStaysSecret() throws {
    guard case .note(var note) = try sent(try EntrySecrets.masked(Self.full[4]).entry) else { return }
    note.info.customFields = [
      CustomField(name: "pin", value: SecretValue(utf8: Self.marks[1]), isSecret: true),
      CustomField(name: "more", value: SecretValue(utf8: Self.marks[2]), isSecret: true),
    ]
    let present = Entry.note(note)
    guard case .note(var changed) = try sent(try EntrySecrets.masked(present).entry) else { return }
    changed.info.customFields.swapAt(0, 1)
    let filled = try EntrySecrets.filled(.note(changed), from: present).info.customFields
    #expect(filled == [note.info.customFields[1], note.info.customFields[0]])
    changed.info.customFields[0].isSecret = false
    #expect(refusal { _ = try EntrySecrets.filled(.note(changed), from: present) } == .noSuchField)
    #expect(refusal { try EntrySecrets.checkWhole(.note(changed)) } == .noSuchField)
  }
}
