import SeifBytes
import SeifCrypto
import SeifHTTPFields
import SeifHTTPServer
import SeifServer
import SeifServerStore
import SeifServerTesting
import SeifTestSupport
import Synchronization
import Testing

/// Who may do what, and what two do at once.
@Suite(.timeLimit(.minutes(15))) struct VaultAdmissionTests {
  private let id = "0a0b0c0d-0000-4000-8000-00000000000a"
  private let raw = HTTPField("Content-Type", "application/octet-stream")

  private func plan(_ server: VaultServer, _ head: HTTPRequestHead, _ body: [UInt8] = []) -> Reply {
    server.plans.plan(head).map { Reply(PlanRunner.run($0.plan, body: body)) } ?? Reply(HTTPAnswer(0))
  }

  @Test(arguments: VaultMount.allCases)
  func withoutASignInNothingIsSaidAndNoBodyIsRead(mount: VaultMount) throws {
    let server = try VaultServer()
    for (method, path) in [
      ("GET", ""), ("GET", "/manifest"), ("PUT", "/objects/\(id)"), ("DELETE", "/key-wraps/\(id)"),
    ] {
      for fields in [
        [], [HTTPField("Authorization", "Bearer x")], [HTTPField("Authorization", "Basic YTpi")],
        [HTTPField("Cookie", "__Host-seif=x")],
      ] {
        let head = HTTPRequestHead(
          method: method, path: mount.rawValue + path, fields: fields + [raw, HTTPField("Origin", VaultServer.origin)],
          bodyByteCount: method == "PUT" ? 40 : 0)
        let reply = plan(server, head, method == "PUT" ? [UInt8](repeating: 0, count: 40) : [])
        #expect(reply.status == 401 && reply.problem == "not-signed-in", "\(method) \(path)")
      }
    }
    #expect(try server.blobs.list(after: nil, limit: 1).isEmpty)
  }

  @Test func aRequestWithATokenAndASessionIsRefusedOnBothMounts() throws {
    let server = try VaultServer()
    let both = [
      HTTPField("Authorization", "Bearer \(server.token.token.exposedText() ?? "")"),
      HTTPField("Cookie", "__Host-seif=\(server.session.text.exposedText() ?? "")"),
    ]
    for mount in VaultMount.allCases {
      let reply = plan(server, HTTPRequestHead(method: "GET", path: mount.rawValue, fields: both))
      #expect(reply.status == 400)
    }
  }

  @Test func aTokenThatReadsChangesNothing() throws {
    let server = try VaultServer()
    for (method, path, body) in [
      ("PUT", "/objects/\(id)", [UInt8](repeating: 1, count: 40)), ("DELETE", "/objects/\(id)", []),
      ("POST", "/objects/\(id)/restore", []), ("DELETE", "/key-wraps/\(id)", []),
    ] {
      let reply = server.ask(.token, method, path, fields: [raw], body: body, as: server.reader)
      #expect(reply.status == 403 && reply.problem == "read-only", "\(method) \(path)")
    }
    #expect(server.ask(.token, "GET", "", as: server.reader).status == 200)
  }

  @Test func anotherSitesRequestsChangeNothing() throws {
    let server = try VaultServer()
    let cookie = HTTPField("Cookie", "__Host-seif=\(server.session.text.exposedText() ?? "")")
    let csrf = HTTPField("X-CSRF-Token", server.session.csrf.exposedText() ?? "")
    let origin = HTTPField("Origin", VaultServer.origin)
    for (fields, problem) in [
      ([cookie, csrf], "wrong-origin"), ([cookie, csrf, HTTPField("Origin", "https://evil.example")], "wrong-origin"),
      ([cookie, origin], "csrf"), ([cookie, origin, HTTPField("X-CSRF-Token", "x")], "csrf"),
      ([cookie, origin, csrf, HTTPField("Sec-Fetch-Site", "cross-site")], "wrong-origin"),
    ] {
      let head = HTTPRequestHead(method: "DELETE", path: "/account/vault/objects/\(id)", fields: fields)
      let reply = plan(server, head)
      #expect(reply.status == 403 && reply.problem == problem)
    }
  }

  @Test func anotherAccountsObjectsAreNotThere() throws {
    let server = try VaultServer()
    let bytes = [UInt8](repeating: 1, count: 40)
    #expect(server.ask(.token, "PUT", "/objects/\(id)", fields: [raw], body: bytes).status == 201)
    let other = try VaultServer.makeAccount("eve", 1 << 20, server.store)
    let (token, session) = (BearerSecret(.system), BearerSecret(.system))
    try server.signIn(other, token: token, reader: BearerSecret(.system), session: session)
    for (mount, secret) in [(VaultMount.token, token), (.session, session)] {
      #expect(server.ask(mount, "GET", "/objects/\(id)", as: secret).status == 404)
      #expect(server.ask(mount, "DELETE", "/objects/\(id)", as: secret).status == 204)
      #expect(server.ask(mount, "POST", "/objects/\(id)/restore", as: secret).status == 404)
    }
    #expect(server.ask(.token, "PUT", "/objects/\(id)", fields: [raw], body: [2] + bytes, as: token).status == 201)
    #expect(server.ask(.token, "GET", "/objects/\(id)", fields: [HTTPField("Accept", raw.value)]).body == bytes)
  }

  @Test(arguments: [
    "/api/v1/vaults", "/api/v1/vault//objects", "/api/v1/vault/objects/", "/api/v1/vault/OBJECTS",
    "/api/v1/vault/%6fbjects", "/api/v1/vault/objects/..", "/api/v1/vault/objects/0a0b0c0d", "/API/v1/vault",
  ])
  func whatIsNoCallIsNoneHoweverItIsWritten(path: String) throws {
    let server = try VaultServer()
    let token = HTTPField("Authorization", "Bearer \(server.token.token.exposedText() ?? "")")
    #expect(server.plans.plan(HTTPRequestHead(method: "GET", path: path, fields: [token])) == nil)
  }

  @Test func anotherMethodIsToldWhichThereAre() throws {
    let server = try VaultServer()
    let reply = server.ask(.token, "PATCH", "/objects/\(id)")
    #expect(reply.status == 405 && reply["Allow"] == "DELETE, GET, HEAD, PUT")
  }

  @Test func ofTwoThatUploadOneThingAtOnceOneIsStored() throws {
    let server = try VaultServer()
    let bytes = [UInt8](repeating: 5, count: 100_000)
    let other = [UInt8](repeating: 6, count: 100_000)
    for round in 0..<20 {
      let name = "/objects/0a0b0c0d-0000-4000-8000-0000000000\(10 + round)"
      let statuses = Mutex<[Int]>([])
      let uploads = [bytes, bytes, other].map { body in
        Worker {
          let status = server.ask(.token, "PUT", name, fields: [self.raw], body: body).status
          statuses.withLock { $0.append(status) }
        }
      }
      for upload in uploads { upload.join() }
      let all = statuses.withLock { $0.sorted() }
      #expect(all == [200, 201, 409] || all == [201, 409, 409], "\(all)")
    }
    #expect(try server.blobs.list(after: nil, limit: 99).count == 20)
    let status = try server.store.status(server.account)
    #expect(status.objectCount == 20 && status.byteCount == 2_000_000)
    #expect(try server.store.problems() == [])
  }

  @Test func anUploadThatIsGivenUpGivesItsRoomBack() throws {
    let server = try VaultServer(quota: 1000)
    let head = HTTPRequestHead(
      method: "PUT", path: "/api/v1/vault/objects/\(id)",
      fields: [raw, HTTPField("Authorization", "Bearer \(server.token.token.exposedText() ?? "")")],
      bodyByteCount: 1000)
    guard case .receive(let receiver)? = server.plans.plan(head)?.plan else { throw Unexpected() }
    #expect(receiver.begin() == nil)
    #expect(
      server.ask(.token, "PUT", "/objects/\(id)", fields: [raw], body: [UInt8](repeating: 1, count: 40)).status == 507)
    _ = [UInt8](repeating: 1, count: 500).withUnsafeBytes { receiver.take($0) }
    receiver.abandon()
    #expect(
      server.ask(.token, "PUT", "/objects/\(id)", fields: [raw], body: [UInt8](repeating: 1, count: 40)).status == 201)
    #expect(try server.blobs.list(after: nil, limit: 9).count == 1)
  }

  @Test func aBlobThatTheServerLostIsSaidAndNoEmptyDocumentIsGiven() throws {
    let server = try VaultServer()
    _ = server.ask(.token, "PUT", "/objects/\(id)", fields: [raw], body: [UInt8](repeating: 1, count: 40))
    let blob = try #require(try server.blobs.list(after: nil, limit: 1).first?.blob)
    try server.blobs.remove(blob)
    let reply = server.ask(.token, "GET", "/objects/\(id)")
    #expect(reply.status == 500 && reply.problem == "damaged")
    let report = try ServerCheck(server.store, server.blobs).run(reads: true)
    #expect(report.missing == [blob] && !report.isWell)
  }

  struct Unexpected: Error {}
}
