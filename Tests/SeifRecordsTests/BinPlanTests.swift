import SeifBytes
import SeifOTP
import SeifRecords
import Testing

/// What was removed comes back only when chosen, and no counter with it from before.
@Suite struct BinPlanTests {
  private func counted(_ counter: Int64) throws -> Entry {
    let otp = try OTPParameters(kind: .hotp(counter: counter), secret: SecretValue([UInt8](repeating: 7, count: 20)))
    return .account(Account(issuer: "A", account: "ana", otp: otp))
  }

  private func counter(_ entry: Entry) -> Int64? {
    if case .account(let account) = entry { account.otp.counter } else { nil }
  }

  private func plan(
    _ existing: [Entry] = [], bin: [Entry], tombstones: Set<UUID> = [], fromBin: Bool = false, deletedToo: Bool = false,
    _ incoming: [Entry]
  ) throws -> [MergePlan.Item] {
    var records = Records()
    for entry in incoming { records.append(entry) }
    let binned = try bin.enumerated().map { (try MergeModel.id(1000 + $0), $1) }
    return MergePlan(
      existing: try MergeModel.stored(existing), bin: binned, tombstones: tombstones, fromBin: fromBin,
      deletedToo: deletedToo, incoming: records
    ).items
  }

  @Test func whatLiesInTheBinStaysThere() throws {
    let items = try plan(bin: [counted(20)], [counted(5), counted(6)])
    #expect(items.map(MergeModel.word) == ["in-bin", "in-bin"])
    #expect(try items.map(\.existing) == [MergeModel.id(1000), MergeModel.id(1000)])
  }

  @Test func whatComesBackFromTheBinKeepsTheHigherCounter() throws {
    let items = try plan(bin: [counted(20)], fromBin: true, [counted(5)])
    #expect(items.map(MergeModel.word) == ["restored "])
    #expect(items.map { counter($0.entry) } == [20])
    let ahead = try plan(bin: [counted(20)], fromBin: true, [counted(30)])
    #expect(ahead.map(MergeModel.word) == ["restored counter"])
    #expect(ahead.map { counter($0.entry) } == [30])
  }

  @Test func noEntryOfASeedFallsBehindTheBinOrTheVault() throws {
    let more = try plan(bin: [counted(20)], fromBin: true, [counted(5), counted(6)])
    #expect(more.map { counter($0.entry) } == [20, 20])
    let twice = try plan([counted(20)], bin: [], [counted(5), counted(6)])
    #expect(twice.map { counter($0.entry) } == [20, 20])
  }

  @Test func theLivingComeFirst() throws {
    #expect(try plan([counted(20)], bin: [counted(20)], [counted(5)]).map(MergeModel.word) == ["same"])
    #expect(
      try plan([counted(20)], bin: [counted(20)], fromBin: true, [counted(5)]).map(MergeModel.word) == ["same"])
  }

  private func login(_ password: String, before: [String] = [], id: UUID? = nil) -> Entry {
    var login = Password(password: SecretValue(utf8: password))
    login.title = "Shop"
    login.info.id = id
    login.history = before.map { PreviousPassword(password: SecretValue(utf8: $0), changedAt: nil) }
    return .password(login)
  }

  @Test func anOlderVersionOfABinnedLoginIsThatLogin() throws {
    #expect(try plan(bin: [login("new", before: ["old"])], [login("old")]).map(MergeModel.word) == ["in-bin"])
    #expect(
      try plan(bin: [login("new", before: ["old"])], fromBin: true, [login("old")]).map(MergeModel.word)
        == ["restored "])
    #expect(try plan(bin: [login("other")], [login("old")]).map(MergeModel.word) == ["new"])
  }

  @Test func theIdentifierTellsABinnedEntryThatChanged() throws {
    let entry = login("before", id: try MergeModel.id(1000))
    #expect(try plan(bin: [login("after")], [entry]).map(MergeModel.word) == ["in-bin"])
    let chosen = try plan(bin: [login("after")], fromBin: true, [entry])
    #expect(chosen.map(MergeModel.word) == ["new"])
    #expect(chosen[0].entry.info.id == nil)
  }

  @Test func whatWasDeletedForGoodStaysSoUnlessChosen() throws {
    let id = try MergeModel.id(7)
    let entry = login("p", id: id)
    #expect(try plan(bin: [], tombstones: [id], [entry]).map(MergeModel.word) == ["deleted"])
    #expect(try plan(bin: [], tombstones: [id], fromBin: true, [entry]).map(MergeModel.word) == ["deleted"])
    let chosen = try plan(bin: [], tombstones: [id], deletedToo: true, [entry])
    #expect(chosen.map(MergeModel.word) == ["new"])
    #expect(chosen[0].entry.info.id == id)
    #expect(try plan([entry], bin: [], tombstones: [id], [entry]).map(MergeModel.word) == ["same"])
  }
}
