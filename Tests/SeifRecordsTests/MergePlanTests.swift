import SeifBytes
import SeifCrypto
import SeifOTP
import SeifRecords
import Testing

@Suite struct MergePlanTests {
  private static let ours = UUID(bytes: [UInt8](repeating: 1, count: 16))

  private func account(
    _ issuer: String, _ name: String = "ana", secret: UInt8 = 7, kind: OTPParameters.Kind = .totp(period: 30),
    algorithm: OTPAlgorithm = .sha1, digits: Int = 6
  ) throws -> Account {
    let otp = try OTPParameters(
      kind: kind, secret: SecretValue([UInt8](repeating: secret, count: 20)), algorithm: algorithm, digits: digits)
    return Account(issuer: issuer, account: name, otp: otp)
  }

  private func plan(_ existing: [Entry], _ incoming: [Entry]) throws -> MergePlan {
    var records = Records()
    for entry in incoming { records.append(entry) }
    let stored = try existing.enumerated().map { index, entry in
      (try #require(UUID(bytes: [UInt8](repeating: UInt8(index + 1), count: 16))), entry)
    }
    return MergePlan(existing: stored, incoming: records)
  }

  private func outcomes(_ existing: [Entry], _ incoming: [Entry]) throws -> [String] {
    try plan(existing, incoming).items.map(MergeModel.word)
  }

  @Test func anEntryThatIsntThereIsNew() throws {
    #expect(try outcomes([], [.account(account("A"))]) == ["new"])
  }

  @Test func theSameFileASecondTimeChangesNothing() throws {
    let entries: [Entry] = [.account(try account("A")), .account(try account("B", secret: 8))]
    #expect(try outcomes(entries, entries) == ["same", "same"])
  }

  private func drive(_ tag: String, rule: String? = nil, history: [PreviousPassword] = []) -> Entry {
    var login = Password(password: .empty)
    login.title = "drive"
    login.info.tags = [tag]
    login.info.customFields = rule.map { [CustomField(name: "seif-backup-rule", value: SecretValue(utf8: $0))] } ?? []
    login.history = history
    return .password(login)
  }

  @Test func aSettingMeetsNothingButASettingOfItsKind() throws {
    let destination = drive("seif-transport")
    #expect(try outcomes([destination], [drive("mine")]) == ["new"])
    #expect(try outcomes([drive("mine")], [destination]) == ["new"])
    #expect(try outcomes([destination], [drive("seif-backup-rule", rule: "7d in 1 place")]) == ["new"])
    let versions = [PreviousPassword(password: .empty, changedAt: nil)]
    #expect(try outcomes([destination], [drive("mine", history: versions)]) == ["new"])
    #expect(try outcomes([destination], [drive("seif-transport")]) == ["same"])
    let rule = drive("seif-backup-rule", rule: "7d in 1 place")
    #expect(try outcomes([rule], [rule]) == ["same"])
    #expect(try outcomes([rule], [drive("seif-backup-rule", rule: "24h in 1 place")]) == ["new"])
  }

  @Test func aThingThatStandsTwiceInAFileComesTwice() throws {
    let entry = Entry.account(try account("A"))
    #expect(try outcomes([], [entry, entry]) == ["new", "new"])
    #expect(try outcomes([entry], [entry, entry]) == ["same", "conflict "])
  }

  @Test func thingsThatStandTwiceWithDifferentNotesMeetTheirEquals() throws {
    var (first, second) = (try account("A"), try account("A"))
    first.info.notes = SecretValue(utf8: "first")
    second.info.notes = SecretValue(utf8: "second")
    let entries = [Entry.account(first), .account(second)]
    #expect(try outcomes(entries, entries) == ["same", "same"])
    #expect(try outcomes(entries, entries.reversed()) == ["same", "same"])
  }

  @Test(arguments: [
    (0, "conflict secret"), (1, "conflict algorithm"), (2, "conflict digits"), (3, "conflict period"),
  ])
  func twoThingsOfOneNameAreBothKept(part: Int, expected: String) throws {
    let mine = Entry.account(try account("A"))
    let other: Entry =
      switch part {
      case 0: .account(try account("A", secret: 9))
      case 1: .account(try account("A", algorithm: .sha256))
      case 2: .account(try account("A", digits: 8))
      default: .account(try account("A", kind: .totp(period: 60)))
      }
    #expect(try outcomes([mine], [other]) == [expected])
  }

  @Test func theCounterIsNoPartOfIdentityAndTheHigherOneStays() throws {
    let low = Entry.account(try account("A", kind: .hotp(counter: 5)))
    let high = Entry.account(try account("A", kind: .hotp(counter: 9_007_199_254_740_993)))
    #expect(try outcomes([low], [high]) == ["updated counter"])
    #expect(try outcomes([high], [low]) == ["same"])
    guard case .account(let merged) = try plan([low], [high]).items[0].entry else { return }
    #expect(merged.otp.counter == 9_007_199_254_740_993)
  }

  @Test func anotherNormalFormOfANameIsAnotherName() throws {
    let composed = Entry.account(try account("Caf\u{E9}", secret: 1))
    let decomposed = Entry.account(try account("Cafe\u{301}", secret: 2))
    #expect(try outcomes([composed], [decomposed]) == ["new"])
  }

  @Test func whatOnlyTheFileHasIsAddedAndAppliedOnce() throws {
    let mine = try account("A")
    var theirs = mine
    theirs.info.tags = ["work"]
    theirs.info.urls = ["https://example.com"]
    theirs.info.notes = SecretValue(utf8: "a note")
    theirs.info.opaque = [OpaqueMember(key: "icon", value: SecretValue(utf8: "7"))]
    theirs.issuer = "Another name"
    let merged = try plan([.account(mine)], [.account(theirs)]).items[0]
    #expect(MergeModel.word(merged) == "updated customFields,notes,tags,urls,icon")
    guard case .account(let result) = merged.entry else { return }
    #expect(result.issuer == "A")
    #expect(result.info.customFields.map(\.name) == ["issuer"])
    #expect(try outcomes([merged.entry], [.account(theirs)]) == ["same"])
  }

  @Test func notesThatDifferStandBehindOurs() throws {
    var mine = try account("A")
    mine.info.notes = SecretValue(utf8: "mine")
    var theirs = mine
    theirs.info.notes = SecretValue(utf8: "theirs")
    guard case .account(let merged) = try plan([.account(mine)], [.account(theirs)]).items[0].entry else { return }
    #expect(merged.info.notes == SecretValue(utf8: "mine\ntheirs"))
  }

  private func login(_ password: String, before: [String] = []) -> Entry {
    var login = Password(password: SecretValue(utf8: password))
    (login.title, login.username) = ("Shop", "ana")
    login.history = before.map { PreviousPassword(password: SecretValue(utf8: $0), changedAt: nil) }
    return .password(login)
  }

  @Test func anOlderPasswordOfOneLoginIsNoNewLogin() throws {
    #expect(try outcomes([login("new", before: ["old"])], [login("old")]) == ["same"])
  }

  @Test func aNewerPasswordOfOneLoginReplacesOursWhichStaysInHistory() throws {
    let item = try plan([login("old", before: ["oldest"])], [login("new", before: ["old"])]).items[0]
    #expect(MergeModel.word(item) == "updated password")
    guard case .password(let merged) = item.entry else { return }
    #expect(merged.password == SecretValue(utf8: "new"))
    #expect(merged.history.map(\.password) == [SecretValue(utf8: "old"), SecretValue(utf8: "oldest")])
  }

  @Test func twoPasswordsOfOneLoginWithoutHistoryAreBothKept() throws {
    #expect(try outcomes([login("a")], [login("b")]) == ["conflict password"])
  }

  @Test func anIdentifierThatIsTakenIsLeftToTheVault() throws {
    var entry = try account("B", secret: 9)
    entry.info.id = Self.ours
    #expect(try plan([.account(account("A"))], [.account(entry)]).items[0].entry.info.id == nil)
  }

  @Test func unusableEntriesAreKeptOnce() throws {
    let broken = UnusableEntry(kind: .accounts, json: SecretValue(utf8: #"{"type":"push"}"#))
    var incoming = Records()
    incoming.unusable = [broken]
    #expect(MergePlan(existing: [], incoming: incoming).unusable == [broken])
    #expect(MergePlan(existing: [], existingUnusable: [broken], incoming: incoming).unusable.isEmpty)
  }
}
