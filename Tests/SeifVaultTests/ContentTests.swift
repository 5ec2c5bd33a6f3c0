import SeifBytes
import SeifCrypto
import SeifOTP
import SeifRecords
import Testing

@testable import SeifVault

@Suite struct ContentTests {
  @Test func everyFieldOfEveryKindSurvives() throws {
    let place = try TestVault()
    let records = try Sample.full()
    let vault = try place.create()
    try vault.apply(Sample.changes(records))
    #expect(try vault.records() == records)
    vault.lock()
    let again = try place.open(.readOnly)
    #expect(try again.records() == records)
    #expect(again.openingFaults == [])
    #expect(try again.verify() == [])
  }

  @Test func listsKeepTheirOrderAndAPlaceThatIsNotSetStaysSo() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.add([try Sample.totp("B"), try Sample.totp("A"), try Sample.totp("C")])
    try vault.add([try Sample.totp("A")])
    #expect(try vault.records().accounts.map(\.issuer) == ["B", "A", "C", "A"])
    #expect(try vault.records().accounts.allSatisfy { $0.info.sortIndex == nil })
  }

  @Test func anEntryWithoutIdentifierOrWithATakenOneGetsANewOne() throws {
    let place = try TestVault()
    let vault = try place.create()
    var first = try Sample.totp("A")
    first.info = Sample.info(1)
    let ids = try vault.add([first, first, try Sample.totp("B")])
    #expect(ids[0] == first.info.id)
    #expect(Set(ids).count == 3)
    #expect(try vault.records().accounts.map(\.info.id) == ids)
  }

  @Test func anIdentifierThatIsNoUUIDStaysAsItWas() throws {
    let place = try TestVault()
    let vault = try place.create()
    var entry = try Sample.totp("A")
    entry.info.opaque = [OpaqueMember(key: "id", value: SecretValue(utf8: "\"number 7\""))]
    try vault.add([entry])
    #expect(try vault.records().entries == [entry])
  }

  @Test func twoDocumentVaultsOfOneIdentifierStayAsTheyWere() throws {
    let place = try TestVault()
    let vault = try place.create()
    let document = try Sample.full().documents[0]
    try vault.add([.document(document), .document(document)])
    #expect(try vault.records().documents == [document, document])
  }

  @Test func whatComesBackFromTheBinCanBeReplacedInOneStep() throws {
    let place = try TestVault()
    let vault = try place.create()
    let ids = try vault.add([try Sample.totp("A")])
    var changed = try vault.entry(ids[0]).entry
    changed.info.tags = ["back"]
    try vault.remove(ids)
    try vault.apply([.restore(ids[0]), .replace(ids[0], changed)])
    #expect(try vault.records().entries == [changed])
    try vault.undo()
    #expect(try vault.records().entries.isEmpty)
    #expect(try vault.bin().map(\.entry.info.tags) == [[]])
    #expect(throws: VaultError.self) {
      try vault.apply([.add(changed), .restore(UUID(random: [UInt8](repeating: 1, count: 16)) ?? ids[0])])
    }
    #expect(try vault.records().entries.isEmpty)
  }

  @Test func summariesSayWhatAListShows() throws {
    let place = try TestVault()
    let records = try Sample.full()
    let vault = try place.create()
    try vault.apply(Sample.changes(records))
    let summaries = try vault.summaries()
    #expect(summaries.map(\.kind) == records.entries.map(\.kind))
    for (summary, entry) in zip(summaries, records.entries) {
      #expect(summary.name == entry.name)
      #expect(summary.account.utf8.elementsEqual(entry.account.utf8))
      #expect(summary.tags == entry.info.tags)
      #expect(summary.urls == entry.info.urls)
      #expect(summary.isFavorite == entry.info.isFavorite)
      #expect(summary.exactHost == entry.info.exactHost)
      #expect(summary.sortIndex == entry.info.sortIndex)
      #expect(summary.createdAt == entry.info.createdAt)
      #expect(summary.hasOneTimeCode == (entry.kind == .passwords))
    }
    #expect(
      summaries.map(\.type)
        == ["totp", "hotp", "steam", "", "", "", "motp", "yandex", "battle.net", "kept only", "server"])
  }

  @Test func summaryBytesThatAreCutOrContinuedAreNone() throws {
    let whole = SummaryCodec.encode(try Sample.full().entries[3]).exposedBytes()
    let id = RandomSource.system.makeUUID()
    #expect(SummaryCodec.decode(whole.span.bytes, id: id) != nil)
    for count in 0..<whole.count {
      let cut = Array(whole.prefix(count))
      #expect(SummaryCodec.decode(cut.span.bytes, id: id) == nil)
    }
    let longer = whole + [0]
    #expect(SummaryCodec.decode(longer.span.bytes, id: id) == nil)
  }

  @Test func anEntryThatCouldNotBeReadAgainIsRefusedAndNothingIsAdded() throws {
    let place = try TestVault()
    let vault = try place.create()
    var wrong = OtherAccount(type: "totp")
    wrong.issuer = "wrong list"
    let text = Password(password: SecretValue([0xFF, 0xFE]))
    for bad in [Entry.otherAccount(wrong), .password(text)] {
      #expect(throws: VaultError(.invalidEntry)) { try vault.add([try Sample.totp("good"), bad]) }
    }
    #expect(try vault.records() == Records())
    #expect(try vault.verify() == [])
  }

  @Test func ofALongHistoryTheNewestTenAreTaken() throws {
    let place = try TestVault()
    let vault = try place.create()
    var login = Password(password: SecretValue(utf8: "now"))
    login.history = (0..<15).map { PreviousPassword(password: SecretValue(utf8: "old \($0)"), changedAt: nil) }
    try vault.add([.password(login)])
    #expect(try vault.records().passwords[0].history == Array(login.history.prefix(10)))
  }
}
