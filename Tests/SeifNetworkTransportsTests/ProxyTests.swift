import SeifBackups
import SeifBytes
import SeifHTTP
import SeifTransportTesting
import Testing

@testable import SeifNetworkTransports

/// A proxy for one destination alone.
@Suite struct ProxyTests {
  private func settings(_ proxy: String, user: String = "", password: String = "") -> TransportSettings {
    TransportSettings(
      name: "nas", kind: "webdav",
      values: [
        "url": "http://nas.invalid/dav/", "user": "", "ca-file": "", "allow-http": "yes", "proxy": proxy,
        "proxy-user": user,
      ], secrets: ["password": .empty, "proxy-password": SecretValue(utf8: password)])
  }

  private func registry() -> TransportRegistry { TransportRegistry([WebDAVTransport.kind]) }

  @Test func whatIsAskedGoesByIt() throws {
    let proxy = try HTTPScript([DAVText.reply([("/dav/", DAVText.folder)])])
    let transport = try registry().transport(settings("http://127.0.0.1:\(proxy.port)"))
    #expect(try transport.listBackups().isEmpty)
    #expect(proxy.received.map(\.line) == ["PROPFIND http://nas.invalid/dav/ HTTP/1.1"])
    #expect(proxy.received.allSatisfy { $0["Proxy-Authorization"] == nil })
  }

  @Test func itsPasswordGoesToItOnceItIsAskedForAndItsRefusalIsSaid() throws {
    let refusal = HTTPScript.reply(
      "407 Proxy Authentication Required", ["Proxy-Authenticate: Basic realm=\"x\""], "who?")
    let proxy = try HTTPScript([refusal, DAVText.reply([("/dav/", DAVText.folder)]), refusal, refusal])
    let transport = try registry().transport(
      settings("http://127.0.0.1:\(proxy.port)/", user: "ana", password: "seif-proxy-password"))
    #expect(try transport.listBackups().isEmpty)
    let asked = proxy.received
    #expect(asked.count == 2 && asked.first?["Proxy-Authorization"] == nil)
    let sent = Base64.encode(Array("ana:seif-proxy-password".utf8))
    #expect(asked.last?["Proxy-Authorization"] == "Basic \(sent)")
    #expect(asked.allSatisfy { $0["Authorization"] == nil })
    do {
      _ = try transport.listBackups()
      Issue.record("the proxy refused")
    } catch {
      #expect(error.description.contains("the proxy refuses: status 407"), "\(error)")
    }
  }

  @Test func onlyAddressesOfProxiesAreTaken() throws {
    for text in ["", "none", "http://p.example:3128", "https://p.example:1/", "socks5h://[::1]:1080"] {
      _ = try NetworkClient.proxy(settings(text))
    }
    for text in [
      "p.example:3128", "http://p.example", "ftp://p.example:1", "http://u:p@p.example:1", "http://p.example:1/x",
      "http://p.example:0", "http://p.example:99999", "http://:1", "no",
    ] {
      do {
        _ = try NetworkClient.proxy(settings(text))
        Issue.record("taken: \(text)")
      } catch {
        #expect(error.code == .badSettings && error.field == "proxy")
        #expect(!error.description.contains("u:p"))
      }
    }
    #expect(throws: TransportError.self) { try NetworkClient.proxy(settings("none", user: "ana")) }
  }
}
