import SeifBackups
import SeifBytes
import SeifRecords
import SeifTransportTesting
import Testing

/// The rule of what stays, applied without a new backup.
@Suite struct PruneTests {
  private let world = BackupWorld()
  private var transport: MemoryTransport { world.transport }

  private var service: BackupService {
    BackupService(transport: transport, ledger: world.ledger, destination: world.destination)
  }

  private func now(_ hour: Int64) -> Timestamp { Timestamp(seconds: BackupWorld.start + hour * 3600) }

  private func plan(
    last: Int, hour: Int64 = 10, mayPrune: Bool = true, accepting: Set<Acceptance> = [], isNoting: Bool = true
  ) throws -> PrunePlan {
    try service.planPrune(
      rule: BackupWorld.rule(last: last), now: now(hour), mayPrune: mayPrune, accepting: accepting, isNoting: isNoting)
  }

  @Test func aPlanRemovesNothingAndSaysWhyEachStays() throws {
    let names = try world.make(6)
    let lines = world.ledger.written.count
    let plan = try plan(last: 2)
    #expect(plan.expired.map(\.name) == Array(names.prefix(3)))
    #expect(plan.kept.map(\.proof.name) == names.suffix(3).reversed())
    #expect(plan.kept.map(\.reason) == [.last, .last, .always])
    #expect(transport.files.count == 6 && world.ledger.written.count == lines)
  }

  @Test func whatAPlanNamesGoesAfterALineInTheLedger() throws {
    let names = try world.make(6)
    let report = service.prune(try plan(last: 1), now: now(10))
    #expect(report.pruned == Array(names.prefix(3)) && !report.isAlarming)
    #expect(transport.files.keys.sorted() == Array(names.suffix(3)))
    #expect(world.kinds(of: names[0]) == [.stored, .proven, .pruned])
    // Three always stay, however often it is asked.
    #expect(try plan(last: 0, hour: 11).expired.isEmpty)
  }

  @Test func dayWeekAndMonthAreReasons() throws {
    var rule = BackupWorld.rule(last: 1)
    (rule.daily, rule.weekly, rule.monthly) = (4, 5, 5)
    for day in Int64(0)..<7 {
      _ = try world.create(try BackupWorld.records(), at: BackupWorld.start + day * 20 * 86_400, rule: RetentionRule())
    }
    let plan = try service.planPrune(rule: rule, now: now(6 * 20 * 24), mayPrune: true, isNoting: true)
    #expect(plan.kept.map(\.reason) == [.last, .always, .always, .daily, .weekly, .monthly])
    #expect(plan.expired.count == 1)
  }

  @Test func strangersAndWhatIsntProvenAreLeft() throws {
    _ = try world.make(5)
    transport.files["holiday.jpg"] = SecretValue(utf8: "not ours")
    let plan = try plan(last: 1)
    #expect(plan.foreign == ["holiday.jpg"])
    #expect(service.prune(plan, now: now(10)).pruned.count == 2)
    #expect(transport.files["holiday.jpg"] != nil)
  }

  @Test func whatIsLostStopsItUntilAPersonLetsGoOfIt() throws {
    let names = try world.make(6)
    transport.files[names[1]] = nil
    transport.flip(names[2])
    let first = try plan(last: 1)
    #expect(first.refusal == .notAsProven(2) && first.expired.isEmpty && first.held.map(\.name) == [names[0]])
    #expect(first.lost.map(\.name) == [names[1], names[2]] && first.lost.map(\.state) == [.missing, .altered])
    #expect(world.kinds(of: names[1]).last == .missing && world.kinds(of: names[2]).last == .altered)
    #expect(service.prune(first, now: now(10)).pruned.isEmpty)
    let second = try plan(last: 1, hour: 11)
    #expect(second.refusal == .notAsProven(2) && second.lost.isEmpty)
    #expect(second.knownLost.sorted() == [names[1], names[2]] && second.expired.isEmpty)
    // A question writes nothing, and a yes is noted: what was let go of is a stranger.
    let lines = world.ledger.written.count
    let third = try plan(last: 1, hour: 12, accepting: [.lost])
    #expect(third.refusal == nil && third.expired.map(\.name) == [names[0]] && world.ledger.written.count == lines)
    #expect(service.prune(third, now: now(12)).pruned == [names[0]])
    #expect(world.kinds(of: names[1]).last == .pruned && world.kinds(of: names[2]).last == .pruned)
    let fourth = try plan(last: 1, hour: 13)
    #expect(fourth.refusal == nil && fourth.knownLost.isEmpty && fourth.foreign == [names[2]])
    #expect(transport.files[names[2]] != nil)
  }

  @Test func whatCantBeReadIsNeverLetGoOf() throws {
    let names = try world.make(5)
    transport.unreadable = [names[0]]
    #expect(try plan(last: 1, accepting: [.lost]).refusal == .notAsProven(1))
  }

  @Test func aWordOfAPersonIsNotedOnlyWhenItIsCarriedOut() throws {
    _ = try world.make(5)
    _ = try world.create(try BackupWorld.records(1), at: now(6).seconds)
    let lines = world.ledger.written.count
    let asked = try plan(last: 9, accepting: [.shrunk, .clock])
    #expect(asked.refusal == nil && asked.accepted == [.shrunk] && world.ledger.written.count == lines)
    #expect(try plan(last: 9).refusal == .shrunk(.accounts, from: 3, to: 1))
    #expect(service.prune(asked, now: now(10)).isNoted)
    #expect(try plan(last: 9, hour: 11).refusal == nil)
    #expect(try world.create(try BackupWorld.records(1), at: now(12).seconds).refusal == nil)
  }

  /// Between a question and its answer there may be hours.
  @Test func aPlanMadeAnewIsAnotherWhereSomethingChangedMeanwhile() throws {
    let names = try world.make(6)
    let shown = try plan(last: 2)
    #expect(try plan(last: 2, hour: 11).does(theSameAs: shown))
    #expect(try !plan(last: 2, hour: 11 + 31 * 24).does(theSameAs: shown))
    #expect(try !plan(last: 2, mayPrune: false).does(theSameAs: shown))
    let file = try #require(transport.files[names[0]])
    transport.flip(names[0])
    #expect(try !plan(last: 2, isNoting: false).does(theSameAs: shown))
    transport.files[names[0]] = file
    #expect(try plan(last: 2).does(theSameAs: shown))
    _ = try world.create(try BackupWorld.records(), at: now(10).seconds)
    #expect(try !plan(last: 2).does(theSameAs: shown))
  }

  @Test func ofTwoFilesOfOneNameTheOneThatWasComparedGoes() throws {
    let names = try world.make(4)
    let proven = try #require(transport.files[names[0]])
    transport.files[names[0]] = nil
    transport.files["id-stranger"] = SecretValue([UInt8](repeating: 0x41, count: proven.byteCount))
    transport.files["id-proven"] = proven
    transport.names = ["id-stranger": names[0], "id-proven": names[0]]
    let plan = try plan(last: 1)
    #expect(plan.expired.map(\.name) == [names[0]] && plan.foreign == [names[0]])
    let report = service.prune(plan, now: now(10))
    #expect(report.pruned == [names[0]] && !report.isAlarming)
    #expect(transport.files["id-proven"] == nil && transport.files["id-stranger"] != nil)
  }

  @Test func aQuestionWritesNothing() throws {
    let names = try world.make(4)
    transport.files[names[1]] = nil
    let lines = world.ledger.written.count
    #expect(try plan(last: 1, isNoting: false).refusal == .notAsProven(1))
    #expect(world.ledger.written.count == lines)
  }

  @Test func nothingGoesWhereTheNewestIsntThere() throws {
    let names = try world.make(5)
    transport.flip(names[4])
    #expect(try plan(last: 1).refusal == .notAsProven(1))
    #expect(try plan(last: 1, hour: 11).refusal == .notAsProven(1))
    // No word of a person lets go of the newest.
    let again = try plan(last: 1, hour: 12, accepting: Set(Acceptance.allCases))
    #expect(again.refusal == .notProven && again.expired.isEmpty && again.letGo.isEmpty)
  }

  @Test func nothingGoesWhatCreateWouldRefuse() throws {
    let names = try world.make(5)
    #expect(try plan(last: 1, mayPrune: false).refusal == .vaultFaults)
    #expect(try plan(last: 1, hour: 3).refusal == .clockBehind)
    #expect(try plan(last: 1, hour: 4 + 30 * 24).refusal == nil)
    #expect(try plan(last: 1, hour: 5 + 30 * 24).refusal == .clockAhead)
    transport.unreadable = [names[0]]
    #expect(try plan(last: 1).refusal == .notAsProven(1))
    transport.unreadable = []
    _ = try world.create(try BackupWorld.records(1), at: now(6).seconds)
    #expect(try plan(last: 1).refusal == .shrunk(.accounts, from: 3, to: 1))
  }

  @Test func aPlaceThatCantBeListedAfterwardsIsAnAlarm() throws {
    _ = try world.make(5)
    let plan = try plan(last: 1)
    transport.listings = 0
    let report = service.prune(plan, now: now(10))
    #expect(report.pruned.count == 2 && !report.wasLookedAfter && report.isAlarming)
    #expect(throws: TransportError.self) { try self.plan(last: 1, hour: 11) }
  }

  @Test func aBackupAfterWhichThePlaceCantBeListedIsAnAlarmToo() throws {
    _ = try world.make(5)
    // Before it is stored twice, before old ones are looked at once.
    transport.listings = 3
    let report = try world.create(
      try BackupWorld.records(), at: BackupWorld.start + 20 * 3600, rule: BackupWorld.rule(last: 3))
    #expect(report.pruned.count == 3 && !report.wasLookedAfter && report.isAlarming)
  }

  @Test func whatThePlaceKeepsOrLosesIsSaid() throws {
    let names = try world.make(5)
    let plan = try plan(last: 1)
    transport.undeletable = [names[0]]
    transport.files[names[4]] = nil
    let report = service.prune(plan, now: now(10))
    #expect(report.notRemoved == [names[0]] && report.missing == [names[4]] && report.isAlarming)
    #expect(world.kinds(of: names[4]).last == .missing)
  }

  @Test func withoutALineNothingGoes() throws {
    _ = try world.make(5)
    let plan = try plan(last: 1)
    world.ledger.refuses = [.pruned]
    let report = service.prune(plan, now: now(10))
    #expect(report.pruned.isEmpty && !report.isNoted && report.isAlarming)
    #expect(transport.files.count == 5)
  }
}
