import Glibc
import SeifBytes
import SeifVault
import Synchronization
import Testing

@testable import SeifAgent

/// Programs of the person's own that mean no good to the agent: they cost the others nothing.
@Suite struct HostileClientTests {
  // MARK: - Connections

  @Test func clientsThatSayNothingKeepNobodyOut() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    let vault = try world.unlocked(path)
    #expect(try vault.list().count == 5)
    var sockets: [Int32] = []
    defer { sockets.forEach { close($0) } }
    for _ in 0..<2 * AgentServer.clientLimit {
      sockets.append(try RuntimeFolder(world.folder, making: false).connect())
    }
    for _ in 0..<200 where world.server.clientCount < AgentServer.clientLimit { usleep(10_000) }
    #expect(world.server.clientCount == AgentServer.clientLimit)
    #expect(try world.client().status().vaults.count == 1)
    #expect(try vault.list().count == 5)
  }

  @Test func sixtyFourClientsThatReadNothingKeepNobodyOut() throws {
    let world = try AgentWorld()
    let vault = try world.unlocked(try world.makeVault())
    var sockets: [Int32] = []
    defer { sockets.forEach { close($0) } }
    for _ in 0..<AgentServer.clientLimit {
      let socket = try RuntimeFolder(world.folder, making: false).connect()
      let channel = MessageChannel(descriptor: socket)
      try channel.send(world.hello.payload, patience: 1_000)
      // More answers than a socket holds: the agent waits in a send.
      for _ in 0..<600 { try? channel.send(AgentRequest.list(folder: vault.folder).payload, patience: 1) }
      sockets.append(socket)
    }
    for _ in 0..<10 {
      #expect(try world.client().status().vaults.count == 1)
      #expect(try AgentVault(try world.client(), folder: vault.folder).list().count == 5)
    }
  }

  @Test func whoHasMostConnectionsLosesTheOneThatIsWaitedForLongest() throws {
    let pairs = (0..<5).map { _ in Pair() }
    let register = ClientRegister(limit: 4)
    let honest = try #require(register.enter(process: 1, descriptor: pairs[0].server.descriptor))
    let many = try (1..<4).map { try #require(register.enter(process: 2, descriptor: pairs[$0].server.descriptor)) }
    // The oldest of the many is worked for.
    #expect(register.isWorkedFor(many[0]))
    let new = try #require(register.enter(process: 3, descriptor: pairs[4].server.descriptor))
    #expect(register.count == 4)
    #expect(!register.isWorkedFor(many[1]))
    #expect(register.isWorkedFor(honest) && register.isWorkedFor(many[2]) && register.isWorkedFor(new))
    var byte: UInt8 = 0
    #expect(read(pairs[2].client.descriptor, &byte, 1) == 0)
    // All four are worked for: nobody is sent away.
    #expect(register.enter(process: 4, descriptor: -1) == nil)
    register.isWaitedFor(honest)
    register.leave(new)
    #expect(register.enter(process: 4, descriptor: -1) != nil)
    #expect(register.isWorkedFor(honest))
  }

  // MARK: - Frames

  /// A frame as it goes over the socket.
  private static func frame(_ payload: [UInt8], more: UInt8 = 0, length: Int? = nil) -> [UInt8] {
    let length = UInt32(length ?? payload.count)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + [more] + payload
  }

  @Test func brokenFramesEndTheirConnectionAndTouchNoOther() throws {
    let world = try AgentWorld()
    let vault = try world.unlocked(try world.makeVault())
    let hello = Self.frame(world.hello.payload.exposedBytes())
    let list = AgentRequest.list(folder: vault.folder).payload.exposedBytes()
    var otherMagic = world.hello.payload.exposedBytes()
    otherMagic[0] = 0x58
    let broken: [(name: String, bytes: [UInt8])] = [
      ("no hello", Self.frame(list)), ("another magic", Self.frame(otherMagic)),
      ("too long a hello", Self.frame([], length: 4_097)), ("half a hello", Array(hello.prefix(hello.count / 2))),
      ("half a head", hello + [0, 0]), ("too long a frame", hello + Self.frame([], length: 1 << 20)),
      ("the longest length", hello + [255, 255, 255, 255, 0]), ("an empty frame", hello + Self.frame([])),
      ("an empty frame that goes on", hello + Self.frame([], more: 1)),
      ("a flag of 2", hello + Self.frame(list, more: 2)), ("half a payload", hello + Self.frame([4], length: 500)),
      ("a message that ends too early", hello + Self.frame(Array(list.dropLast()))),
      ("bytes after its end", hello + Self.frame(list + [0])), ("an unknown request", hello + Self.frame([0x7F])),
      ("a count beyond the end", hello + Self.frame([4, 255, 255, 255, 255])),
      ("a folder that isn't text", hello + Self.frame([4, 0, 0, 0, 2, 0xC3, 0x28])),
    ]
    for (name, bytes) in broken {
      let channel = MessageChannel(descriptor: try RuntimeFolder(world.folder, making: false).connect())
      #expect(write(channel.descriptor, bytes, bytes.count) == bytes.count, "\(name)")
      #expect(try vault.list().count == 5, "\(name)")
      shutdown(channel.descriptor, Int32(SHUT_WR))
      // Its own hello at most, one refusal, and the end.
      var answers: [SecretValue] = []
      while let answer = try? channel.receive(limit: 1 << 16, first: Deadline(in: 15_000), patience: 1_000) {
        answers.append(answer)
      }
      #expect(answers.count <= 2, "\(name)")
      if let last = answers.last, (try? Hello(last)) == nil {
        #expect([.badMessage, .tooLarge].contains(refusal { _ = try AgentAnswer.open(last) }), "\(name)")
      }
      close(channel.descriptor)
    }
    #expect(try world.client().status().vaults.count == 1)
  }

  @Test func aRequestOfOneByteAtATimeIsAnsweredAndHoldsNobodyUp() throws {
    let world = try AgentWorld()
    let vault = try world.unlocked(try world.makeVault())
    let bytes =
      Self.frame(world.hello.payload.exposedBytes())
      + Self.frame(AgentRequest.list(folder: vault.folder).payload.exposedBytes())
    let channel = MessageChannel(descriptor: try RuntimeFolder(world.folder, making: false).connect())
    for byte in bytes {
      #expect(write(channel.descriptor, [byte], 1) == 1)
      #expect(try vault.find("Forge", onlyCodes: false).total == 1)
    }
    let hello = try #require(try channel.receive(limit: 4_096, first: Deadline(in: 15_000), patience: 1_000))
    #expect(try Hello(hello) == world.hello)
    let answer = try #require(try channel.receive(limit: 1 << 16, first: Deadline(in: 15_000), patience: 1_000))
    _ = try AgentAnswer.open(answer)
    close(channel.descriptor)
  }

  // MARK: - Sleep

  @Test func nothingIsUnlockedBetweenTheWordThatTheMachineSleepsAndItsWaking() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    let vaults = OpenVaults(consent: Consent(asker: FixedAsker(.yes)), changed: {})
    func unlock() throws {
      _ = try vaults.unlock(
        VaultLocation(folder: path, stateFolder: path + "-state"), .passphrase,
        SecretValue(utf8: AgentWorld.passphrase), .standard, peer: Peer(process: getpid(), user: geteuid()))
    }
    try unlock()
    vaults.prepareForSleep()
    #expect(vaults.all.isEmpty)
    #expect(refusal { try unlock() } == .locked)
    #expect(vaults.all.isEmpty)
    vaults.wakeUp()
    try unlock()
    #expect(vaults.all.count == 1)
    vaults.lockAll()
  }

  // MARK: - Questions

  @Test func afterThreeRefusalsWithinAMinuteNothingIsAskedForAGrowingTime() {
    var refused = RefusedQuestions()
    for now in [0, 20_000] as [Int64] { refused.refused(7, isSeen: true, at: now) }
    #expect(refused.pause(of: 7, at: 20_000) == nil)
    refused.refused(7, isSeen: true, at: 40_000)
    #expect(refused.pause(of: 7, at: 40_000) == 15_000)
    #expect(refused.pause(of: 8, at: 40_000) == nil)
    #expect(refused.pause(of: 7, at: 55_000) == nil)
    var now: Int64 = 55_000
    for pause in [30_000, 60_000, 120_000] as [Int64] {
      refused.refused(7, isSeen: true, at: now)
      #expect(refused.pause(of: 7, at: now) == pause)
      now += pause
    }
    for _ in 0..<20 { refused.refused(7, isSeen: true, at: now) }
    #expect(refused.pause(of: 7, at: now) == 3_600_000)
    refused.agreed(7)
    #expect((refused.pause(of: 7, at: now + 3_600_000)) == nil)
  }

  @Test func threeRefusalsInMoreThanAMinuteSlowNothing() {
    var refused = RefusedQuestions()
    for now in stride(from: Int64(0), to: 400_000, by: 31_000) { refused.refused(7, isSeen: true, at: now) }
    #expect(refused.pause(of: 7, at: 372_000) == nil)
  }

  /// Each may begin a session of its own; but who has itself refused for that shuts nobody else out for long.
  @Test func refusalsInWindowsPauseAllForFifteenSecondsAtMost() {
    var refused = RefusedQuestions()
    for session in 0..<9 as Range<Int32> { refused.refused(100 + session, isSeen: true, at: 1_000) }
    #expect(refused.pause(of: 200, at: 1_000) == nil)
    refused.refused(109, isSeen: true, at: 1_000)
    #expect(refused.pause(of: 200, at: 1_000) == 15_000)
    for session in 0..<9 as Range<Int32> { refused.refused(300 + session, isSeen: true, at: 16_000) }
    #expect(refused.pause(of: 200, at: 16_000) == nil)
    refused.refused(309, isSeen: true, at: 16_000)
    #expect(refused.pause(of: 200, at: 16_000) == 15_000)
  }

  @Test func refusalsOnTerminalsCountForTheirSessionAlone() {
    var refused = RefusedQuestions()
    for session in 0..<20 as Range<Int32> {
      for _ in 0..<3 { refused.refused(100 + session, isSeen: false, at: 1_000) }
    }
    #expect(refused.pause(of: 100, at: 1_000) == 15_000)
    #expect(refused.pause(of: 200, at: 1_000) == nil)
  }

  /// A window that another program ends isn't the person's no.
  @Test func questionsThatEndWithoutAnAnswerCountForNothing() throws {
    let asker = FixedAsker(.ended)
    let world = try AgentWorld(asker: asker)
    let vault = try world.unlocked(try world.makeVault())
    for _ in 0..<12 { #expect(refusal { _ = try vault.records(for: .export) } == .denied) }
    #expect(asker.asked.withLock { $0.count } == 12)
  }

  @Test func theNextUnlockByPassphraseForgetsRefusals() throws {
    let world = try AgentWorld(asker: FixedAsker(.no))
    let path = try world.makeVault()
    let vault = try world.unlocked(path)
    for _ in 0..<3 { #expect(refusal { _ = try vault.records(for: .export) } == .denied) }
    #expect(refusal { _ = try vault.records(for: .export) } == .tooOften)
    // Another vault, whose passphrase its maker knows, changes nothing here.
    _ = try world.unlocked(try world.makeVault("other"))
    #expect(refusal { _ = try vault.records(for: .export) } == .tooOften)
    let again = try world.unlocked(path)
    #expect(refusal { _ = try again.records(for: .export) } == .denied)
  }

  @Test func aTiredPersonIsntAskedAFourthTime() throws {
    let asker = FixedAsker(.no)
    let world = try AgentWorld(asker: asker)
    let vault = try world.unlocked(try world.makeVault())
    for _ in 0..<3 { #expect(refusal { _ = try vault.records(for: .export) } == .denied) }
    for _ in 0..<3 { #expect(refusal { _ = try vault.records(for: .export) } == .tooOften) }
    let id = try #require(try vault.find("Forge", onlyCodes: false).hits.first?.id)
    #expect(refusal { _ = try vault.revealed(try vault.entry(id)) } == .tooOften)
    #expect(asker.asked.withLock { $0.count } == 3)
    #expect(try vault.list().count == 5)
  }
}
