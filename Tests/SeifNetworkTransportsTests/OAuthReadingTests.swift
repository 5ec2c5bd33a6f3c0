import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifNetworkTransports

/// Proofs, forms and answers of OAuth 2.0 as values.
@Suite struct OAuthReadingTests {
  // RFC 7636, appendix B.
  @Test func aChallengeIsTheDigestOfItsVerifier() {
    let proof = PKCE(verifier: SecretValue(utf8: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    #expect(proof.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test func everyProofIsAnother() {
    let proofs = (0..<50).map { _ in PKCE.make() }
    #expect(Set(proofs.map(\.challenge)).count == 50)
    for proof in proofs {
      #expect(proof.verifier.byteCount == 43)
      #expect(proof.challenge.utf8.count == 43)
      #expect(!proof.challenge.contains { "+/=".contains($0) })
    }
  }

  @Test func whatAFormHoldsIsEscaped() {
    var form = OAuthForm()
    form.add("a", "x y&z=1+2/ü")
    form.add("empty", "")
    form.add("b", "-._~")
    #expect(form.finish().exposedText() == "a=x%20y%26z%3D1%2B2%2F%C3%BC&b=-._~")
  }

  private func tokens(_ text: String) -> OAuthAnswer.Tokens? { OAuthAnswer.tokens(SecretValue(utf8: text)) }

  @Test func tokensAreReadWithWhatIsSaidOfThem() throws {
    let read = try #require(
      tokens(#"{"access_token":"a","refresh_token":"r","expires_in":-5,"scope":"x y","token_type":"BEARER","new":[1]}"#)
    )
    #expect(read.access == SecretValue(utf8: "a"))
    #expect(read.refresh == SecretValue(utf8: "r"))
    #expect(read.seconds == 0)
    #expect(read.scope == "x y")
    let bare = try #require(tokens(#"{"access_token":"a","token_type":"bearer"}"#))
    #expect(bare.refresh == nil && bare.seconds == nil && bare.scope == nil)
  }

  @Test(arguments: [
    "", "{}", "[]", "<html></html>", #"{"access_token":"a"}"#, #"{"access_token":"a","token_type":"mac"}"#,
    #"{"access_token":"","token_type":"bearer"}"#, #"{"access_token":"a b","token_type":"bearer"}"#,
    #"{"access_token":"a\r\nX: y","token_type":"bearer"}"#, #"{"access_token":1,"token_type":"bearer"}"#,
    #"{"access_token":"a","token_type":"bearer","refresh_token":""}"#,
    #"{"access_token":"a","access_token":"b","token_type":"bearer"}"#,
    #"{"access_token":"\#(String(repeating: "a", count: 4097))","token_type":"bearer"}"#,
  ])
  func whatHoldsNoTokenGivesNone(text: String) { #expect(tokens(text) == nil) }

  @Test func codesForAnotherMachineAreBounded() throws {
    func device(_ more: String) -> OAuthAnswer.Device? {
      OAuthAnswer.device(
        SecretValue(utf8: #"{"device_code":"d","user_code":"AB-CD","verification_url":"https://x.example/d"\#(more)}"#))
    }
    let usual = try #require(device(#","expires_in":600"#))
    #expect(usual.interval == 5 && usual.seconds == 600 && usual.userCode == "AB-CD")
    let odd = try #require(device(#","expires_in":9223372036854775807,"interval":-3"#))
    #expect(odd.interval == 1 && odd.seconds == 1800)
    #expect(try #require(device(#","expires_in":-1,"interval":99999"#)).interval == 60)
    #expect(device("") == nil)
    #expect(
      OAuthAnswer.device(
        SecretValue(utf8: #"{"device_code":"d","user_code":"A\u001bB","verification_url":"x","expires_in":5}"#)) == nil)
  }

  @Test func aRefusalIsACodeAndNothingElse() {
    func refusal(_ text: String) -> String? { OAuthAnswer.refusal(SecretValue(utf8: text)) }
    #expect(refusal(#"{"error":"invalid_grant","error_description":"words"}"#) == "invalid_grant")
    for text in [#"{"error":{"code":1}}"#, #"{"error":""}"#, #"{"error":"\u001b[2J"}"#, #"{"error":"a b"}"#, "x"] {
      #expect(refusal(text) == nil)
    }
  }

  // MARK: - What a browser brings

  private static let state = SecretValue(utf8: "state-of-this-run")

  private func read(_ line: String, _ fields: [String] = ["Host: 127.0.0.1:1234"]) -> RedirectRequest {
    RedirectRequest(
      head: Array(([line] + fields).joined(separator: "\r\n").utf8), host: "127.0.0.1:1234", state: Self.state)
  }

  @Test func aCodeComesWithTheStateThatWasSent() {
    let expected = RedirectRequest.code(SecretValue(utf8: "4/0A-b+c"))
    #expect(read("GET /allowed?state=state-of-this-run&code=4%2F0A-b%2Bc&scope=x+y HTTP/1.1") == expected)
    #expect(
      read("GET /allowed?code=4/0A-b%2Bc&state=state%2Dof-this-run HTTP/1.1", ["A: b", "HOST:127.0.0.1:1234"])
        == expected)
    #expect(
      read("GET /allowed?error=access_denied&state=state-of-this-run HTTP/1.1") == .refused("access_denied"))
    #expect(read("GET /allowed?error=%1B[2J&state=state-of-this-run HTTP/1.1") == .refused("no reason"))
  }

  @Test(arguments: [
    "code=a", "code=a&state=", "code=a&state=state-of-this-ruN", "code=a&state=state-of-this-run2",
    "state=state-of-this-run", "code=&state=state-of-this-run", "code=a%0Ab&state=state-of-this-run",
    "code=a&code=b&state=state-of-this-run", "code=a&state=state-of-this-run&state=state-of-this-run",
    "code=a&state=state-of-this-run&x", "code=%4&state=state-of-this-run", "",
  ])
  func anythingElseIsForged(query: String) { #expect(read("GET /allowed?\(query) HTTP/1.1") == .forged) }

  @Test func whatAsksForSomethingElseFindsNothing() {
    let good = "code=a&state=state-of-this-run"
    for line in [
      "GET /favicon.ico HTTP/1.1", "POST /allowed?\(good) HTTP/1.1", "GET //allowed?\(good) HTTP/1.1",
      "GET http://127.0.0.1:1234/allowed?\(good) HTTP/1.1", "GET /allowed?\(good)", "",
      "GET /allowed?\(good) HTTP/1.1 x",
    ] { #expect(read(line) == .elsewhere, "\(line)") }
    let line = "GET /allowed?\(good) HTTP/1.1"
    // A page of another name that leads to this machine is another host.
    for fields in [[], ["Host: evil.example:1234"], ["Host: 127.0.0.1:1234", "Host: 127.0.0.1:1234"]] {
      #expect(read(line, fields) == .elsewhere)
    }
    #expect(read(line, ["Host: 127.0.0.1:1234", "X: \(String(repeating: "a", count: 8192))"]) == .elsewhere)
  }

  @Test func aHeadThatIsDamagedAnywhereIsReadOrRefused() {
    let whole = Array("GET /allowed?code=a%2Fb&state=state-of-this-run HTTP/1.1\r\nHost: 127.0.0.1:1234".utf8)
    var random = SeededGenerator(seed: 6)
    var taken = 0
    for _ in 0..<20_000 {
      var damaged = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: 0..<whole.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      if case .code = RedirectRequest(head: damaged, host: "127.0.0.1:1234", state: Self.state) { taken += 1 }
    }
    #expect(taken < 5_000)
  }
}
