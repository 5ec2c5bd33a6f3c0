import Glibc
import SeifBytes
import SeifCrypto
import SeifHTTPFields
import SeifServer
import SeifServerStore
import Synchronization
import Testing

/// What is good once is good once, however many ask at one moment, on the store that servers have.
@Suite(.timeLimit(.minutes(15))) struct AtOnceTests {
  /// How many of so many requests at once are answered with a status.
  static func count(
    _ status: Int, of threadCount: Int = 8, _ send: @escaping @Sendable (Int) throws -> AccountServer.Answer
  ) -> Int {
    let count = Mutex(0)
    let threads = (0..<threadCount).map { index in
      Worker {
        guard let answer = try? send(index), answer.status == status else { return }
        count.withLock { $0 += 1 }
      }
    }
    for thread in threads { thread.join() }
    return count.withLock { $0 }
  }

  static func server() throws -> AccountServer {
    AccountServer(backing: try SQLiteServerStore(path: try ServerKeyTests.folder() + "/server.db"))
  }

  @Test func aLinkIsUsedByOne() throws {
    let server = try Self.server()
    let (_, token) = try server.invite("anna")
    let body = "{\"password\":\"\(AccountServer.password)\"}"
    #expect(Self.count(200) { _ in try Browser(server).post("/account/enrol/\(token)", body) } == 1)
  }

  @Test func aSignInCodeAndACodeOfTheClockSignOneIn() throws {
    let server = try Self.server()
    let (secret, codes) = try server.signedIn().addTOTP()
    server.wait(30)
    let known = Browser(server)
    try known.signIn(code: codes[0])
    let (mark, code) = (known.cookies.filter { $0.name == "__Host-seif-known" }, try server.code(secret))
    for second in [codes[1], code] {
      server.wait(0)
      let signedIn = Self.count(200, of: 5) { _ in
        let browser = Browser(server)
        browser.cookies = mark
        return try browser.signIn(code: second)
      }
      #expect(signedIn == 1)
    }
  }

  @Test func anAnswerOfAPasskeySignsOneIn() throws {
    let server = try Self.server()
    let browser = try server.signedIn()
    let passkey = try browser.addPasskey()
    let json = try passkey.get(try browser.challenge("/account/session/passkey/begin")).json
    #expect(Self.count(200) { _ in try Browser(server).post("/account/session/passkey/finish", json) } == 1)
  }

  @Test func oneQuestionGetsADevicesToken() throws {
    let server = try Self.server()
    let browser = try server.signedIn()
    let (code, user) = try DeviceTests.ask(DeviceTests.device(server))
    #expect(try browser.post("/account/device/decision", "{\"code\":\"\(user)\",\"grant\":true}").status == 204)
    #expect(Self.count(200) { _ in try DeviceTests.poll(DeviceTests.device(server), code) } == 1)
    let id = try #require(try server.backing.account(named: "anna")).id
    #expect(try server.backing.tokens(id).count == 1)
  }

  @Test func tooManyAtOnceAreStillTooMany() throws {
    let server = try Self.server()
    try server.enrol()
    let refused = Self.count(429, of: 16) { index in
      let browser = Browser(server)
      browser.peer = "10.0.\(index).1"
      return try browser.signIn(password: "wrong password here")
    }
    #expect(refused == 6)
  }
}
