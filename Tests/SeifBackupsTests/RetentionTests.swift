import SeifBackups
import SeifBytes
import SeifRecords
import SeifTransportTesting
import Testing

@Suite struct RetentionTests {
  private func event(_ day: Int, kind: LedgerEvent.Kind = .proven, accounts: Int = 20) -> LedgerEvent {
    LedgerEvent(
      at: Timestamp(seconds: 1_700_000_000 + Int64(day) * 86_400), kind: kind, destination: "nas", name: "b\(day)",
      sha256: [UInt8](repeating: UInt8(day % 251), count: 32), byteCount: 1, format: "authbackup-2",
      counts: [.accounts: accounts])
  }

  @Test func threeProvenStayWhateverTheRuleSays() {
    var rule = RetentionRule()
    (rule.last, rule.daily, rule.weekly, rule.monthly) = (1, 0, 0, 0)
    #expect(Retention.expired((0..<5).map { event($0) }, rule: rule).map(\.name) == ["b0", "b1"])
    #expect(Retention.expired((0..<3).map { event($0) }, rule: rule).isEmpty)
  }

  @Test func snapshotsAndBackupsDontCrowdEachOtherOut() {
    var rule = RetentionRule()
    (rule.last, rule.daily, rule.weekly, rule.monthly) = (3, 0, 0, 0)
    let backups = (0..<4).map { event($0) }
    let snapshots = (4..<30).map { day in
      var event = event(day)
      event.format = "seifvault-1"
      return event
    }
    let expired = Retention.expired(backups + snapshots, rule: rule).map(\.name)
    #expect(expired == ["b0"] + (4..<27).map { "b\($0)" })
  }

  @Test func oneADayAWeekAMonthStay() {
    var rule = RetentionRule()
    (rule.last, rule.daily, rule.weekly, rule.monthly) = (3, 7, 4, 12)
    let expired = Retention.expired((0..<400).map { event($0) }, rule: rule)
    let kept = 400 - expired.count
    #expect((12...7 + 4 + 12).contains(kept))
    #expect(!expired.contains { $0.name == "b399" || $0.name == "b393" })
  }

  @Test func nothingGoesWhenTheNewBackupIsntProven() {
    #expect(
      Retention.refusal(newest: event(2, kind: .stored), previous: event(1), lastEntry: event(1).at, now: event(2).at)
        == .notProven)
  }

  @Test(arguments: [(20, 16, false), (20, 15, true), (100, 90, false), (100, 89, true), (2, 1, true), (0, 5, false)])
  func nothingGoesWhenAFifthOrTenAreGone(before: Int, after: Int, refused: Bool) {
    let refusal = Retention.refusal(
      newest: event(2, accounts: after), previous: event(1, accounts: before), lastEntry: event(1).at, now: event(2).at)
    #expect((refusal == .shrunk(.accounts, from: before, to: after)) == refused)
  }

  @Test func nothingGoesWhenTheClockIsOdd() {
    let (newest, previous) = (event(50), event(49))
    #expect(
      Retention.refusal(newest: newest, previous: previous, lastEntry: event(51).at, now: event(50).at) == .clockBehind)
    #expect(
      Retention.refusal(newest: newest, previous: previous, lastEntry: event(19).at, now: event(50).at) == .clockAhead)
    #expect(Retention.refusal(newest: newest, previous: previous, lastEntry: event(20).at, now: event(50).at) == nil)
  }
}
