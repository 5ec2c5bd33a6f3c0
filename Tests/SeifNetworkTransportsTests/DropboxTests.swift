import SeifBackups
import SeifBytes
import SeifHTTP
import SeifTestSupport
import SeifTransportTesting
import Testing
import SeifHTTPFields

@testable import SeifNetworkTransports

/// What is Dropbox's own.
@Suite struct DropboxTests {
  private static func transport(_ server: S3Script, folder: String = "") throws -> DropboxTransport {
    try DropboxTransport(
      TransportSettings(
        name: "box", kind: "dropbox",
        values: [
          "app-key": "me", "folder": folder, "api": "https://api.example", "content": "https://content.example",
          "accounts": "https://accounts.example",
        ], secrets: ["refresh-token": SecretValue(utf8: "r")]),
      client: server, quickClient: server)
  }

  private static func server(_ answers: @escaping @Sendable (HTTPRequest) -> HTTPResponse) -> S3Script {
    S3Script { request in
      request.url == "https://api.example/oauth2/token"
        ? HTTPResponse(status: 200, body: SecretValue(utf8: #"{"access_token":"a","token_type":"bearer"}"#))
        : answers(request)
    }
  }

  private static func json(_ text: String, _ status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, body: SecretValue(utf8: text))
  }

  private static let hash = String(repeating: "0", count: 64)

  private static func file(_ name: String, _ tag: String = "file") -> String {
    #"{".tag":"\#(tag)","name":"\#(name)","size":5,"content_hash":"\#(hash)","rev":"1"}"#
  }

  // SHA-256 of the digests of blocks of 4 MiB; the values were made with Python's hashlib.
  @Test func aHashIsOfTheDigestsOfBlocks() throws {
    let script = """
      import hashlib, sys
      for size in (0, 1, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, (8 << 20) + 5):
          content = bytes(i * 7 & 255 for i in range(256)) * (size // 256 + 1)
          blocks = [content[:size][i:i + (4 << 20)] for i in range(0, size, 4 << 20)]
          print(size, hashlib.sha256(b"".join(hashlib.sha256(b).digest() for b in blocks)).hexdigest())
      """
    let pattern = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let lines = try Python.lines(script)
    #expect(lines.count == 6)
    for line in lines {
      let words = line.split(separator: " ")
      let size = try #require(Int(words[0]))
      let content = SecretValue((0..<size).map { pattern[$0 & 255] })
      #expect(DropboxDocument.contentHash(content) == words[1], "\(size)")
    }
  }

  @Test func namesAreSentAsASCII() throws {
    let server = Self.server { _ in Self.json("{}", 500) }
    _ = try? Self.transport(server, folder: "/ä/").download(id: "日\"👩\u{7F}x".replacing("\u{7F}", with: ""), limit: 9)
    let field = server.requests.last?.fields.first { $0.name == "Dropbox-API-Arg" }
    #expect(field?.value == #"{"path":"/\u00e4/\u65e5\"\ud83d\udc69x"}"#)
  }

  @Test func theLastWordAboutANameCounts() throws {
    let server = Self.server { request in
      if request.url.hasSuffix("continue") {
        return Self.json(
          #"{"entries":[{".tag":"deleted","name":"gone"},\#(Self.file("b"))],"cursor":"2","has_more":false}"#)
      }
      let entries = [
        Self.file("gone"), Self.file("a"), Self.file("b"), #"{".tag":"folder","name":"f"}"#, Self.file(".."),
      ]
      return Self.json(#"{"entries":[\#(entries.joined(separator: ","))],"cursor":"1","has_more":true}"#)
    }
    #expect(try Self.transport(server).listBackups().map(\.name).sorted() == ["a", "b"])
    #expect(server.requests.last?.body?.exposedText() == #"{"cursor":"1"}"#)
  }

  @Test func aListingThatGoesInACircleIsRefused() throws {
    let server = Self.server { _ in Self.json(#"{"entries":[],"cursor":"again","has_more":true}"#) }
    #expect(throws: TransportError(.badAnswer, place: "")) { try Self.transport(server).listBackups() }
    #expect(server.requests.count == 3)
  }

  @Test(arguments: [
    #"{"entries":[],"cursor":"1"}"#, #"{"entries":[],"cursor":"","has_more":true}"#, #"{"entries":[],"has_more":true}"#,
    #"{"entries":[{".tag":"file","name":"x","size":-1}],"has_more":false}"#,
    #"{"entries":[{".tag":"new","name":"x"}],"has_more":false}"#,
    #"{"entries":[{".tag":"file","name":"x","size":1}],"has_more":false}"#,
    #"{"entries":[{".tag":"file"}],"has_more":false}"#,
  ])
  func whatIsNotAListingIsNoEmptyListing(body: String) throws {
    let server = Self.server { _ in Self.json(body) }
    #expect(throws: TransportError(.badAnswer, place: "")) { try Self.transport(server).listBackups() }
  }

  @Test func aFolderThatIsntThereIsNoEmptyOne() throws {
    let standIn = try CloudStandIn()
    let lost = try dropbox(standIn.dropbox(folder: "/lost"))
    #expect(throws: TransportError(.notFound, place: "")) { try lost.listBackups() }
    // Dropbox makes it with its first file.
    _ = try lost.upload(.empty, name: "x")
    #expect(try lost.listBackups().map(\.name) == ["x"])
    #expect(try dropbox(standIn.dropbox()).listBackups().isEmpty)
    #expect(try dropbox(standIn.dropbox(folder: "lost/")).place == lost.place)
    #expect(try dropbox(standIn.dropbox(folder: "/LOST")).place == lost.place)
  }

  @Test func aFolderOfTheNameIsNotDeleted() throws {
    let server = Self.server { request in
      request.url.hasSuffix("get_metadata") ? Self.json(#"{".tag":"folder","name":"x"}"#) : Self.json("{}")
    }
    #expect(throws: TransportError(.notFound, place: "")) { try Self.transport(server).delete(id: "x") }
    #expect(!server.requests.contains { $0.url.hasSuffix("delete_v2") })
  }

  @Test func aNameThatDiffersInCaseAloneIsTaken() throws {
    let standIn = try CloudStandIn()
    let transport = try dropbox(standIn.dropbox())
    _ = try transport.upload(SecretValue(utf8: "1"), name: "Name")
    #expect(throws: TransportError(.exists, place: "")) { try transport.upload(SecretValue(utf8: "1"), name: "name") }
    #expect(try transport.listBackups().map(\.name) == ["Name"])
  }

  @Test func anotherNameThanAskedForIsNotTaken() throws {
    let server = Self.server { request in
      guard request.url.hasSuffix("upload") else { return Self.json(Self.file("x (1)")) }
      return Self.json(
        #"{"name":"x (1)","size":0,"rev":"1","content_hash":"\#(DropboxDocument.contentHash(.empty))"}"#)
    }
    #expect(throws: TransportError(.failed, place: "")) { try Self.transport(server).upload(.empty, name: "x") }
    // The server chose that name, and what lies under it may be a backup of before.
    #expect(!server.requests.contains { $0.url.hasSuffix("delete_v2") })
  }

  @Test func whatArrivedWrongGoesInItsOwnVersionAlone() throws {
    let server = Self.server { request in
      guard request.url.hasSuffix("upload") else { return Self.json(Self.file("x")) }
      return Self.json(#"{"name":"x","size":0,"rev":"mine","content_hash":"\#(Self.hash)"}"#)
    }
    #expect(throws: TransportError(.incomplete, place: "")) { try Self.transport(server).upload(.empty, name: "x") }
    let deletion = try #require(server.requests.last)
    #expect(deletion.url.hasSuffix("delete_v2"))
    // EXPOSE: the text of a test.
    #expect(deletion.body?.exposedText()?.contains(#""parent_rev":"mine""#) == true)
  }

  @Test(arguments: [
    (409, "path/not_found/..", TransportError.Code.notFound), (409, "path/conflict/file/...", .exists),
    (409, "path/insufficient_space/", .full), (409, "path/disallowed_name/.", .failed),
    (429, "too_many_requests/..", .busy), (409, "too_many_write_operations/", .busy),
    (401, "expired_access_token/", .unauthorized), (401, "missing_scope/..", .noPermission),
    (409, "path/something_new/..", .failed), (409, "content_hash_mismatch/", .incomplete), (409, "reset/..", .busy),
    (418, "\\u001b[2J", .failed), (500, "", .unavailable), (403, "", .noPermission),
  ])
  func refusalsAreSaidInWords(status: Int, summary: String, expected: TransportError.Code) throws {
    let server = Self.server { _ in
      Self.json(#"{"error_summary":"\#(summary)","error":{".tag":"x"},"user_message":"secret words"}"#, status)
    }
    let error = #expect(throws: TransportError.self) { try Self.transport(server).download(id: "x", limit: 99) }
    #expect(error?.code == expected)
    #expect(error?.reason.contains("secret") == false)
    #expect(error?.reason.utf8.allSatisfy { (0x20..<0x7F).contains($0) } == true)
  }

  @Test func bytesThatAreNotThoseOfTheFileAreIncomplete() throws {
    let server = Self.server { _ in
      HTTPResponse(
        status: 200, fields: [HTTPField("Dropbox-API-Result", Self.file("x"))], body: SecretValue(utf8: "other"))
    }
    #expect(throws: TransportError(.incomplete, place: "")) { try Self.transport(server).download(id: "x", limit: 99) }
  }
}
