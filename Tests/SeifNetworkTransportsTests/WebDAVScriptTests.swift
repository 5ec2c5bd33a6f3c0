import SeifBackups
import SeifBytes
import SeifHTTP
import SeifTransportTesting
import Testing

@testable import SeifNetworkTransports

/// What the transport makes of servers whose answers are written out here.
@Suite struct WebDAVScriptTests {
  private let folder = DAVText.reply([("/dav/", DAVText.folder)])
  private let created = HTTPScript.reply("201 Created")
  private let done = HTTPScript.reply("204 No Content")
  private let missing = HTTPScript.reply("404 Not Found")
  private let content = SecretValue(utf8: "0123456789")

  private func upload(
    _ steps: [HTTPScript.Step], conditional: Bool = true, time: NoTime = NoTime()
  ) throws -> (refusal: TransportError?, server: HTTPScript) {
    let server = try HTTPScript([folder] + steps)
    let transport = try webDAV(server.url + "dav/", conditional: conditional, time: time)
    return (refusal { () throws(TransportError) in _ = try transport.upload(content, name: "a b.json") }, server)
  }

  // The listing of a file whose name nobody knows before: for the script, whatever was asked for.
  private func stored(_ count: Int) -> HTTPScript.Step { .reflecting { DAVText.listing([($0, DAVText.file(count))]) } }

  @Test func aFileIsSentAsideCountedAndMoved() throws {
    let (refusal, server) = try upload([
      created, stored(10), created, created, done,
    ])
    #expect(refusal == nil)
    let asked = server.received
    #expect(
      asked.map { $0.line.split(separator: " ").first } == ["PROPFIND", "PUT", "PROPFIND", "MKCOL", "MOVE", "DELETE"])
    let temporary = try #require(asked[1].line.split(separator: " ").dropFirst().first)
    #expect(temporary.hasPrefix("/dav/.seif-") && temporary.hasSuffix(".part"))
    #expect(asked[1].body == "0123456789")
    #expect(asked[2]["Depth"] == "0")
    #expect(asked[4].line.contains(temporary))
    #expect(asked[4]["Destination"] == server.url + "dav/a%20b.json")
    #expect(asked[4]["Overwrite"] == "F")
    #expect(asked[3].line.split(separator: " ")[1] == asked[5].line.split(separator: " ")[1])
  }

  @Test(arguments: [
    ("423 Locked", TransportError.Code.locked), ("507 Insufficient Storage", .full), ("413 Too Large", .tooLarge),
    ("403 Forbidden", .noPermission), ("401 Unauthorized", .unauthorized), ("409 Conflict", .notFound),
    ("405 Method Not Allowed", .failed), ("302 Found", .redirected),
  ])
  func aRefusedUploadIsNamedAndNotTriedAgain(_ status: String, _ code: TransportError.Code) throws {
    let time = NoTime()
    let (refusal, server) = try upload(
      [HTTPScript.reply(status), missing], time: time)
    #expect(refusal?.code == code)
    #expect(server.received.filter { $0.line.hasPrefix("PUT") }.count == 1)
    #expect(server.received.allSatisfy { !$0.line.hasPrefix("MOVE") })
    #expect(time.waited.isEmpty)
  }

  @Test func aShortFileIsRemovedAndNeverGetsItsName() throws {
    for size in [3_191_060, 0, 9, 11] {
      let (refusal, server) = try upload([
        created, stored(size), done,
      ])
      #expect(refusal?.code == .incomplete)
      let asked = server.received
      #expect(asked.map { $0.line.split(separator: " ").first } == ["PROPFIND", "PUT", "PROPFIND", "DELETE"])
      #expect(
        asked[3].line.split(separator: " ").dropFirst().first == asked[1].line.split(separator: " ").dropFirst().first)
    }
  }

  @Test func aBusyServerIsAskedOnceMoreWhenItSays() throws {
    let time = NoTime()
    let (refusal, server) = try upload(
      [
        HTTPScript.reply("503 Service Unavailable", ["Retry-After: 2"]), created, stored(10),
        created, created, done,
      ], time: time)
    #expect(refusal == nil)
    #expect(time.waited == [2000])
    #expect(server.received.filter { $0.line.hasPrefix("PUT") }.count == 2)
  }

  @Test func whatAnUploadLeftOverADayAgoIsRemoved() throws {
    func part(_ digit: String, _ time: String) -> (String, String) {
      ("/dav/.seif-0\(digit).part", DAVText.file(1) + "<d:getlastmodified>\(time)</d:getlastmodified>")
    }
    let listing = DAVText.listing([
      ("/dav/", DAVText.folder), part("1", "Sat, 05 Nov 1994 08:49:36 GMT"), part("2", "Sat, 05 Nov 1994 08:49:37 GMT"),
      part("3", "yesterday"), ("/dav/old.json", DAVText.file(1)),
    ])
    let server = try HTTPScript([
      HTTPScript.reply("207 Multi-Status", ["Date: Sun, 06 Nov 1994 08:49:37 GMT"], listing),
      done, created, stored(10), created, created, done, created, stored(10), created, created, done,
    ])
    let transport = try webDAV(server.url + "dav/")
    for name in ["a", "b"] { _ = try transport.upload(content, name: name) }
    let deleted = server.received.filter { $0.line.hasPrefix("DELETE") }
    #expect(deleted.first?.line == "DELETE /dav/.seif-01.part HTTP/1.1")
    #expect(deleted.count == 3)
  }

  @Test func aTakenNameIsRefusedByTheServer() throws {
    let (refusal, server) = try upload([
      created, stored(10), created, HTTPScript.reply("412 Precondition Failed"), stored(10), done, done,
    ])
    #expect(refusal?.code == .exists)
    #expect(server.received.suffix(2).allSatisfy { $0.line.hasPrefix("DELETE /dav/.seif-") })
  }

  @Test func ofTwoWritersOfANameOneHasTheTurn() throws {
    let other = HTTPScript.reply("405 Method Not Allowed")
    var (refusal, server) = try upload([created, stored(10), other, stored(0), done])
    #expect(refusal?.code == .exists)
    #expect(server.received.allSatisfy { !$0.line.hasPrefix("MOVE") })
    // The other's turn isn't taken away: what is removed is what this one sent.
    let deleted = server.received.filter { $0.line.hasPrefix("DELETE") }.map { $0.line.split(separator: " ")[1] }
    #expect(deleted == server.received.filter { $0.line.hasPrefix("PUT") }.map { $0.line.split(separator: " ")[1] })
    // A server that makes no folders is used as it is.
    (refusal, server) = try upload([created, stored(10), other, missing, created])
    #expect(refusal == nil)
  }

  @Test func aMoveWithoutAnAnswerIsLookedInto() throws {
    // Its source is gone and the file is there: it was done.
    var (refusal, server) = try upload([
      created, stored(10), created, .silence, missing, stored(10), done,
    ])
    #expect(refusal == nil)
    // Its source is there: it wasn't, and nothing may stay.
    (refusal, server) = try upload([
      created, stored(10), created, .silence, stored(10), done, done,
    ])
    #expect(refusal?.code == .unavailable)
    #expect(server.received.last?.line.hasPrefix("DELETE /dav/.seif-") == true)
  }

  @Test func aServerWithoutMoveGetsTheFileUnderItsNameIfThatIsFree() throws {
    let (refusal, server) = try upload([
      created, stored(10), created, HTTPScript.reply("501 Not Implemented"), done, missing, created, stored(10), done,
    ])
    #expect(refusal == nil)
    let put = try #require(server.received.last { $0.line.hasPrefix("PUT") })
    #expect(put.line == "PUT /dav/a%20b.json HTTP/1.1")
    #expect(put["If-None-Match"] == "*")
  }

  @Test func whereTheServerRefusesNothingTheNameIsLookedAtFirst() throws {
    var (refusal, server) = try upload([stored(3)], conditional: false)
    #expect(refusal?.code == .exists)
    #expect(server.received.allSatisfy { $0.line.hasPrefix("PROPFIND") })
    (refusal, server) = try upload(
      [
        missing, created, stored(10),
        created, stored(11),
      ], conditional: false)
    #expect(refusal?.code == .incomplete)
  }

  @Test func noWeakVersionIsEverSent() throws {
    let weak = ["ETag: W/\"v7\""]
    let (_, server) = try upload(
      [
        HTTPScript.reply("201 Created", weak), stored(10), created,
        HTTPScript.reply("412 Precondition Failed", weak), stored(10), done, done,
      ], conditional: true)
    #expect(server.received.filter { $0.line.hasPrefix("PUT") || $0.line.hasPrefix("MOVE") }.count == 2)
    #expect(server.received.allSatisfy { $0["If-Match"] == nil && $0["If"] == nil })
  }

  @Test(arguments: ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
  func aFolderThatLeadsToItsSlashIsListed(_ status: String) throws {
    let challenge = HTTPScript.reply("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""])
    let server = try HTTPScript([
      challenge, HTTPScript.reply(status, ["Location: /dav/"]),
      DAVText.reply([("/dav/", DAVText.folder), ("/dav/a.json", DAVText.file(1))]),
    ])
    let transport = try webDAV(server.url + "dav", user: "u", password: "p")
    #expect(try transport.listBackups().map(\.name) == ["a.json"])
    let (first, second) = (server.received[1], server.received[2])
    #expect(second.line == "PROPFIND /dav/ HTTP/1.1")
    for field in ["Depth", "Authorization", "Content-Type"] { #expect(second[field] == first[field]) }
    #expect(second["Depth"] == "1")
    #expect(second["Authorization"]?.hasPrefix("Basic ") == true)
    #expect(second.body == first.body && !second.body.isEmpty)
  }

  @Test func credentialsNeverGoElsewhere() throws {
    let other = try HTTPScript([])
    let server = try HTTPScript([HTTPScript.reply("307 Temporary Redirect", ["Location: \(other.url)"])])
    let transport = try webDAV(server.url + "dav", user: "u", password: "p")
    let refusal = refusal { () throws(TransportError) in _ = try transport.listBackups() }
    #expect(refusal?.code == .redirected)
    #expect(other.received.isEmpty)
    let endless = try HTTPScript((0..<9).map { HTTPScript.reply("302 Found", ["Location: /\($0)"]) })
    let lost = try webDAV(endless.url)
    #expect(throws: TransportError(.redirected, place: "")) { try lost.listBackups() }
    #expect(endless.received.count == 6)
  }

  @Test(arguments: [
    HTTPScript.reply("200 OK", ["Content-Type: text/html"], "<html>Welcome</html>"),
    HTTPScript.reply("207 Multi-Status", [], "<html>Welcome</html>"), HTTPScript.reply("207 Multi-Status"),
    HTTPScript.reply("204 No Content"), HTTPScript.reply("405 Method Not Allowed"),
    DAVText.reply([]), DAVText.reply([("/other/", DAVText.folder)]), DAVText.reply([("/dav/a", DAVText.file(1))]),
  ])
  func whatIsNoListingIsntAnEmptyOne(_ step: HTTPScript.Step) throws {
    let server = try HTTPScript([step])
    let transport = try webDAV(server.url + "dav/")
    #expect(throws: TransportError(.badAnswer, place: "")) { try transport.listBackups() }
  }

  @Test func aMissingFolderIsSaidToBeMissing() throws {
    let server = try HTTPScript([missing, missing])
    let transport = try webDAV(server.url + "dav/")
    let listed = refusal { () throws(TransportError) in _ = try transport.listBackups() }
    #expect(listed?.code == .notFound)
    let stored = refusal { () throws(TransportError) in _ = try transport.upload(content, name: "a") }
    for refused in [listed, stored] { #expect(refused?.description.contains("make this folder") == true) }
  }

  @Test func foldersTemporaryAndOddNamesArentBackups() throws {
    let server = try HTTPScript([
      DAVText.reply([
        ("/dav/", DAVText.folder), ("/dav/sub/", DAVText.folder), ("/dav/.seif-00.part", DAVText.file(1)),
        ("/dav/a%0Ab", DAVText.file(1)), ("/dav/a%2Fb", DAVText.file(1)), ("/dav/good", "<d:resourcetype/>"),
      ])
    ])
    let listed = try webDAV(server.url + "dav/").listBackups()
    #expect(listed == [BackupDescriptor(id: "good", name: "good", byteCount: nil)])
  }

  @Test func settingsThatCantBeUsedAreRefusedByTheirName() {
    func refused(_ values: [String: String], secret: [UInt8] = []) -> String? {
      let settings = TransportSettings(
        name: "n", kind: "webdav", values: ["user": ""].merging(values) { $1 },
        secrets: ["password": SecretValue(secret)])
      return refusal { () throws(TransportError) in
        _ = try TransportRegistry(NetworkTransports.kinds).transport(settings)
      }?.reason
    }
    for url in ["", "cloud.example", "ftp://a.example/", "https://u:geheim@a.example/", "https://a.example/?x"] {
      let reason = refused(["url": url])
      #expect(reason?.hasPrefix("url: ") == true, "\(url)")
      #expect(reason?.contains("geheim") != true)
    }
    #expect(refused(["url": "http://a.example/"])?.contains("https") == true)
    #expect(refused(["url": "http://a.example/", "allow-http": "yes"]) == nil)
    #expect(refused(["url": "https://a.example/", "allow-http": "perhaps"])?.hasPrefix("allow-http") == true)
    #expect(refused(["url": "https://a.example/", "ca-file": "/missing"])?.hasPrefix("ca-file") == true)
    #expect(refused(["url": "https://a.example/", "user": "a\nb"])?.hasPrefix("user") == true)
    #expect(refused(["url": "https://a.example/", "user": "a"], secret: [UInt8](repeating: 97, count: 4097)) != nil)
    #expect(refused(["url": "https://a.example/ä ordner/"]) == nil)
  }
}
