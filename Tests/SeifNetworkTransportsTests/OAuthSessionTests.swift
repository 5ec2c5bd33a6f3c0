import Glibc
import SeifBackups
import SeifBytes
import SeifHTTP
import SeifTestSupport
import SeifTransportTesting
import Synchronization
import Testing
import SeifHTTPFields

@testable import SeifNetworkTransports

/// Access tokens: fetched, used, fetched again.
@Suite struct OAuthSessionTests {
  private static func client(_ device: String? = nil) -> OAuthClient {
    OAuthClient(
      place: "cloud", clientID: "me", clientSecret: SecretValue(utf8: "s3cret"),
      authorizationAddress: "https://accounts.example/auth", tokenAddress: "https://tokens.example/token",
      deviceAddress: device, scope: "files", neededScope: "files", extras: [("prompt", "consent")])
  }

  private static func settings(_ keep: (@Sendable (String, SecretValue) throws -> Void)? = nil) -> TransportSettings {
    var settings = TransportSettings(
      name: "cloud", kind: "x", secrets: ["refresh-token": SecretValue(utf8: "refresh-0")])
    settings.keepSecret = keep
    return settings
  }

  private static func tokens(_ access: String, _ more: String = "") -> HTTPResponse {
    HTTPResponse(
      status: 200, body: SecretValue(utf8: #"{"access_token":"\#(access)","token_type":"Bearer"\#(more)}"#))
  }

  private static func isToken(_ request: HTTPRequest) -> Bool { request.url == "https://tokens.example/token" }

  private static func bearer(_ request: HTTPRequest) -> String? {
    guard case .bearer(let token) = request.authentication else { return nil }
    return token.exposedText()
  }

  private static let question = HTTPRequest("GET", "https://api.example/files")

  @Test func oneTokenServesManyRequests() throws {
    let server = S3Script { request in
      Self.isToken(request) ? Self.tokens("one", #","expires_in":3600"#) : HTTPResponse(status: 200)
    }
    let session = OAuthSession(Self.client(), Self.settings()) { 1000 }
    for _ in 0..<3 { #expect(try session.send(Self.question, place: "p", by: server).status == 200) }
    #expect(server.requests.map(Self.bearer) == [nil, "one", "one", "one"])
    let form = server.requests[0]
    #expect(
      form.body?.exposedText() == "grant_type=refresh_token&refresh_token=refresh-0&client_id=me&client_secret=s3cret")
    #expect(form.method == "POST")
    #expect(form.fields.contains(HTTPField("Content-Type", "application/x-www-form-urlencoded")))
  }

  @Test func aRefusedTokenIsReplacedOnce() throws {
    let count = Mutex(0)
    let server = S3Script { request in
      guard Self.isToken(request) else { return HTTPResponse(status: Self.bearer(request) == "token-2" ? 200 : 401) }
      return Self.tokens("token-\(count.withLock { $0 += 1; return $0 })")
    }
    let session = OAuthSession(Self.client(), Self.settings()) { 0 }
    #expect(try session.send(Self.question, place: "p", by: server).status == 200)
    #expect(server.requests.map(Self.bearer) == [nil, "token-1", nil, "token-2"])
    // One that is refused again stays refused: no circle.
    let stubborn = S3Script { Self.isToken($0) ? Self.tokens("x") : HTTPResponse(status: 401) }
    #expect(
      try OAuthSession(Self.client(), Self.settings()).send(Self.question, place: "p", by: stubborn).status == 401)
    #expect(stubborn.requests.count == 4)
  }

  @Test func aTokenIsReplacedBeforeItEnds() throws {
    let now = Mutex<Int64>(0)
    let server = S3Script { Self.isToken($0) ? Self.tokens("x", #","expires_in":600"#) : HTTPResponse(status: 200) }
    let session = OAuthSession(Self.client(), Self.settings()) { now.withLock { $0 } }
    for (time, count) in [(0, 2), (539, 3), (540, 5), (1079, 6), (1080, 8)] as [(Int64, Int)] {
      now.withLock { $0 = time }
      _ = try session.send(Self.question, place: "p", by: server)
      #expect(server.requests.count == count, "\(time)")
    }
  }

  @Test func aReplacedPermissionIsKeptAndUsed() throws {
    let kept = Mutex<[String]>([])
    let count = Mutex(0)
    let server = S3Script { request in
      guard Self.isToken(request) else { return HTTPResponse(status: 200) }
      let number = count.withLock {
        $0 += 1; return $0
      }
      return Self.tokens("x", #","expires_in":0,"refresh_token":"refresh-\#(number)""#)
    }
    let session = OAuthSession(
      Self.client(),
      Self.settings { field, value in kept.withLock { $0.append("\(field)=\(value.exposedText() ?? "")") } }
    ) { 0 }
    for _ in 0..<2 { _ = try session.send(Self.question, place: "p", by: server) }
    #expect(kept.withLock { $0 } == ["refresh-token=refresh-1", "refresh-token=refresh-2"])
    let sent = server.requests.filter(Self.isToken).map { $0.body?.exposedText()?.contains("refresh_token=refresh-0&") }
    #expect(sent == [true, false])
  }

  @Test func aReplacedPermissionThatNobodyKeepsIsSaid() throws {
    struct Full: Error {}
    let server = S3Script { _ in Self.tokens("x", #","refresh_token":"next""#) }
    for keep in [nil, { _, _ in throw Full() }] as [(@Sendable (String, SecretValue) throws -> Void)?] {
      let session = OAuthSession(Self.client(), Self.settings(keep))
      let error = #expect(throws: TransportError.self) { try session.send(Self.question, place: "p", by: server) }
      #expect(error?.code == .unauthorized)
      #expect(error?.reason.contains("couldn't be kept") == true)
    }
    // The same one again is no other.
    let same = S3Script {
      Self.isToken($0) ? Self.tokens("x", #","refresh_token":"refresh-0""#) : HTTPResponse(status: 200)
    }
    #expect(try OAuthSession(Self.client(), Self.settings()).send(Self.question, place: "p", by: same).status == 200)
  }

  @Test(arguments: [
    (400, #"{"error":"invalid_grant"}"#, TransportError.Code.unauthorized, "allow Seif again"),
    (401, #"{"error":"invalid_client"}"#, .badSettings, "client"), (400, #"{"error":"new_code"}"#, .failed, "new_code"),
    (503, "<html>", .busy, "503"), (500, "", .unavailable, "500"), (302, "", .redirected, "302"),
    (429, #"{"error":"rate_limit_exceeded"}"#, .busy, "rate"), (200, "<html>Welcome</html>", .badAnswer, "gave none"),
    (200, #"{"access_token":"x","token_type":"bearer","scope":"other"}"#, .noPermission, "tick"),
  ])
  func refusalsOfATokenAreSaidInWords(status: Int, body: String, code: TransportError.Code, words: String) throws {
    let server = S3Script { _ in HTTPResponse(status: status, body: SecretValue(utf8: body)) }
    let error = #expect(throws: TransportError.self) {
      try OAuthSession(Self.client(), Self.settings()).send(Self.question, place: "p", by: server)
    }
    #expect(error?.code == code)
    #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    #expect(error?.description.contains("refresh-0") == false)
    #expect(server.requests.count == 1)
  }

  @Test func withoutAPermissionNobodyIsAsked() throws {
    let server = S3Script { _ in HTTPResponse(status: 200) }
    let session = OAuthSession(Self.client(), TransportSettings(name: "cloud", kind: "x"))
    #expect(throws: TransportError(.unauthorized, place: "")) {
      try session.send(Self.question, place: "p", by: server)
    }
    #expect(server.requests.isEmpty)
  }

  // MARK: - Allowing it

  @Test func theAddressHoldsNoSecret() {
    let proof = PKCE(verifier: SecretValue(utf8: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    #expect(
      Self.client().address(proof, state: "st", redirect: "http://127.0.0.1:5/allowed")
        == "https://accounts.example/auth?client_id=me&response_type=code"
        + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A5%2Fallowed&scope=files"
        + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&state=st&prompt=consent"
    )
  }

  private func wait(_ answers: [String], seconds: Int64 = 600) -> (Result<String?, TransportError>, [Int]) {
    let left = Mutex(answers)
    let server = S3Script { _ in
      let next = left.withLock { $0.isEmpty ? "authorization_pending" : $0.removeFirst() }
      return next == "ok"
        ? Self.tokens("x", #","refresh_token":"r""#)
        : HTTPResponse(status: 428, body: SecretValue(utf8: #"{"error":"\#(next)"}"#))
    }
    let clock = Mutex<(now: Int64, waits: [Int])>((0, []))
    let time = RetryingClient.Time(
      sleep: { milliseconds in
        clock.withLock {
          $0.now += Int64(milliseconds / 1000)
          $0.waits.append(milliseconds)
        }
      }, now: { clock.withLock { $0.now } }, draw: { $0.upperBound })
    let device = OAuthAnswer.Device(
      code: SecretValue(utf8: "d"), userCode: "AB", address: "https://x", seconds: seconds, interval: 5)
    let result = Result { () throws(TransportError) in
      try Self.client("https://x/device").wait(for: device, by: server, time: time).refresh?.exposedText()
    }
    return (result, clock.withLock { $0.waits })
  }

  @Test func aPersonWithAnotherMachineIsWaitedFor() throws {
    let (result, waits) = wait(["authorization_pending", "slow_down", "authorization_pending", "ok"])
    #expect(try result.get() == "r")
    #expect(waits == [5000, 5000, 10_000, 10_000])
  }

  @Test func aPersonWhoRefusesOrDoesNothingIsNotWaitedForLonger() {
    func code(_ result: Result<String?, TransportError>) -> TransportError.Code? {
      if case .failure(let error) = result { error.code } else { nil }
    }
    #expect(code(wait(["authorization_pending", "access_denied"]).0) == .unauthorized)
    #expect(code(wait(["expired_token"]).0) == .timedOut)
    let (result, waits) = wait([], seconds: 60)
    #expect(code(result) == .timedOut)
    #expect(waits.count == 12)
    #expect(code(wait([], seconds: 0).0) == .timedOut)
  }

  // MARK: - The browser that comes back

  @Test func onlyTheAnswerToWhatWasAskedIsTaken() throws {
    let listener = try LoopbackListener()
    let (start, state) = (listener.redirect, SecretValue(utf8: "st"))
    let icon = "http://\(listener.host)/favicon.ico"
    let browser = SideBrowser([
      icon, start, "\(start)?code=evil&state=xx", "\(start)?code=good&state=st", "\(start)?code=late&state=st",
    ])
    #expect(try listener.answer(to: state) == .code(SecretValue(utf8: "good")))
    let seen = browser.wait()
    #expect(seen.map(\.status) == [404, 400, 400, 200, 0])
    #expect(!seen.contains { $0.body.contains("good") || $0.body.contains("evil") })
  }

  @Test func nobodyIsWaitedForForEver() throws {
    #expect(throws: LoopbackListener.Failure.timedOut) {
      try LoopbackListener().answer(to: SecretValue(utf8: "st"), milliseconds: (50, 50))
    }
  }

  @Test func howeverManyOthersComeTheBrowserIsHeard() throws {
    let listener = try LoopbackListener()
    let (start, state) = (listener.redirect, SecretValue(utf8: "st"))
    let wrong = Array(repeating: "\(start)?code=evil&state=xx", count: LoopbackListener.mostConnections + 10)
    let browser = SideBrowser(wrong + ["\(start)?code=good&state=st"])
    #expect(try listener.answer(to: state) == .code(SecretValue(utf8: "good")))
    #expect(browser.wait().map(\.status) == wrong.map { _ in 400 } + [200])
  }

  @Test func thoseWhoSayNothingHoldNobodyUp() throws {
    let listener = try LoopbackListener()
    let silent = try (0..<LoopbackListener.mostConnections + 10).map { _ in try Self.connect(listener.port) }
    defer { for connection in silent { close(connection) } }
    let browser = SideBrowser(["\(listener.redirect)?code=good&state=st"])
    // Waited for one after the other, the first alone would use up all the time there is.
    let answer = try listener.answer(to: SecretValue(utf8: "st"), milliseconds: (60_000, 60_000))
    #expect(answer == .code(SecretValue(utf8: "good")))
    #expect(browser.wait().map(\.status) == [200])
  }

  private static func connect(_ port: UInt16) throws -> Int32 {
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try #require(isConnected)
    return connection
  }
}

/// Opens addresses one after the other, beside the test; 0 for one that nobody answers.
private final class SideBrowser: Sendable {
  private let pages = Mutex<[(status: Int, body: String)]?>(nil)

  init(_ addresses: [String]) {
    SideThread {
      let seen = addresses.map { (try? CloudStandIn.browse($0)) ?? (0, "") }
      self.pages.withLock { $0 = seen }
    }.start()
  }

  func wait() -> [(status: Int, body: String)] {
    while true {
      if let seen = pages.withLock({ $0 }) { return seen }
      usleep(2_000)
    }
  }
}
