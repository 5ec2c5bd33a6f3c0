import SeifBytes
import SeifHTTPFields
import SeifServer
import SeifServerStore
import Synchronization
import Testing

@Suite struct ThrottleTests {
  @Test func anAccountIsTriedTenTimesInASlotAndThenInTheNext() throws {
    let server = AccountServer()
    try server.enrol()
    server.wait(7)
    for attempt in 0..<10 {
      let browser = Browser(server)
      browser.peer = "198.51.\(attempt).7"
      #expect(try browser.signIn(password: "wrong password here").status == 401)
    }
    let before = server.work
    let refused = try Browser(server).signIn()
    #expect(refused.status == 429)
    #expect(refused.problem == "throttled")
    #expect(refused.field("Retry-After") == "23")
    #expect(server.work == before, "a throttled attempt costs no derivation")
    server.wait(23)
    #expect(try Browser(server).signIn().status == 200)
  }

  @Test func aNameThatNobodyHasIsThrottledLikeOneThatSomebodyHas() throws {
    let server = AccountServer()
    try server.enrol()
    var answers: [[String]] = []
    for name in ["anna", "nobody", "no body!"] {
      var texts: [String] = []
      for attempt in 0..<12 {
        let browser = Browser(server)
        browser.peer = "198.51.\(attempt).\(name.utf8.count)"
        texts.append(try browser.signIn(name, password: "wrong password here").text)
      }
      answers.append(texts)
    }
    #expect(answers[0] == answers[1])
    #expect(answers[0] == answers[2])
    #expect(Set(answers[0]).count == 2)
  }

  @Test func onePrefixIsTriedTwentyTimesInASlotWhateverTheNames() throws {
    let server = AccountServer()
    for attempt in 0..<20 {
      let browser = Browser(server)
      browser.peer = "203.0.113.\(attempt)"
      #expect(try browser.signIn("name\(attempt)").status == 401)
    }
    let near = Browser(server)
    near.peer = "203.0.113.200"
    #expect(try near.signIn("other").status == 429)
    #expect(try near.post("/account/session/passkey/begin").status == 429)
    let far = Browser(server)
    far.peer = "203.0.114.200"
    #expect(try far.signIn("other").status == 401)
  }

  /// However long somebody guesses, a slot always has room for an attempt, and a wait is never over 30 seconds.
  @Test func nobodyIsLockedOutHoweverManyGuess() throws {
    let server = AccountServer()
    try server.enrol()
    for attempt in 0..<600 {
      let browser = Browser(server)
      browser.peer = "10.\(attempt / 256).\(attempt % 256).1"
      let answer = try browser.signIn(password: "wrong password here")
      if answer.status == 429 { #expect((1...30).contains(Int(answer.field("Retry-After") ?? "") ?? 0)) }
      server.wait(1)
    }
    server.wait(30 - server.now.seconds % 30)
    let owner = Browser(server)
    owner.peer = "192.0.2.99"
    #expect(try owner.signIn().status == 200)
    // Who has signed in has shown who they are: the account is as before.
    for _ in 0..<5 { #expect(try Browser(server).signIn(password: "wrong password here").status == 401) }
  }

  @Test func underGuessesThereAreTwoAttemptsInASlot() throws {
    let server = AccountServer()
    try server.enrol()
    var answers: [Int] = []
    for slot in 0..<12 {
      for attempt in 0..<5 {
        let browser = Browser(server)
        browser.peer = "10.\(slot).\(attempt).1"
        answers.append(try browser.signIn(password: "wrong password here").status)
      }
      server.wait(30)
    }
    #expect(answers.prefix(50).allSatisfy { $0 == 401 })
    #expect(Array(answers.suffix(5)) == [401, 401, 429, 429, 429])
  }

  @Test func aBrowserThatSignedInBeforeIsNotSlowedByOthersGuesses() throws {
    let server = AccountServer()
    try server.enrol()
    let owner = Browser(server)
    try owner.signIn()
    owner.cookies.removeAll { $0.name == "__Host-seif" }
    for attempt in 0..<40 {
      let browser = Browser(server)
      browser.peer = attempt < 25 ? owner.peer : "10.0.\(attempt).1"
      _ = try browser.signIn(password: "wrong password here")
    }
    let stranger = Browser(server)
    stranger.peer = "10.1.1.1"
    #expect(try stranger.signIn().status == 429)
    #expect(try owner.signIn().status == 200)
    // Its mark is no password, and has a count of its own.
    owner.cookies.removeAll { $0.name == "__Host-seif" }
    for _ in 0..<10 { #expect(try owner.signIn(password: "wrong password here").status == 401) }
    #expect(try owner.signIn().status == 429)
  }

  @Test func aMarkIsOfItsAccountAndServerAlone() throws {
    let server = AccountServer()
    let (anna, berta) = (try server.enrol("anna"), try server.enrol("berta"))
    let mark = try #require(
      KnownBrowser.make(anna, key: server.key, number: [UInt8](repeating: 3, count: 16)).exposedText())
    #expect(KnownBrowser(mark, account: anna, key: server.key)?.number == [UInt8](repeating: 3, count: 16))
    #expect(KnownBrowser(mark, account: berta, key: server.key) == nil)
    let other = ServerKey(SecretValue([UInt8](repeating: 8, count: 32)))
    #expect(KnownBrowser(mark, account: anna, key: other) == nil)
    #expect(KnownBrowser(mark + "AAAA", account: anna, key: server.key) == nil)
    #expect(KnownBrowser("", account: anna, key: server.key) == nil)
  }

  @Test func secondFactorsAreTriedFiveTimesAndThenOnceInASlot() throws {
    let server = AccountServer()
    let (secret, _) = try server.signedIn().addTOTP()
    server.wait(60)
    var answers: [Int] = []
    for slot in 0..<6 {
      for attempt in 0..<6 {
        let browser = Browser(server)
        browser.peer = "10.\(slot).\(attempt).1"
        answers.append(try browser.signIn(code: "000000").status)
      }
      server.wait(30)
    }
    #expect(Array(answers.prefix(6)) == [401, 401, 401, 401, 401, 429])
    #expect(answers.suffix(5).allSatisfy { $0 == 429 })
    let code = try server.code(secret)
    #expect(try Browser(server).signIn(code: code).status == 200)
  }

  @Test func whoHoldsAStolenSessionOrTokenGuessesFiveTimesInASlot() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let app = DeviceTests.device(server)
    app.fields = [HTTPField("Authorization", "Bearer \(try TokenTests.token(browser))")]
    let body = "{\"password\":\"wrong password here\"}"
    for _ in 0..<5 { #expect(try browser.post("/account/freshen", body).status == 401) }
    #expect(try browser.post("/account/freshen", body).status == 429)
    for _ in 0..<5 { #expect(try app.post("/api/v1/freshen", body).status == 401) }
    #expect(try app.post("/api/v1/freshen", body).status == 429)
    // The owner, elsewhere, isn't hindered.
    #expect(try Browser(server).signIn().status == 200)
  }

  @Test func devicesFromOnePrefixAreThrottled() throws {
    let server = AccountServer()
    let device = DeviceTests.device(server)
    for _ in 0..<10 { _ = try DeviceTests.ask(device) }
    #expect(try device.form("/api/v1/device/code", "client_id=a").status == 429)
    for _ in 0..<60 { _ = try DeviceTests.poll(device, "x") }
    #expect(try DeviceTests.poll(device, "x").status == 429)
  }

  @Test func noCountHasAnAddressOrANameInItsKey() throws {
    let server = AccountServer()
    try server.enrol()
    _ = try Browser(server).signIn(password: "wrong password here")
    let keys = server.store.state.withLock { Array($0.attempts.keys) }
    #expect(keys.count == 3, "prefix and account in their slots, and the account's hour")
    #expect(keys.allSatisfy { $0.count == 32 })
  }

  // MARK: Addresses

  static let prefixes: [(String, String, Bool)] = [
    ("192.0.2.1", "192.0.2.254", true), ("192.0.2.1", "192.0.3.1", false),
    ("2001:db8:0:1200::1", "2001:db8:0:12ff::2", true), ("2001:db8:0:1200::1", "2001:db8:0:1300::1", false),
    ("::ffff:192.0.2.1", "192.0.2.9", true), ("fe80::1%eth0", "fe80::2", true), ("unix", "unix", true),
  ]

  @Test(arguments: prefixes) func aPrefixIsA24OrA56(_ one: String, _ other: String, _ isSame: Bool) {
    #expect((ClientAddress.prefix(one) == ClientAddress.prefix(other)) == isSame)
  }

  static let forwarded: [(String, [String], String)] = [
    ("192.0.2.1", ["203.0.113.9"], "192.0.2.1"),
    ("127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
    ("127.0.0.1", ["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
    ("127.0.0.1", ["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
    ("127.0.0.1", ["203.0.113.9, ::1"], "203.0.113.9"),
    ("::ffff:127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
    ("127.0.0.1", [], "127.0.0.1"),
    ("127.0.0.1", ["unknown"], "127.0.0.1"),
    ("127.0.0.1", [""], "127.0.0.1"),
  ]

  @Test(arguments: forwarded) func onlyATrustedProxySaysForWhom(_ peer: String, _ fields: [String], _ client: String) {
    #expect(ClientAddress.of(peer: peer, forwarded: fields, proxies: ["127.0.0.1", "::1"]) == client)
  }
}
