import SeifBytes
import SeifCrypto
import SeifHTTPFields
import SeifHTTPServer
import SeifServer
import SeifServerStore
import Synchronization
import Testing

@Suite struct AccountTests {
  @Test func anAccountIsShown() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    _ = try browser.addTOTP()
    let answer = try browser.get("/account")
    #expect(answer["name"] == "anna")
    #expect(answer.json?["totp"]?.bool == true)
    #expect(answer.json?["signInCodes"]?.int64 == 10)
    #expect(answer.json?["quota"]?.int64 == 1 << 30)
    #expect(answer["freshUntil"] == "2026-01-01T00:05:00Z")
  }

  @Test func anExportHoldsAllThatIsHeldAndNoSecret() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let (secret, codes) = try browser.addTOTP()
    let passkey = try browser.addPasskey(label: "My key")
    let token = try TokenTests.token(browser, label: "My token")
    let row = try #require(try server.store.account(named: "anna"))
    server.store.state.withLock { state in
      for _ in 0..<2100 {
        state.objects.append(
          ObjectRow(
            id: RandomSource.system.makeUUID(), blob: RandomSource.system.makeUUID(), byteCount: 99,
            sha256: [UInt8](repeating: 5, count: 32), createdAt: AccountServer.start))
      }
    }
    let answer = try browser.get("/account/export")
    #expect(answer.status == 200)
    #expect(answer.field("Content-Disposition") == "attachment; filename=\"seif-account.json\"")
    let json = try #require(answer.json)
    #expect(json["account"]?["name"]?.string == "anna")
    #expect(json["passkeys"]?.elements.map { $0["label"]?.string } == ["My key"])
    #expect(json["passkeys"]?.elements.map { $0["id"]?.string } == [base64URL(passkey.credentialID)])
    #expect(json["tokens"]?.elements.map { $0["label"]?.string } == ["My token"])
    #expect(json["sessions"]?.elements.map { $0["current"]?.bool } == [true])
    #expect(json["vault"]?["manifest"]?["version"]?.int64 == 7)
    #expect(json["vault"]?["keyWraps"]?.elements.map { $0["kind"]?.string } == ["recovery"])
    #expect(json["vault"]?["usage"]?.elements.map { $0["month"]?.string } == ["2026-11"])
    let ids = try #require(json["vault"]?["objects"]).elements.compactMap { $0["id"]?.string }
    #expect(ids.count == 2100)
    #expect(Set(ids).count == 2100)
    let hash = try #require(row.password?.hash)
    var secrets = [
      secret, try #require(browser.session), String(token.dropFirst(5)), Base16.encode(hash), base64URL(hash),
    ]
    secrets += codes + [base64URL(row.totp ?? [0]), try #require(browser.csrf)]
    for text in secrets { #expect(!answer.text.contains(text.prefix(16))) }
  }

  @Test func aRemovedAccountIsGoneWithAllItsWaysIn() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let passkey = try browser.addPasskey()
    let token = try TokenTests.token(browser)
    let other = Browser(server)
    try other.signIn()
    let answer = try browser.delete("/account")
    #expect(answer.status == 204)
    #expect(browser.session == nil)
    #expect(try other.get("/account").status == 401)
    #expect(try other.signIn().problem == "sign-in-failed")
    #expect(throws: AccountProblem(.notSignedIn)) {
      try server.controller.token(TokenTests.head(token), at: server.now)
    }
    let challenge = try other.challenge("/account/session/passkey/begin")
    #expect(try other.post("/account/session/passkey/finish", try passkey.get(challenge).json).status == 401)
  }

  @Test func aStoreThatFailsIsAProblemWithoutItsReason() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    server.store.state.withLock { $0.isBroken = true }
    for answer in [try browser.get("/account"), try browser.signIn(), try browser.delete("/account/sessions")] {
      #expect(answer.status == 503)
      #expect(answer.problem == "unavailable")
      #expect(!answer.text.contains("disk"))
    }
  }

  // MARK: Bodies and paths

  static let bodies = [
    "", "[]", "null", "{", "{\"name\":\"anna\"}", "{\"name\":\"anna\",\"password\":1}",
    "{\"name\":\"anna\",\"password\":\"x\",\"more\":1}", "{\"name\":\"anna\",\"name\":\"berta\",\"password\":\"x\"}",
    "{\"name\":\"anna\",\"password\":\"x\"} ,", "\u{FEFF}{\"name\":\"anna\",\"password\":\"x\"}",
    "{\"name\":\"anna\",\"password\":\"x\",\"code\":null}", "{\"name\":null,\"password\":\"x\"}",
    "{\"name\":\"\\ud800\",\"password\":\"x\"}", "{\"name\":[[[[[[\"anna\"]]]]]],\"password\":\"x\"}",
  ]

  @Test(arguments: bodies) func aBodyHasExactlyItsMembers(_ body: String) throws {
    let server = AccountServer()
    try server.enrol()
    let before = server.work
    let answer = try Browser(server).post("/account/session", body)
    #expect(answer.status == 400)
    #expect(answer.problem == "bad-request")
    #expect(server.work == before)
  }

  @Test func aBodyOfAnotherKindOrTooLongIsNotRead() throws {
    let server = AccountServer()
    let browser = Browser(server)
    #expect(try browser.form("/account/session", "name=anna&password=x").status == 415)
    #expect(try browser.send("POST", "/account/session", "{}", type: "text/plain").status == 415)
    #expect(try browser.send("POST", "/account/session", "{}", type: "application/json; charset=utf-8").status == 400)
    #expect(try browser.post("/account/session", String(repeating: " ", count: (16 << 10) + 1)).status == 413)
    let signedIn = try server.signedIn()
    #expect(try signedIn.post("/account/totp", "{}").status == 400, "a body where none is taken")
  }

  @Test func aPathIsMatchedAndNeverMended() throws {
    let server = AccountServer()
    func pattern(_ path: String) -> String? { server.plans.plan(HTTPRequestHead(method: "GET", path: path))?.pattern }
    #expect(pattern("/account") == "/account")
    #expect(pattern("/account/sessions/abc") == "/account/sessions/{uuid}")
    #expect(pattern("/account/passkeys/begin") == "/account/passkeys/begin")
    for path in [
      "/account/", "//account", "/Account", "/account/session/", "/account/%73ession", "/account/./csrf",
      "/account/sessions/", "/account/sessions/a%2Fb", "/account/sessions/a/b", "/account/vault", "/api/v1/device", "/",
    ] {
      #expect(pattern(path) == nil, "\(path)")
    }
  }

  @Test func anotherMethodIsToldWhichThereAre() throws {
    let browser = Browser(AccountServer())
    let answer = try browser.send("PATCH", "/account")
    #expect(answer.status == 405)
    #expect(answer.field("Allow") == "DELETE, GET, HEAD")
    #expect(try browser.send("GET", "/account/totp/confirm").field("Allow") == "POST")
  }

  @Test func headIsAnsweredLikeGet() throws {
    let browser = try AccountServer().signedIn()
    #expect(try browser.send("HEAD", "/account").status == 200)
  }

  // MARK: What is said, and what isn't

  /// Each secret of a session is sent in every place of every call; none comes back in a problem.
  @Test func noProblemRepeatsWhatWasSent() throws {
    let canaries = ["canary-zebra-0123456789", "T4WTOH3KLTVQL56ZSY4F4ZLNRT55BGSW"]
    for canary in canaries {
      for route in AccountServer().controller.routes {
        let server = AccountServer()
        try server.enrol()
        let path = route.pattern.split(separator: "/").map { $0.hasPrefix("{") ? canary : String($0) }
        let bodies = [
          "{\"\(canary)\":1}", "{\"name\":\"\(canary)\",\"password\":\"\(canary)\",\"code\":\"\(canary)\"}",
          "{\"password\":\"\(canary)\"}", "{\"code\":\"\(canary)\",\"grant\":true}", "{\"code\":\"\(canary)\"}",
          "{\"label\":\"\(canary)\\n\",\"scope\":\"\(canary)\"}", "client_id=\(canary)&scope=\(canary)",
          "grant_type=\(canary)&client_id=\(canary)&device_code=\(canary)", canary,
        ]
        let browser = try server.signedInAgain()
        for body in bodies {
          server.wait(1)
          let type = route.body == .form ? "application/x-www-form-urlencoded" : "application/json"
          browser.fields = [HTTPField("User-Agent", canary), HTTPField("X-Forwarded-For", canary)]
          let answer = try browser.send(
            route.method, "/" + path.joined(separator: "/"), route.body == .none ? nil : body, type: type)
          guard answer.status >= 400 else { continue }
          for start in 0..<(canary.count - 8) {
            let part = canary.dropFirst(start).prefix(8)
            #expect(!answer.text.contains(part))
            #expect(answer.fields.allSatisfy { !$0.value.contains(part) })
          }
        }
      }
    }
  }

  @Test func everyProblemHasItsStatusAndWords() throws {
    for kind in AccountProblem.Kind.allCases {
      #expect((400...503).contains(kind.status))
      #expect(kind.title.hasSuffix("."))
    }
    #expect(String(reflecting: AccountProblem(.signInFailed)).utf8.count < 200)
  }
}

extension AccountServer {
  /// A browser that is signed in once more.
  func signedInAgain() throws -> Browser {
    let browser = Browser(self)
    browser.peer = "10.20.30.40"
    #expect(try browser.signIn().status == 200)
    return browser
  }
}
