import SeifBackups
import SeifBytes
import SeifRecords
import Testing

/// The rule: how old, in how many places, how often a person opens one.
@Suite struct BackupRuleTests {
  @Test(arguments: [
    ("24h in 2 places, drill 180d", "24h in 2 places, drill 180d"), ("7d in 1 place", "7d in 1 place, drill 180d"),
    ("1d in 1 place, no drill", "24h in 1 place, no drill"),
    ("48h in 16 places, drill 1h", "2d in 16 places, drill 1h"),
    ("  3650d   in 1 place ,  drill 36h", "3650d in 1 place, drill 36h"),
  ])
  func aRuleIsReadAndWrittenBack(text: String, canonical: String) throws {
    let rule = try #require(BackupRule(text))
    #expect(rule.description == canonical)
    #expect(BackupRule(rule.description) == rule)
  }

  @Test(arguments: [
    "", "24h", "24h in 2", "24h in 2 place", "24h in 1 places", "24h in 0 places", "24h in 17 places",
    "24h on 2 places", "0h in 1 place", "3651d in 1 place", "24 in 2 places", "h in 2 places", "-1d in 1 place",
    "+1d in 1 place", "1.5d in 1 place", "24m in 1 place", "99999999999999999999h in 1 place",
    "9223372036854775807d in 1 place", "24h in 99999999999999999999 places", "24h in 2 places,",
    "24h in 2 places, drill", "24h in 2 places, drill 0d", "24h in 2 places, no drill, no drill",
    "24h in 2 places, never", "24h in 2 places, no", "٢٤h in 2 places",
  ])
  func anythingElseIsNoRule(text: String) {
    #expect(BackupRule(text) == nil)
  }

  @Test func ofTwoRulesNeitherLoosensTheOther() throws {
    let own = try #require(BackupRule("24h in 1 place, no drill"))
    let other = try #require(BackupRule("7d in 3 places, drill 90d"))
    #expect(own.stricter(other).description == "24h in 3 places, drill 90d")
    #expect(own.stricter(other) == other.stricter(own))
  }

  // MARK: - Kept or not

  private static let start = Timestamp(seconds: 1_789_038_058)

  private func event(
    _ kind: LedgerEvent.Kind, _ seconds: Int64, at destination: String = "nas", name: String = "a", hash: UInt8 = 1
  ) -> LedgerEvent {
    LedgerEvent(
      at: Timestamp(seconds: Self.start.seconds + seconds), kind: kind, destination: destination, name: name,
      sha256: [UInt8](repeating: hash, count: 32), byteCount: 1, format: "authbackup-2", counts: [.accounts: 20])
  }

  private func faults(
    _ text: String, _ events: [LedgerEvent], after seconds: Int64, current: Set<[UInt8]> = []
  ) throws -> [BackupRule.Fault] {
    try #require(BackupRule(text)).faults(
      overview(events, current: current, after: seconds), now: Timestamp(seconds: Self.start.seconds + seconds))
  }

  private func overview(
    _ events: [LedgerEvent], current: Set<[UInt8]> = [], after seconds: Int64 = 1000
  ) -> BackupOverview {
    BackupOverview(events, current: current, now: Timestamp(seconds: Self.start.seconds + seconds))
  }

  @Test func aProofOfExactlyTheIntervalKeepsItAndASecondMoreDoesnt() throws {
    let events = [event(.stored, 0), event(.proven, 0)]
    #expect(try faults("24h in 1 place", events, after: 86_400) == [])
    #expect(try faults("24h in 1 place", events, after: 86_401) == [.tooFewPlaces(0)])
  }

  @Test func twoBackupsInOnePlaceAreOnePlace() throws {
    let events = [event(.proven, 0), event(.proven, 10, name: "b", hash: 2)]
    #expect(try faults("24h in 2 places", events, after: 20) == [.tooFewPlaces(1)])
    let more = events + [event(.proven, 15, at: "usb", name: "b", hash: 3)]
    #expect(try faults("24h in 2 places", more, after: 20) == [])
    #expect(try faults("24h in 2 places", more, after: 86_413) == [.tooFewPlaces(1)])
  }

  @Test func withoutABackupNoPlaceKeepsIt() throws {
    #expect(try faults("24h in 1 place", [], after: 0) == [.tooFewPlaces(0)])
    #expect(try faults("24h in 1 place", [event(.stored, 0)], after: 0) == [.tooFewPlaces(0)])
  }

  @Test(arguments: [LedgerEvent.Kind.missing, .altered])
  func aNewestThatIsLostKeepsNothingThoughAnOlderOneIsThere(kind: LedgerEvent.Kind) throws {
    let events = [event(.proven, 0), event(.proven, 10, name: "b", hash: 2), event(kind, 20, name: "b", hash: 2)]
    #expect(try faults("24h in 1 place", events, after: 30) == [.tooFewPlaces(0)])
    let place = try #require(overview(events).places.first)
    #expect(place.lost?.flag == kind && place.lost?.proof.name == "b")
    #expect(place.proof?.name == "a")
    // One that is lost and isn't the newest is no reason.
    let older = [event(.proven, 0), event(.proven, 10, name: "b", hash: 2), event(kind, 20)]
    #expect(try faults("24h in 1 place", older, after: 30) == [])
    // Nor is it once a newer one was made.
    let newer = events + [event(.proven, 40, name: "c", hash: 3)]
    #expect(overview(newer).places.first?.lost == nil)
  }

  @Test func anUnchangedVaultAgesUntilItsBytesAreProvenAgain() throws {
    let events = [event(.proven, 0)]
    let current: Set = [[UInt8](repeating: 1, count: 32)]
    #expect(try faults("24h in 1 place", events, after: 86_401, current: current) == [.tooFewPlaces(0)])
    let again = events + [event(.proven, 86_000)]
    #expect(try faults("24h in 1 place", again, after: 86_401, current: current) == [])
    // What the vault no longer holds is as old as what is in it.
    #expect(try faults("24h in 1 place", again, after: 86_401) == [.tooFewPlaces(0)])
  }

  @Test func aClockBehindTheLedgerTellsNoAge() throws {
    let events = [event(.proven, 0), event(.drilled, 100)]
    #expect(try faults("24h in 1 place", events, after: 99) == [.clockBehind])
    #expect(try faults("24h in 1 place", events, after: 100) == [])
  }

  @Test func aDrillOfATimeToComeKeepsNothingAndIsSaid() throws {
    let (day, year) = (Int64(86_400), Int64(365 * 86_400))
    let ahead = [event(.proven, 0), event(.drilled, year)]
    #expect(try faults("3650d in 1 place, drill 2d", ahead, after: 3 * day) == [.clockBehind])
    // Once a person said that the clock is right.
    var word = event(.pruned, 3 * day, name: "")
    word.format = "accepted-clock"
    #expect(try faults("3650d in 1 place, drill 2d", ahead + [word], after: 3 * day) == [.drill(last: nil)])
    let overview = overview(ahead + [word], current: [[UInt8](repeating: 1, count: 32)], after: 3 * day)
    #expect(overview.drilledAt == nil && overview.places.first?.drilledAt == nil)
    #expect(overview.drillAhead == event(.drilled, year).at)
    // Nor does it make its file younger.
    #expect(overview.places.first?.ageSince == Self.start)
    let real = ahead + [word, event(.drilled, 3 * day)]
    #expect(try faults("3650d in 1 place, drill 2d", real, after: 4 * day) == [])
  }

  @Test func aFlagOfTheLastOneShowsThoughTheClockStoodBack() throws {
    let events = [event(.proven, 100), event(.proven, 0, name: "b", hash: 2), event(.altered, 1, name: "b", hash: 2)]
    let place = try #require(overview(events).places.first)
    #expect(place.lost?.proof.name == "b" && place.proof?.name == "a")
  }

  @Test func aDrillIsDueFromTheFirstBackupOnAndThenFromTheLastDrill() throws {
    let day: Int64 = 86_400
    let first = [event(.proven, 0)]
    #expect(try faults("3650d in 1 place, drill 2d", first, after: 2 * day) == [])
    #expect(try faults("3650d in 1 place, drill 2d", first, after: 2 * day + 1) == [.drill(last: nil)])
    #expect(try faults("3650d in 1 place, no drill", first, after: 900 * day) == [])
    // At whatever place, of whatever file; a script's proof is none.
    let drilled = first + [event(.proven, day, at: "usb"), event(.drilled, day, at: "usb"), event(.proven, 3 * day)]
    #expect(try faults("3650d in 1 place, drill 2d", drilled, after: 3 * day) == [])
    let last = Timestamp(seconds: Self.start.seconds + day)
    #expect(try faults("3650d in 1 place, drill 2d", drilled, after: 3 * day + 1) == [.drill(last: last)])
  }

  // MARK: - What the ledger says of a place

  @Test func aPlaceHasItsOwnDrillsAndNamesAreBytes() throws {
    let events = [
      event(.proven, 0, at: "\u{E9}"), event(.proven, 1, at: "e\u{301}"), event(.drilled, 2, at: "e\u{301}"),
    ]
    let places = overview(events).places
    #expect(places.count == 2)
    #expect(places.map { $0.drilledAt != nil } == [true, false])
  }

  @Test func whatWasRemovedByTheRuleOrOverwrittenIsNoPlace() {
    #expect(overview([event(.proven, 0), event(.pruned, 1)]).places.isEmpty)
    #expect(overview([event(.proven, 0), event(.stored, 1)]).places.isEmpty)
    #expect(overview([event(.stored, 0), event(.failed, 1)]).places.isEmpty)
  }

  @Test func theLedgerTellsWhyNothingWasRemoved() {
    func refusal(_ events: [LedgerEvent]) -> Retention.Refusal? { Retention.lastRefusal(events, at: "nas") }
    func run(_ seconds: Int64, _ name: String, accounts: Int = 20) -> [LedgerEvent] {
      [LedgerEvent.Kind.stored, .proven].map { kind in
        var event = event(kind, seconds, name: name)
        event.counts = [.accounts: accounts]
        return event
      }
    }
    #expect(refusal([]) == nil)
    #expect(refusal(run(0, "a") + run(10, "b")) == nil)
    #expect(refusal(run(0, "a") + [event(.stored, 10, name: "b")]) == .notProven)
    #expect(refusal(run(0, "a") + run(10, "b", accounts: 9)) == .shrunk(.accounts, from: 20, to: 9))
    let shrunk = run(0, "a") + run(10, "b", accounts: 9) + run(20, "c", accounts: 9)
    #expect(refusal(shrunk) == .shrunk(.accounts, from: 20, to: 9))
    var word = event(.pruned, 21, name: "")
    (word.format, word.counts) = ("accepted-shrunk", [.accounts: 9])
    #expect(refusal(shrunk + [word]) == nil)
    #expect(refusal(shrunk + [word] + run(30, "d", accounts: 9)) == nil)
    #expect(refusal(run(0, "a") + run(31 * 86_400, "b")) == .clockAhead)
    #expect(refusal(run(10, "a") + run(9, "b")) == .clockBehind)
    #expect(refusal(run(10, "a") + run(8, "b") + run(9, "c")) == .clockBehind)
    #expect(refusal(run(0, "a") + run(10, "b") + [event(.missing, 10, name: "a")]) == .notAsProven(1))
    let lost = run(0, "a") + run(10, "b") + [event(.missing, 10, name: "a")] + run(20, "c")
    #expect(refusal(lost) == .notAsProven(1))
    #expect(refusal(lost + [event(.pruned, 30, name: "a")]) == nil)
    // What was found at another time, or at another place, is no reason of that run.
    #expect(refusal(run(0, "a") + run(10, "b") + [event(.missing, 20, name: "a")]) == nil)
    #expect(refusal(run(0, "a") + run(10, "b") + [event(.missing, 10, at: "usb", name: "a")]) == nil)
  }
}
