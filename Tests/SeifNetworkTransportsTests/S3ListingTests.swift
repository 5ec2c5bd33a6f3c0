import SeifBackups
import SeifBytes
import SeifHTTP
import SeifHTTPFields
import SeifTestSupport
import Testing

@testable import SeifNetworkTransports

@Suite struct S3ListingTests {
  @Test func everyPartIsAskedForWithTheTokenOfTheOneBefore() throws {
    let first = (1000..<2000).map { "backups/twofac-backup-\($0)-1.json" }
    let script = S3Script { (request) throws(HTTPFailure) in
      request.url.contains("continuation-token")
        ? S3Script.page(["backups/twofac-backup-2000-1.json"]) : S3Script.page(first, next: "1/ab+c==")
    }
    let listed = try script.transport().listBackups()
    #expect(listed.count == 1001)
    let newest = listed.compactMap { BackupName(reading: $0.name) }.max()
    #expect(newest?.text == "twofac-backup-2000-1.json")
    let start = "https://s3.example.com/seif-vault/?"
    let tail = "delimiter=%2F&encoding-type=url&list-type=2&prefix=backups%2F"
    #expect(
      script.requests.map(\.url) == [start + tail, "\(start)continuation-token=1%2Fab%2Bc%3D%3D&\(tail)"])
    // Signed anew: the token is part of what is signed.
    #expect(Set(script.requests.map { $0.fields.first { $0.name == "Authorization" }?.value }).count == 2)
  }

  @Test func namesThatXMLCannotCarryComeEscaped() throws {
    let script = S3Script { _ in
      S3Script.page(["backups/a\u{1}b", "backups/a b+c", "backups/日本", "backups/a&b<c"])
    }
    // A control character is no name for people to see; nothing else is lost.
    #expect(try script.transport().listBackups().map(\.name) == ["a b+c", "日本", "a&b<c"])
    let form = S3Script { _ in
      HTTPResponse(
        status: 200,
        body: SecretValue(
          utf8: "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>backups%2Fa+b%2Bc</Key>"
            + "<Size>1</Size></Contents><Contents><Key>backups/%FF</Key></Contents>"
            + "<Contents><Key>backups/%4</Key></Contents></ListBucketResult>"))
    }
    #expect(try form.transport().listBackups().map(\.name) == ["a b+c"])
  }

  @Test func aServerThatDoesNotEscapeIsReadAsItWrites() throws {
    let script = S3Script { _ in S3Script.page(["backups/a%20b", "backups/a+b", "backups/c&amp;d"], isEncoded: false) }
    #expect(try script.transport().listBackups().map(\.name) == ["a%20b", "a+b", "c&d"])
  }

  @Test func foldersAndOtherPrefixesAreNotListed() throws {
    let script = S3Script { _ in
      S3Script.page([
        "backups/", "backups/x", "backups/sub/y", "backups2/z", "Backups/x", "x", "backups/..", "backups/sub/",
      ])
    }
    #expect(try script.transport().listBackups().map(\.name) == ["x"])
    #expect(try script.transport(prefix: "").listBackups().map(\.name) == ["x"])
    #expect(script.requests.last?.url.contains("prefix") == false)
  }

  @Test func namesThatLookAlikeAreTwoFiles() throws {
    let script = S3Script { _ in S3Script.page(["backups/a\u{301}", "backups/\u{E1}", "backups/a\u{301}"]) }
    #expect(try script.transport().listBackups().count == 2)
  }

  @Test func aTokenThatComesAgainIsACircle() throws {
    let script = S3Script { _ in S3Script.page(["backups/x"], next: "again") }
    #expect(throws: TransportError(.badAnswer, place: "")) { try script.transport().listBackups() }
    #expect(script.requests.count == 2)
  }

  @Test func aListingWithoutEndEnds() throws {
    let script = S3Script { request in
      S3Script.page([], next: "t\(request.url.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFFFF })")
    }
    #expect(throws: TransportError(.badAnswer, place: "")) { try script.transport().listBackups() }
    #expect(script.requests.count <= ListingParts.most)
    #expect(script.requests.allSatisfy { $0.limit <= 8 << 20 })
    let endless = S3Script { (_) throws(HTTPFailure) in throw .tooLarge }
    #expect(throws: TransportError(.badAnswer, place: "")) { try endless.transport().listBackups() }
  }

  @Test(arguments: [
    "<html><body>Welcome</body></html>", "", "{}", "<ListBucketResult>", "<ListBucketResult/><x/>",
    "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
    "<ListBucketResult><IsTruncated>perhaps</IsTruncated></ListBucketResult>",
    "<ListBucketResult><Contents><Size>5</Size></Contents></ListBucketResult>",
    "<ListBucketResult><Contents><Key>a</Key><Size>-5</Size></Contents></ListBucketResult>",
    "<ListBucketResult><Contents><Key>a</Key><Size>99999999999999999999</Size></Contents></ListBucketResult>",
    "<ListBucketResult><EncodingType>base64</EncodingType></ListBucketResult>",
    String(repeating: "<ListBucketResult>", count: 9) + String(repeating: "</ListBucketResult>", count: 9),
    "<ListBucketResult><Contents><Key>\(String(repeating: "a", count: 9000))</Key></Contents></ListBucketResult>",
    "<ListBucketResult>\(String(repeating: "<a/>", count: 50_001))</ListBucketResult>",
    "<!DOCTYPE x [<!ENTITY a \"b\">]><ListBucketResult>&a;</ListBucketResult>",
  ])
  func whatIsNotAListingIsNoEmptyListing(body: String) throws {
    let script = S3Script { _ in HTTPResponse(status: 200, body: SecretValue(utf8: body)) }
    #expect(throws: TransportError(.badAnswer, place: "")) { try script.transport().listBackups() }
  }

  @Test func aListingThatIsDamagedAnywhereIsReadOrRefused() throws {
    let whole = S3Script.page(["backups/a b", "backups/ü"], next: "1/ab+c==").body.exposedBytes()
    #expect(try S3Document.page(SecretValue(whole)).entries.count == 2)
    for count in 0..<whole.count {
      #expect(throws: S3Document.Fault.self) { try S3Document.page(SecretValue(Array(whole[..<count]))) }
    }
    var random = SeededGenerator(seed: 4)
    var refused = 0
    for _ in 0..<5_000 {
      var damaged = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: 0..<whole.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      do {
        let page = try S3Document.page(SecretValue(damaged))
        #expect(page.entries.count <= 2)
      } catch {
        refused += 1
      }
    }
    #expect((1_000..<5_000).contains(refused))
  }

  @Test func aRefusalUnderAGoodStatusIsARefusal() throws {
    let script = S3Script { _ in S3Script.refusal(200, "SlowDown") }
    #expect(throws: TransportError(.busy, place: "")) { try script.transport().listBackups() }
  }

  @Test func ofHostStyleTheBucketStandsInTheName() throws {
    let script = S3Script { _ in S3Script.page(["backups/x"]) }
    #expect(try script.transport(style: .host).listBackups().count == 1)
    #expect(script.requests[0].url.hasPrefix("https://seif-vault.s3.example.com/?"))
  }
}
