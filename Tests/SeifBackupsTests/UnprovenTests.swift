import SeifBackups
import SeifBytes
import SeifRecords
import SeifTransportTesting
import Testing

/// What was sent and never proven: proven later, or removed by a person's word.
@Suite struct UnprovenTests {
  private let world = BackupWorld()
  private var transport: MemoryTransport { world.transport }
  private var service: BackupService {
    BackupService(transport: transport, ledger: world.ledger, destination: world.destination)
  }

  private func now(_ hour: Int64) -> Timestamp { Timestamp(seconds: BackupWorld.start + hour * 3600) }

  /// As after ctrl-C: the file is there, and its line says no more than that it was sent.
  private func leave(at hour: Int64) throws -> String {
    let name = try world.create(try BackupWorld.records(), at: now(hour).seconds).proof.name
    world.ledger.written.removeAll { $0.name == name && $0.kind == .proven }
    return name
  }

  private func plan(unproven: Bool = true, mayPrune: Bool = true) throws -> PrunePlan {
    try service.planPrune(
      rule: RetentionRule(), now: now(20), mayPrune: mayPrune, unprovenToo: unproven, isNoting: true)
  }

  @Test func itGoesByName() throws {
    let names = try world.make(2)
    let left = try leave(at: 5)
    let unasked = try plan(unproven: false)
    #expect(unasked.isEmpty && unasked.foreign == [left])
    let plan = try plan()
    #expect(plan.unproven.map(\.name) == [left] && plan.foreign.isEmpty && !plan.isEmpty)
    #expect(!plan.does(theSameAs: unasked))
    #expect(service.prune(plan, now: now(20)).pruned == [left])
    #expect(transport.files.keys.sorted() == names && world.kinds(of: left) == [.stored, .pruned])
    #expect(try self.plan().isEmpty)
  }

  @Test func whereNothingIsProvenItGoesToo() throws {
    let left = try leave(at: 0)
    #expect(try service.prune(plan(), now: now(20)).pruned == [left])
    #expect(transport.files.isEmpty)
  }

  @Test func otherBytesUnderItsNameAreLeft() throws {
    _ = try world.make(1)
    let left = try leave(at: 5)
    transport.flip(left)
    let plan = try plan()
    #expect(plan.unproven.isEmpty && plan.unprovenElse == [left] && plan.isEmpty)
  }

  @Test func itStaysWhereSomethingStandsAgainstRemoving() throws {
    let names = try world.make(3)
    _ = try leave(at: 5)
    #expect(try plan(mayPrune: false).unproven.isEmpty)
    transport.files[names[2]] = nil
    // It may be the last that holds what is lost.
    #expect(try plan().unproven.isEmpty)
  }

  private func proof(of name: String, holding records: Records, isAsSent: Bool = true) throws -> LateProof {
    let content = try #require(transport.files[name])
    return BackupService.lateProof(
      of: LedgerHistory(world.ledger.written).file(at: "memory", named: name), content, named: name, at: "memory",
      format: "authbackup-2", holding: records, present: try BackupWorld.records(), now: now(30)
    ) { _ in isAsSent }
  }

  @Test func whatIsAsItWasSentIsProvenWithTheTimeOfThen() throws {
    let left = try leave(at: 5)
    guard case .proof(let proof) = try proof(of: left, holding: BackupWorld.records(1)) else {
      Issue.record("it isn't proven")
      return
    }
    #expect(proof.kind == .proven && proof.at == now(5) && proof.name == left)
    try world.ledger.append(proof, records: nil)
    #expect(LedgerHistory(world.ledger.written).proven(at: "memory").map(\.last.name) == [left])
  }

  @Test func otherBytesOrContentsAreNoProof() throws {
    let left = try leave(at: 5)
    guard case .otherContents = try proof(of: left, holding: BackupWorld.records(), isAsSent: false) else {
      Issue.record("contents that weren't noted")
      return
    }
    transport.flip(left)
    guard case .otherBytes = try proof(of: left, holding: BackupWorld.records()) else {
      Issue.record("bytes that weren't sent")
      return
    }
  }

  @Test func whatTheLedgerDoesntKnowMustHoldWhatTheVaultHolds() throws {
    transport.files["seif-backup-20200101T000000Z-0.authbackup"] = SecretValue(utf8: "a file")
    let name = "seif-backup-20200101T000000Z-0.authbackup"
    guard case .unknown(let lists) = try proof(of: name, holding: BackupWorld.records(2)) else {
      Issue.record("an old file passes for the newest")
      return
    }
    #expect(lists == ["accounts"])
    guard case .proof(let proof) = try proof(of: name, holding: BackupWorld.records()) else {
      Issue.record("it holds the same")
      return
    }
    #expect(proof.at == now(30) && proof.counts[.accounts] == 3)
  }
}
