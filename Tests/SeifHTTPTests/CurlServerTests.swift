import FoundationEssentials
import SeifBytes
import SeifHTTP
import SeifTransportTesting
import Testing

/// The client with a real server.
@Suite struct CurlServerTests {
  static let certificates = Result { try ApacheCertificates() }

  private func settings(_ authority: URL? = nil) -> CurlSettings {
    var settings = CurlSettings(userAgent: "seif/test")
    settings.authorityFile = authority?.path
    return settings
  }

  private let who = HTTPAuthentication.password(
    user: ApacheDAV.user, SecretValue(utf8: ApacheDAV.password))

  @Test(arguments: ApacheDAV.Authentication.allCases)
  func filesGoAndComeBackHoweverTheServerAsks(_ authentication: ApacheDAV.Authentication) throws {
    let server = try ApacheDAV(authentication)
    let client = CurlClient(settings())
    for size in [0, 1, 100_000, 3_000_000] {
      let content = SecretValue([UInt8](repeating: 0xA5, count: size))
      let url = server.url + "file-\(size)"
      let stored = try client.send(HTTPRequest("PUT", url, body: content, authentication: who))
      #expect(stored.status == 201, "\(server.log.suffix(500))")
      let back = try client.send(HTTPRequest("GET", url, authentication: who, limit: size))
      #expect(back.body == content)
      #expect(try client.send(HTTPRequest("HEAD", url, authentication: who)).status == 200)
      #expect(try client.send(HTTPRequest("DELETE", url, authentication: who)).status == 204)
    }
    if authentication != .none {
      let wrong = HTTPAuthentication.password(user: ApacheDAV.user, SecretValue(utf8: "wrong"))
      #expect(try client.send(HTTPRequest("GET", server.url, authentication: wrong)).status == 401)
      #expect(try client.send(HTTPRequest("GET", server.url)).status == 401)
      #expect(try client.send(HTTPRequest("PROPFIND", server.url, authentication: who)).status != 401)
    }
  }

  @Test func aServerIsTrustedByTheAuthoritysFileAlone() throws {
    let certificates = try Self.certificates.get()
    let file = FileManager.default.temporaryDirectory.appending(path: "seif-ca-\(UInt64.random(in: 0 ... .max)).pem")
    try Data(certificates.authority.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let good = try ApacheDAV(.none, certificate: certificates.good)
    #expect(try CurlClient(settings(file)).send(HTTPRequest("OPTIONS", good.url)).status == 200)
    var refusals: [HTTPFailure?] = [Self.refusal(CurlClient(settings()), good.url)]
    let other = try ApacheDAV(.none, certificate: certificates.otherName)
    refusals.append(Self.refusal(CurlClient(settings(file)), other.url))
    let expired = try ApacheDAV(.none, certificate: certificates.expired)
    refusals.append(Self.refusal(CurlClient(settings(file)), expired.url))
    refusals.append(Self.refusal(CurlClient(settings(file.appending(path: "missing"))), good.url))
    for refusal in refusals {
      guard case .certificate(let words)? = refusal else {
        Issue.record("\(String(describing: refusal))")
        continue
      }
      #expect(!words.isEmpty)
    }
    // No server of the authority's: the name that it says it is, and no TLS at all.
    let plain = try ApacheDAV(.none)
    let address = plain.url.replacing("http:", with: "https:")
    guard case .broken? = Self.refusal(CurlClient(settings(file)), address) else {
      Issue.record("\(String(describing: Self.refusal(CurlClient(settings(file)), address)))")
      return
    }
  }

  @Test func aConnectionThatEndsWithinTLSIsLostAndNotBroken() throws {
    let certificates = try Self.certificates.get()
    let file = FileManager.default.temporaryDirectory.appending(path: "seif-ca-\(UInt64.random(in: 0 ... .max)).pem")
    try Data(certificates.authority.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try ApacheDAV(.none, certificate: certificates.good)
    try Data("inhalt".utf8).write(to: server.files.appending(path: "a"))
    let proxy = try CuttingProxy(to: server.port)
    defer { proxy.end() }
    let url = "https://127.0.0.1:\(proxy.port)/dav/a"
    func get() -> Result<Int, HTTPFailure> {
      Result { () throws(HTTPFailure) in
        try CurlClient(settings(file)).send(HTTPRequest("GET", url)).body.byteCount
      }
    }
    #expect(get() == .success(6))
    let total = proxy.byteCount(.down)
    for (direction, points) in [
      (CuttingProxy.Direction.up, [0, 1, 100]), (.down, [0, 1, 5, 100, 500, total - 400, total - 60, total - 30]),
    ] {
      for point in points {
        proxy.cut(direction, after: point, isOnce: false)
        switch get() {
        case .success(let count): #expect(count == 6)
        case .failure(.unreachable), .failure(.broken("its body isn't whole")): break
        case .failure(.broken("it ended before its stated length")): break
        case .failure(let failure): Issue.record("\(direction) \(point) of \(total): \(failure)")
        }
      }
    }
  }

  private static func refusal(_ client: CurlClient, _ url: String) -> HTTPFailure? {
    do {
      _ = try client.send(HTTPRequest("OPTIONS", url))
      return nil
    } catch {
      return error
    }
  }
}
