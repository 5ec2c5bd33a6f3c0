import CSeif
import Glibc
import SeifBytes
import SeifHTTPServer
import SeifTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15))) struct EngineTests {
  let service = ProbeService()
  let engine: MicroHTTPDEngine

  init() throws {
    engine = try MicroHTTPDEngine(HTTPEngineSettings(), service)
  }

  private func client() throws -> RawClient { try RawClient(port: engine.port) }

  private func once(_ request: String) throws -> (status: Int, head: String, body: [UInt8]) {
    let client = try client()
    try client.send(request)
    return try client.answer()
  }

  @Test func requestsOfOneConnectionAreAnsweredInTurn() throws {
    let client = try client()
    try client.send("GET /now?a=%00b HTTP/1.1\r\nHost: a\r\n\r\nGET /work HTTP/1.1\r\nHost: a\r\n\r\n")
    let first = try client.answer()
    #expect(first.status == 200 && first.body == [1, 2])
    #expect(first.head.contains("X-Seen: a=%00b"))
    #expect(try client.answer().body == Array("worked".utf8))
    try client.send("POST /collect HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde")
    #expect(try client.answer().body == Array("5".utf8))
    try client.send(
      "POST /collect HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\nabcd\r\n0\r\n\r\n")
    #expect(try client.answer().body == Array("7".utf8))
    try client.send("HEAD /now HTTP/1.1\r\nHost: a\r\n\r\n")
    let head = try client.answer(hasBody: false)
    #expect(head.status == 200 && head.head.contains("Content-Length: 2"))
  }

  @Test func aBodyIsTakenAsItComesAndALongOneToo() throws {
    let client = try client()
    let body = [UInt8](repeating: 9, count: 3_000_000)
    try client.send("PUT /put HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
    try client.send(body)
    let answer = try client.answer()
    #expect(answer.status == 201 && answer.body == Array("3000000 true".utf8))
    #expect(service.abandoned.load(ordering: .relaxed) == 0)
  }

  @Test func aBodyThatIsRefusedIsAnsweredAndTheConnectionGoesOn() throws {
    let client = try client()
    try client.send("PUT /full HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n")
    try client.send([UInt8](repeating: 1, count: 200_000))
    #expect(try client.answer().status == 507)
    try client.send("PUT /stop HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n")
    try client.send([UInt8](repeating: 1, count: 200_000))
    #expect(try client.answer().status == 422)
    try client.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.answer().status == 200)
  }

  @Test func aRefusedBodyWithoutAnEndIsCutOff() throws {
    let client = try client()
    try client.send("PUT /full HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 1, count: 65_536) + Array("\r\n".utf8)
    var sent = 0
    while sent < 10_000, (try? client.send(chunk)) != nil { sent += 1 }
    #expect(sent < 10_000)
  }

  @Test func aClientThatGoesAwayHalfwayIsNoticedOnce() throws {
    var client: RawClient? = try client()
    try client?.send("PUT /put HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\nabc")
    while service.abandoned.load(ordering: .relaxed) == 0 {
      usleep(20_000)
      client = nil
    }
    engine.stop(within: 5)
    #expect(service.abandoned.load(ordering: .relaxed) == 1)
    #expect(service.ended.withLock { $0.map(\.status) } == [nil])
  }

  @Test func moreThanMayComeIsRefusedUnread() throws {
    #expect(try once("POST /collect HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n").status == 413)
    #expect(try once("POST /now HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n").status == 200)
    #expect(try once("POST /work HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na").status == 400)
    let chunk = String(repeating: "a", count: 600)
    #expect(
      try once(
        "POST /collect HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "258\r\n\(chunk)\r\n258\r\n\(chunk)\r\n0\r\n\r\n"
      ).status == 413)
  }

  @Test(arguments: [
    "GET /now HTTP/1.1\r\n\r\n", "GET /now HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    "GET /now HTTP/1.1\r\nHost: a b\r\n\r\n", "GET http://a/now HTTP/1.1\r\nHost: a\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "GET now HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /collect HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
    "POST /collect HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /collect HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "POST /collect HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /collect HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na",
    "POST /collect HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\na",
    "POST /collect HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\na",
    "POST /collect HTTP/1.1\r\nHost: a\r\nContent-Length : 1\r\n\r\na",
    "POST /collect HTTP/1.1\r\nHost: a\r\n Content-Length: 1\r\n\r\na",
    "GET /now HTTP/1.1\r\nHost: a\r\nX-A: b\u{01}\r\n\r\n", "GET /now#x HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /now\\x HTTP/1.1\r\nHost: a\r\n\r\n", "GET /now HTTP/1.1\r\nHost: a\r\nX\u{E4}: b\r\n\r\n",
  ])
  func whatCanBeReadInTwoWaysIsRefusedAndEndsTheConnection(request: String) throws {
    let client = try client()
    try client.send(request + "GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
    client.closeWriting()
    let answers = client.readAll()
    #expect(answers.hasPrefix("HTTP/1.1 4"), "\(answers.prefix(40))")
    #expect(!answers.contains("HTTP/1.1 200"), "\(answers)")
  }

  @Test func anExpectationIsMetOnlyWhereItIsKnown() throws {
    #expect(try once("GET /now HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n").status == 417)
    let client = try client()
    try client.send("PUT /put HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    #expect(String(decoding: client.read(), as: UTF8.self).hasPrefix("HTTP/1.1 100"))
    try client.send("abc")
    #expect(try client.answer().status == 201)
  }

  @Test func aFileAndPiecesAreSentAsTheyAre() throws {
    var template = Array("/tmp/seif-http-XXXXXX".utf8CString)
    let descriptor = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkstemp($0) } ?? -1 }
    unlink(template)
    let bytes = Array("0123456789abcdefghij".utf8)
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    let engine = try MicroHTTPDEngine(HTTPEngineSettings(), ProbeService(file: OpenedFile(descriptor)))
    let client = try RawClient(port: engine.port)
    for _ in 0..<2 {
      try client.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.answer().body == Array("abcde".utf8))
    }
    try client.send("GET /pieces HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.answer().body == (0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
  }

  @Test func whatWaitsTooLongInLineIsToldToComeAgain() throws {
    var settings = HTTPEngineSettings()
    (settings.workerCount, settings.waitingLimit) = (1, 1)
    let service = ProbeService()
    let engine = try MicroHTTPDEngine(settings, service)
    let first = try RawClient(port: engine.port)
    let others = try (0..<5).map { _ in try RawClient(port: engine.port) }
    try service.gate.withLock { _ in
      try first.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
      while service.worked.load(ordering: .acquiring) == 0 { usleep(1000) }
      // One is worked on and one may wait: the others are sent away at once.
      for client in others { try client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n") }
      while service.ended.withLock({ $0.count }) < 4 { usleep(1000) }
    }
    #expect(try first.answer().status == 200)
    let answers = try others.map { try $0.answer() }
    #expect(answers.map(\.status).sorted() == [200, 503, 503, 503, 503])
    #expect(answers.allSatisfy { $0.status == 200 || $0.head.contains("Retry-After: 1") })
  }

  @Test func aBodyThatNobodyHasTimeToFinishIsGivenUp() throws {
    var settings = HTTPEngineSettings()
    (settings.workerCount, settings.waitingLimit) = (1, 1)
    let service = ProbeService()
    let engine = try MicroHTTPDEngine(settings, service)
    let upload = try RawClient(port: engine.port)
    try upload.send("PUT /put HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc")
    while service.begun.load(ordering: .acquiring) == 0 { usleep(1000) }
    let slow = try (0..<2).map { _ in try RawClient(port: engine.port) }
    try service.gate.withLock { _ in
      for (index, client) in slow.enumerated() {
        try client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        if index == 0 { while service.worked.load(ordering: .acquiring) == 0 { usleep(1000) } }
      }
      usleep(200_000)
      try upload.send("def")
      #expect(try upload.answer().status == 503)
    }
    #expect(service.abandoned.load(ordering: .acquiring) == 1)
    #expect(try slow.map { try $0.answer().status } == [200, 200])
  }

  @Test func whatTheGuardRefusesIsCountedToo() throws {
    #expect(try once("GET /now HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").status == 400)
    engine.stop(within: 5)
    let ended = service.ended.withLock { $0 }
    #expect(ended.map(\.status) == [400])
    #expect(ended.map(\.head.path) == ["-"])
  }

  @Test func aConnectionMayRestBetweenRequests() throws {
    var settings = HTTPEngineSettings()
    settings.headSeconds = 1
    let engine = try MicroHTTPDEngine(settings, ProbeService())
    let client = try RawClient(port: engine.port)
    for _ in 0..<2 {
      try client.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.answer().status == 200)
      usleep(2_500_000)
    }
    try client.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.answer().status == 200)
  }

  @Test func aHeadOrABodyThatDripsIsCutOff() throws {
    var settings = HTTPEngineSettings()
    settings.headSeconds = 1
    let engine = try MicroHTTPDEngine(settings, ProbeService())
    let client = try RawClient(port: engine.port)
    var sent = 0
    for byte in "GET /now HTTP/1.1\r\nHost: a\r\nX-Long: " + String(repeating: "a", count: 600) {
      guard (try? client.send(String(byte))) != nil else { break }
      sent += 1
      usleep(50_000)
    }
    #expect(sent < 600)
  }

  @Test func stoppingLetsAnAnswerEndAndRefusesWhoComes() throws {
    let service = ProbeService()
    let engine = try MicroHTTPDEngine(HTTPEngineSettings(), service)
    let port = engine.port
    let (busy, idle) = (try RawClient(port: port), try RawClient(port: port))
    let isStopped = Flag()
    try service.gate.withLock { _ in
      try busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
      while engine.connectionCount < 2 { usleep(10_000) }
      usleep(200_000)
      SideThread {
        engine.stop(within: 60)
        isStopped.set()
      }.start()
      while (try? RawClient(port: port)) != nil { usleep(10_000) }
      #expect(idle.read().isEmpty)
      #expect(!isStopped.isSet)
    }
    #expect(try busy.answer().body == [7])
    while !isStopped.isSet { usleep(10_000) }
  }

  @Test func anAddressThatIsTakenOrNoneIsSaid() throws {
    var settings = HTTPEngineSettings()
    settings.port = engine.port
    #expect(failure(settings)?.code == .inUse)
    settings.address = "example.org"
    #expect(failure(settings)?.code == .address)
    settings = HTTPEngineSettings()
    settings.tls = (Array("not a certificate".utf8), SecretValue(utf8: "not a key"))
    #expect(failure(settings)?.code == .certificate)
  }

  private func failure(_ settings: HTTPEngineSettings) -> HTTPEngineFailure? {
    do throws(HTTPEngineFailure) { _ = try MicroHTTPDEngine(settings, ProbeService()) } catch { return error }
    return nil
  }
}

final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
