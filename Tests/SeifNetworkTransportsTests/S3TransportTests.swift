import SeifBackups
import SeifBytes
import SeifHTTP
import Testing
import SeifHTTPFields

@testable import SeifNetworkTransports

@Suite struct S3TransportTests {
  private static let content = SecretValue(utf8: "content")

  // MARK: - Storing

  @Test func whereThePlaceRefusesTakenNamesItIsAskedToInTheOneRequest() throws {
    let script = S3Script { _ in HTTPResponse(status: 200) }
    let stored = try script.transport().upload(Self.content, name: "a b")
    #expect(stored == BackupDescriptor(id: "a b", name: "a b", byteCount: 7))
    let request = try #require(script.requests.first)
    #expect(script.requests.count == 1)
    #expect(request.method == "PUT")
    #expect(request.url == "https://s3.example.com/seif-vault/backups/a%20b")
    #expect(request.body == Self.content)
    #expect(!request.isIdempotent)
    #expect(request.fields.contains(HTTPField("If-None-Match", "*")))
    let signed = request.fields.first { $0.name == "Authorization" }?.value ?? ""
    #expect(signed.contains("SignedHeaders=content-type;host;if-none-match;x-amz-content-sha256;x-amz-date,"))
  }

  @Test(arguments: [(412, "PreconditionFailed"), (409, "ConditionalRequestConflict")])
  func aTakenNameIsRefused(status: Int, code: String) throws {
    let script = S3Script { _ in S3Script.refusal(status, code) }
    #expect(throws: TransportError(.exists, place: "")) {
      try script.transport().upload(Self.content, name: "a")
    }
  }

  @Test func whereThePlaceCannotRefuseThatIsSaid() throws {
    let script = S3Script { _ in S3Script.refusal(501, "NotImplemented") }
    let error = #expect(throws: TransportError.self) { try script.transport().upload(Self.content, name: "a") }
    #expect(error?.code == .failed)
    #expect(error?.reason.contains("can't refuse a name that is taken") == true)
  }

  @Test func whereThePlaceDoesNotRefuseTheNameIsLookedForFirst() throws {
    let taken = S3Script { _ in HTTPResponse(status: 200) }
    #expect(throws: TransportError(.exists, place: "")) {
      try taken.transport(createsConditionally: false).upload(Self.content, name: "a")
    }
    #expect(taken.requests.map(\.method) == ["HEAD"])
    let free = S3Script { request in HTTPResponse(status: request.method == "HEAD" ? 404 : 200) }
    _ = try free.transport(createsConditionally: false).upload(Self.content, name: "a")
    #expect(free.requests.map(\.method) == ["HEAD", "PUT"])
    #expect(!free.requests[1].fields.contains { $0.name == "If-None-Match" })
  }

  @Test(arguments: [HTTPFailure.timedOut(mayBeDone: true), .unreachable(mayBeDone: true), .broken("cut")])
  func anAnswerThatGotLostIsNoLostFile(failure: HTTPFailure) throws {
    let stored = S3Script { (request) throws(HTTPFailure) in
      if request.method == "PUT" { throw failure }
      return Self.file(Self.content)
    }
    #expect(try stored.transport().upload(Self.content, name: "a").byteCount == 7)
    let others = S3Script { (request) throws(HTTPFailure) in
      if request.method == "PUT" { throw failure }
      return Self.file(SecretValue(utf8: "another"))
    }
    #expect(throws: TransportError.self) { try others.transport().upload(Self.content, name: "a") }
  }

  @Test(arguments: ["", ".", "..", "a/b", "/a", "a\0b", "a\nb", "a\u{7F}", String(repeating: "a", count: 1017)])
  func namesThatLeadElsewhereAreNotAskedFor(name: String) throws {
    let script = S3Script { _ in HTTPResponse(status: 200) }
    let transport = try script.transport()
    #expect(throws: TransportError(.notFound, place: "")) { try transport.upload(Self.content, name: name) }
    #expect(throws: TransportError(.notFound, place: "")) { try transport.download(id: name, limit: 9) }
    #expect(throws: TransportError(.notFound, place: "")) { try transport.delete(id: name) }
    #expect(script.requests.isEmpty)
  }

  // MARK: - Fetching and removing

  private static func file(_ content: SecretValue) -> HTTPResponse {
    HTTPResponse(status: 200, fields: [HTTPField("Content-Length", String(content.byteCount))], body: content)
  }

  @Test(arguments: ["9", "6", "", "7, 7", nil])
  func aFileOfAnotherLengthThanAnnouncedIsIncomplete(length: String?) throws {
    let script = S3Script { _ in
      HTTPResponse(status: 200, fields: length.map { [HTTPField("Content-Length", $0)] } ?? [], body: Self.content)
    }
    #expect(throws: TransportError(.incomplete, place: "")) { try script.transport().download(id: "a", limit: 99) }
  }

  @Test func aFileInPiecesHasItsEndInItself() throws {
    let script = S3Script { _ in
      HTTPResponse(status: 200, fields: [HTTPField("Transfer-Encoding", "chunked")], body: Self.content)
    }
    #expect(try script.transport().download(id: "a", limit: 99) == Self.content)
  }

  @Test func moreBytesThanAllowedAreTooLarge() throws {
    let script = S3Script { _ in Self.file(Self.content) }
    #expect(throws: TransportError(.tooLarge, place: "")) { try script.transport().download(id: "a", limit: 6) }
    #expect(script.requests[0].limit == 6)
  }

  @Test(arguments: [204, 206, 301, 304])
  func onlyAWholeFileIsAFile(status: Int) throws {
    let script = S3Script { _ in HTTPResponse(status: status, body: Self.content) }
    #expect(throws: TransportError.self) { try script.transport().download(id: "a", limit: 99) }
  }

  @Test func aMissingFileIsNotSaidToBeDeleted() throws {
    let script = S3Script { request in HTTPResponse(status: request.method == "HEAD" ? 404 : 204) }
    #expect(throws: TransportError(.notFound, place: "")) { try script.transport().delete(id: "a") }
    #expect(script.requests.map(\.method) == ["HEAD"])
  }

  @Test func whyAFileCannotBeLookedForIsSaidInWords() throws {
    let script = S3Script { request in
      request.method == "HEAD" ? HTTPResponse(status: 403) : S3Script.refusal(403, "SignatureDoesNotMatch")
    }
    let error = #expect(throws: TransportError.self) { try script.transport().delete(id: "a") }
    #expect(error?.code == .unauthorized)
    #expect(error?.reason.contains("secret key") == true)
  }

  // MARK: - Refusals

  @Test(arguments: [
    (404, "NoSuchKey", TransportError.Code.notFound, "no file"), (404, "NoSuchBucket", .notFound, "bucket"),
    (403, "AccessDenied", .noPermission, "may not"), (403, "SignatureDoesNotMatch", .unauthorized, "secret key"),
    (403, "InvalidAccessKeyId", .unauthorized, "access key"), (403, "RequestTimeTooSkewed", .unauthorized, "clock"),
    (503, "SlowDown", .busy, "too many"), (403, "QuotaExceeded", .full, "space"),
    (400, "EntityTooLarge", .tooLarge, "size"), (500, "InternalError", .unavailable, "failed"),
    (400, "IncompleteBody", .incomplete, "other bytes"), (418, "Teapot", .failed, "status 418, Teapot"),
    (301, "PermanentRedirect", .redirected, "region eu-west-3"),
    (400, "AuthorizationHeaderMalformed", .badSettings, "region is eu-west-3"),
  ])
  func refusalsAreSaidInWords(status: Int, code: String, expected: TransportError.Code, words: String) throws {
    let script = S3Script { _ in S3Script.refusal(status, code, more: "<Region>eu-west-3</Region>") }
    let error = #expect(throws: TransportError.self) { try script.transport().download(id: "a", limit: 99) }
    #expect(error?.code == expected)
    #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    #expect(error?.reason.contains("AKID") == false)
    #expect(script.requests.count == 1)
  }

  @Test(arguments: [
    (401, TransportError.Code.unauthorized), (403, .unauthorized), (404, .notFound), (413, .tooLarge), (429, .busy),
    (500, .unavailable), (503, .busy), (507, .full), (307, .redirected), (400, .failed),
  ])
  func refusalsWithoutADocumentGoByTheirStatus(status: Int, expected: TransportError.Code) throws {
    for body in ["", "<html>no</html>", "<Error><Code>\u{1B}[2J</Code></Error>", "<Error/>"] {
      let script = S3Script { _ in HTTPResponse(status: status, body: SecretValue(utf8: body)) }
      let error = #expect(throws: TransportError.self) { try script.transport().download(id: "a", limit: 99) }
      #expect(error?.code == expected)
      #expect(error?.reason.utf8.allSatisfy { $0 >= 0x20 } == true)
    }
  }

  @Test func aRegionThatIsNoneIsNotRepeated() throws {
    let script = S3Script { _ in
      HTTPResponse(
        status: 301,
        fields: [HTTPField("x-amz-bucket-region", "\u{1B}[31m"), HTTPField("Location", "http://evil.example/")])
    }
    let error = #expect(throws: TransportError.self) { try script.transport().download(id: "a", limit: 99) }
    #expect(error == TransportError(.redirected, place: ""))
    #expect(error?.reason == "status 301")
  }
}
