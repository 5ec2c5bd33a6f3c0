import SeifBytes
import SeifOTP
import SeifRecords
import Testing

/// Nothing that only the file has may vanish, whatever it meets in the vault.
@Suite struct MergeLossTests {
  private func text(_ text: String) -> SecretValue { SecretValue(utf8: text) }

  private func login(_ password: String, before: [String] = []) -> Password {
    var login = Password(password: text(password))
    (login.title, login.username) = ("Shop", "ana")
    login.history = before.map { PreviousPassword(password: text($0), changedAt: nil) }
    return login
  }

  private func account(_ kind: OTPParameters.Kind = .totp(period: 30)) throws -> Account {
    let otp = try OTPParameters(kind: kind, secret: SecretValue([UInt8](repeating: 7, count: 20)))
    return Account(issuer: "A", account: "ana", otp: otp)
  }

  private func full(_ login: Password) -> Password {
    var login = login
    login.totp = text("otpauth://totp/x?secret=MY")
    login.info.notes = text("only there")
    login.info.tags = ["work"]
    login.info.urls = ["https://shop.example"]
    login.info.customFields = [CustomField(name: "pin", value: text("1234"), isSecret: true)]
    return login
  }

  @Test func anOlderPasswordsEntryBringsAllElseThatItHolds() throws {
    let items = try MergeModel.items([.password(login("new", before: ["old"]))], [.password(full(login("old")))])
    #expect(items.map(MergeModel.word) == ["updated totp,notes,tags,urls,customFields"])
    guard case .password(let merged) = items[0].entry else { return }
    #expect(merged.password == text("new"))
    #expect(merged.history.map(\.password) == [text("old")])
    #expect(merged.info.notes == text("only there"))
  }

  @Test func twoVersionsOfOneLoginInAFileBothReachIt() throws {
    var (first, second) = (login("new", before: ["old"]), login("old"))
    first.info.tags = ["first"]
    second.info.tags = ["second"]
    let result = try MergeModel.apply([.password(login("old"))], [.password(first), .password(second)])
    #expect(result.count == 1)
    #expect(Set(result[0].info.tags) == ["first", "second"])
    #expect(
      try MergeModel.items(result, [.password(first), .password(second)]).map(MergeModel.word) == ["same", "same"])
  }

  private func document(_ key: UInt8, wraps: String? = nil) -> DocumentVault {
    var document = DocumentVault(
      id: "ef238090-1890-43bd-899d-7fb833c9eb7b", kind: .server,
      masterKey: SecretValue([UInt8](repeating: key, count: 32)))
    document.wraps = wraps.map { text($0) }
    return document
  }

  @Test func anotherMasterKeyOfOneDocumentVaultIsKept() throws {
    let items = try MergeModel.items([.document(document(1))], [.document(document(2))])
    #expect(items.map(MergeModel.word) == ["conflict masterKey"])
  }

  @Test func waysIntoADocumentVaultAreBroughtTogetherRowByRow() throws {
    let row = #"{"id":"1","kind":"later"}"#
    let other = #"{"id":"2","kind":"recovery"}"#
    let (mine, theirs) = (document(1, wraps: "[\(row)]"), document(1, wraps: "[\(row),\(other)]"))
    let items = try MergeModel.items([.document(mine)], [.document(theirs)])
    #expect(items.map(MergeModel.word) == ["updated wraps"])
    guard case .document(let merged) = items[0].entry else { return }
    #expect(merged.wraps == text("[\(row),\(other)]"))
    #expect(try MergeModel.items([.document(theirs)], [.document(mine)]).map(MergeModel.word) == ["same"])
  }

  @Test func theAddressOfADocumentVaultIsTakenAndAnotherOneKept() throws {
    var (mine, theirs) = (document(1), document(1))
    (theirs.server, theirs.account) = ("https://b.example", "ana")
    guard case .document(let filled)? = try MergeModel.apply([.document(mine)], [.document(theirs)]).first else {
      return
    }
    #expect(filled.server == "https://b.example")
    mine.server = "https://a.example"
    let kept = try MergeModel.apply([.document(mine)], [.document(theirs)])
    #expect(kept.map { MergeModel.texts([$0]).contains("https://a.example") } == [true])
    #expect(kept.contains { MergeModel.texts([$0]).contains(#""https://b.example""#) })
  }

  @Test func anUnknownMemberWithAnotherValueBecomesAField() throws {
    var (mine, theirs) = (try account(), try account())
    mine.info.opaque = [OpaqueMember(key: "icon", value: text("1"))]
    theirs.info.opaque = [OpaqueMember(key: "icon", value: text("2"))]
    let result = try MergeModel.apply([.account(mine)], [.account(theirs)])
    #expect(result[0].info.opaque == mine.info.opaque)
    #expect(result[0].info.customFields == [CustomField(name: "icon", value: text("2"), isSecret: true)])
  }

  @Test func anUnknownMemberWhosePlaceIsTakenBecomesAField() throws {
    var (mine, theirs) = (try account(), try account())
    mine.info.opaque = [OpaqueMember(key: "tags", value: text("7"))]
    theirs.info.tags = ["work"]
    let result = try MergeModel.apply([.account(mine)], [.account(theirs)])
    #expect(result[0].info.tags == ["work"])
    #expect(result[0].info.customFields.map(\.value) == [text("7")])
    #expect(MergeModel.texts([result[0]]).contains("7"))
  }

  @Test func marksAreKept() throws {
    var theirs = try account()
    (theirs.info.isFavorite, theirs.info.exactHost) = (true, true)
    #expect(
      try MergeModel.items([.account(account())], [.account(theirs)]).map(MergeModel.word)
        == ["updated isFavorite,exactHost"])
    #expect(try MergeModel.items([.account(theirs)], [.account(account())]).map(MergeModel.word) == ["same"])
  }

  @Test func anotherKindOfAccountKeepsTheHigherCounterAndWhatItLacks() throws {
    var mine = OtherAccount(type: "odd")
    mine.secret = text("S")
    mine.digits = 6
    var theirs = mine
    (mine.counter, theirs.counter) = (1, 99)
    (theirs.digits, theirs.algorithm) = (8, "MD5")
    guard case .otherAccount(let merged)? = try MergeModel.apply([.otherAccount(mine)], [.otherAccount(theirs)]).first
    else { return }
    #expect(merged.counter == 99)
    #expect(merged.algorithm == "MD5")
    #expect(merged.digits == 6)
    #expect(merged.info.customFields.map(\.value) == [text("8")])
  }

  @Test func anotherSecurityCodeOfACardIsKept() throws {
    var (mine, theirs) = (Card(number: text("4111")), Card(number: text("4111")))
    (mine.cvc, theirs.cvc) = (text("123"), text("456"))
    let result = try MergeModel.apply([.card(mine)], [.card(theirs)])
    #expect(result[0].info.customFields == [CustomField(name: "cvc", value: text("456"), isSecret: true)])
  }

  @Test func aFieldWhoseNameIsInAnotherNormalFormIsAnother() throws {
    var (mine, theirs) = (try account(), try account())
    mine.info.customFields = [CustomField(name: "Caf\u{E9}", value: text("1"))]
    theirs.info.customFields = [CustomField(name: "Cafe\u{301}", value: text("1"))]
    #expect(try MergeModel.apply([.account(mine)], [.account(theirs)])[0].info.customFields.count == 2)
  }

  @Test func aNoteInsideALongerLineIsNoNoteThatIsThere() throws {
    var (mine, theirs) = (try account(), try account())
    mine.info.notes = text("PIN 12345")
    theirs.info.notes = text("PIN 1234")
    #expect(try MergeModel.apply([.account(mine)], [.account(theirs)])[0].info.notes == text("PIN 12345\nPIN 1234"))
  }

  @Test func passwordsForWhichTheHistoryHasNoRoomBecomeFields() throws {
    let theirs = Entry.password(login("p", before: ["3", "2", "1"]))
    for mine in [[], [Entry.password(login("p"))], [.password(login("3"))]] {
      let result = try MergeModel.apply(mine, [theirs], historyCount: 2)
      guard case .password(let merged)? = result.first, result.count == 1 else {
        Issue.record("not one login")
        continue
      }
      #expect(merged.history.count <= 2)
      let held = merged.history.map(\.password) + merged.info.customFields.map(\.value)
      #expect(Set(held) == Set(["1", "2", "3"].map(text)))
      #expect(try MergeModel.items(result, [theirs], historyCount: 2).map(MergeModel.word) == ["same"])
    }
  }

  @Test func membersAtTheTopWithAnotherValueAreKeptUnderAnotherKey() {
    func member(_ key: String, _ value: String) -> OpaqueMember { OpaqueMember(key: key, value: text(value)) }
    let held = [member("later", "1"), member("Caf\u{E9}", "1")]
    let theirs = [member("later", "9"), member("later", "1"), member("Cafe\u{301}", "1"), member("later (2)", "5")]
    let gained = OpaqueMerge.gained(theirs, beside: held)
    #expect(gained.map(\.key) == ["later (2)", "Cafe\u{301}", "later (2) (2)"])
    #expect(gained.map(\.value) == [text("9"), text("1"), text("5")])
    #expect(OpaqueMerge.gained(theirs, beside: held + gained).isEmpty)
  }

  @Test func manyMembersAtTheTopOfOneKeyAreNumberedOnce() {
    let theirs = (0..<20_000).map { OpaqueMember(key: "later", value: text("\($0)")) }
    let gained = OpaqueMerge.gained(theirs, beside: [])
    #expect(gained.count == 20_000)
    #expect(OpaqueMerge.gained(theirs.reversed(), beside: gained).isEmpty)
  }
}
