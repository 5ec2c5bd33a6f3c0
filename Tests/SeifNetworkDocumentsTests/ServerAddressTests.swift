import SeifBytes
import SeifDocuments
import SeifHTTP
import SeifHTTPFields
import Testing

@testable import SeifNetworkDocuments

/// Signing in: which addresses are taken, what is sent, and what a server's words become.
@Suite struct ServerAddressTests {
  /// Answers as it was told and keeps what it was asked.
  private final class Told: HTTPClient, @unchecked Sendable {
    var answers: [HTTPResponse]
    var asked: [HTTPRequest] = []

    init(_ answers: [HTTPResponse]) { self.answers = answers }

    func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
      asked.append(request)
      guard !answers.isEmpty else { throw .timedOut(mayBeDone: true) }
      return answers.removeFirst()
    }
  }

  private static let token = "seif_" + String(repeating: "A", count: 43)
  private let person = ServerPerson(name: "ana", password: SecretValue(utf8: "a password"))

  private static func problem(_ status: Int, _ word: String) -> HTTPResponse {
    HTTPResponse(status: status, body: SecretValue(utf8: #"{"type":"/problems/\#(word)","status":\#(status)}"#))
  }

  private static func session(_ cookie: String = "seif=abc; Path=/") -> HTTPResponse {
    HTTPResponse(
      status: 200, fields: [HTTPField("Set-Cookie", "seif-known=x; Path=/"), HTTPField("Set-Cookie", cookie)],
      body: SecretValue(utf8: #"{"csrf":"c"}"#))
  }

  @Test func anAddressIsKeptInOneFormAndPlainHTTPIsForThisMachineAlone() throws {
    let servers = NetworkDocumentServers(client: Told([]))
    #expect(try servers.origin(of: "HTTPS://Docs.Example.org:443/") == "https://docs.example.org")
    #expect(try servers.origin(of: "http://localhost:8420") == "http://localhost:8420")
    for text in [
      "http://docs.example.org", "https://a.example/path", "https://a.example/?q", "https://ana@a.example", "ftp://a",
      "",
      "http://127.0.0.1.example.org",
    ] { #expect(throws: SignInError.self, "\(text)") { try servers.origin(of: text) } }
  }

  @Test func aSessionIsEndedWhateverCameOfItsToken() throws {
    let made = HTTPResponse(
      status: 201,
      body: SecretValue(utf8: #"{"id":"00000000-0000-4000-8000-000000000001","token":"\#(Self.token)"}"#))
    for (answer, isGood) in [(made, true), (Self.problem(409, "too-many"), false)] {
      let client = Told([Self.session(), answer, HTTPResponse(status: 204)])
      let servers = NetworkDocumentServers(client: client)
      #expect((try? servers.makeToken(at: "https://a.example", person, label: "l")) != nil == isGood)
      #expect(client.asked.map(\.method) == ["POST", "POST", "DELETE"])
      #expect(client.asked.last?.url == "https://a.example/account/session")
      #expect(client.asked.last?.fields.contains(HTTPField("Cookie", "seif=abc")) == true)
      #expect(client.asked.allSatisfy { $0.fields.contains(HTTPField("Origin", "https://a.example")) })
      // A code is good once: what may have been done isn't sent again.
      #expect(client.asked.prefix(2).allSatisfy { !$0.isIdempotent })
    }
  }

  @Test func whatAServerSaysIsOneOfAFewKinds() {
    let expected: [(HTTPResponse, SignInError)] = [
      (Self.problem(401, "sign-in-failed"), .refused), (Self.problem(401, "second-factor"), .secondFactor),
      (Self.problem(403, "wrong-origin"), .otherAddress), (Self.problem(429, "throttled"), .throttled),
      (Self.problem(500, "x"), .failed("it answers with status 500")),
      (HTTPResponse(status: 200, body: SecretValue(utf8: "<html>")), .failed("its answer isn't one of such a server")),
      // A cookie that would end its field, and with it begin another.
      (Self.session("seif=a b"), .failed("its answer isn't one of such a server")),
    ]
    for (answer, error) in expected {
      let servers = NetworkDocumentServers(client: Told([answer]))
      #expect(throws: error) { _ = try servers.makeToken(at: "https://a.example", person, label: "l") }
    }
  }

  @Test func aLinkThatCanBeNoneIsntSent() {
    let client = Told([])
    let servers = NetworkDocumentServers(client: client)
    for link in ["", "short", String(repeating: "/", count: 43), String(repeating: "A", count: 44)] {
      #expect(throws: SignInError.noSuchLink) {
        _ = try servers.enrol(at: "https://a.example", link: SecretValue(utf8: link), password: person.password)
      }
    }
    #expect(client.asked.isEmpty)
  }
}
