import SeifBytes
import SeifCrypto
import SeifServer
import SeifServerStore
import Testing

@Suite struct PasskeyTests {
  @Test func aPasskeySignsInWithoutANameOrACode() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    _ = try browser.addTOTP()
    let passkey = try browser.addPasskey()
    let other = Browser(server)
    let begun = try other.post("/account/session/passkey/begin")
    let options = try #require(begun.json?["publicKey"])
    #expect(options["rpId"]?.string == AccountServer.host)
    #expect(options["userVerification"]?.string == "required")
    #expect(options["allowCredentials"] == nil)
    let got = try passkey.get(try #require(options["challenge"]?.string))
    let answer = try other.post("/account/session/passkey/finish", got.json)
    #expect(answer["name"] == "anna")
    #expect(try other.get("/account")["name"] == "anna")
    let list = try #require(try browser.get("/account/passkeys").json?["passkeys"])
    #expect(list.elements.map { $0["label"]?.string } == ["Laptop"])
  }

  @Test func aChallengeIsGoodOnceForFiveMinutesAndForItsPurpose() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let passkey = try browser.addPasskey()
    let finish = "/account/session/passkey/finish"
    let challenge = try browser.challenge("/account/session/passkey/begin")
    #expect(try Browser(server).post(finish, try passkey.get(challenge).json).status == 200)
    #expect(try Browser(server).post(finish, try passkey.get(challenge).json).problem == "sign-in-failed")
    let late = try browser.challenge("/account/session/passkey/begin")
    let freshen = try browser.challenge("/account/freshen/passkey/begin")
    let register = try browser.challenge("/account/passkeys/begin")
    for other in [freshen, register, base64URL([UInt8](repeating: 1, count: 32))] {
      #expect(try Browser(server).post(finish, try passkey.get(other).json).problem == "sign-in-failed")
    }
    server.wait(300)
    #expect(try Browser(server).post(finish, try passkey.get(late).json).problem == "sign-in-failed")
  }

  @Test func aChallengeIsGoodForItsAccountAndCeremonyAlone() throws {
    let server = AccountServer()
    let (anna, berta) = (try server.signedIn("anna"), try server.signedIn("berta"))
    let (annas, bertas) = (try anna.addPasskey(), try berta.addPasskey())
    let (begin, finish) = ("/account/freshen/passkey/begin", "/account/freshen/passkey/finish")
    let (make, keep) = ("/account/passkeys/begin", "/account/passkeys/finish")
    #expect(try berta.post(finish, try bertas.get(try anna.challenge(begin)).json).problem == "sign-in-failed")
    #expect(try anna.post(finish, try annas.get(try anna.challenge(make)).json).problem == "sign-in-failed")
    #expect(try anna.post(finish, try annas.get(try anna.challenge(begin)).json).status == 204)
    let fresh = try SoftwareAuthenticator()
    for challenge in [try anna.challenge(begin), try berta.challenge(make)] {
      #expect(try anna.post(keep, try fresh.create(challenge).json(label: "x")).problem == "bad-credential")
    }
    #expect(try anna.post(keep, try fresh.create(try anna.challenge(make)).json(label: "x")).status == 201)
  }

  @Test func aDisabledAccountsPasskeySignsNobodyIn() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let passkey = try browser.addPasskey()
    let id = try #require(try server.store.account(named: "anna")).id
    let (begin, finish) = ("/account/session/passkey/begin", "/account/session/passkey/finish")
    _ = try server.store.updateAccount(id) { $0.isDisabled = true }
    #expect(try browser.post(finish, try passkey.get(try browser.challenge(begin)).json).problem == "sign-in-failed")
    _ = try server.store.updateAccount(id) { $0.isDisabled = false }
    #expect(try browser.post(finish, try passkey.get(try browser.challenge(begin)).json).status == 200)
  }

  @Test func aPasskeyThatIsUnknownOrRemovedOrWhoseCounterWentBackFailsAlike() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let passkey = try browser.addPasskey()
    let (begin, finish) = ("/account/session/passkey/begin", "/account/session/passkey/finish")
    let failed = try Browser(server).signIn(password: "wrong password here").text
    let stranger = try SoftwareAuthenticator(userHandle: passkey.userHandle)
    #expect(try browser.post(finish, try stranger.get(try browser.challenge(begin)).json).text == failed)
    passkey.signCount = 5
    #expect(try Browser(server).post(finish, try passkey.get(try browser.challenge(begin)).json).status == 200)
    #expect(try Browser(server).post(finish, try passkey.get(try browser.challenge(begin)).json).text == failed)
    passkey.signCount = 6
    passkey.origin = "https://evil.example"
    #expect(try Browser(server).post(finish, try passkey.get(try browser.challenge(begin)).json).text == failed)
    passkey.origin = AccountServer.origin
    #expect(try browser.delete("/account/passkeys/\(base64URL(passkey.credentialID))").status == 204)
    #expect(try browser.delete("/account/passkeys/\(base64URL(passkey.credentialID))").status == 404)
    #expect(try Browser(server).post(finish, try passkey.get(try browser.challenge(begin)).json).text == failed)
  }

  @Test func aKnownPasskeyAndOneTooManyAreConflicts() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let passkey = try browser.addPasskey()
    func keep(_ key: SoftwareAuthenticator) throws -> AccountServer.Answer {
      let challenge = try browser.challenge("/account/passkeys/begin")
      return try browser.post("/account/passkeys/finish", try key.create(challenge).json(label: "x"))
    }
    #expect(try keep(passkey).problem == "conflict")
    for _ in 1..<20 {
      server.wait(10)
      #expect(try keep(SoftwareAuthenticator()).status == 201)
    }
    server.wait(30)
    #expect(try keep(SoftwareAuthenticator()).problem == "too-many")
    #expect(try browser.get("/account").json?["passkeys"]?.int64 == 20)
  }

  /// Case s-webauthn-01 and -02 at the server: what an authenticator derives for a vault is none of its business.
  @Test func resultsOfThePRFExtensionAreRefusedUnread() throws {
    let server = AccountServer()
    let browser = try server.signedIn()
    let canary = "gGrv6irNqACco4r/7cTc1+2u8h8J7O89W11P+mIUeA=="
    let key = try SoftwareAuthenticator()
    let body = try key.create(try browser.challenge("/account/passkeys/begin")).json(label: "x")
    let extended = body.replacing(
      "\"type\":\"public-key\"",
      with: "\"type\":\"public-key\",\"clientExtensionResults\":{\"prf\":{\"results\":{\"first\":\"\(canary)\"}}}")
    let answer = try browser.post("/account/passkeys/finish", extended)
    #expect(answer.problem == "bad-request")
    #expect(!answer.text.contains(canary.prefix(8)))
    #expect(try browser.post("/account/passkeys/finish", body).status == 201, "the challenge wasn't used up")
  }
}
