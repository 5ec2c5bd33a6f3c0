import SeifBytes
import SeifCrypto
import SeifHTTPFields
import SeifHTTPServer
import SeifServer
import SeifServerStore
import Testing

@Suite struct SessionTests {
  @Test func theCookieIsBoundToTheHostAndOutOfReachOfScripts() throws {
    let server = AccountServer()
    try server.enrol()
    let answer = try Browser(server).signIn()
    let cookies = answer.fields.filter { $0.name == "Set-Cookie" }.map(\.value)
    #expect(cookies.count == 2)
    #expect(
      cookies[0].wholeMatch(of: /__Host-seif=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict/) != nil)
    #expect(
      cookies[1].wholeMatch(
        of: /__Host-seif-known=[A-Za-z0-9_-]{64}; Max-Age=31536000; Path=\/; Secure; HttpOnly; SameSite=Strict/) != nil)
    #expect(answer.field("Cache-Control") == "no-store")
  }

  @Test func onPlainHTTPTheCookieHasNoPrefix() throws {
    let origin = "http://localhost:8420"
    let server = AccountServer(settings: AccountSettings(origin: origin, host: "localhost"))
    let (_, token) = try server.invite("anna")
    let browser = Browser(server)
    browser.origin = origin
    #expect(
      try browser.post("/account/enrol/\(token)", "{\"password\":\"\(AccountServer.password)\"}").status == 200)
    let answer = try browser.signIn()
    #expect(answer.cookie("seif") != nil)
    #expect(answer.fields.allSatisfy { !$0.value.contains("Secure") && !$0.value.contains("__Host-") })
    #expect(try browser.get("/account").status == 200)
  }

  @Test func onlyAHashOfTheCookieIsStored() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let id = try #require(try server.store.account(named: "anna")).id
    let row = try #require(try server.store.sessions(id).first)
    let cookie = try #require(browser.session)
    let bits = try SecretValue(utf8: cookie).withBytes { try Base64URL.decode($0) }
    #expect(bits.byteCount == 32)
    #expect(row.idHash == bits.withBytes { Digest.sha256($0) })
  }

  @Test func eachSignInMakesANewSessionAndEndsTheOneBefore() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let first = try #require(browser.session)
    try browser.signIn()
    let second = try #require(browser.session)
    #expect(first != second)
    let old = Browser(server)
    old.cookies = [("__Host-seif", first)]
    #expect(try old.get("/account").status == 401)
    #expect(try browser.get("/account").status == 200)
  }

  @Test func aSessionEndsHalfAnHourAfterItsLastUse() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    server.wait(1799)
    #expect(try browser.get("/account").status == 200)
    server.wait(1799)
    #expect(try browser.get("/account").status == 200)
    server.wait(1800)
    #expect(try browser.get("/account").problem == "not-signed-in")
  }

  @Test func aSessionEndsAfterTwelveHoursHoweverOftenItIsUsed() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    for _ in 0..<47 {
      server.wait(900)
      #expect(try browser.get("/account").status == 200)
    }
    server.wait(899)
    #expect(try browser.get("/account").status == 200)
    server.wait(1)
    #expect(try browser.get("/account").status == 401)
  }

  @Test func aUseIsNotedOnceAMinute() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let id = try #require(try server.store.account(named: "anna")).id
    server.wait(59)
    _ = try browser.get("/account")
    #expect(try server.store.sessions(id).first?.usedAt == AccountServer.start)
    server.wait(1)
    _ = try browser.get("/account")
    #expect(try server.store.sessions(id).first?.usedAt == server.now)
  }

  @Test func signingOutEndsTheSessionAndTakesTheCookieBack() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let session = try #require(browser.session)
    let answer = try browser.delete("/account/session")
    #expect(answer.status == 204)
    #expect(answer.fields.contains { $0.value.hasPrefix("__Host-seif=; Max-Age=0;") })
    browser.cookies = [("__Host-seif", session)]
    #expect(try browser.get("/account").status == 401)
  }

  @Test func sessionsAreListedAndEndedOneByOneOrAllOthers() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let (second, third) = (Browser(server), Browser(server))
    second.fields = [HTTPField("User-Agent", "Fire\u{7F}fox" + String(repeating: "x", count: 300))]
    try second.signIn()
    try third.signIn()
    let list = try #require(try browser.get("/account/sessions").json?["sessions"])
    let rows = list.elements.map { ($0["id"]?.string ?? "", $0["agent"]?.string ?? "", $0["current"]?.bool ?? false) }
    #expect(rows.count == 3)
    #expect(rows.filter(\.2).count == 1)
    let other = try #require(rows.first { $0.1.hasPrefix("Firefox") })
    #expect(other.1.count == 120)
    #expect(try browser.delete("/account/sessions/\(other.0)").status == 204)
    #expect(try second.get("/account").status == 401)
    #expect(try browser.delete("/account/sessions/\(other.0)").status == 404)
    #expect(try browser.delete("/account/sessions").status == 204)
    #expect(try third.get("/account").status == 401)
    #expect(try browser.get("/account").status == 200)
  }

  @Test func nobodyEndsAnothersSession() throws {
    let server = AccountServer()
    let (anna, berta) = (try server.signedIn("anna"), try server.signedIn("berta"))
    let list = try #require(try anna.get("/account/sessions").json?["sessions"])
    let ids = list.elements.compactMap { $0["id"]?.string }
    let id = try #require(ids.first)
    #expect(try berta.delete("/account/sessions/\(id)").status == 404)
    #expect(try anna.get("/account").status == 200)
  }

  // MARK: Where a request comes from

  @Test func theCSRFTokenIsAnHMACUnderTheSession() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let cookie = try #require(browser.session)
    let bits = try SecretValue(utf8: cookie).withBytes { try Base64URL.decode($0) }
    let code = bits.withBytes { HMAC.code(.sha256, key: $0, message: Array("csrf".utf8).span.bytes) }
    #expect(try browser.get("/account/csrf")["token"] == base64URL(code))
    #expect(browser.csrf == base64URL(code))
  }

  @Test func aChangeNeedsTheTokenOfItsOwnSession() throws {
    let server = AccountServer()
    let (anna, berta) = (try server.signedIn("anna"), try server.signedIn("berta"))
    let right = anna.csrf
    for token in [nil, "", berta.csrf, right.map { $0 + "A" }, right.map { String($0.dropLast()) }] {
      anna.csrf = token
      #expect(try anna.delete("/account/sessions").problem == "csrf")
    }
    anna.csrf = right
    #expect(try anna.delete("/account/sessions").status == 204)
  }

  static let origins: [String?] = [
    nil, "null", "", "https://docs.example.org/", "https://docs.example.org:443", "http://docs.example.org",
    "https://docs.example.org.evil.example", "https://evil.example", "https://DOCS.example.org",
  ]

  @Test(arguments: origins) func aChangeNeedsExactlyTheServersOrigin(_ origin: String?) throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    browser.origin = origin
    #expect(try browser.delete("/account/sessions").problem == "wrong-origin")
    // Before there is a session, too: signing somebody in as somebody else is an attack of its own.
    #expect(try browser.signIn().problem == "wrong-origin")
    #expect(try browser.get("/account").status == 200, "browsers send none with GET")
  }

  @Test(arguments: ["cross-site", "same-site", "none", "", "same-origin, same-origin"])
  func aChangeFromElsewhereIsRefused(_ site: String) throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    browser.site = site
    #expect(try browser.delete("/account/sessions").problem == "wrong-origin")
    #expect(try browser.get("/account").status == (site == "none" ? 200 : 403))
    browser.site = nil
    #expect(try browser.delete("/account/sessions").status == 204)
  }

  @Test func aSessionAndATokenInOneRequestAreRefused() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let made = try browser.post("/account/tokens", "{\"label\":\"cli\",\"scope\":\"read\"}")
    let token = try #require(made["token"])
    browser.fields = [HTTPField("Authorization", "Bearer \(token)")]
    #expect(try browser.get("/account").status == 400)
    #expect(
      try browser.post("/api/v1/freshen", "{\"password\":\"\(AccountServer.password)\"}").status == 400)
  }

  @Test func aTokenOpensNoSessionCallAndASessionNoTokenCall() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let token = try #require(
      try browser.post("/account/tokens", "{\"label\":\"cli\",\"scope\":\"read write\"}")["token"])
    #expect(try browser.post("/api/v1/freshen", "{\"password\":\"\(AccountServer.password)\"}").status == 401)
    let app = Browser(server)
    app.fields = [HTTPField("Authorization", "Bearer \(token)")]
    #expect(try app.get("/account").status == 401)
  }

  @Test func ofTwoCookiesOfTheNameNoneCounts() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    browser.cookies.append(("__Host-seif", String(repeating: "A", count: 43)))
    #expect(try browser.get("/account").status == 401)
    let head = HTTPRequestHead(
      method: "GET", path: "/", fields: [HTTPField("Cookie", "a=1; b=2;c=3"), HTTPField("Cookie", "d=4; xa=5")])
    #expect(Cookies.value("a", in: head) == "1")
    #expect(Cookies.value("c", in: head) == "3")
    #expect(Cookies.value("d", in: head) == "4")
    #expect(Cookies.value("e", in: head) == nil)
  }

  // MARK: Fresh

  @Test(arguments: [
    ("DELETE", "/account", nil), ("PUT", "/account/password", "{\"password\":\"another long password\"}"),
    ("POST", "/account/passkeys/begin", nil), ("POST", "/account/totp", nil), ("DELETE", "/account/totp", nil),
    ("POST", "/account/sign-in-codes", nil), ("GET", "/account/export", nil),
    ("POST", "/account/tokens", "{\"label\":\"x\",\"scope\":\"read\"}"),
  ])
  func whatIsGraveNeedsASignInOfTheLastFiveMinutes(_ method: String, _ path: String, _ body: String?) throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    server.wait(300)
    #expect(try browser.send(method, path, body).problem == "fresh-sign-in")
    #expect(try browser.post("/account/freshen", "{\"password\":\"wrong password here\"}").status == 401)
    #expect(try browser.send(method, path, body).problem == "fresh-sign-in")
    #expect(
      try browser.post("/account/freshen", "{\"password\":\"\(AccountServer.password)\"}").status == 204)
    server.wait(299)
    #expect(try browser.send(method, path, body).problem != "fresh-sign-in")
  }

  @Test func freshnessNeedsTheSecondFactorOrAPasskeyOfTheAccount() throws {
    let server = AccountServer()
    let browser = try server.signedIn("anna")
    let passkey = try browser.addPasskey()
    let (secret, _) = try browser.addTOTP()
    let stranger = try server.signedIn("berta").addPasskey()
    server.wait(300)
    let body = "{\"password\":\"\(AccountServer.password)\"}"
    #expect(try browser.post("/account/freshen", body).problem == "second-factor")
    let (begin, finish) = ("/account/freshen/passkey/begin", "/account/freshen/passkey/finish")
    #expect(try browser.post(finish, try stranger.get(try browser.challenge(begin)).json).status == 401)
    #expect(try browser.post("/account/totp").problem == "fresh-sign-in")
    #expect(try browser.post(finish, try passkey.get(try browser.challenge(begin)).json).status == 204)
    #expect(try browser.post("/account/totp").status == 200)
    server.wait(300)
    let code = try server.code(secret)
    let whole = "{\"password\":\"\(AccountServer.password)\",\"code\":\"\(code)\"}"
    #expect(try browser.post("/account/freshen", whole).status == 204)
    #expect(try browser.post("/account/totp").status == 200)
  }

  @Test func anotherPasswordEndsTheOtherSessions() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let other = Browser(server)
    try other.signIn()
    #expect(try browser.send("PUT", "/account/password", "{\"password\":\"short\"}").problem == "weak-password")
    #expect(try browser.send("PUT", "/account/password", "{\"password\":\"another long password\"}").status == 204)
    #expect(try browser.get("/account").status == 200)
    #expect(try other.get("/account").status == 401)
    #expect(try other.signIn().status == 401)
    #expect(try other.signIn(password: "another long password").status == 200)
  }
}
