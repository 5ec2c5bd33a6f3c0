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

  private func refusals(
    _ newest: LedgerEvent, after previous: LedgerEvent, highest: LedgerEvent? = nil
  ) -> [Retention.Refusal] {
    var marks = LedgerMarks([previous], at: "nas", besides: newest.name)
    if let highest { marks.highest = highest.at }
    return Retention.refusals(newest: newest, marks: marks, now: newest.at)
  }

  @Test func nothingGoesWhenTheNewBackupIsntProven() {
    #expect(refusals(event(2, kind: .stored), after: event(1)) == [.notProven])
  }

  @Test(arguments: [(20, 16, false), (20, 15, true), (100, 90, false), (100, 89, true), (2, 1, true), (0, 5, false)])
  func nothingGoesWhenAFifthOrTenAreGone(before: Int, after: Int, refused: Bool) {
    let refusals = refusals(event(2, accounts: after), after: event(1, accounts: before))
    #expect(refusals == (refused ? [.shrunk(.accounts, from: before, to: after)] : []))
  }

  @Test func nothingGoesWhenTheClockIsOdd() {
    let (newest, previous) = (event(50), event(49))
    #expect(refusals(newest, after: previous, highest: event(51)) == [.clockBehind])
    #expect(refusals(newest, after: previous, highest: event(19)) == [.clockAhead])
    #expect(refusals(newest, after: previous, highest: event(20)) == [])
  }

  @Test func theLedgersOrderSaysWhichIsTheNewest() {
    let rule = BackupWorld.rule(last: 3)
    // The clock stood at day 0 for the last of them.
    let proven = [event(4), event(5), event(6), event(7), event(0)]
    #expect(Retention.expired(proven, rule: rule).map(\.name) == ["b4", "b5"])
  }
}
