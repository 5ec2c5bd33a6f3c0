import SeifBytes
import SeifCrypto
import SeifHTTPFields
import SeifHTTPServer
import SeifServer
import SeifServerStore
import Testing

@Suite struct TokenTests {
  static func token(_ browser: Browser, label: String = "cli", scope: String = "read write") throws -> String {
    let answer = try browser.post("/account/tokens", "{\"label\":\"\(label)\",\"scope\":\"\(scope)\"}")
    #expect(answer.status == 201)
    return try #require(answer["token"])
  }

  static func head(_ token: String) -> HTTPRequestHead {
    HTTPRequestHead(method: "GET", path: "/", fields: [HTTPField("Authorization", "Bearer \(token)")])
  }

  @Test func aTokenIsShownOnceAndStoredAsItsHash() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let token = try Self.token(browser)
    #expect(token.wholeMatch(of: /seif_[A-Za-z0-9_-]{43}/) != nil)
    let list = try browser.get("/account/tokens")
    #expect(!list.text.contains(token.dropFirst(5).prefix(8)))
    let bits = try SecretValue(utf8: String(token.dropFirst(5))).withBytes { try Base64URL.decode($0) }
    let row = try server.controller.token(Self.head(token), at: server.now)
    #expect(row.mayWrite)
    #expect(!row.isFresh)
    #expect(try server.store.token(hash: bits.withBytes { Digest.sha256($0) })?.label == "cli")
  }

  @Test func aTokenToReadMayNotWrite() throws {
    let server = AccountServer()
    let token = try Self.token(server.signedIn(), scope: "read")
    #expect(try !server.controller.token(Self.head(token), at: server.now).mayWrite)
  }

  @Test(arguments: ["", "write", "read  write", "READ"]) func otherScopesAreRefused(_ scope: String) throws {
    let browser = try AccountServer().signedIn()
    #expect(try browser.post("/account/tokens", "{\"label\":\"x\",\"scope\":\"\(scope)\"}").status == 400)
  }

  @Test(arguments: ["", "\\n", String(repeating: "x", count: 65)]) func otherLabelsAreRefused(_ label: String) throws {
    let browser = try AccountServer().signedIn()
    #expect(try browser.post("/account/tokens", "{\"label\":\"\(label)\",\"scope\":\"read\"}").status == 400)
  }

  /// Case s-security-03: a label is data, and comes back character for character.
  @Test func aLabelComesBackAsItWasGiven() throws {
    let browser = try AccountServer().signedIn()
    let label = "\"><img src=x onerror=alert(1)>"
    _ = try Self.token(browser, label: label.replacing("\"", with: "\\\""))
    let answer = try browser.get("/account/tokens")
    #expect(try #require(answer.json?["tokens"]).elements.map { $0["label"]?.string } == [label])
    #expect(answer.field("Content-Type") == "application/json")
    #expect(answer.field("X-Content-Type-Options") == "nosniff")
    #expect(answer.field("Content-Security-Policy")?.contains("default-src 'none'") == true)
  }

  @Test func aTokenEndsNinetyDaysAfterItsLastUse() throws {
    let server = AccountServer()
    let token = try Self.token(server.signedIn())
    let day: Int64 = 86_400
    server.wait(90 * day - 1)
    #expect(throws: Never.self) { try server.controller.token(Self.head(token), at: server.now) }
    server.wait(90 * day - 1)
    #expect(throws: Never.self) { try server.controller.token(Self.head(token), at: server.now) }
    server.wait(90 * day)
    #expect(throws: AccountProblem(.notSignedIn)) { try server.controller.token(Self.head(token), at: server.now) }
  }

  @Test func aUseIsNotedOnceAnHour() throws {
    let server = AccountServer()
    let token = try Self.token(server.signedIn())
    let id = try #require(try server.store.account(named: "anna")).id
    server.wait(3599)
    _ = try server.controller.token(Self.head(token), at: server.now)
    #expect(try server.store.tokens(id).first?.usedAt == AccountServer.start)
    server.wait(1)
    _ = try server.controller.token(Self.head(token), at: server.now)
    #expect(try server.store.tokens(id).first?.usedAt == server.now)
  }

  @Test func atMostFiftyAndARemovedOneIsOver() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let first = try Self.token(browser)
    for _ in 1..<50 { _ = try Self.token(browser) }
    let tooMany = try browser.post("/account/tokens", "{\"label\":\"x\",\"scope\":\"read\"}")
    #expect(tooMany.status == 409)
    #expect(tooMany.problem == "too-many")
    let row = try server.controller.token(Self.head(first), at: server.now)
    guard case .token(let token) = row.means else { throw AccountProblem(.notFound) }
    #expect(try browser.delete("/account/tokens/\(token.id)").status == 204)
    #expect(try browser.delete("/account/tokens/\(token.id)").status == 404)
    #expect(try browser.delete("/account/tokens/nothing").status == 404)
    #expect(throws: AccountProblem(.notSignedIn)) { try server.controller.token(Self.head(first), at: server.now) }
  }

  @Test func nobodyRemovesAnothersToken() throws {
    let server = AccountServer()
    let (anna, berta) = (try server.signedIn("anna"), try server.signedIn("berta"))
    let token = try Self.token(anna)
    guard case .token(let row) = try server.controller.token(Self.head(token), at: server.now).means else { return }
    #expect(try berta.delete("/account/tokens/\(row.id)").status == 404)
    #expect(throws: Never.self) { try server.controller.token(Self.head(token), at: server.now) }
  }

  @Test(arguments: [
    "", "Bearer", "Bearer ", "Basic YTpi", "Bearer seif_", "Bearer sief_" + String(repeating: "A", count: 43),
    "Bearer  seif_" + String(repeating: "A", count: 43), "Bearer seif_" + String(repeating: "A", count: 42),
    "Bearer seif_" + String(repeating: "A", count: 43),
  ]) func whatIsNoTokenIsNobody(_ text: String) throws {
    let server = AccountServer()
    var head = HTTPRequestHead(method: "GET", path: "/")
    head.fields = [HTTPField("Authorization", text)]
    #expect(throws: AccountProblem(.notSignedIn)) { try server.controller.token(head, at: server.now) }
  }

  @Test func aTokenIsFreshOnlyAfterItsOwnersPassword() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let (secret, _) = try browser.addTOTP()
    let token = try Self.token(browser)
    let app = Browser(server)
    (app.origin, app.site) = (nil, nil)
    app.fields = [HTTPField("Authorization", "Bearer \(token)")]
    server.wait(30)
    #expect(try app.post("/api/v1/freshen", "{\"password\":\"wrong password here\"}").problem == "sign-in-failed")
    #expect(
      try app.post("/api/v1/freshen", "{\"password\":\"\(AccountServer.password)\"}").problem == "second-factor")
    #expect(try !server.controller.token(Self.head(token), at: server.now).isFresh)
    let body = "{\"password\":\"\(AccountServer.password)\",\"code\":\"\(try server.code(secret))\"}"
    #expect(try app.post("/api/v1/freshen", body).status == 204)
    #expect(try server.controller.token(Self.head(token), at: server.now).isFresh)
    server.wait(300)
    #expect(try !server.controller.token(Self.head(token), at: server.now).isFresh)
  }
}
