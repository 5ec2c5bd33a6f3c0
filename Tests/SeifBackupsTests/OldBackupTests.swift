import SeifBackups
import SeifBytes
import SeifRecords
import SeifTransportTesting
import Testing

/// What a new backup finds out about older ones, and what may go then.
@Suite struct OldBackupTests {
  private let world = BackupWorld()
  private var transport: MemoryTransport { world.transport }

  private func next(
    _ hour: Int64 = 20, last: Int = 10, mayPrune: Bool = true, accepting: Set<Acceptance> = [],
    progress: (BackupStage) -> Void = { _ in }
  ) throws -> BackupReport {
    try world.create(
      try BackupWorld.records(), at: BackupWorld.start + hour * 3600, rule: BackupWorld.rule(last: last),
      mayPrune: mayPrune, accepting: accepting, progress: progress)
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
    #expect(again.pruned.isEmpty && again.altered.isEmpty && again.refusal == .notAsProven(9))
    #expect(transport.files[names[0]] != nil)
  }

  @Test func aMissingOneIsNotedOnceAndStopsTheRuleUntilAPersonLetsGoOfIt() throws {
    let names = try world.make(5)
    transport.files[names[2]] = nil
    let report = try next(last: 3)
    #expect(report.missing == [names[2]] && report.refusal == .notAsProven(1) && report.pruned.isEmpty)
    #expect(world.kinds(of: names[2]) == [.stored, .proven, .missing])
    // A known one is no alarm again, and a reason all the same, whatever a backup is told.
    for hour in Int64(21)..<24 {
      let again = try next(hour, last: 3, accepting: Set(Acceptance.allCases))
      #expect(again.missing.isEmpty && !again.isAlarming && again.refusal == .notAsProven(1) && again.pruned.isEmpty)
    }
    #expect(world.kinds(of: names[2]) == [.stored, .proven, .missing])
    let service = BackupService(transport: transport, ledger: world.ledger, destination: world.destination)
    let now = Timestamp(seconds: BackupWorld.start + 24 * 3600)
    let plan = try service.planPrune(
      rule: BackupWorld.rule(last: 9), now: now, mayPrune: true, accepting: [.lost], isNoting: true)
    #expect(plan.letGo.map(\.name) == [names[2]] && service.prune(plan, now: now).pruned.isEmpty)
    let pruned = try next(25, last: 3).pruned
    #expect(pruned.count == 6 && pruned.prefix(4) == [names[0], names[1], names[3], names[4]])
  }

  /// A machine without a clock of its own starts at an old date, again and again.
  @Test func theProofJustMadeStaysWhileTheClockStandsBack() throws {
    let names = try world.make(5)
    for run in Int64(0)..<6 {
      let report = try next(-5000 + run, last: 3)
      #expect(report.refusal == .clockBehind && report.pruned.isEmpty)
      #expect(transport.files[report.proof.name] != nil)
    }
    #expect(names.allSatisfy { transport.files[$0] != nil })
    // The word of a person holds from then on, and what was made last is the newest.
    let accepted = try next(-4000, last: 3, accepting: [.clock])
    #expect(accepted.refusal == nil && accepted.pruned.count == 9 && !accepted.isAlarming)
    #expect(transport.files[accepted.proof.name] != nil && transport.files.count == 3)
    let later = try next(-3999, last: 3)
    #expect(later.refusal == nil && later.pruned.count == 1 && transport.files[later.proof.name] != nil)
    #expect(try next(-4001, last: 3).refusal == .clockBehind)
  }

  @Test func filesDatedAheadDontStayForGood() throws {
    for hour in Int64(9000)..<9003 { _ = try next(hour, last: 3) }
    #expect(try next(20, last: 3).refusal == .clockBehind)
    let ahead = Set(transport.files.keys.filter { $0.contains("2027") })
    #expect(ahead.count == 3)
    #expect(try next(21, last: 3, accepting: [.clock]).pruned.count == 2)
    #expect(try next(22, last: 3).pruned.count == 1)
    #expect(ahead.allSatisfy { transport.files[$0] == nil } && transport.files.count == 3)
  }

  @Test func halfTheVaultGoneIsARefusalEveryDayUntilAPersonSaysSo() throws {
    let names = try world.make(5)
    func less(_ hour: Int64, accepting: Set<Acceptance> = []) throws -> BackupReport {
      try world.create(
        try BackupWorld.records(1), at: BackupWorld.start + hour * 3600, rule: BackupWorld.rule(last: 3),
        accepting: accepting)
    }
    for day in Int64(1)..<5 {
      let report = try less(day * 24)
      #expect(report.refusal == .shrunk(.accounts, from: 3, to: 1) && report.pruned.isEmpty)
    }
    #expect(names.allSatisfy { transport.files[$0] != nil })
    #expect(try less(121).refusal != nil)
    #expect(try less(122, accepting: [.shrunk]).refusal == nil)
    #expect(try less(123).refusal == nil)
    // What was accepted is the measure from then on.
    #expect(try next(124).refusal == nil)
    #expect(try less(125).refusal == .shrunk(.accounts, from: 3, to: 1))
  }

  @Test func ofTwoFilesOfOneNameTheOneThatWasProvenIsRemovedAndTheOtherIsAStranger() throws {
    let names = try world.make(4)
    let proven = try #require(transport.files[names[0]])
    transport.files[names[0]] = nil
    // The stranger comes first, and is of the same size.
    transport.files["id-stranger"] = SecretValue([UInt8](repeating: 0x41, count: proven.byteCount))
    transport.files["id-proven"] = proven
    transport.names = ["id-stranger": names[0], "id-proven": names[0]]
    let report = try next(last: 4)
    #expect(report.refusal == nil && report.pruned == [names[0]] && !report.isAlarming)
    #expect(report.foreign == [names[0]])
    #expect(transport.files["id-proven"] == nil && transport.files["id-stranger"] != nil)
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
    #expect(stages == [.sealing, .storing, .sending(name: report.proof.name), .proving, .proven, .checking(count: 5)])
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
