import SeifHTTP
import Testing

@Suite struct HTTPAddressTests {
  @Test func anAddressIsReadInItsParts() throws {
    let address = try HTTPAddress("HTTPS://Dav.Example.com:8443/a%20b/c?x=%2F&y")
    #expect(address.scheme == "https")
    #expect(address.host == "dav.example.com")
    #expect(address.port == 8443)
    #expect(address.path == "/a%20b/c")
    #expect(address.query == "x=%2F&y")
    #expect(address.description == "https://dav.example.com:8443/a%20b/c?x=%2F&y")
    #expect(try HTTPAddress("https://[::1]").description == "https://[::1]/")
    #expect(try HTTPAddress("http://a.example:80").description == "http://a.example/")
    #expect(try HTTPAddress("http://a.example?q").description == "http://a.example/?q")
  }

  @Test(arguments: [
    "", "a.example/", "ftp://a.example/", "https://", "https:///x", "https://a b/", "https://a.example/ä",
    "https://u@a.example/", "https://u:p@a.example/", "https://a.example/#f", "https://a.example:0/",
    "https://a.example:65536/", "https://a.example:-1/", "https://a.example:1x/", "https://a.example/%",
    "https://a.example/%2", "https://a.example/%zz", "https://a_b!/", "https://[::1/", "https://[v1.x]/",
    "https://a.example\\@b.example/", "https://a.example/\r\nX: y", "https://%61.example/",
    "https://a.example/" + String(repeating: "a", count: 8192),
  ])
  func whatIsNoAddressIsRefusedWithoutBeingShown(_ text: String) {
    do {
      let address = try HTTPAddress(text)
      Issue.record("taken as \(address)")
    } catch {
      guard case .badAddress(let why) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(!why.contains("example"))
    }
  }

  @Test(arguments: [
    ("/x", "https://a.example/x"), ("x", "https://a.example/b/x"), ("?q=1", "https://a.example/b/c?q=1"),
    ("../x", "https://a.example/x"), ("../../../x", "https://a.example/x"), ("./", "https://a.example/b/"),
    ("/b/./c/../d/..", "https://a.example/b/"), ("//b.example/x", "https://b.example/x"),
    ("http://b.example/a b/ä#f", "http://b.example/a%20b/%C3%A4"), ("", "https://a.example/b/c"),
    ("a:b", nil), ("//u@b.example/", nil), ("file:///etc/passwd", nil), ("/a%", nil),
  ])
  func aReferenceStandsForAnAddress(_ reference: String, _ expected: String?) throws {
    let base = try HTTPAddress("https://a.example/b/c")
    #expect((try? base.resolving(reference))?.description == expected)
  }

  @Test func onlyThisMachineIsLoopback() throws {
    for host in ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"] {
      #expect(try HTTPAddress("http://\(host)/").isLoopback)
    }
    for host in ["localhost.example", "127.0.0.1.example", "127.0.0.256", "128.0.0.1", "127.1", "[::2]"] {
      #expect(try !HTTPAddress("http://\(host)/").isLoopback)
    }
  }

  @Test func aSegmentKeepsLettersDigitsAndFourSigns() {
    #expect(HTTPAddress.encodingSegment("a-b._~%2F/+ä") == "a-b._~%252F%2F%2B%C3%A4")
  }
}
