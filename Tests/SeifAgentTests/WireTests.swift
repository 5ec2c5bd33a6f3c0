import Glibc
import SeifBytes
import SeifRecords
import SeifTestSupport
import SeifVault
import Testing

@testable import SeifAgent

/// Messages as they are, and as somebody hostile makes them.
@Suite struct WireTests {
  private func receive(_ pair: Pair, limit: Int = 1 << 16) throws -> SecretValue? {
    try pair.server.receive(limit: limit, first: Deadline(in: 2_000), patience: 300)
  }

  @Test(arguments: [1, 2, 255, 65_536, MessageChannel.frameLimit - 5, MessageChannel.frameLimit - 4, 3_000_000])
  func aMessageOfAnyLengthArrives(length: Int) throws {
    let pair = Pair()
    let message = SecretValue(byteCount: length) { buffer in
      for index in 0..<length { buffer[index] = UInt8(truncatingIfNeeded: index &* 31) }
    }
    let channel = pair.client
    SideThread { try? channel.send(message, patience: 5_000) }.start()
    #expect(try receive(pair, limit: MessageChannel.requestLimit) == message)
  }

  @Test func noFrameIsLongerThanAMebibyte() throws {
    let pair = Pair()
    let channel = pair.client
    let message = SecretValue([UInt8](repeating: 7, count: 2_500_000))
    SideThread { try? channel.send(message, patience: 5_000) }.start()
    var lengths: [Int] = []
    var isLast = false
    while !isLast {
      let head = try #require(read(pair, 5))
      let length = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      lengths.append(length + 5)
      isLast = head[4] == 0
      _ = read(pair, length)
    }
    #expect(lengths == [1 << 20, 1 << 20, 2_500_000 - 2 * ((1 << 20) - 5) + 5])
  }

  private func read(_ pair: Pair, _ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes { bytes in
        Glibc.read(pair.server.descriptor, bytes.baseAddress?.advanced(by: filled), count - filled)
      }
      guard got > 0 else { return nil }
      filled += got
    }
    return bytes
  }

  @Test func aFrameThatSaysMoreThanItMayIsRefusedBeforeAnythingIsTaken() {
    for head: [UInt8] in [[0, 0x10, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0], [0x7F, 0, 0, 1, 1]] {
      let pair = Pair()
      pair.put(head)
      #expect(refusal { _ = try receive(pair, limit: MessageChannel.requestLimit) } == .tooLarge)
    }
  }

  @Test func aMessageLongerThanItsLimitIsRefused() {
    let pair = Pair()
    pair.put([0, 0, 0, 3, 1, 1, 2, 3, 0, 0, 0, 3, 0, 1, 2, 3])
    #expect(refusal { _ = try receive(pair, limit: 5) } == .tooLarge)
  }

  @Test func anEmptyFrameAndAnUnknownFlagAreRefused() {
    for bytes: [UInt8] in [[0, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 2, 9]] {
      let pair = Pair()
      pair.put(bytes)
      #expect(refusal { _ = try receive(pair) } == .badMessage)
    }
  }

  @Test func aClientThatDiesHalfWayIsSaid() throws {
    for bytes: [UInt8] in [[0], [0, 0, 0, 9, 0], [0, 0, 0, 9, 0, 1, 2], [0, 0, 0, 1, 1, 5]] {
      let pair = Pair()
      pair.put(bytes)
      pair.closeClient()
      #expect(refusal { _ = try receive(pair) } == .gone)
    }
    let pair = Pair()
    pair.closeClient()
    #expect(try receive(pair) == nil)
  }

  @Test func aClientThatStopsHalfWayIsTooSlow() {
    for bytes: [UInt8] in [[0, 0], [0, 0, 0, 9, 0, 1, 2]] {
      let pair = Pair()
      pair.put(bytes)
      #expect(refusal { _ = try receive(pair) } == .tooSlow)
    }
  }

  @Test func whoDoesntReadIsGivenUp() {
    let pair = Pair()
    let message = SecretValue([UInt8](repeating: 1, count: 4_000_000))
    #expect(refusal { try pair.server.send(message, patience: 200) } == .tooSlow)
    pair.closeClient()
    #expect(refusal { try pair.server.send(message, patience: 200) } == .gone)
  }

  // MARK: - Payloads

  static let requests: [AgentRequest] = [
    .status, .lock(folder: nil), .lock(folder: "/v"), .list(folder: "/v"), .isOpen(folder: "/v"),
    .unlock(folder: "/v", stateFolder: "/s", .passphrase, SecretValue(utf8: "p"), .seconds(60)),
    .unlock(folder: "/v", stateFolder: "/s", .recoveryCode, SecretValue(utf8: "p"), nil),
    .unlock(folder: "/v", stateFolder: "/s", .fido2, .empty, .use), .verify(folder: "/v"),
    .names(folder: "/v"), .backUp(folder: "/v", destination: nil, onlyIfChanged: true),
    .backUp(folder: "/v", destination: "nas", onlyIfChanged: false),
    .merge(folder: "/v", Records(AgentWorld.entries), ImportOptions(fromBin: true, isDryRun: true)),
    .merge(
      folder: "/v", Records(AgentWorld.entries),
      ImportOptions(
        restored: RestoredBackup(
          destination: "/nas", name: "a", sha256: [UInt8](repeating: 7, count: 32), byteCount: 3))),
    .find(folder: "/v", query: "git", onlyCodes: true), .code(folder: "/v", query: "é", next: false, at: -1),
    .entry(folder: "/v", RandomIDs.first), .reveal(folder: "/v", RandomIDs.first, field: "password"),
    .apply(folder: "/v", AgentWorld.entries.map { .add($0) } + [.remove(RandomIDs.first)], expected: 3),
    .apply(
      folder: "/v",
      [
        .replace(RandomIDs.first, AgentWorld.entries[3]), .restore(RandomIDs.first),
        .addUnusable(UnusableEntry(kind: .notes, json: SecretValue(utf8: "[1]"))),
        .setOpaque([OpaqueMember(key: "x", value: SecretValue(utf8: "{}"))]),
      ], expected: nil),
    .undo(folder: "/v", step: nil), .undo(folder: "/v", step: 3), .lastChange(folder: "/v"), .bin(folder: "/v"),
    .binnedCount(folder: "/v"), .records(folder: "/v", .export),
  ]

  @Test(arguments: requests.indices) func everyRequestIsReadAsItWasWritten(place: Int) throws {
    let payload = Self.requests[place].payload
    #expect(try AgentRequest(payload).payload == payload)
  }

  @Test(arguments: requests.indices) func aRequestCutShortOrWithMoreBehindItIsRefused(place: Int) {
    let bytes = Self.requests[place].payload.exposedBytes()
    for end in bytes.indices {
      #expect(refusal { _ = try AgentRequest(SecretValue(Array(bytes[..<end]))) } == .badMessage)
    }
    #expect(refusal { _ = try AgentRequest(SecretValue(bytes + [0])) } == .badMessage)
  }

  @Test(arguments: requests.indices) func anyByteMayBeWrongAndNothingTraps(place: Int) {
    let bytes = Self.requests[place].payload.exposedBytes()
    for index in bytes.indices {
      for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
        var changed = bytes
        changed[index] = value
        if let request = try? AgentRequest(SecretValue(changed)) { _ = request.payload }
      }
    }
  }

  @Test func foldersAreAbsoluteAndOfOneLine() {
    for folder in ["", "vault", "../v", "/a\0b", String(repeating: "/x", count: 3000)] {
      #expect(refusal { _ = try AgentRequest(AgentRequest.list(folder: folder).payload) } == .badMessage)
    }
  }

  @Test func aTimeToLockIsAtMostADay() {
    func request(_ after: LockAfter) -> SecretValue {
      AgentRequest.unlock(folder: "/v", stateFolder: "/s", .passphrase, .empty, after).payload
    }
    #expect(refusal { _ = try AgentRequest(request(.seconds(86_401))) } == .badMessage)
    #expect(refusal { _ = try AgentRequest(request(.seconds(-1))) } == .badMessage)
    #expect(refusal { _ = try AgentRequest(request(.seconds(86_400))) } == nil)
  }

  @Test func failuresArriveWithTheirCodes() throws {
    for code in AgentRefusal.Code.allCases {
      let failure = VaultUseError.agent(AgentRefusal(code, "detail"))
      #expect(throws: failure) { _ = try AgentAnswer.open(AgentAnswer.failure(failure)) }
    }
    for code in VaultError.Code.allCases {
      let failure = VaultUseError.vault(VaultError(code, "detail"))
      #expect(throws: failure) { _ = try AgentAnswer.open(AgentAnswer.failure(failure)) }
    }
    for bytes: [UInt8] in [[], [2], [1, 3], [1, 2, 200], [0, 255, 255, 255, 255]] {
      #expect(refusal { _ = try AgentAnswer.open(SecretValue(bytes)) } == .badMessage)
    }
  }

  @Test func whatIsFoundArrivesAsItWas() throws {
    let id = RandomIDs.first
    let faults: [VaultFault] = [
      .contents, .rowCount(expected: 3, found: 2), .accumulator, .olderCopy(counter: 4, seen: 9),
      .value(table: "item", row: id, column: "detail"), .value(table: "proofs", row: nil, column: "entry"),
      .missingSecret(row: id), .damagedSecret(row: id), .missingSummary(row: id), .strayData(table: "secret", row: id),
      .ledger(sequence: 5), .database(findings: 6),
    ]
    var writer = WireWriter()
    writer.faults(faults)
    var reader = WireReader(writer.finish())
    #expect(try reader.faults() == faults)
    try reader.end()
    let outcomes: [MergePlan.Outcome] = [
      .new, .same, .updated(fields: ["notes"]), .conflict(fields: ["a", "b"]), .inBin, .deleted, .restored(fields: []),
    ]
    let report = ImportReport(
      items: outcomes.map { .init(kind: .cards, name: "n", account: "a", outcome: $0, existing: id) }, damage: ["x"])
    var second = WireWriter()
    second.report(report)
    let payload = second.finish()
    var again = WireReader(payload)
    let read = try again.importReport()
    try again.end()
    #expect("\(read)" == "\(report)")
    for end in 0..<payload.byteCount {
      var cut = WireReader(SecretValue(Array(payload.exposedBytes()[..<end])))
      #expect(refusal { _ = try cut.importReport() } == .badMessage)
    }
  }

  @Test func aHelloIsReadWhateverALaterVersionAdds() throws {
    let hello = Hello(version: "1.2.3", build: "b", protocolVersion: 7, process: 4)
    #expect(try Hello(hello.payload) == hello)
    #expect(try Hello(SecretValue(hello.payload.exposedBytes() + [1, 2, 3])) == hello)
    for bytes in [Array("SEI".utf8), Array("GET / HTTP/1.1\r\n\r\n".utf8), []] {
      #expect(refusal { _ = try Hello(SecretValue(bytes)) } == .badMessage)
    }
    // The message that ends an agent of any build stays what it is.
    #expect(Hello.end == 0xE0)
    #expect(hello.payload.exposedBytes().starts(with: Array("SEIF".utf8) + [0, 0, 0, 7]))
  }
}

enum RandomIDs {
  static let first: UUID = {
    guard let id = UUID("11111111-2222-4333-8444-555555555555") else { fatalError("internal error: an identifier") }
    return id
  }()
}
