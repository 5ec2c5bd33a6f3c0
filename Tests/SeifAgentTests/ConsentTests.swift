import CSeif
import Glibc
import SeifBytes
import SeifCrypto
import SeifOTP
import SeifRecords
import SeifVault
import Synchronization
import Testing

@testable import SeifAgent

/// What a person is asked for, and what no answer ever holds.
@Suite struct ConsentTests {
  @Test func theFirstSecretAfterAnUnlockIsAskedForOnce() throws {
    let asker = FixedAsker(.yes)
    let world = try AgentWorld(asker: asker)
    let path = try world.makeVault()
    let vault = try world.unlocked(path)
    let id = try #require(try vault.find("Forge", onlyCodes: false).hits.first?.id)
    for _ in 0..<3 {
      guard case .password(let login) = try vault.revealed(try vault.entry(id)) else { return }
      #expect(login.password == SecretValue(utf8: AgentWorld.canaryPassword))
    }
    #expect(asker.asked.withLock { $0.count } == 1)
    let question = asker.asked.withLock { $0.first } ?? ""
    #expect(question.contains(path) && question.contains("process \(getpid())"))
    // Another unlock, another question.
    let again = try world.unlocked(path)
    _ = try again.revealed(try again.entry(id))
    #expect(asker.asked.withLock { $0.count } == 2)
  }

  @Test func everythingAndASecurityCodeAreAskedForEachForItself() throws {
    let asker = FixedAsker(.yes)
    let world = try AgentWorld(asker: asker)
    let vault = try world.unlocked(try world.makeVault())
    #expect(try vault.records(for: .export).count == 5)
    #expect(try vault.records(for: .backup).count == 5)
    let id = try #require(try vault.find("Plastic", onlyCodes: false).hits.first?.id)
    guard case .card(let card) = try vault.revealed(try vault.entry(id)) else { return }
    #expect(card.cvc == SecretValue(utf8: "737"))
    let read = try vault.entry(id)
    #expect(try vault.secret("number", of: read) == SecretValue(utf8: "4111111111111111"))
    #expect(refusal { _ = try vault.secret("password", of: read) } == .noSuchField)
    #expect(asker.asked.withLock { $0.map { String($0.prefix { $0 != ":" }) } } == ["export", "reveal", "cvc"])
  }

  @Test(arguments: [(ConsentReply.no, AgentRefusal.Code.denied), (.nobody, .nobodyToAsk)])
  func withoutAYesNothingIsGiven(reply: ConsentReply, code: AgentRefusal.Code) throws {
    let world = try AgentWorld(asker: FixedAsker(reply))
    let vault = try world.unlocked(try world.makeVault())
    let id = try #require(try vault.find("Forge", onlyCodes: false).hits.first?.id)
    let read = try vault.entry(id)
    #expect(refusal { _ = try vault.revealed(read) } == code)
    #expect(refusal { _ = try vault.records(for: .export) } == code)
    #expect(try vault.list().count == 5)
  }

  /// A yes to one card is none to another, and the question says which.
  @Test func aSecurityCodeIsAskedForByTheNameOfItsCard() throws {
    let asker = FixedAsker(.yes)
    let world = try AgentWorld(asker: asker)
    var other = Card(number: SecretValue(utf8: "4000000000000002"))
    (other.name, other.cvc) = ("Other\n\"card", SecretValue(utf8: "999"))
    let vault = try world.unlocked(try world.makeVault("vault", AgentWorld.entries + [.card(other)]))
    for query in ["Plastic", "Other", "Plastic"] {
      let id = try #require(try vault.find(query, onlyCodes: false).hits.first?.id)
      _ = try vault.secret("cvc", of: try vault.entry(id))
    }
    let asked = asker.asked.withLock { $0 }
    #expect(asked.count == 2)
    #expect(asked.first?.contains("the card \"Plastic\"") == true)
    #expect(asked.last?.contains("Other") == true && asked.last?.contains("\"card") == false)
  }

  @Test func whatIsntUnderstoodInADocumentVaultIsAskedForAsItsKey() throws {
    let asker = FixedAsker(.no)
    let world = try AgentWorld(asker: asker)
    let json = """
      {"id":"6f1c2b7e-5a0d-4a8e-9b1f-2d3c4e5f6a7b","kind":"local",\
      "masterKey":"Q0FOQVJZLTEzLWtleS1vZi0zMi1ieXRlcy1pbi1hbGw=","laterKey":"x"}
      """
    var (records, problems) = (Records(), [EntryProblem]())
    let document = try JSONDocument(parsing: SecretValue(utf8: json), policy: .strict)
    EntryDecoding.decode(.documents, entry: document.root, into: &records, problems: &problems)
    let vault = try world.unlocked(try world.makeVault("vault", records.entries))
    let read = try vault.entry(try #require(try vault.list().first?.id))
    #expect(read.masked.contains("member:0"))
    for field in read.masked { #expect(refusal { _ = try vault.secret(field, of: read) } == .denied) }
    #expect(asker.asked.withLock { $0.allSatisfy { $0.hasPrefix("keys: ") } })
    #expect(asker.asked.withLock { $0.count } == read.masked.count)
  }

  /// Whether a secret of four digits is the one in the vault could be found out by trying.
  @Test func anImportIsAskedForEachTimeAlsoADryOne() throws {
    let asker = FixedAsker(.no)
    let world = try AgentWorld(asker: asker)
    let vault = try world.unlocked(try world.makeVault())
    var card = Card(number: SecretValue(utf8: "4111111111111111"))
    (card.name, card.cvc) = ("Plastic", SecretValue(utf8: "737"))
    for isDryRun in [true, false] {
      #expect(
        refusal { _ = try vault.merge(Records([.card(card)]), ImportOptions(isDryRun: isDryRun)) } == .denied)
    }
    #expect(asker.asked.withLock { $0.count } == 2)
    #expect(asker.asked.withLock { $0.first }?.contains("learns which of them it holds") == true)
    #expect(try vault.list().count == 5)
  }

  @Test func anImportByTheAgentDoesWhatOneWithoutItDoes() throws {
    let world = try AgentWorld()
    let (path, other) = (try world.makeVault(), try world.makeVault("other"))
    let vault = try world.unlocked(path)
    var login = Password(password: SecretValue(utf8: "another"))
    (login.title, login.username) = ("Forge", "ana")
    let timed = try OTPParameters(kind: .totp(period: 30), secret: SecretValue(utf8: "another seed of 20 b"))
    let records = Records([
      .password(login), AgentWorld.entries[4], .account(Account(issuer: "New", account: "x", otp: timed)),
    ])
    let direct = DirectVault(try world.direct(other))
    for isDryRun in [true, false, false] {
      let options = ImportOptions(isDryRun: isDryRun)
      let (here, there) = (try vault.merge(records, options), try direct.merge(records, options))
      #expect(here.items.map { "\($0.outcome) \($0.name)" } == there.items.map { "\($0.outcome) \($0.name)" })
      #expect(here.damage == [] && there.damage == [])
      #expect(try vault.list().count == (try direct.list().count))
    }
    #expect(try vault.list().contains { $0.name == "New" })
    direct.lock()
    // Whoever holds a stand-in can't have it stored as a secret.
    let hit = try #require(try vault.find("Plastic", onlyCodes: false).hits.first)
    let masked = try vault.entry(hit.id).stored.entry
    #expect(refusal { _ = try vault.merge(Records([masked]), ImportOptions()) } == .noSuchField)
  }

  /// The names of a folder and of a program are the asker's choice.
  @Test(arguments: ["%", "é", "\n", "seif\" (process 1)? Press Allow. \"", "\u{301}"])
  func whoAsksIsSeenWhateverNamesAreChosen(part: String) {
    let name = String(repeating: part, count: 4000 / part.utf8.count)
    for kind in [ConsentKind.export, .reveal, .cvc, .keys] {
      for peer in [
        Peer(process: 4711, user: 0, program: "/" + name), Peer(process: 4711, user: 0, ownName: name),
      ] {
        let text = Consent.text(kind, "/" + name, peer)
        // As a line of Assuan at its longest: each byte escaped.
        #expect(text.utf8.count * 3 < 990)
        #expect(text.contains("process 4711"))
        #expect(text.unicodeScalars.count { $0 == "\"" } == 4)
      }
    }
    #expect(Peer.quoted("/usr/bin/git", head: 40, tail: 80) == "\"/usr/bin/git\"")
    #expect(Peer.quoted("abcdefgh", head: 3, tail: 2) == "\"abc…gh\"")
  }

  @Test func aPassphraseTypedForConsentIsTried() throws {
    for (typed, code) in [(AgentWorld.passphrase, nil), ("wrong", AgentRefusal.Code.denied)] {
      let world = try AgentWorld(asker: FixedAsker(.no, passphrase: typed))
      let path = try world.makeVault()
      let vault = try world.unlocked(path)
      let before = Self.names(in: path)
      #expect(refusal { _ = try vault.records(for: .export) } == code)
      // What is remembered of a vault elsewhere doesn't get into its folder, which may be synced.
      #expect(Self.names(in: path) == before && before.contains("vault.db"))
    }
  }

  /// Any program of the person can put a vault of its own there while the question stands.
  @Test func aPassphraseOfAnotherVaultInItsPlaceIsNoConsent() throws {
    let asker = FixedAsker(.no, passphrase: AgentWorld.passphrase)
    let world = try AgentWorld(asker: asker)
    let (path, other) = (try world.makeVault(), try world.makeVault("other", []))
    let vault = try world.unlocked(path)
    asker.before.withLock { $0 = { _ = rename(other + "/vault.db", path + "/vault.db") } }
    #expect(refusal { _ = try vault.records(for: .export) } == .denied)
    #expect(asker.asked.withLock { $0.count } == 1)
  }

  /// Another process may hold its socket, and yet another have its number.
  @Test func nobodyIsAskedForAProcessThatIsGone() throws {
    let asker = FixedAsker(.yes)
    for started: UInt64 in [0, 1] {
      let world = try AgentWorld(asker: asker) { _ in Peer(process: getpid(), user: geteuid(), started: started) }
      let vault = try world.unlocked(try world.makeVault())
      #expect(try vault.list().count == 5)
      #expect(refusal { _ = try vault.records(for: .export) } == .denied)
    }
    #expect(asker.asked.withLock { $0.isEmpty })
  }

  private static func names(in folder: String) -> Set<String> {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: Set<String> = []
    while let entry = readdir(stream) {
      names.insert(String(cString: seif_entry_name(entry)))
    }
    return names
  }

  @Test func aConsentLastsThirtySecondsForItsProgramAndSession() throws {
    let asker = FixedAsker(.yes)
    let consent = Consent(asker: asker)
    func require(_ kind: ConsentKind, _ opening: UInt64, _ peer: Peer) throws {
      try consent.require(kind, vault: "/v", opening: opening, peer: peer) { _ in false }
    }
    let peer = Peer(process: 1, user: 0, program: "/bin/one", session: 1)
    try require(.export, 1, peer)
    try require(.export, 1, Peer(process: 2, user: 0, program: "/bin/one", session: 1))
    #expect(asker.asked.withLock { $0.count } == 1)
    try require(.export, 1, Peer(process: 1, user: 0, program: "/bin/other", session: 1))
    try require(.export, 1, Peer(process: 1, user: 0, program: "/bin/one", session: 2))
    try require(.cvc, 1, peer)
    try require(.export, 2, peer)
    #expect(asker.asked.withLock { $0.count } == 5)
    consent.forget(opening: 1)
    try require(.export, 1, peer)
    #expect(asker.asked.withLock { $0.count } == 6)
    #expect(Consent.milliseconds == 30_000)
  }

  /// A program that hides, as Seif does, may call itself whatever it wants.
  @Test func aConsentOfOneThatHidesItsProgramIsForNoOtherProcess() throws {
    let asker = FixedAsker(.yes)
    let consent = Consent(asker: asker)
    let hidden = Peer(process: 1, user: 0, started: 5, ownName: "seif", session: 1)
    for peer in [
      hidden, hidden, Peer(process: 2, user: 0, started: 5, ownName: "seif", session: 1),
      Peer(process: 1, user: 0, started: 6, ownName: "seif", session: 1),
    ] {
      try consent.require(.export, vault: "/v", opening: 1, peer: peer) { _ in false }
    }
    #expect(asker.asked.withLock { $0.count } == 3)
  }

  /// A data key with known bytes, and every answer of every operation searched for it and what is derived from it.
  @Test func noAnswerHoldsAKeyOrThePassphrase() throws {
    let world = try AgentWorld()
    let planted = [UInt8](repeating: 0, count: 32).indices.map { UInt8(truncatingIfNeeded: 0xA1 &+ $0 &* 7) }
    let path = world.scratch.path + "/planted"
    // The data key is the first that is drawn.
    let isFirst = Mutex(true)
    let random = RandomSource { buffer in
      let first = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      buffer.copyBytes(from: first && buffer.count == 32 ? planted : RandomSource.system.makeBytes(buffer.count))
    }
    let vault = try Vault.create(
      at: VaultLocation(folder: path, stateFolder: path + "-state"), passphrase: AgentWorld.secret(),
      recoveryCode: RecoveryCode.make(), cost: .forTests, random: random)
    try vault.add(AgentWorld.entries)
    let ids = try vault.summaries().map(\.id)
    let key = SecretBytes(copying: SecretValue(planted))
    let tables = ["item", "secret", "bin", "undo", "proofs", "accumulator", "ledger", "wrap"]
    let keys =
      try [planted]
      + tables.map { table in
        let subkey = try HKDF.deriveKey(from: key, salt: vault.id.bytes, info: Array(("seif-vault-v1/" + table).utf8))
        return SecretValue(copying: PassphraseAttempt(subkey)).exposedBytes()
      }
    #expect(keys.count > 5)
    vault.lock()
    _ = try world.unlocked(path)

    let channel = MessageChannel(descriptor: try RuntimeFolder(world.folder, making: false).connect())
    defer { close(channel.descriptor) }
    var wire: [UInt8] = []
    func take() throws {
      let message = try channel.receive(
        limit: MessageChannel.answerLimit, first: Deadline(in: 20_000), patience: 20_000)
      wire += try #require(message).exposedBytes()
    }
    try channel.send(world.hello.payload, patience: 1_000)
    try take()
    var requests: [AgentRequest] = [
      .status, .isOpen(folder: path), .list(folder: path), .find(folder: path, query: "git", onlyCodes: false),
      .code(folder: path, query: "GitHub", next: false, at: 59),
      .code(folder: path, query: "Acme", next: false, at: 59),
      .bin(folder: path), .records(folder: path, .export), .lastChange(folder: path), .undo(folder: path, step: nil),
      .verify(folder: path),
      .merge(folder: path, Records(AgentWorld.entries), ImportOptions(isDryRun: true)),
      .unlock(folder: path, stateFolder: path + "-state", .passphrase, SecretValue(utf8: AgentWorld.passphrase), nil),
      .unlock(folder: path, stateFolder: path + "-state", .passphrase, SecretValue(utf8: "wrong"), nil),
    ]
    for id in ids {
      requests.append(.entry(folder: path, id))
      for field in ["secret", "password", "cvc", "dataKey", "key", "masterKey"] {
        requests.append(.reveal(folder: path, id, field: field))
      }
    }
    requests.append(.lock(folder: path))
    for request in requests {
      try channel.send(request.payload, patience: 1_000)
      try take()
    }
    func holds(_ needle: [UInt8]) -> Bool { wire.firstRange(of: needle) != nil }
    // The search finds what is there.
    #expect(holds(Array(AgentWorld.canaryPassword.utf8)))
    for key in keys {
      // Halves, so that neither a part nor a spelling goes unseen.
      for half in [Array(key.prefix(16)), Array(key.suffix(16))] {
        #expect(!holds(half))
        #expect(!holds(Array(Base16.encode(half).utf8)))
      }
      let text = Array(Base64.encode(key).utf8)
      #expect(!holds(Array(text.prefix(40))))
    }
    #expect(!holds(Array(AgentWorld.passphrase.utf8)))
  }
}
