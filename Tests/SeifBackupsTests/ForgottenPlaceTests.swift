import SeifBackups
import SeifBytes
import SeifRecords
import SeifTransportTesting
import Testing

/// A place that a person gave up, and files that are proven later than others.
@Suite struct ForgottenPlaceTests {
  private let world = BackupWorld()

  private func now(_ hour: Int64) -> Timestamp { Timestamp(seconds: BackupWorld.start + hour * 3600) }

  private func forget(at hour: Int64) throws {
    let newest = try #require(LedgerHistory(world.ledger.written).proven(at: "memory").last?.proof)
    try world.ledger.append(.forgetting(newest, at: now(hour)), records: nil)
  }

  @Test func whatWasGivenUpIsNoPlaceAndNoAlarmAnyMore() throws {
    let names = try world.make(3)
    var lost = try #require(LedgerHistory(world.ledger.written).proven(at: "memory").last?.proof)
    lost.kind = .missing
    try world.ledger.append(lost, records: nil)
    #expect(BackupOverview(world.ledger.written, now: now(5)).places.first?.lost != nil)
    try forget(at: 6)
    let overview = BackupOverview(world.ledger.written, now: now(7))
    #expect(overview.places.isEmpty && overview.firstProvenAt != nil)
    #expect(BackupRule(places: 1).faults(overview, now: now(7)) == [.tooFewPlaces(0)])
    let history = LedgerHistory(world.ledger.written)
    #expect(history.standing.isEmpty)
    // What the ledger had stays to be listed.
    #expect(history.all(at: "memory").map(\.last.name).sorted() == names)
    #expect(history.all(at: "memory").allSatisfy { $0.isGivenUp && $0.proof == nil })
    #expect(world.ledger.written.last?.isForgetting == true)
  }

  @Test func anotherPlaceStays() throws {
    _ = try world.make(1)
    let other = BackupWorld(ledger: world.ledger, destination: "other")
    _ = try other.create(try BackupWorld.records(), at: now(1).seconds)
    try forget(at: 2)
    #expect(BackupOverview(world.ledger.written, now: now(3)).places.map(\.destination) == ["other"])
  }

  @Test func whatIsMadeThereLaterCountsAgainstNothingOfBefore() throws {
    let before = try world.make(3)
    world.transport.files[before[1]] = nil
    try forget(at: 4)
    let report = try world.create(try BackupWorld.records(1), at: now(5).seconds, rule: BackupWorld.rule(last: 1))
    // Fewer entries than before, and one that is gone: neither is held against it, and no old file goes.
    #expect(report.refusal == nil && report.pruned.isEmpty && !report.isAlarming)
    #expect(report.foreign == [before[0], before[2]])
    let places = BackupOverview(world.ledger.written, now: now(6)).places
    #expect(places.map(\.proof?.name) == [report.proof.name])
  }

  @Test func anOlderLossIsToldApartFromTheNewests() throws {
    let names = try world.make(3)
    var lost = try #require(LedgerHistory(world.ledger.written).file(at: "memory", named: names[0])?.proof)
    lost.kind = .altered
    try world.ledger.append(lost, records: nil)
    let place = try #require(BackupOverview(world.ledger.written, now: now(5)).places.first)
    #expect(place.lost == nil && place.olderLost.map(\.name) == [names[0]])
  }

  // MARK: - Proven later

  private func line(_ kind: LedgerEvent.Kind, _ name: String, byte: UInt8, state: Int64) -> LedgerEvent {
    LedgerEvent(
      at: now(0), kind: kind, destination: "memory", name: name, sha256: [UInt8](repeating: byte, count: 32),
      byteCount: 9, format: "seifvault-1", counts: [:], state: state)
  }

  @Test func ofAnEarlierStateIsOlderThoughItWasProvenLater() {
    // Stored while locked at state 4, a backup of state 7 in between, noted once the vault was open.
    let events = [
      line(.stored, "b", byte: 2, state: 7), line(.proven, "b", byte: 2, state: 8),
      line(.stored, "a", byte: 1, state: 4), line(.proven, "a", byte: 1, state: 4),
    ]
    #expect(LedgerHistory(events).proven(at: "memory").map(\.last.name) == ["a", "b"])
  }

  @Test func whatNeverCameBackIsAsOldAsWhenItWasSent() {
    let events = [
      line(.stored, "a", byte: 1, state: 4), line(.stored, "b", byte: 2, state: 7),
      line(.proven, "b", byte: 2, state: 8), line(.proven, "a", byte: 1, state: 9),
    ]
    #expect(LedgerHistory(events).proven(at: "memory").map(\.last.name) == ["a", "b"])
  }
}
