import SeifBytes
import SeifHTTP
import SeifTransportTesting
import Testing
import SeifHTTPFields

/// What the client makes of answers that are written out here, byte for byte.
@Suite struct CurlScriptTests {
  private func client(_ change: (inout CurlSettings) -> Void = { _ in }) -> CurlClient {
    var settings = CurlSettings(userAgent: "seif/test")
    change(&settings)
    return CurlClient(settings)
  }

  private func failure(_ body: () throws(HTTPFailure) -> HTTPResponse) -> HTTPFailure? {
    do {
      _ = try body()
      return nil
    } catch {
      return error
    }
  }

  @Test func aRequestIsSentAsItIsWritten() throws {
    let server = try HTTPScript([HTTPScript.reply("201 Created", ["X-Name: \u{20}v \u{20}", "x-name: v"], "ja")])
    let request = HTTPRequest(
      "REPORT", server.url + "a/../b%20c?d=e", fields: [HTTPField("Depth", "1"), HTTPField("X-Empty", "")],
      body: SecretValue(utf8: "Inhalt"))
    let response = try client().send(request)
    #expect(response.status == 201)
    #expect(response["X-NAME"] == "v")
    #expect(response.body.exposedText() == "ja")
    #expect(response.url == request.url)
    let received = try #require(server.received.first)
    #expect(received.line == "REPORT /a/../b%20c?d=e HTTP/1.1")
    #expect(received.body == "Inhalt")
    #expect(received["Depth"] == "1")
    #expect(received["X-Empty"] == "")
    #expect(received["User-Agent"] == "seif/test")
    #expect(received["Expect"] == nil)
    #expect(received["Authorization"] == nil)
    #expect(received["Cookie"] == nil)
  }

  @Test func oneConnectionServesManyRequests() throws {
    let server = try HTTPScript((0..<20).map { HTTPScript.reply("200 OK", ["Set-Cookie: a=\($0)"], "x") })
    let client = client()
    for method in ["GET", "PUT", "HEAD", "DELETE"] where method != "HEAD" {
      for _ in 0..<5 {
        #expect(try client.send(HTTPRequest(method, server.url, body: .empty)).body.byteCount == 1)
      }
    }
    #expect(server.connectionCount == 1)
    #expect(server.received.allSatisfy { $0["Cookie"] == nil })
  }

  @Test func noRedirectIsFollowed() throws {
    let server = try HTTPScript([HTTPScript.reply("302 Found", ["Location: /other"]), HTTPScript.reply("200 OK")])
    #expect(try client().send(HTTPRequest("GET", server.url)).status == 302)
    #expect(server.received.count == 1)
  }

  @Test func aBodyAboveTheLimitIsRefusedHoweverItIsSent() throws {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n6\r\nfghijk\r\n0\r\n\r\n"
    for (step, limit, fits) in [
      (HTTPScript.reply("200 OK", [], "0123456789a"), 10, false), (.answer(chunked), 10, false),
      (.last("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n0123456789a"), 10, false),
      (HTTPScript.reply("200 OK", [], "0123456789"), 10, true), (.answer(chunked), 11, true),
      (HTTPScript.reply("200 OK", [], ""), 0, true),
    ] {
      let server = try HTTPScript([step])
      let refusal = failure { () throws(HTTPFailure) in
        try client().send(HTTPRequest("GET", server.url, limit: limit))
      }
      #expect(refusal == (fits ? nil : .tooLarge))
    }
  }

  @Test func aRefusalIsReadWhateverTheLimitAndItsBodyCut() throws {
    let server = try HTTPScript([HTTPScript.reply("404 Not Found", [], String(repeating: "x", count: 500_000))])
    let response = try client().send(HTTPRequest("GET", server.url, limit: 3))
    #expect(response.status == 404)
    #expect(response.body.byteCount == 65_536)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc", "HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\n\r\nabc",
    "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "HTTP/1.1 200 OK\r\nA b\r\n\r\n", "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: b\u{1}c\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 99 OK\r\n\r\n",
    "<html>no HTTP at all</html>\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
    "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 70_000) + "\r\n\r\n",
    "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 201) + "\r\n",
  ])
  func whatIsNoWholeAnswerIsBroken(_ text: String) throws {
    let server = try HTTPScript([.last(text)])
    let refusal = failure { () throws(HTTPFailure) in try client().send(HTTPRequest("GET", server.url)) }
    guard case .broken? = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
  }

  @Test func anAnswerThatEndsWithinItsHeadIsNone() throws {
    let whole = "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 3\r\n\r\nabc"
    let head = whole.utf8.count - 3
    for count in 0..<whole.utf8.count {
      let server = try HTTPScript([.last(String(decoding: whole.utf8.prefix(count), as: UTF8.self))])
      let refusal = failure { () throws(HTTPFailure) in
        try client().send(HTTPRequest("GET", server.url, isIdempotent: false))
      }
      guard count < head else {
        guard case .broken? = refusal else {
          Issue.record("\(count) bytes: \(String(describing: refusal))")
          continue
        }
        continue
      }
      switch refusal {
      case .unreachable(mayBeDone: true)?, .broken?: break
      default: Issue.record("\(count) bytes: \(String(describing: refusal))")
      }
    }
  }

  @Test func sameLengthsAndHeadsBeforeTheLastAreTaken() throws {
    let server = try HTTPScript([
      .answer(
        "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok"
      )
    ])
    let response = try client().send(HTTPRequest("GET", server.url))
    #expect(response.body.exposedText() == "ok")
    #expect(response["Link"] == nil)
  }

  @Test func whetherARequestMayBeDoneIsKnown() throws {
    let script = try HTTPScript([.silence])
    let silent = failure { () throws(HTTPFailure) in try client().send(HTTPRequest("PUT", script.url, body: .empty)) }
    #expect(silent == .unreachable(mayBeDone: true))
    let ended = try HTTPScript([])
    ended.end()
    let refused = failure { () throws(HTTPFailure) in try client().send(HTTPRequest("GET", ended.url)) }
    #expect(refused == .unreachable(mayBeDone: false))
    let hanging = try HTTPScript([.hang])
    defer { hanging.end() }
    let late = failure { () throws(HTTPFailure) in
      try client { $0.overallSeconds = 1 }.send(HTTPRequest("GET", hanging.url))
    }
    #expect(late == .timedOut(mayBeDone: true))
    let unknown = failure { () throws(HTTPFailure) in
      try client { $0.proxy = .none }.send(HTTPRequest("GET", "https://seif.invalid/"))
    }
    #expect(unknown == .unknownHost)
  }

  @Test func whatMayNotBeSentTwiceIsSentOnceAlsoWhereAConnectionHasEnded() throws {
    for isIdempotent in [true, false] {
      let server = try HTTPScript([HTTPScript.reply("200 OK"), .silence, HTTPScript.reply("200 OK")])
      let client = client()
      _ = try client.send(HTTPRequest("GET", server.url))
      let second = failure { () throws(HTTPFailure) in
        try client.send(HTTPRequest("MOVE", server.url, isIdempotent: isIdempotent))
      }
      #expect(second == (isIdempotent ? nil : .unreachable(mayBeDone: true)))
      #expect(server.received.count == (isIdempotent ? 3 : 2))
    }
  }

  @Test func aStalledAnswerEnds() throws {
    let server = try HTTPScript([.hang])
    defer { server.end() }
    let refusal = failure { () throws(HTTPFailure) in
      try client { $0.stallSeconds = 1 }.send(HTTPRequest("GET", server.url))
    }
    #expect(refusal == .timedOut(mayBeDone: true))
  }

  @Test func httpIsForThisMachineUnlessAllowed() {
    for url in ["http://192.0.2.1/", "ftp://127.0.0.1/", "file:///etc/passwd", "http://u:p@127.0.0.1/"] {
      let refusal = failure { () throws(HTTPFailure) in try client().send(HTTPRequest("GET", url)) }
      guard case .badAddress? = refusal else {
        Issue.record("\(url)")
        return
      }
    }
    let allowed = failure { () throws(HTTPFailure) in
      try client {
        $0.allowsPlainHTTP = true
        $0.proxy = .none
      }.send(HTTPRequest("GET", "http://seif.invalid/"))
    }
    #expect(allowed == .unknownHost)
  }

  @Test func whatWouldBeAnotherRequestIsntSent() throws {
    let server = try HTTPScript([])
    for request in [
      HTTPRequest("GET / HTTP/1.1\r\nX:", server.url), HTTPRequest("", server.url),
      HTTPRequest("GET", server.url, fields: [HTTPField("A", "b\r\nC: d")]),
      HTTPRequest("GET", server.url, fields: [HTTPField("A:", "b")]),
      HTTPRequest("GET", server.url, authentication: .bearer(SecretValue(utf8: "a\r\nb"))),
      HTTPRequest("GET", server.url, authentication: .bearer(SecretValue([0x61, 0]))),
      HTTPRequest("GET", server.url, authentication: .password(user: "u", SecretValue([0x61, 0]))),
    ] {
      let refusal = failure { () throws(HTTPFailure) in try client().send(request) }
      guard case .badAddress? = refusal else {
        Issue.record("\(request.method)")
        return
      }
    }
    #expect(server.received.isEmpty)
  }

  @Test func aTokenIsSentToEachRequestThatHasIt() throws {
    let server = try HTTPScript([HTTPScript.reply("200 OK"), HTTPScript.reply("200 OK")])
    let client = client()
    _ = try client.send(HTTPRequest("GET", server.url, authentication: .bearer(SecretValue(utf8: "tok.en"))))
    _ = try client.send(HTTPRequest("GET", server.url))
    #expect(server.received.map { $0["Authorization"] } == ["Bearer tok.en", nil])
  }

  @Test func aPasswordIsSentOnlyOnceItIsAskedFor() throws {
    let refusal = HTTPScript.reply("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""], "who?")
    let server = try HTTPScript([refusal] + (0..<3).map { _ in HTTPScript.reply("200 OK", [], "in") })
    let client = client()
    let who = HTTPAuthentication.password(user: "a@b", SecretValue(utf8: "p:ä"))
    for _ in 0..<2 {
      #expect(try client.send(HTTPRequest("GET", server.url, authentication: who)).body.exposedText() == "in")
    }
    #expect(try client.send(HTTPRequest("GET", server.url)).status == 200)
    let basic = "Basic " + Base64.encode(Array("a@b:p:ä".utf8))
    #expect(server.received.map { $0["Authorization"] } == [nil, basic, basic, nil])
  }

  @Test func aRefusedPasswordIsGivenBackAsThat() throws {
    let refusal = HTTPScript.reply("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""], "who?")
    let server = try HTTPScript([refusal, refusal])
    let who = HTTPAuthentication.password(user: "u", SecretValue(utf8: "wrong"))
    let response = try client().send(HTTPRequest("GET", server.url, authentication: who))
    #expect(response.status == 401)
    #expect(server.received.count == 2)
  }

  @Test func aProxyIsAskedForOtherMachinesAlone() throws {
    let proxy = try HTTPScript([HTTPScript.reply("200 OK", [], "by proxy"), HTTPScript.reply("403 Forbidden")])
    let server = try HTTPScript([HTTPScript.reply("200 OK", [], "direct")])
    let client = client {
      $0.proxy = .address("http://127.0.0.1:\(proxy.port)")
      $0.allowsPlainHTTP = true
    }
    #expect(try client.send(HTTPRequest("GET", server.url)).body.exposedText() == "direct")
    #expect(try client.send(HTTPRequest("GET", "http://seif.invalid/a")).body.exposedText() == "by proxy")
    let refused = failure { () throws(HTTPFailure) in
      let token = HTTPAuthentication.bearer(SecretValue(utf8: "token"))
      return try client.send(HTTPRequest("GET", "https://seif.invalid/b", authentication: token))
    }
    #expect(refused == .library("the proxy refuses: status 403"))
    #expect(
      proxy.received.map(\.line) == [
        "GET http://seif.invalid/a HTTP/1.1", "CONNECT seif.invalid:443 HTTP/1.1",
      ])
    #expect(proxy.received.allSatisfy { $0["Authorization"] == nil })
  }

  @Test func manyThreadsMayAskAtOnce() async throws {
    let server = try HTTPScript((0..<200).map { _ in HTTPScript.reply("200 OK", [], "x") })
    let client = client()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try (0..<25).reduce(0) { count, _ in count + (try client.send(HTTPRequest("GET", server.url)).status) }
        }
      }
      for try await sum in group { #expect(sum == 25 * 200) }
    }
    #expect(server.stepsLeft == 0)
    #expect(server.connectionCount <= 200 && server.received.count == 200)
  }
}
