import SeifBytes
import SeifOTP
import SeifRecords
import Testing

/// Sizes that would take minutes if each were compared with each.
@Suite struct HostileMergeTests {
  private func text(_ text: String) -> SecretValue { SecretValue(utf8: text) }

  private func login(_ password: String) -> Password {
    var login = Password(password: text(password))
    login.title = "Shop"
    return login
  }

  @Test func manyThingsOfOneName() throws {
    let entries = (0..<20_000).map { Entry.password(login("\($0)")) }
    #expect(try MergeModel.items([.password(login("mine"))], entries).count == 20_000)
  }

  @Test func manyVersionsOfOneLogin() throws {
    var newest = login("newest")
    newest.history = (0..<5_000).map { PreviousPassword(password: text("\($0)"), changedAt: nil) }
    let versions = (0..<5_000).map { index in
      var login = login("\(index)")
      login.info.notes = text("note \(index)")
      return Entry.password(login)
    }
    let theirs = [Entry.password(newest)] + versions
    let result = try MergeModel.apply([.password(login("0"))], theirs)
    #expect(result.contains { MergeModel.texts([$0]).contains("note 4999") })
    #expect(try MergeModel.items(result, theirs).map(MergeModel.word) == theirs.map { _ in "same" })
  }

  @Test func manyOfOneThing() throws {
    var entries: [Entry] = []
    for index in 0..<5_000 {
      var login = login("p")
      login.info.tags = ["\(index)"]
      entries.append(.password(login))
    }
    #expect(try MergeModel.items(entries, entries.reversed()).map(MergeModel.word) == entries.map { _ in "same" })
  }

  @Test func manyTagsFieldsAndMembers() throws {
    var (mine, theirs) = (login("p"), login("p"))
    for index in 0..<20_000 {
      mine.info.tags.append("a\(index)")
      theirs.info.tags.append("b\(index)")
      mine.info.customFields.append(CustomField(name: "a\(index)", value: text("1")))
      theirs.info.customFields.append(CustomField(name: "b\(index)", value: text("1")))
      mine.info.opaque.append(OpaqueMember(key: "x\(index)", value: text("1")))
      theirs.info.opaque.append(OpaqueMember(key: "x\(index)", value: text("2")))
      theirs.history.append(PreviousPassword(password: text("\(index)"), changedAt: nil))
    }
    let result = try MergeModel.apply([.password(mine)], [.password(theirs)])
    #expect(result.map(\.info.tags.count) == [40_000])
    #expect(result.map(\.info.customFields.count) == [60_000])
  }

  @Test func longNotesThatNearlyRepeat() throws {
    var (mine, theirs) = (login("p"), login("p"))
    let line = String(repeating: "a", count: 199) + "\n"
    mine.info.notes = text(String(repeating: line, count: 2_000))
    theirs.info.notes = text(String(repeating: line, count: 1_000) + "b")
    let result = try MergeModel.apply([.password(mine)], [.password(theirs)])
    #expect(result.map(\.info.notes.byteCount) == [400_000 + 1 + 200_001])
    #expect(try MergeModel.items(result, [.password(theirs)]).map(MergeModel.word) == ["same"])
  }
}
