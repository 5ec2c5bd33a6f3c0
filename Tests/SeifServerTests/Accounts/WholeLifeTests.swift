import SeifBytes
import SeifCrypto
import SeifHTTPFields
import SeifServer
import SeifServerStore
import SeifTestSupport
import Testing

/// An account from its link to its end, on the store of tests and on the one that servers have: what is answered is the
/// same.
@Suite struct WholeLifeTests {
  /// Each answer's status and problem, in order.
  static func life(_ server: AccountServer) throws -> [String] {
    var log: [String] = []
    func note(_ answer: AccountServer.Answer) -> AccountServer.Answer {
      log.append("\(answer.status) \(answer.problem ?? "") \(answer["error"] ?? "")")
      return answer
    }
    let (id, token) = try server.invite("anna")
    let browser = Browser(server)
    let enrolment = "{\"password\":\"\(AccountServer.password)\"}"
    _ = note(try browser.post("/account/enrol/\(token)", enrolment))
    _ = note(try browser.post("/account/enrol/\(token)", enrolment))
    _ = note(try browser.signIn(password: "wrong password here"))
    _ = note(try browser.signIn())
    let (secret, codes) = try browser.addTOTP()
    // The code that confirmed it doesn't sign in too.
    _ = note(try Browser(server).signIn(code: try server.code(secret)))
    server.wait(30)
    _ = note(try Browser(server).signIn())
    _ = note(try Browser(server).signIn(code: try server.code(secret)))
    _ = note(try Browser(server).signIn(code: try server.code(secret)))
    _ = note(try Browser(server).signIn(code: codes[3]))
    _ = note(try Browser(server).signIn(code: codes[3]))
    let passkey = try browser.addPasskey()
    passkey.signCount = 3
    for _ in 0..<2 {
      let challenge = try browser.challenge("/account/session/passkey/begin")
      _ = note(try Browser(server).post("/account/session/passkey/finish", try passkey.get(challenge).json))
    }
    let made = note(try browser.post("/account/tokens", "{\"label\":\"cli\",\"scope\":\"read\"}"))
    let app = DeviceTests.device(server)
    app.fields = [HTTPField("Authorization", "Bearer \(made["token"] ?? "")")]
    server.wait(60)
    let second = "{\"password\":\"\(AccountServer.password)\",\"code\":\"\(try server.code(secret))\"}"
    _ = note(try app.post("/api/v1/freshen", second))
    let (code, user) = try DeviceTests.ask(DeviceTests.device(server))
    _ = note(try DeviceTests.poll(DeviceTests.device(server), code))
    _ = note(try DeviceTests.poll(DeviceTests.device(server), code))
    _ = note(try browser.post("/account/device/decision", "{\"code\":\"\(user)\",\"grant\":true}"))
    server.wait(5)
    _ = note(try DeviceTests.poll(DeviceTests.device(server), code))
    _ = note(try DeviceTests.poll(DeviceTests.device(server), code))
    let export = note(try browser.get("/account/export"))
    log.append("\(export.json?["sessions"]?.elements.map { $0["current"]?.bool ?? false }.count ?? 0) sessions")
    log.append("\(export.json?["tokens"]?.elements.map { $0["label"]?.string ?? "" } ?? [])")
    server.wait(300)
    _ = note(try browser.delete("/account"))
    _ = note(
      try browser.post("/account/freshen", "{\"password\":\"\(AccountServer.password)\",\"code\":\"\(codes[0])\"}"))
    _ = note(try browser.send("PUT", "/account/password", "{\"password\":\"another long password\"}"))
    _ = note(try Browser(server).signIn())
    _ = note(try browser.delete("/account/totp"))
    _ = note(try Browser(server).signIn(password: "another long password"))
    for attempt in 0..<22 {
      let other = Browser(server)
      other.peer = "10.0.\(attempt).1"
      _ = note(try other.signIn(password: "wrong password here"))
    }
    server.wait(30)
    _ = note(try browser.delete("/account"))
    _ = note(try browser.get("/account"))
    server.wait(30)
    _ = note(try Browser(server).signIn(password: "another long password"))
    #expect(try server.backing.account(id) == nil)
    #expect(try server.backing.sessions(id).isEmpty)
    #expect(try server.backing.tokens(id).isEmpty)
    #expect(try server.backing.passkeys(id).isEmpty)
    return log
  }

  @Test func bothStoresAnswerAlike() throws {
    let folder = try ServerKeyTests.folder()
    let database = try SQLiteServerStore(path: folder + "/server.db")
    let (one, other) = (try Self.life(AccountServer()), try Self.life(AccountServer(backing: database)))
    #expect(one == other)
    #expect(
      one.prefix(9) == [
        "200  ", "404 no-such-link ", "401 sign-in-failed ", "200  ", "401 sign-in-failed ", "401 second-factor ",
        "200  ",
        "401 sign-in-failed ", "200  ",
      ])
    #expect(one.contains("400 device slow_down"))
    #expect(one.contains("429 throttled "))
    #expect(one.suffix(3) == ["204  ", "401 not-signed-in ", "401 sign-in-failed "])
  }
}
