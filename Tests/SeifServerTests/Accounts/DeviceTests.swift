import SeifBytes
import SeifCrypto
import SeifHTTPFields
import SeifServer
import SeifServerStore
import Testing

@Suite struct DeviceTests {
  /// A device: no origin, no cookies.
  static func device(_ server: AccountServer) -> Browser {
    let device = Browser(server)
    (device.origin, device.site) = (nil, nil)
    return device
  }

  static func ask(_ device: Browser, scope: String = "read+write") throws -> (device: String, user: String) {
    let answer = try device.form("/api/v1/device/code", "client_id=Anna%27s+laptop&scope=\(scope)")
    #expect(answer.status == 200)
    return (try #require(answer["device_code"]), try #require(answer["user_code"]))
  }

  static func poll(_ device: Browser, _ code: String, client: String = "Anna%27s+laptop") throws -> AccountServer.Answer
  {
    let type = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code"
    return try device.form("/api/v1/device/token", "grant_type=\(type)&device_code=\(code)&client_id=\(client)")
  }

  @Test func aDeviceGetsATokenOnceItsCodeWasGranted() throws {
    let server = AccountServer()
    let (browser, device) = (try server.signedIn(), Self.device(server))
    let answer = try device.form("/api/v1/device/code", "client_id=Anna%27s+laptop&scope=read+write")
    #expect(answer["verification_uri"] == "https://docs.example.org/device")
    #expect(answer.json?["expires_in"]?.int64 == 600)
    #expect(answer.json?["interval"]?.int64 == 5)
    let user = try #require(answer["user_code"])
    #expect(user.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/) != nil)
    let code = try #require(answer["device_code"])
    let waits = try Self.poll(device, code)
    #expect(waits.status == 400)
    #expect(waits["error"] == "authorization_pending")
    let typed = user.lowercased().replacing("-", with: " ")
    let shown = try browser.post("/account/device", "{\"code\":\"\(typed)\"}")
    #expect(shown["label"] == "Anna's laptop")
    #expect(shown["scope"] == "read write")
    #expect(try browser.post("/account/device/decision", "{\"code\":\"\(typed)\",\"grant\":true}").status == 204)
    server.wait(5)
    let granted = try Self.poll(device, code)
    #expect(granted.status == 200)
    #expect(granted["token_type"] == "Bearer")
    #expect(granted["scope"] == "read write")
    let token = try #require(granted["access_token"])
    let caller = try server.controller.token(TokenTests.head(token), at: server.now)
    #expect(caller.account.name == "anna")
    #expect(caller.mayWrite)
    #expect(!caller.isFresh)
    server.wait(5)
    #expect(try Self.poll(device, code)["error"] == "invalid_grant", "once")
  }

  @Test func whatIsDeniedIsDenied() throws {
    let server = AccountServer()
    let (browser, device) = (try server.signedIn(), Self.device(server))
    let (code, user) = try Self.ask(device)
    server.wait(600 - 10)
    // Denying needs no fresh sign-in.
    #expect(try browser.post("/account/device/decision", "{\"code\":\"\(user)\",\"grant\":false}").status == 204)
    #expect(try Self.poll(device, code)["error"] == "access_denied")
    #expect(Array(try #require(try browser.get("/account/tokens").json?["tokens"]).elements).isEmpty)
  }

  @Test func grantingNeedsAFreshSignIn() throws {
    let server = AccountServer()
    let (browser, device) = (try server.signedIn(), Self.device(server))
    server.wait(300)
    let (code, user) = try Self.ask(device)
    let body = "{\"code\":\"\(user)\",\"grant\":true}"
    #expect(try browser.post("/account/device/decision", body).problem == "fresh-sign-in")
    #expect(try Self.poll(device, code)["error"] == "authorization_pending")
  }

  @Test func askingTooOftenIsToldToSlowDown() throws {
    let server = AccountServer()
    let device = Self.device(server)
    let (code, _) = try Self.ask(device)
    #expect(try Self.poll(device, code)["error"] == "authorization_pending")
    server.wait(4)
    #expect(try Self.poll(device, code)["error"] == "slow_down")
    server.wait(5)
    #expect(try Self.poll(device, code)["error"] == "authorization_pending")
  }

  @Test func aCodeIsOverAfterTenMinutes() throws {
    let server = AccountServer()
    let (browser, device) = (try server.signedIn(), Self.device(server))
    let (code, user) = try Self.ask(device)
    server.wait(599)
    #expect(try browser.post("/account/device", "{\"code\":\"\(user)\"}").status == 200)
    server.wait(1)
    #expect(try browser.post("/account/device", "{\"code\":\"\(user)\"}").status == 404)
    #expect(try browser.post("/account/device/decision", "{\"code\":\"\(user)\",\"grant\":false}").status == 404)
    #expect(try Self.poll(device, code)["error"] == "expired_token")
  }

  @Test func aDecisionIsMadeOnce() throws {
    let server = AccountServer()
    let (anna, berta) = (try server.signedIn("anna"), try server.signedIn("berta"))
    let device = Self.device(server)
    let (code, user) = try Self.ask(device)
    #expect(try anna.post("/account/device/decision", "{\"code\":\"\(user)\",\"grant\":true}").status == 204)
    #expect(try berta.post("/account/device/decision", "{\"code\":\"\(user)\",\"grant\":true}").status == 404)
    #expect(try anna.post("/account/device", "{\"code\":\"\(user)\"}").status == 404, "decided already")
    let token = try #require(try Self.poll(device, code)["access_token"])
    #expect(try server.controller.token(TokenTests.head(token), at: server.now).account.name == "anna")
  }

  @Test func anAccountThatWasDisabledMeanwhileGivesNoToken() throws {
    let server = AccountServer()
    let (browser, device) = (try server.signedIn(), Self.device(server))
    let (code, user) = try Self.ask(device)
    #expect(try browser.post("/account/device/decision", "{\"code\":\"\(user)\",\"grant\":true}").status == 204)
    let id = try #require(try server.store.account(named: "anna")).id
    _ = try server.store.updateAccount(id) { $0.isDisabled = true }
    #expect(try Self.poll(device, code)["error"] == "access_denied")
    #expect(try server.store.tokens(id).isEmpty)
  }

  @Test func typingCodesIsThrottled() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    for _ in 0..<5 {
      #expect(try browser.post("/account/device", "{\"code\":\"BBBB-BBBB\"}").status == 404)
    }
    let (_, user) = try Self.ask(Self.device(server))
    let refused = try browser.post("/account/device", "{\"code\":\"\(user)\"}")
    #expect(refused.status == 429)
    #expect(refused.field("Retry-After") == "30")
    server.wait(30)
    #expect(try browser.post("/account/device", "{\"code\":\"\(user)\"}").status == 200)
  }

  static let malformed: [(String, String)] = [
    ("", "invalid_request"), ("scope=read", "invalid_request"), ("client_id=a&client_id=b", "invalid_request"),
    ("client_id=%zz", "invalid_request"), ("client_id=%", "invalid_request"), ("client_id=%ff", "invalid_request"),
    ("client_id=a&scope=admin", "invalid_scope"), ("client_id=" + String(repeating: "a", count: 65), "invalid_request"),
  ]

  @Test(arguments: malformed) func aFormThatIsNotOneIsRefused(_ body: String, _ error: String) throws {
    let device = Self.device(AccountServer())
    let answer = try device.form("/api/v1/device/code", body)
    #expect(answer.status == 400)
    #expect(answer["error"] == error)
    #expect(answer.field("Content-Type") == "application/problem+json")
  }

  @Test func aQuestionMustBeTheGrantsOwn() throws {
    let server = AccountServer()
    let device = Self.device(server)
    let (code, _) = try Self.ask(device)
    #expect(try Self.poll(device, code, client: "other")["error"] == "invalid_grant")
    #expect(try Self.poll(device, String(repeating: "A", count: 43))["error"] == "invalid_grant")
    #expect(try Self.poll(device, "")["error"] == "invalid_grant")
    #expect(try device.form("/api/v1/device/token", "client_id=a")["error"] == "invalid_request")
    let other = "grant_type=password&device_code=\(code)&client_id=Anna%27s+laptop"
    #expect(try device.form("/api/v1/device/token", other)["error"] == "unsupported_grant_type")
  }

  @Test func aUserCodeHasNoVowelsAndIsReadInEitherCase() {
    #expect(UserCode.typed("bcdf ghjk") == "BCDFGHJK")
    #expect(UserCode.typed("BCDF-GHJ") == nil)
    #expect(UserCode.typed("BCDF-GHJA") == nil)
    #expect(UserCode.typed("BCDF-GHJK-L") == nil)
    #expect(UserCode.alphabet.count == 20)
    for _ in 0..<100 {
      let code = UserCode.make(.system)
      #expect(UserCode.typed(UserCode.grouped(code)) == code)
    }
  }
}
