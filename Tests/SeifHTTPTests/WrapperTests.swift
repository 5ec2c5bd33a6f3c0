import SeifBytes
import Synchronization
import Testing
import SeifHTTPFields

@testable import SeifHTTP

/// A client that has its answers, and keeps what it was asked.
private final class ScriptedClient: HTTPClient {
  private let state: Mutex<([Result<HTTPResponse, HTTPFailure>], [HTTPRequest])>
  init(_ answers: [Result<HTTPResponse, HTTPFailure>]) { state = Mutex((answers, [])) }
  var requests: [HTTPRequest] { state.withLock(\.1) }
  func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    let next = state.withLock { state in
      state.1.append(request)
      return state.0.isEmpty ? .failure(.library("the script has ended")) : state.0.removeFirst()
    }
    return try next.get()
  }
}

private func answer(_ status: Int, _ fields: [String: String] = [:]) -> Result<HTTPResponse, HTTPFailure> {
  .success(HTTPResponse(status: status, fields: fields.map { HTTPField($0.key, $0.value) }))
}

/// A clock on which waiting takes no time.
private final class StoppedTime: Sendable {
  private let waits = Mutex<[Int]>([])
  var waited: [Int] { waits.withLock { $0 } }
  /// 1994-11-06T08:49:37Z; the longest of each range is drawn.
  var time: RetryingClient.Time {
    RetryingClient.Time(
      sleep: { milliseconds in self.waits.withLock { $0.append(milliseconds) } }, now: { 784_111_777 },
      draw: { $0.upperBound })
  }
}

@Suite struct RedirectingClientTests {
  @Test(arguments: [301, 302, 307, 308])
  func methodFieldsBodyAndCredentialsStayWithinTheOrigin(_ status: Int) throws {
    let inner = ScriptedClient([answer(status, ["Location": "/dav/"]), answer(207)])
    let request = HTTPRequest(
      "PROPFIND", "https://dav.example.com/dav", fields: [HTTPField("Depth", "1")], body: SecretValue(utf8: "<x/>"),
      authentication: .password(user: "u", SecretValue(utf8: "p")))
    #expect(try RedirectingClient(inner).send(request).status == 207)
    let second = try #require(inner.requests.last)
    #expect(inner.requests.count == 2)
    #expect(second.url == "https://dav.example.com/dav/")
    #expect(second.method == "PROPFIND")
    #expect(second.fields == request.fields)
    #expect(second.body == request.body)
    guard case .password = second.authentication else {
      Issue.record("no password")
      return
    }
  }

  @Test(arguments: [
    "https://other.example/dav/", "https://dav.example.com:444/dav/", "http://dav.example.com/dav/", "//b.example/",
    "https://dav.example.com@b.example/", "https://dav.example.com.b.example/",
  ])
  func anotherOriginIsRefusedAndNeverAsked(_ place: String) {
    let inner = ScriptedClient([answer(302, ["Location": place]), answer(200)])
    do {
      _ = try RedirectingClient(inner).send(HTTPRequest("GET", "https://dav.example.com/dav"))
      Issue.record("followed")
    } catch {
      guard case .redirect = error else {
        Issue.record("\(error)")
        return
      }
    }
    #expect(inner.requests.count == 1)
  }

  @Test func fiveRedirectsAreFollowedAndSixRefused() throws {
    let steps = (0..<6).map { answer(307, ["Location": "/\($0)"]) }
    #expect(
      try RedirectingClient(ScriptedClient(steps.prefix(5) + [answer(200)])).send(
        HTTPRequest("GET", "https://a.example/")
      ).status == 200)
    let inner = ScriptedClient(steps + [answer(200)])
    #expect(throws: HTTPFailure.redirect("more than 5 times")) {
      try RedirectingClient(inner).send(HTTPRequest("GET", "https://a.example/"))
    }
    #expect(inner.requests.count == 6)
  }

  @Test(arguments: [300, 303, 304]) func otherAnswersAreGivenBack(_ status: Int) throws {
    let inner = ScriptedClient([answer(status, ["Location": "/x"])])
    #expect(try RedirectingClient(inner).send(HTTPRequest("GET", "https://a.example/")).status == status)
  }
}

@Suite struct RetryingClientTests {
  private func run(
    _ answers: [Result<HTTPResponse, HTTPFailure>], isIdempotent: Bool = true
  ) -> (status: Int?, tries: Int, waits: [Int]) {
    let inner = ScriptedClient(answers)
    let time = StoppedTime()
    let client = RetryingClient(inner, time: time.time)
    let response = try? client.send(HTTPRequest("PUT", "https://a.example/", isIdempotent: isIdempotent))
    return (response?.status, inner.requests.count, time.waited)
  }

  @Test func aServerThatSaysWhenIsAskedThen() {
    #expect(run([answer(503, ["Retry-After": "2"]), answer(201)]) == (201, 2, [2000]))
    #expect(run([answer(429, ["Retry-After": "0"]), answer(201)], isIdempotent: false) == (201, 2, [0]))
    #expect(run([answer(503, ["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"]), answer(201)]) == (201, 2, [10_000]))
    #expect(run([answer(503, ["Retry-After": "Sun, 06 Nov 1994 08:49:27 GMT"]), answer(201)]) == (201, 2, [0]))
  }

  @Test func aLongWaitIsLeftToThePerson() {
    #expect(run([answer(503, ["Retry-After": "60"]), answer(201)]) == (201, 2, [60_000]))
    #expect(run([answer(503, ["Retry-After": "61"]), answer(201)]) == (503, 1, []))
    #expect(run([answer(503, ["Retry-After": "99999999999999999999"]), answer(201)]) == (503, 1, []))
  }

  @Test func waitsDoubleAndEndAfterFourTries() {
    #expect(run((0..<9).map { _ in answer(500) }) == (500, 4, [500, 1000, 2000]))
    #expect(run((0..<9).map { _ in .failure(.timedOut(mayBeDone: true)) }) == (nil, 4, [500, 1000, 2000]))
  }

  @Test func whatMayBeDoneAlreadyIsSentAgainOnlyIfThatDoesNoHarm() {
    for failure in [HTTPFailure.unreachable(mayBeDone: true), .timedOut(mayBeDone: true)] {
      #expect(run([.failure(failure), answer(200)]).tries == 2)
      #expect(run([.failure(failure), answer(200)], isIdempotent: false).tries == 1)
    }
    for failure in [HTTPFailure.unreachable(mayBeDone: false), .timedOut(mayBeDone: false)] {
      #expect(run([.failure(failure), answer(200)], isIdempotent: false).tries == 2)
    }
    for status in [500, 502, 504] {
      #expect(run([answer(status), answer(200)]).tries == 2)
      #expect(run([answer(status), answer(200)], isIdempotent: false).tries == 1)
    }
  }

  @Test(arguments: [400, 401, 403, 404, 409, 412, 413, 423, 501, 507])
  func whatWouldBeAnsweredAgainIsntAskedAgain(_ status: Int) {
    #expect(run([answer(status), answer(200)]) == (status, 1, []))
  }

  @Test(arguments: [
    HTTPFailure.badAddress(""), .unknownHost, .certificate(""), .tooLarge, .broken(""), .redirect(""), .library(""),
  ]) func whatWouldFailAgainIsntTriedAgain(_ failure: HTTPFailure) {
    #expect(run([.failure(failure), answer(200)]).tries == 1)
  }

  @Test func momentsAreReadInOneForm() {
    #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(HTTPDate.seconds("Thu, 29 Feb 2024 12:00:00 GMT") == 1_709_208_000)
    for text in [
      "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "-1", "1.5",
    ] {
      #expect(HTTPDate.seconds(text) == nil)
      #expect(HTTPDate.secondsToWait(text, now: 0) == nil)
    }
  }
}
