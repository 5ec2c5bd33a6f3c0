import SeifBackups
import SeifBytes
import SeifTransportTesting
import Testing

/// What a new backup finds out about older ones, and what may go then.
@Suite struct OldBackupTests {
  private let world = BackupWorld()
  private var transport: MemoryTransport { world.transport }

  private func next(
    _ hour: Int64 = 20, last: Int = 10, mayPrune: Bool = true, progress: (BackupStage) -> Void = { _ in }
  ) throws -> BackupReport {
    try world.create(
      try BackupWorld.records(), at: BackupWorld.start + hour * 3600, rule: BackupWorld.rule(last: last),
      mayPrune: mayPrune, progress: progress)
  }

  @Test func theOnlyGoodBackupStaysWhereNewerOnesAreAlteredInOneBit() throws {
    let names = try world.make(10)
    for name in names.dropFirst() { transport.flip(name) }
    let report = try next()
    #expect(report.pruned.isEmpty)
    #expect(report.altered == Array(names.dropFirst()))
    #expect(report.refusal == .notAsProven(9))
    #expect(transport.files[names[0]] != nil)
    #expect(world.kinds(of: names[9]) == [.stored, .proven, .altered])
    // Nor later: what is altered fills no place of the rule.
    let again = try next(21)
    #expect(again.pruned.isEmpty && again.altered.isEmpty && again.refusal == nil)
    #expect(transport.files[names[0]] != nil)
  }

  @Test func aMissingOneIsNotedOnceAndStopsTheRuleOnce() throws {
    let names = try world.make(5)
    transport.files[names[2]] = nil
    let report = try next(last: 3)
    #expect(report.missing == [names[2]] && report.refusal == .notAsProven(1) && report.pruned.isEmpty)
    #expect(world.kinds(of: names[2]) == [.stored, .proven, .missing])
    let again = try next(21, last: 3)
    #expect(again.missing.isEmpty && again.refusal == nil)
    #expect(again.pruned == [names[0], names[1], names[3]])
    #expect(world.kinds(of: names[2]) == [.stored, .proven, .missing])
  }

  @Test func oneThatComesBackCountsAgain() throws {
    let names = try world.make(2)
    let file = transport.files.removeValue(forKey: names[0])
    #expect(try next().missing == [names[0]])
    transport.files[names[0]] = file
    for hour in Int64(21)..<23 { #expect(try next(hour, last: 9).missing.isEmpty) }
    #expect(try next(23, last: 3).pruned.first == names[0])
  }

  @Test func whatCantBeReadStopsTheRuleAndIsNotCalledAltered() throws {
    let names = try world.make(5)
    transport.unreadable = [names[4]]
    let report = try next(last: 3)
    #expect(report.unread == [names[4]] && report.refusal == .notAsProven(1) && report.pruned.isEmpty)
    #expect(world.kinds(of: names[4]) == [.stored, .proven])
    transport.unreadable = []
    #expect(try next(21, last: 3).pruned.count == 4)
  }

  @Test func nothingGoesWhereThePlaceCantBeListed() throws {
    let names = try world.make(4)
    transport.listings = 2
    let report = try next(last: 3)
    #expect(report.unread == names && report.refusal == .notAsProven(4) && report.pruned.isEmpty)
  }

  @Test func nothingGoesOnTheWordOfAVaultWithFaults() throws {
    let names = try world.make(5)
    let report = try next(last: 3, mayPrune: false)
    #expect(report.refusal == .vaultFaults && report.pruned.isEmpty)
    #expect(names.allSatisfy { transport.files[$0] != nil })
    #expect(report.proof.kind == .proven)
  }

  @Test func eachIsFetchedOnceAndThatIsSaid() throws {
    let names = try world.make(5)
    transport.downloads = []
    var stages: [BackupStage] = []
    let report = try next(last: 3) { stages.append($0) }
    #expect(report.pruned.count == 3)
    #expect(transport.downloads.sorted() == (names + [report.proof.name]).sorted())
    #expect(stages == [.sealing, .storing, .proving, .checking(count: 5)])
  }

  @Test func aLedgerThatCantNoteWhatGoesKeepsIt() throws {
    let names = try world.make(4)
    world.ledger.refuses = [.pruned]
    let report = try next(last: 3)
    #expect(report.refusal == .ledger && report.pruned.isEmpty)
    #expect(names.allSatisfy { transport.files[$0] != nil })
  }

  @Test func aLedgerThatCantNoteWhatIsLostStopsTheRule() throws {
    let names = try world.make(4)
    world.ledger.refuses = [.missing]
    transport.files[names[3]] = nil
    let report = try next(last: 3)
    #expect(report.missing == [names[3]] && report.refusal == .ledger && report.pruned.isEmpty)
  }

  @Test func whatThePlaceDoesntRemoveIsSaid() throws {
    let names = try world.make(4)
    transport.undeletable = [names[0]]
    let report = try next(last: 3)
    #expect(report.notRemoved == [names[0]] && report.pruned == [names[1]])
    // From now on it is a file like any other.
    #expect(try next(21).foreign == [names[0]])
  }

  @Test func oneNameAtTwoDestinationsAreTwoFiles() throws {
    var other = BackupWorld()
    other.destination = "other"
    let name = try world.create(try BackupWorld.records()).proof.name
    #expect(try other.create(try BackupWorld.records()).proof.name == name)
    var events = world.ledger.written + other.ledger.written
    #expect(BackupService.standing(events).map(\.destination).sorted() == ["memory", "other"])
    var gone = try #require(events.last)
    gone.kind = .missing
    events.append(gone)
    #expect(BackupService.standing(events).map(\.destination) == ["memory"])
  }

  @Test func aFileIsForeignThoughItsNameIsKnownElsewhere() throws {
    var elsewhere = try #require(try world.make(1).isEmpty ? nil : world.ledger.written.last)
    (elsewhere.destination, elsewhere.name) = ("other", "a.authbackup")
    world.ledger.written.append(elsewhere)
    transport.files["a.authbackup"] = SecretValue(utf8: "not ours")
    #expect(try next().foreign == ["a.authbackup"])
  }

  @Test func namesThatOnlyLookAlikeAreTwoFiles() throws {
    let names = try world.make(1)
    let proof = try #require(world.ledger.written.last { $0.name == names[0] })
    let forms = ["\u{E9}", "e\u{301}"].map { name in
      var event = proof
      event.name = name
      return event
    }
    #expect(BackupService.standing(forms).count == 2)
  }

  @Test func aDrillMakesNoBackupYounger() throws {
    _ = try world.make(1)
    let proof = try #require(world.ledger.written.last)
    var drill = proof
    (drill.kind, drill.at) = (.drilled, Timestamp(seconds: BackupWorld.start + 86_400))
    #expect(BackupService.standing([proof, drill]).map(\.at) == [proof.at])
  }
}
