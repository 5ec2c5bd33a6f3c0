import Glibc
import SeifBytes
import SeifOTP
import SeifRecords
import SeifTestSupport
import SeifVault
import Synchronization
import Testing

@testable import SeifAgent

/// A client that puts guesses in the place of secrets learns by no answer whether one was right.
@Suite struct GuessingTests {
  private func undone(_ vault: AgentVault) throws -> [String] {
    let last = try vault.lastChange()
    return ["\(last.groups.map { "\($0.kind) \($0.total) \($0.names.map(\.name))" }) \(last.otherCount)"]
      + (try vault.undo(ifStepIs: last.step).groups.map { "\($0.outcome) \($0.total) \($0.names.map(\.name))" })
  }

  @Test func aGuessedPasswordLooksTheSameWhetherItIsRight() throws {
    let world = try AgentWorld(asker: FixedAsker(.no))
    let vault = try world.unlocked(try world.makeVault())
    let id = try #require(try vault.find("Forge", onlyCodes: false).hits.first?.id)
    let first = try vault.entry(id)
    func history() throws -> Int {
      guard case .password(let login) = try vault.entry(id).stored.entry else { return -1 }
      return login.history.count
    }
    // The guess as the new password, and as a row that the client adds to the history.
    for isInHistory in [false, true] {
      var seen: Set<[String]> = []
      for guess in [AgentWorld.canaryPassword, "wrong"] {
        guard case .password(var login) = first.stored.entry else { return }
        let (now, before) = (Timestamp(seconds: 1_000), try history())
        login.password = SecretValue(utf8: isInHistory ? "another" : guess)
        if case .password(let present) = try vault.entry(id).stored.entry { login.history = present.history }
        if isInHistory { login.history.append(PreviousPassword(password: SecretValue(utf8: guess), changedAt: now)) }
        try vault.apply([.replace(id, .password(login))], ifCounterIs: nil)
        let count = try history()
        #expect(count == before + (isInHistory ? 2 : 1))
        // What undo takes back joins the history, the right password as any other.
        seen.insert(["\(count - before)"] + (try undone(vault)) + ["\(try history() - before)"])
      }
      #expect(seen.count == 1)
    }
    // Who leaves the stand-in alone changes no history.
    guard case .password(var login) = first.stored.entry else { return }
    login.title = "Renamed"
    if case .password(let present) = try vault.entry(id).stored.entry { login.history = present.history }
    let before = try history()
    try vault.apply([.replace(id, .password(login))], ifCounterIs: nil)
    #expect(try history() == before)
    _ = try undone(vault)
    #expect(try history() == before)
  }

  @Test func aGuessedSeedOrSecurityCodeLooksTheSameWhetherItIsRight() throws {
    let world = try AgentWorld(asker: FixedAsker(.no))
    let vault = try world.unlocked(try world.makeVault())
    let counted = try #require(try vault.find("Acme", onlyCodes: true).hits.first?.id)
    func counter() throws -> Int64? {
      guard case .account(let account) = try vault.entry(counted).stored.entry else { return nil }
      return account.otp.counter
    }
    let before = try #require(try counter())
    for wanted in [before - 3, before + 100] {
      var seen: Set<[String]> = []
      for seed in [AgentWorld.seed, "another seed, 20 byte"] {
        guard case .account(var account) = try vault.entry(counted).stored.entry else { return }
        account.otp = try OTPParameters(kind: .hotp(counter: wanted), secret: SecretValue(utf8: seed))
        try vault.apply([.replace(counted, .account(account))], ifCounterIs: nil)
        var answers = ["\(String(describing: try counter()))"]
        answers += try undone(vault)
        answers.append("\(String(describing: try counter()))")
        seen.insert(answers)
        #expect(try counter() ?? 0 >= before)
      }
      #expect(seen.count == 1)
    }
    // A counter of a seed that was left alone still doesn't go back.
    guard case .account(var account) = try vault.entry(counted).stored.entry else { return }
    let present = try counter()
    account.otp = try account.otp.withCounter(1)
    try vault.apply([.replace(counted, .account(account))], ifCounterIs: nil)
    #expect(try counter() == present)

    let card = try #require(try vault.find("Plastic", onlyCodes: false).hits.first?.id)
    var seen: Set<[String]> = []
    for guess in ["737", "738"] {
      guard case .card(var changed) = try vault.entry(card).stored.entry else { return }
      changed.cvc = SecretValue(utf8: guess)
      try vault.apply([.replace(card, .card(changed))], ifCounterIs: nil)
      seen.insert(try undone(vault))
    }
    #expect(seen.count == 1)
    #expect(seen.first?.contains("changed 1 [\"Plastic\"]") == true)
  }

  // MARK: - Questions that stand

  /// One that answers when it is told to, or when nobody waits any more.
  private final class SlowAsker: ConsentAsker {
    let asked = Mutex(0)
    let isReleased = Mutex(false)
    let taken = Mutex(0)

    func ask(_ question: ConsentQuestion) -> ConsentReply {
      asked.withLock { $0 += 1 }
      while !isReleased.withLock({ $0 }) {
        if !question.isWanted() {
          taken.withLock { $0 += 1 }
          return .ended
        }
        usleep(5_000)
      }
      return .yes
    }
  }

  private func until(_ isTrue: () -> Bool) -> Bool {
    for _ in 0..<1_000 {
      if isTrue() { return true }
      usleep(10_000)
    }
    return false
  }

  @Test func oneProcessHasOneQuestionAtATimeAndLockingWaitsForNone() throws {
    let asker = SlowAsker()
    let world = try AgentWorld(asker: asker)
    let vault = try world.unlocked(try world.makeVault())
    let folder = vault.folder
    var channels: [MessageChannel] = []
    defer { channels.forEach { close($0.descriptor) } }
    for _ in 0..<AgentServer.clientLimit {
      let channel = MessageChannel(descriptor: try RuntimeFolder(world.folder, making: false).connect())
      try channel.send(world.hello.payload, patience: 1_000)
      try channel.send(AgentRequest.records(folder: folder, .export).payload, patience: 1_000)
      channels.append(channel)
      if channels.count == 1 { #expect(until { asker.asked.withLock { $0 } == 1 }) }
    }
    var refused = 0
    for channel in channels.dropFirst() {
      _ = try channel.receive(limit: 4_096, first: Deadline(in: 15_000), patience: 1_000)
      let answer = try channel.receive(limit: 4_096, first: Deadline(in: 15_000), patience: 1_000)
      if refusal({ _ = try AgentAnswer.open(try #require(answer)) }) == .full { refused += 1 }
    }
    #expect(refused == AgentServer.clientLimit - 1)
    #expect(try world.client().status().vaults.map(\.opening) == [1])
    _ = try world.client().call(.lock(folder: folder))
    #expect(try world.client().status().vaults.isEmpty)
    asker.isReleased.withLock { $0 = true }
  }

  @Test func aQuestionIsTakenBackWhenItsClientIsGone() throws {
    let asker = SlowAsker()
    let world = try AgentWorld(asker: asker)
    let vault = try world.unlocked(try world.makeVault())
    let channel = MessageChannel(descriptor: try RuntimeFolder(world.folder, making: false).connect())
    try channel.send(world.hello.payload, patience: 1_000)
    try channel.send(AgentRequest.records(folder: vault.folder, .export).payload, patience: 1_000)
    #expect(until { asker.asked.withLock { $0 } == 1 })
    close(channel.descriptor)
    #expect(until { asker.taken.withLock { $0 } == 1 })
    asker.isReleased.withLock { $0 = true }
    // The next one gets its turn.
    #expect(until { refusal { _ = try vault.records(for: .export) } == nil })
    #expect(asker.asked.withLock { $0 } == 2)
  }

  @Test func aQuestionEndsWithTheVaultThatItIsAbout() throws {
    let asker = SlowAsker()
    let world = try AgentWorld(asker: asker)
    let vault = try world.unlocked(try world.makeVault())
    let (folder, run, hello) = (vault.folder, world.folder, world.hello)
    SideThread {
      while asker.asked.withLock({ $0 }) == 0 { usleep(5_000) }
      _ = try? AgentClient(folder: run, hello: hello).lock(folder: folder)
    }.start()
    #expect(refusal { _ = try vault.records(for: .export) } == .locked)
    #expect(asker.taken.withLock { $0 } == 1)
  }

  @Test func nobodyIsAskedForWhoWentWhileItWaitedForItsTurn() throws {
    let asker = FixedAsker(.yes)
    let consent = Consent(asker: asker)
    let peer = Peer(process: 1, user: 0, program: "/bin/one", session: 1)
    #expect(
      refusal {
        try consent.require(
          .export, vault: "/v", opening: 1, peer: peer, isWanted: { false }, opensVault: { _ in false })
      } == .denied)
    #expect(asker.asked.withLock { $0.isEmpty })
  }

  @Test func whereAllAreWorkedForAFewPlacesAreLeft() throws {
    let register = ClientRegister(limit: 2, reserve: 1)
    let pairs = (0..<4).map { _ in Pair() }
    func enter(_ place: Int) -> UInt64? {
      register.enter(process: Int32(place), descriptor: pairs[place].server.descriptor)
    }
    let first = try (0..<2).map { try #require(enter($0)) }
    for number in first { #expect(register.isWorkedFor(number) && register.hasPlace(number)) }
    let third = try #require(enter(2))
    #expect(register.isWorkedFor(third) && !register.hasPlace(third))
    #expect(enter(3) == nil)
    // One that waits for a person makes room.
    register.waitsForPerson(first[1])
    #expect(enter(3) != nil)
    #expect(!register.isWorkedFor(first[1]) && register.isWorkedFor(first[0]))
    register.leave(first[0])
    #expect(register.hasPlace(third))
  }
}
