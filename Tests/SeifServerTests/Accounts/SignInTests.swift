import SeifBytes
import SeifCrypto
import SeifHTTPFields
import SeifServer
import SeifServerStore
import Synchronization
import Testing

@Suite struct SignInTests {
  @Test func aLinkIsGoodOnceAndForADay() throws {
    let server = AccountServer()
    let (_, token) = try server.invite("anna")
    let browser = Browser(server)
    let body = "{\"password\":\"\(AccountServer.password)\"}"
    let first = try browser.post("/account/enrol/\(token)", body)
    #expect(first.status == 200)
    #expect(first["name"] == "anna")
    let again = try browser.post("/account/enrol/\(token)", body)
    #expect(again.status == 404)
    #expect(again.problem == "no-such-link")
    let (_, late) = try server.invite("berta")
    server.wait(86_400)
    #expect(try browser.post("/account/enrol/\(late)", body).text == again.text)
    let before = server.work
    #expect(try browser.post("/account/enrol/\(String(repeating: "A", count: 43))", body).text == again.text)
    #expect(server.work == before, "what is no link costs no derivation")
  }

  @Test func aWeakPasswordDoesNotUseTheLinkUp() throws {
    let server = AccountServer()
    let (_, token) = try server.invite("anna")
    let browser = Browser(server)
    #expect(try browser.post("/account/enrol/\(token)", "{\"password\":\"short\"}").problem == "weak-password")
    #expect(try browser.post("/account/enrol/\(token)", "{\"password\":\"annaannaanna\"}").problem == "weak-password")
    #expect(
      try browser.post("/account/enrol/\(token)", "{\"password\":\"\(AccountServer.password)\"}").status == 200)
  }

  @Test func anotherLinkSetsAnotherPasswordAndEndsSessions() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let secret = BearerSecret(.system)
    let id = try #require(try server.store.account(named: "anna")).id
    try server.store.putEnrolment(
      EnrolmentRow(account: id, tokenHash: secret.hash, endsAt: Timestamp(seconds: server.now.seconds + 60)))
    let token = try #require(secret.text.exposedText())
    #expect(
      try Browser(server).post("/account/enrol/\(token)", "{\"password\":\"another long password\"}").status == 200)
    #expect(try browser.get("/account").status == 401)
    #expect(try browser.signIn().status == 401)
    #expect(try browser.signIn(password: "another long password").status == 200)
  }

  @Test func aNameSignsInInEitherCase() throws {
    let server = AccountServer()
    try server.enrol()
    #expect(try Browser(server).signIn("ANNA").status == 200)
  }

  @Test func aPasswordIsOneHoweverItsAccentIsWritten() throws {
    let server = AccountServer()
    try server.enrol(password: "caf\u{E9} con leche doble")
    #expect(try Browser(server).signIn(password: "cafe\u{301} con leche doble").status == 200)
  }

  /// What fails has one text, one status and one derivation, whatever the reason.
  @Test func nobodyLearnsWhetherAnAccountExists() throws {
    let server = AccountServer()
    let id = try server.enrol()
    try server.enrol("off")
    _ = try server.invite("new")
    let off = try #require(try server.store.account(named: "off")).id
    _ = try server.store.updateAccount(off) { $0.isDisabled = true }
    var answers: Set<String> = []
    let wrong = [("anna", "wrong password here"), ("nobody", "x"), ("no body!", "x"), ("off", AccountServer.password)]
    let more = [("new", AccountServer.password), ("anna", ""), ("anna", String(repeating: "a", count: 1100))]
    for (name, password) in wrong + more {
      let before = server.work
      let answer = try Browser(server).signIn(name, password: password)
      #expect(answer.status == 401)
      #expect(server.work == before + 1, "one derivation for \(name)")
      answers.insert(answer.text)
      #expect(
        answer.fields.map(\.name) == [
          "Cache-Control", "X-Content-Type-Options", "Cross-Origin-Resource-Policy",
          "Content-Security-Policy", "Referrer-Policy", "Content-Type",
        ])
    }
    #expect(answers.count == 1)
    #expect(try server.store.sessions(id).isEmpty)
    let before = server.work
    #expect(try Browser(server).signIn().status == 200)
    #expect(server.work == before + 1)
  }

  @Test func aDisabledAccountIsSignedOutAndItsTokensRest() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let token = try #require(
      try browser.post("/account/tokens", "{\"label\":\"cli\",\"scope\":\"read\"}")["token"])
    let id = try #require(try server.store.account(named: "anna")).id
    _ = try server.store.updateAccount(id) { $0.isDisabled = true }
    #expect(try browser.get("/account").problem == "not-signed-in")
    let app = Browser(server)
    app.fields = [HTTPField("Authorization", "Bearer \(token)")]
    #expect(try app.post("/api/v1/freshen", "{\"password\":\"\(AccountServer.password)\"}").status == 401)
    _ = try server.store.updateAccount(id) { $0.isDisabled = false }
    #expect(try app.post("/api/v1/freshen", "{\"password\":\"\(AccountServer.password)\"}").status == 204)
  }

  // MARK: Second factors

  @Test func withTOTPThePasswordAloneIsHalf() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let (secret, codes) = try browser.addTOTP()
    #expect(codes.count == 10)
    let other = Browser(server)
    let half = try other.signIn()
    #expect(half.status == 401)
    #expect(half.problem == "second-factor")
    #expect(half.cookie("__Host-seif") == nil)
    // Wrong password: nothing is said of a second factor.
    #expect(try other.signIn(password: "wrong password here").problem == "sign-in-failed")
    server.wait(30)
    #expect(try other.signIn(code: "000000").problem == "sign-in-failed")
    let code = try server.code(secret)
    #expect(try other.signIn(code: code).status == 200)
    #expect(try Browser(server).signIn(code: code).problem == "sign-in-failed", "a step is good once")
  }

  @Test(arguments: [(-2, false), (-1, true), (0, true), (1, true), (2, false)])
  func aCodeOfOneStepBeforeOrAfterIsTaken(_ step: Int, _ isTaken: Bool) throws {
    let server = AccountServer()
    let (secret, _) = try server.signedIn().addTOTP()
    server.wait(300)
    let code = try server.code(secret, step: Int64(step))
    #expect(try Browser(server).signIn(code: code).status == (isTaken ? 200 : 401))
  }

  @Test func anEarlierStepIsOverOnceALaterOneWasUsed() throws {
    let server = AccountServer()
    let (secret, _) = try server.signedIn().addTOTP()
    server.wait(300)
    #expect(try Browser(server).signIn(code: try server.code(secret, step: 1)).status == 200)
    #expect(try Browser(server).signIn(code: try server.code(secret, step: 0)).status == 401)
  }

  @Test func aSignInCodeIsGoodOnceHoweverItIsTyped() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let (_, codes) = try browser.addTOTP()
    let code = try #require(codes.first as String?)
    #expect(code.split(separator: "-").map(\.count) == [4, 4, 4, 4])
    let typed = code.lowercased().replacing("-", with: " ")
    #expect(try Browser(server).signIn(code: typed).status == 200)
    #expect(try Browser(server).signIn(code: code).status == 401)
    #expect(try browser.get("/account/sign-in-codes").json?["left"]?.int64 == 9)
    let fresh = try browser.post("/account/sign-in-codes")
    #expect(try #require(fresh.json?["codes"]).elements.compactMap { $0.string }.count == 10)
    #expect(try Browser(server).signIn(code: codes[1]).status == 401, "earlier codes end")
  }

  @Test func oneAccountsSignInCodeIsNotAnothers() throws {
    let server = AccountServer()
    let (_, codes) = try server.signedIn("anna").addTOTP()
    _ = try server.signedIn("berta").addTOTP()
    #expect(try Browser(server).signIn("berta", code: codes[0]).status == 401)
    #expect(try Browser(server).signIn("anna", code: codes[0]).status == 200)
  }

  @Test func anOfferChangesNothingUntilItIsConfirmed() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    #expect(try browser.post("/account/totp/confirm", "{\"code\":\"123456\"}").problem == "conflict")
    #expect(try browser.post("/account/sign-in-codes").problem == "conflict")
    let offer = try browser.post("/account/totp")
    #expect(offer["uri"]?.hasPrefix("otpauth://totp/docs.example.org:anna?secret=") == true)
    #expect(try browser.post("/account/totp/confirm", "{\"code\":\"12345\"}").problem == "bad-code")
    #expect(try Browser(server).signIn().status == 200)
    let newer = try #require(try browser.post("/account/totp")["secret"])
    let older = try server.code(try #require(offer["secret"]))
    #expect(try browser.post("/account/totp/confirm", "{\"code\":\"\(older)\"}").problem == "bad-code")
    #expect(
      try browser.post("/account/totp/confirm", "{\"code\":\"\(try server.code(newer))\"}").status == 200)
    #expect(try Browser(server).signIn().problem == "second-factor")
    #expect(try browser.delete("/account/totp").status == 204)
    #expect(try Browser(server).signIn().status == 200)
    #expect(try browser.get("/account/sign-in-codes").json?["left"]?.int64 == 0)
  }

  @Test func anotherOfferMeanwhileIsNotPutInPlaceByThisCode() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let secret = try #require(try browser.post("/account/totp")["secret"])
    let id = try #require(try server.store.account(named: "anna")).id
    let store = server.store
    server.store.meanwhile.withLock { $0 = { _ = try? store.updateAccount(id) { $0.totpOffered = [1] } } }
    let code = try server.code(secret)
    #expect(try browser.post("/account/totp/confirm", "{\"code\":\"\(code)\"}").problem == "conflict")
    #expect(try server.store.account(id)?.totp == nil)
  }

  @Test func twoAccountsCodesAreStoredDifferently() {
    let code = SecretValue(utf8: "23456789ABCDEFGH")
    let random = RandomSource.system
    #expect(SignInCodes.hash(code, account: random.makeUUID()) != SignInCodes.hash(code, account: random.makeUUID()))
  }

  @Test func aTOTPSecretIsStoredSealedAndOpensForItsAccountAlone() throws {
    let server = AccountServer()
    let (secret, _) = try server.signedIn().addTOTP()
    let row = try #require(try server.store.account(named: "anna"))
    let sealed = try #require(row.totp)
    let bytes = try SecretValue(utf8: secret).withBytes { try Base32.decodeLeniently($0) }
    #expect(sealed.count == 28 + 20)
    #expect(try server.key.open(sealed, purpose: "totp", account: row.id) == bytes)
    #expect(throws: CryptoError.authenticationFailed) {
      try server.key.open(sealed, purpose: "totp", account: RandomSource.system.makeUUID())
    }
    #expect(throws: CryptoError.authenticationFailed) {
      try server.key.open(sealed, purpose: "other", account: row.id)
    }
  }
}
