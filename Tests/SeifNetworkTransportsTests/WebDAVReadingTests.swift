import FoundationEssentials
import SeifBytes
import SeifHTTP
import SeifTestSupport
import Testing

@testable import SeifNetworkTransports

/// What is made of the XML of servers.
@Suite struct WebDAVReadingTests {
  private func read(_ text: String) throws(DAVReader.Fault) -> [DAVResource] {
    try DAVReader.resources(SecretValue(utf8: text))
  }

  private func fault(_ text: String) -> String? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test(.enabled(if: TestData.shared != nil)) func hrefsAreOneWhateverTheCaseOfTheirEscapes() throws {
    let shared = try #require(TestData.shared)
    let reports = try TestData.json(shared.appending(path: "cases/reports.json"))
    let report = try #require(Self.find("s-transport-01", in: reports.root))
    let input = try #require(report["input"])
    let body = try #require(input["body"]?.string)
    let address = try HTTPAddress(
      HTTPAddress.encoding("https://dav.example.com/remote.php/dav/files/u/[Reference]/"))
    let listing = DAVListing(try read(body), in: address)
    #expect(listing.folder?.isCollection == true)
    let files = listing.children.filter { !$0.resource.isCollection }
    let expected = try #require(report["expect"]?["files"]).elements
    #expect(files.map(\.name) == expected.map { $0["name"]?.string ?? "" })
    #expect(files.map(\.resource.byteCount) == [1234, 5])
    #expect(files.map(\.resource.etag) == ["\"abc\"", nil])
    #expect(listing.children.filter(\.resource.isCollection).map(\.name) == ["sub"])
  }

  private static func find(_ id: String, in value: JSONValue) -> JSONValue? {
    if value["id"]?.string == id { return value }
    for element in value.elements {
      if let found = find(id, in: element) { return found }
    }
    for member in value.members {
      if let found = find(id, in: member.value) { return found }
    }
    return nil
  }

  @Test func namespacesCountAndPrefixesDont() throws {
    let text = """
      <?xml version="1.0"?><x:multistatus xmlns:x="DAV:" xmlns="http://other.example/">
      <x:response><x:href> /a/b%2Fc </x:href><href>/no</href><x:propstat><x:prop><getcontentlength>7</getcontentlength>
      <x:getcontentlength>5</x:getcontentlength><resourcetype><collection/></resourcetype></x:prop>
      <x:status>HTTP/1.1 200 OK</x:status></x:propstat><x:propstat><x:prop><x:getetag>W/"1"</x:getetag></x:prop>
      <x:status>HTTP/1.1 404 Not Found</x:status></x:propstat></x:response></x:multistatus>
      """
    #expect(try read(text) == [DAVResource(href: "/a/b%2Fc", byteCount: 5)])
  }

  @Test func propertiesOfNoGoodStatusDontCount() throws {
    let text = """
      <multistatus xmlns="DAV:"><response><href>/a</href><propstat><prop><getcontentlength>5</getcontentlength></prop>
      </propstat></response><response><href>/b</href><status>HTTP/1.1 404 Not Found</status></response></multistatus>
      """
    #expect(try read(text) == [DAVResource(href: "/a"), DAVResource(href: "/b", status: 404)])
  }

  @Test(arguments: ["-1", "+5", "5.0", "99999999999999999999", "0x5", "5 5", ""])
  func aSizeThatIsNoNumberIsUnknown(_ size: String) throws {
    let text = DAVText.listing([("/a", "<d:getcontentlength>\(size)</d:getcontentlength>")])
    #expect(try read(text).map(\.byteCount) == [nil])
  }

  @Test func whatIsNoListingIsRefused() {
    let laughs = """
      <?xml version="1.0"?><!DOCTYPE m [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
      <multistatus xmlns="DAV:"><response><href>&b;</href></response></multistatus>
      """
    #expect(fault(laughs) == "it has a document type")
    let foreign = """
      <!DOCTYPE m SYSTEM "file:///etc/passwd"><multistatus xmlns="DAV:"></multistatus>
      """
    #expect(fault(foreign) == "it has a document type")
    #expect(fault("<html><body>Welcome</body></html>") == "it isn't a listing")
    #expect(fault("<multistatus/>") == "it isn't a listing")
    #expect(fault("<!doctype html><html></html>") != nil)
    for text in [
      "", " ", "{}", "<multistatus xmlns=\"DAV:\">", "<multistatus xmlns=\"DAV:\"><response></multistatus>",
      "<multistatus xmlns=\"DAV:\"/><multistatus xmlns=\"DAV:\"/>", "<d:multistatus/>",
      "<multistatus xmlns=\"DAV:\">&unknown;</multistatus>", "<multistatus xmlns=\"DAV:\">\u{1}</multistatus>",
    ] {
      #expect(fault(text) == "it isn't XML", "\(text)")
    }
    #expect(fault("<multistatus xmlns=\"DAV:\"><response/></multistatus>") == "a part of it has no address")
    #expect(
      fault("<multistatus xmlns=\"DAV:\"><response><href>/a</href><href>/b</href></response></multistatus>")
        == "a part of it has two addresses")
  }

  @Test func sizesHaveBounds() throws {
    func nested(_ depth: Int) -> String {
      "<multistatus xmlns=\"DAV:\">" + String(repeating: "<x>", count: depth - 1)
        + String(repeating: "</x>", count: depth - 1) + "</multistatus>"
    }
    #expect(fault(nested(32)) == nil)
    #expect(fault(nested(33)) == "it is nested too deep")
    func long(_ count: Int) -> String {
      "<multistatus xmlns=\"DAV:\"><response><href>\(String(repeating: "a", count: count))</href></response></multistatus>"
    }
    #expect(fault(long(8_192)) == nil)
    #expect(fault(long(8_193)) == "a text in it is too long")
    func many(_ count: Int) -> String {
      "<multistatus xmlns=\"DAV:\">" + String(repeating: "<response><href>/a</href></response>", count: count)
        + "</multistatus>"
    }
    #expect(try read(many(100_000)).count == 100_000)
    #expect(fault(many(100_001)) == "it names too many things")
  }

  @Test func eachCutOfAListingIsRefused() {
    let text = DAVText.listing([("/a/", DAVText.folder), ("/a/b", DAVText.file(5))])
    let bytes = Array(text.utf8)
    for count in 0..<bytes.count {
      #expect(throws: DAVReader.Fault.self) { try DAVReader.resources(SecretValue(Array(bytes[..<count]))) }
    }
  }

  @Test func bytesChangedAnywhereNeverTrap() throws {
    let text = DAVText.listing([("/a/", DAVText.folder), ("/a/b%20c", DAVText.file(5)), ("/a/%C3%A4", DAVText.file(6))])
    let whole = Array(text.utf8)
    var random = SeededGenerator(seed: 4918)
    let address = try HTTPAddress("https://a.example/a/")
    var read = 0
    for _ in 0..<3_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let resources = try? DAVReader.resources(SecretValue(bytes)) else { continue }
      read += 1
      let listing = DAVListing(resources, in: address)
      #expect(listing.children.count <= 3)
    }
    #expect(read > 0 && read < 3_000)
  }

  @Test func onlyWhatLiesInTheFolderIsInIt() throws {
    let address = try HTTPAddress("https://a.example/dav/x")
    let hrefs = [
      "/dav/x/", "one", "/dav/x/two", "https://inner.example:8080/dav/x/three", "/dav/x/deep/four", "/dav/y/five",
      "/dav/x/../six", "/dav/xy", "/dav/x/two", "/dav/x/se%76en", "/dav/x/%zz", "/dav/x/%ff", "/dav/x/a%2Fb",
    ]
    let listing = DAVListing(hrefs.map { DAVResource(href: $0) }, in: address)
    #expect(listing.folder?.href == "/dav/x/")
    #expect(listing.children.map(\.name) == ["two", "three", "seven", "a/b"])
  }
}
