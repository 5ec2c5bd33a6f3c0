import SeifBackups
import SeifBytes
import SeifHTTP
import SeifTransportTesting
import Testing
import SeifHTTPFields

@testable import SeifNetworkTransports

/// What is Drive's own.
@Suite struct GoogleDriveTests {
  private static func transport(_ server: S3Script) throws -> GoogleDriveTransport {
    try GoogleDriveTransport(
      TransportSettings(
        name: "drive", kind: "google-drive",
        values: [
          "client-id": "me", "api": "https://api.example", "accounts": "https://accounts.example",
          "tokens": "https://tokens.example",
        ], secrets: ["refresh-token": SecretValue(utf8: "r")]),
      client: server, quickClient: server)
  }

  /// Answers questions for a token, and the rest by a list.
  private static func server(_ answers: @escaping @Sendable (HTTPRequest) -> HTTPResponse) -> S3Script {
    S3Script { request in
      request.url == "https://tokens.example/token"
        ? HTTPResponse(status: 200, body: SecretValue(utf8: #"{"access_token":"a","token_type":"Bearer"}"#))
        : answers(request)
    }
  }

  private static func json(_ text: String, _ status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, body: SecretValue(utf8: text))
  }

  private static func value(_ name: String, _ request: HTTPRequest) throws -> String? {
    try HTTPAddress(request.url).query?.split(separator: "&").first { $0.hasPrefix(name + "=") }
      .map { String($0.dropFirst(name.utf8.count + 1)) }
  }

  @Test(arguments: [
    (#"{"user":{"emailAddress":"a@b.example","permissionId":"1"}}"#, "a@b.example"),
    (#"{"user":{"permissionId":"1"}}"#, "1"), (#"{"user":{"emailAddress":"a b","permissionId":"1"}}"#, "1"),
    (#"{"user":{}}"#, nil), ("{}", nil), ("no", nil),
  ])
  func anAccountIsToldApartByItsAddressOrItsIdentifier(body: String, account: String?) {
    #expect(GoogleDriveDocument.account(SecretValue(utf8: body)) == account)
  }

  // A listing that ends at an empty part, or that doesn't ask for the token of the next, loses the newest backup.
  @Test func everyPartIsAskedForAlsoAfterAnEmptyOne() throws {
    let server = Self.server { request in
      if request.url.contains("pageToken=A") { return Self.json(#"{"files":[],"nextPageToken":"B"}"#) }
      if request.url.contains("pageToken=B") {
        return Self.json(#"{"files":[{"id":"2","name":"twofac-backup-2-1.json"}]}"#)
      }
      return Self.json(#"{"files":[{"id":"1","name":"twofac-backup-1-1.json"}],"nextPageToken":"A"}"#)
    }
    let listed = try Self.transport(server).listBackups()
    #expect(listed.map(\.id) == ["1", "2"])
    let requests = server.requests.dropFirst()
    #expect(requests.count == 3)
    #expect(try requests.map { try Self.value("pageToken", $0) } == [nil, "A", "B"])
    for request in requests {
      #expect(try Self.value("spaces", request) == "appDataFolder")
      #expect(try Self.value("fields", request)?.contains("nextPageToken") == true)
      #expect(try Self.value("pageSize", request) == "1000")
      #expect(try Self.value("q", request) == "%27appDataFolder%27%20in%20parents%20and%20trashed%20%3D%20false")
    }
  }

  @Test func aListingThatGoesInACircleOrHasNoEndIsRefused() throws {
    let circle = Self.server { _ in Self.json(#"{"files":[],"nextPageToken":"again"}"#) }
    #expect(throws: TransportError(.badAnswer, place: "")) { try Self.transport(circle).listBackups() }
    #expect(circle.requests.count == 3)
    let endless = Self.server { request in
      Self.json(#"{"files":[],"nextPageToken":"t\#(request.url.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFFFF })"}"#)
    }
    #expect(throws: TransportError(.badAnswer, place: "")) { try Self.transport(endless).listBackups() }
    #expect(endless.requests.count <= ListingParts.most + 1)
  }

  @Test(arguments: [
    #"{"files":[{"id":"a/b","name":"x"}]}"#, #"{"files":[{"id":"1"}]}"#,
    #"{"files":[{"id":"1","name":"x","size":"-1"}]}"#,
    #"{"files":[{"id":"1","name":"x","size":5}]}"#, #"{"files":[],"incompleteSearch":true}"#,
    #"{"files":[],"nextPageToken":""}"#, #"{"files":[],"nextPageToken":7}"#, #"{"files":[],"files":[]}"#,
    #"{"files":[{"id":"1","name":"x","size":"99999999999999999999"}]}"#,
  ])
  func whatIsNotAListingIsNoEmptyListing(body: String) throws {
    let server = Self.server { _ in Self.json(body) }
    #expect(throws: TransportError(.badAnswer, place: "")) { try Self.transport(server).listBackups() }
  }

  @Test func foldersAndNamesThatLeadElsewhereAreNotListed() throws {
    let server = Self.server { _ in
      Self.json(
        #"{"files":[{"id":"1","name":"x"},{"id":"2","name":"a/b"},{"id":"3","name":".."},{"id":"4","name":"a\nb"},"#
          + #"{"id":"5","name":"d","mimeType":"application/vnd.google-apps.folder"},{"id":"1","name":"x"}]}"#)
    }
    #expect(try Self.transport(server).listBackups() == [BackupDescriptor(id: "1", name: "x", byteCount: nil)])
  }

  @Test func twoFilesOfOneNameAreListedBothAndFetchedEach() throws {
    let standIn = try CloudStandIn()
    let transport = try googleDrive(standIn.googleDrive())
    try standIn.control(#"{"set":{"twice":true}}"#)
    _ = try transport.upload(SecretValue(utf8: "one"), name: "x")
    let listed = try transport.listBackups()
    #expect(listed.map(\.name) == ["x", "x"])
    #expect(Set(listed.map(\.id)).count == 2)
    #expect(throws: TransportError(.exists, place: "")) { try transport.upload(.empty, name: "x") }
    try transport.delete(id: listed[0].id)
    #expect(try transport.download(id: listed[1].id, limit: 9) == SecretValue(utf8: "one"))
    // One that tells MD5 alone.
    try standIn.control(#"{"set":{"twice":false,"hash":"md5"}}"#)
    #expect(try transport.upload(SecretValue(utf8: "two"), name: "y").byteCount == 3)
  }

  // What is larger than Drive takes in one request goes to an address that is given for it.
  @Test func aLargeFileGoesInTwoRequests() throws {
    let standIn = try CloudStandIn()
    let transport = try googleDrive(standIn.googleDrive())
    for size in [GoogleDriveTransport.multipartByteCount, GoogleDriveTransport.multipartByteCount + 1] {
      let content = SecretValue([UInt8](repeating: 7, count: size))
      let stored = try transport.upload(content, name: "size-\(size)")
      #expect(try transport.download(id: stored.id, limit: size) == content)
    }
    #expect(try standIn.control().requests.count { $0.hasPrefix("PUT ") } == 1)
    let large = SecretValue([UInt8](repeating: 8, count: GoogleDriveTransport.multipartByteCount + 1))
    try standIn.script("PUT /upload", 0, isDone: true)
    _ = try transport.upload(large, name: "lost answer")
    try standIn.script("PUT /upload", 0)
    #expect(throws: TransportError(.unavailable, place: "")) { try transport.upload(large, name: "lost") }
    try standIn.script("PUT /upload", 308)
    #expect(throws: TransportError(.incomplete, place: "")) { try transport.upload(large, name: "half") }
    // Neither bytes nor token go to another server.
    try standIn.control(#"{"set":{"uploadServer":"http://127.0.0.1:1"}}"#)
    #expect(throws: TransportError(.redirected, place: "")) { try transport.upload(large, name: "elsewhere") }
    #expect(try transport.listBackups().count == 3)
  }

  @Test(arguments: ["", "a/b", "..", "%2e", "a?b", String(repeating: "a", count: 257), "a b"])
  func whatIsNoIdentifierIsNotAskedFor(id: String) throws {
    let server = Self.server { _ in Self.json("{}") }
    let transport = try Self.transport(server)
    #expect(throws: TransportError(.notFound, place: "")) { try transport.download(id: id, limit: 9) }
    #expect(throws: TransportError(.notFound, place: "")) { try transport.delete(id: id) }
    #expect(server.requests.isEmpty)
  }

  @Test func moreBytesThanAllowedAndFewerThanStatedAreRefused() throws {
    let server = Self.server { _ in
      HTTPResponse(status: 200, fields: [HTTPField("Content-Length", "9")], body: SecretValue(utf8: "content"))
    }
    #expect(throws: TransportError(.incomplete, place: "")) { try Self.transport(server).download(id: "1", limit: 99) }
    #expect(server.requests.last?.limit == 99)
  }

  private static func refusal(_ status: Int, _ reason: String) -> HTTPResponse {
    json(
      #"{"error":{"code":\#(status),"message":"secret words","errors":[{"domain":"usageLimits","reason":"\#(reason)"}]}}"#,
      status)
  }

  @Test(arguments: [
    (403, "userRateLimitExceeded", TransportError.Code.busy), (403, "rateLimitExceeded", .busy),
    (429, "rateLimitExceeded", .busy), (403, "dailyLimitExceeded", .busy), (403, "storageQuotaExceeded", .full),
    (403, "insufficientPermissions", .noPermission), (403, "accessNotConfigured", .noPermission),
    (404, "notFound", .notFound), (401, "authError", .unauthorized), (500, "backendError", .unavailable),
    (403, "somethingNew", .noPermission), (400, "somethingNew", .failed), (413, "uploadTooLarge", .tooLarge),
    (418, "\\u001b[2J", .failed), (502, "", .unavailable), (307, "", .redirected),
  ])
  func refusalsAreSaidInWords(status: Int, reason: String, expected: TransportError.Code) throws {
    let server = Self.server { _ in Self.refusal(status, reason) }
    let error = #expect(throws: TransportError.self) { try Self.transport(server).download(id: "1", limit: 99) }
    #expect(error?.code == expected)
    #expect(error?.reason.contains("secret") == false)
    #expect(error?.reason.utf8.allSatisfy { (0x20..<0x7F).contains($0) } == true)
  }

  @Test func aLimitUnderAnotherStatusIsWaitedForToo() throws {
    let standIn = try CloudStandIn()
    let time = NoTime()
    let transport = try googleDrive(standIn.googleDrive(), time: time)
    try standIn.script(
      "GET /drive/v3/files", 403, #"{"error":{"code":403,"errors":[{"reason":"userRateLimitExceeded"}]}}"#, times: 2)
    #expect(try transport.listBackups().isEmpty)
    #expect(time.waited.count == 2)
    // Any other refusal stays one.
    try standIn.script("GET /drive/v3/files", 403, #"{"error":{"code":403,"errors":[{"reason":"domainPolicy"}]}}"#)
    #expect(throws: TransportError(.noPermission, place: "")) { try transport.listBackups() }
    #expect(time.waited.count == 2)
  }
}
