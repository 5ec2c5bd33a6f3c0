import SeifBytes
import SeifHTTP
import SeifTestSupport
import SeifTransportTesting
import Testing

/// What is left of a password after a request.
@Suite struct CurlMemoryTests {
  @Test func nothingIsLeftOfAPasswordOnceItsHoldersAreGone() throws {
    // Letters: what is looked for has to be sent as it is.
    let needle = MemoryScan(inverted: (0..<32).map { _ in UInt8.random(in: 0x85...0xBE) })
    let challenge = HTTPScript.reply("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""])
    let server = try HTTPScript([challenge] + (0..<3).map { _ in HTTPScript.reply("200 OK") })
    try { () throws(HTTPFailure) in
      let client = CurlClient(CurlSettings(userAgent: "test"))
      let password = SecretValue(byteCount: needle.byteCount) { needle.write(to: $0) }
      let who = HTTPAuthentication.password(user: "u", password)
      for method in ["GET", "PUT", "MOVE"] {
        #expect(try client.send(HTTPRequest(method, server.url, authentication: who)).status == 200)
      }
      #expect(needle.count() > 0)
    }()
    // While the client is there, its connections know the password.
    #expect(needle.count() == 0)
    #expect(server.received.last?["Authorization"]?.hasPrefix("Basic ") == true)
  }
}
