import Glibc
import SeifBytes
import SeifOTP
import SeifRecords
import SeifTestSupport
import SeifVault
import Synchronization
import Testing

@testable import SeifAgent

/// The agent over its socket.
@Suite struct AgentServerTests {
  // MARK: - Vaults

  @Test func anUnlockedVaultListsFindsAndGivesCodes() throws {
    let world = try AgentWorld()
    let vault = try world.unlocked(try world.makeVault())
    #expect(try vault.list().map(\.name) == ["GitHub", "GitLab", "Acme", "Forge", "Plastic"])
    #expect(try vault.find("git", onlyCodes: true).total == 2)
    let (found, code) = try vault.code("GITHUB", next: false, at: Timestamp(seconds: 59))
    #expect(found.hits.map(\.name) == ["GitHub"])
    #expect(code?.text.utf8.count == 6 && code?.secondsLeft == 1)
    #expect(try vault.code("git", next: false, at: Timestamp(seconds: 59)).code == nil)
    #expect(try vault.code("nobody", next: false, at: Timestamp(seconds: 59)).found.total == 0)
    #expect(refusal { _ = try vault.code("Acme", next: true, at: Timestamp(seconds: 59)) } == .countsOnly)
  }

  @Test func aWrongPassphraseOpensNothing() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    let client = try world.client()
    #expect(throws: VaultUseError.vault(VaultError(.wrongPassphrase))) {
      _ = try client.unlock(
        folder: path, stateFolder: path, .passphrase, AgentWorld.secret("not the passphrase"), nil)
    }
    #expect(throws: VaultUseError.vault(VaultError(.missing))) {
      _ = try client.unlock(folder: "/nonexistent", stateFolder: path, .passphrase, AgentWorld.secret(), nil)
    }
    #expect(try client.status().vaults.isEmpty)
    #expect(try !client.isOpen(folder: path))
  }

  /// Whatever is waited for: without looking this would take ten minutes.
  @Test(.timeLimit(.minutes(15))) func anAgentThatAnswersNobodyIsGivenUp() throws {
    let scratch = try Scratch()
    // It listens and never takes anybody.
    let listener = try RuntimeFolder(scratch.path + "/run", making: true).listen(patience: 0)
    defer { close(listener) }
    let client = try AgentClient(folder: scratch.path + "/run", hello: Hello(version: "9.9.9", build: "test"))
    for patience in [AgentClient.Patience.work, .person] {
      #expect(refusal { _ = try client.status(patience) } == .tooSlow)
    }
  }

  @Test func aLateAnswerIsNeverTakenForThatToAnotherQuestion() throws {
    let asker = FixedAsker(.yes)
    asker.before.withLock { $0 = { usleep(2_500_000) } }
    let world = try AgentWorld(asker: asker)
    let vault = try world.unlocked(try world.makeVault())
    // An agent that speaks to others is waited for.
    #expect(try vault.records(for: .export).count == AgentWorld.entries.count)
    let client = try world.client()
    let id = try #require(try vault.find("Forge", onlyCodes: false).hits.first?.id)
    let request = AgentRequest.reveal(folder: vault.folder, id, field: "password")
    #expect(refusal { _ = try client.call(request, .glance) } == .tooSlow)
    #expect(try client.status().vaults.count == 1)
  }

  @Test func aLockedVaultGivesNothing() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    let vault = try world.unlocked(path)
    let id = try #require(try vault.list().first?.id)
    let read = try vault.entry(id)
    #expect(try world.client().lock(folder: path) == 1)
    let uses: [() throws -> Void] = [
      { _ = try vault.list() }, { _ = try vault.find("g", onlyCodes: false) }, { try vault.undo() },
      { _ = try vault.code("GitHub", next: false, at: Timestamp(seconds: 0)) }, { _ = try vault.entry(id) },
      { _ = try vault.revealed(read) }, { _ = try vault.bin() }, { _ = try vault.records(for: .export) },
      { try vault.apply([.remove(id)], ifCounterIs: nil) },
    ]
    for use in uses { #expect(refusal(use) == .locked) }
    #expect(try world.client().lock(folder: path) == 0)
  }

  @Test func severalVaultsLockEachForItself() throws {
    let world = try AgentWorld()
    let (one, two) = (try world.makeVault("one"), try world.makeVault("two", []))
    let (first, second) = (try world.unlocked(one), try world.unlocked(two))
    #expect(try world.client().status().vaults.map(\.folder) == [one, two])
    #expect(try second.find("x", onlyCodes: false).isVaultEmpty)
    _ = try world.client().lock(folder: two)
    #expect(try first.list().count == 5)
    #expect(refusal { _ = try second.list() } == .locked)
    _ = try world.unlocked(two)
    #expect(try world.client().lock(folder: nil) == 2)
    #expect(refusal { _ = try first.list() } == .locked)
  }

  @Test func twoWaysToAFolderAreOneVault() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    symlink(path, world.scratch.path + "/link")
    _ = try world.unlocked(path)
    #expect(try AgentVault(try world.client(), folder: world.scratch.path + "/link").list().count == 5)
    _ = try world.unlocked(world.scratch.path + "/link")
    #expect(try world.client().status().vaults.count == 1)
  }

  @Test func aVaultLocksWhenItsTimeIsOver() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    let vault = try world.unlocked(path, after: .seconds(1))
    #expect(try vault.list().count == 5)
    for _ in 0..<100 where try world.client().isOpen(folder: path) {
      // Asking whether it is open is a use, so it is asked seldom enough.
      usleep(1_500_000)
    }
    #expect(refusal { _ = try vault.list() } == .locked)
  }

  @Test func immediatelyMeansAfterTheFirstCommand() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    do {
      let vault = try world.unlocked(path, after: .use)
      #expect(try vault.list().count == 5)
      #expect(try vault.find("Forge", onlyCodes: false).total == 1)
    }
    let client = try world.client()
    for _ in 0..<200 where try !client.status().vaults.isEmpty { usleep(20_000) }
    #expect(try client.status().vaults.isEmpty)
  }

  @Test func anotherFileInTheVaultsPlaceLocksIt() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    let vault = try world.unlocked(path)
    #expect(try vault.list().count == 5)
    rename(try world.makeVault("other", []) + "/vault.db", path + "/vault.db")
    #expect(refusal { _ = try vault.list() } == .locked)
  }

  @Test func whatAnotherProcessWritesIsSeen() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    let vault = try world.unlocked(path)
    #expect(try vault.list().count == 5)
    let direct = try world.direct(path)
    try direct.add([AgentWorld.entries[0]])
    #expect(try vault.list().count == 6)
    try vault.undo()
    #expect(try direct.summaries().count == 5)
    direct.lock()
  }

  // MARK: - Writing

  @Test func anEditKeepsTheSecretsThatItDoesntName() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    let vault = try world.unlocked(path)
    let id = try #require(try vault.find("Forge", onlyCodes: false).hits.first?.id)
    let read = try vault.entry(id)
    guard case .password(var login) = read.stored.entry else { return }
    #expect(login.password != SecretValue(utf8: AgentWorld.canaryPassword))
    login.title = "Smithy"
    try vault.apply([.replace(id, .password(login))], ifCounterIs: read.counter)
    #expect(throws: VaultUseError.vault(VaultError(.changedMeanwhile))) {
      try vault.apply([.replace(id, .password(login))], ifCounterIs: read.counter)
    }
    let direct = try world.direct(path)
    guard case .password(let stored) = try direct.entry(id).entry else { return }
    #expect(stored.title == "Smithy" && stored.password == SecretValue(utf8: AgentWorld.canaryPassword))
    #expect(stored.history.isEmpty)
    direct.lock()
  }

  @Test func whatIsRemovedIsInTheBinMaskedAndComesBack() throws {
    let world = try AgentWorld()
    let vault = try world.unlocked(try world.makeVault())
    let id = try #require(try vault.find("Forge", onlyCodes: false).hits.first?.id)
    try vault.apply([.remove(id)], ifCounterIs: nil)
    let bin = try vault.bin()
    #expect(bin.map(\.id) == [id])
    #expect(try vault.binnedCount() == 1)
    #expect(bin.first?.entry.json().exposedText()?.contains(AgentWorld.canaryPassword) == false)
    try vault.apply([.restore(id)], ifCounterIs: nil)
    #expect(try vault.list().count == 5)
    #expect(try vault.binnedCount() == 0)
    #expect(throws: VaultUseError.vault(VaultError(.noSuchEntry))) {
      try vault.apply([.remove(RandomIDs.first)], ifCounterIs: nil)
    }
  }

  @Test func aCounterIsStoredBeforeItsCodeAndNeverGoesBack() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    _ = try world.unlocked(path)
    // Two clients at once, each with ten codes: twenty different ones, and the counter is twenty further.
    let codes = Mutex<[String]>([])
    let done = Mutex(0)
    let (folder, hello) = (world.folder, world.hello)
    for _ in 0..<2 {
      SideThread {
        if let client = try? AgentClient(folder: folder, hello: hello) {
          let vault = AgentVault(client, folder: path)
          for _ in 0..<10 {
            let code = try? vault.code("Acme", next: false, at: Timestamp(seconds: 0)).code?.text
            codes.withLock { $0.append(code ?? "none") }
          }
        }
        done.withLock { $0 += 1 }
      }.start()
    }
    for _ in 0..<500 where done.withLock({ $0 }) < 2 { usleep(20_000) }
    let direct = try world.direct(path)
    guard let id = try direct.summaries().first(where: { $0.name == "Acme" })?.id,
      case .account(let account) = try direct.entry(id).entry
    else { return }
    #expect(account.otp.counter == 25)
    direct.lock()
    let expected = try (5..<25).map { counter in
      try OneTimePassword.code(.made(.hotp(counter: Int64(counter))), at: Timestamp(seconds: 0)).text
    }
    #expect(codes.withLock { Set($0) } == Set(expected))
  }

  // MARK: - Clients

  @Test func aClientThatDiesHalfWayCostsTheOthersNothing() throws {
    let world = try AgentWorld()
    let vault = try world.unlocked(try world.makeVault())
    for bytes: [UInt8] in [[], [0], [0, 0, 0, 200, 0, 1], Array("GET / HTTP/1.1\r\n\r\n".utf8)] {
      let socket = try RuntimeFolder(world.folder, making: false).connect()
      _ = write(socket, bytes, bytes.count)
      #expect(try vault.list().count == 5)
      close(socket)
      #expect(try vault.list().count == 5)
    }
  }

  @Test func halfDeadClientsHoldNobodyUp() throws {
    let world = try AgentWorld()
    let vault = try world.unlocked(try world.makeVault())
    // They say hello, ask for the list over and over, and read nothing.
    var sockets: [Int32] = []
    for _ in 0..<8 {
      let socket = try RuntimeFolder(world.folder, making: false).connect()
      let channel = MessageChannel(descriptor: socket)
      try channel.send(world.hello.payload, patience: 100)
      for _ in 0..<200 { try? channel.send(AgentRequest.list(folder: vault.folder).payload, patience: 1) }
      sockets.append(socket)
    }
    for _ in 0..<20 { #expect(try vault.list().count == 5) }
    sockets.forEach { close($0) }
  }

  @Test func anotherUserIsRefusedByWhatTheKernelSays() throws {
    let world = try AgentWorld(peer: { _ in Peer(process: 1, user: geteuid() + 1) })
    #expect(refusal { _ = try world.client().status() } == .stranger)
    // One that is gone already is nobody that could be served.
    let unknown = try AgentWorld(peer: { _ in nil })
    #expect(refusal { _ = try unknown.client().status() } == .stranger)
  }

  @Test func anotherBuildIsNotServedButCanEndTheAgent() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    _ = try world.unlocked(path)
    for other in [
      Hello(version: "9.9.8", build: "test"), Hello(version: "9.9.9", build: "another"),
      Hello(version: "9.9.9", build: "test", protocolVersion: 2),
    ] {
      let client = try world.client(other)
      #expect(refusal { _ = try client.status() } == .otherVersion)
      #expect(client.agent?.version == "9.9.9")
      // One that asks all the same.
      let channel = MessageChannel(descriptor: try RuntimeFolder(world.folder, making: false).connect())
      try channel.send(other.payload, patience: 100)
      try channel.send(AgentRequest.list(folder: path).payload, patience: 100)
      _ = try channel.receive(limit: 4096, first: Deadline(in: 5_000), patience: 1_000)
      let answer = try #require(try channel.receive(limit: 4096, first: Deadline(in: 5_000), patience: 1_000))
      #expect(refusal { _ = try AgentAnswer.open(answer) } == .otherVersion)
      close(channel.descriptor)
    }
    let client = try world.client(Hello(version: "9.9.8", build: "test"))
    _ = refusal { _ = try client.status() }
    try client.end()
    #expect(refusal { _ = try AgentVault(try world.client(), folder: path).list() } != nil)
  }

  @Test func garbageIsAnsweredOnceAndEndsTheConnection() throws {
    let world = try AgentWorld()
    let channel = MessageChannel(descriptor: try RuntimeFolder(world.folder, making: false).connect())
    try channel.send(world.hello.payload, patience: 100)
    try channel.send(SecretValue([99, 1, 2, 3, 4, 5]), patience: 100)
    func next() throws -> SecretValue? {
      try channel.receive(limit: 4096, first: Deadline(in: 5_000), patience: 1_000)
    }
    #expect(try Hello(try #require(try next())).version == "9.9.9")
    let answer = try #require(try next())
    #expect(refusal { _ = try AgentAnswer.open(answer) } == .badMessage)
    #expect(refusal { if try next() == nil { throw AgentRefusal(.gone) } } == .gone)
    close(channel.descriptor)
  }
}
