import SeifBackups
import SeifTransportTesting
import SeifTransports
import Testing

@testable import SeifNetworkTransports

/// The rules of transports at real servers, each rule at a server of its own.
@Suite struct WebDAVConformanceTests {
  @Test(arguments: TransportConformance.checks(.full))
  func apacheWithBasicKeepsEveryRule(check: TransportConformance.Check) throws {
    let server = try ApacheDAV(.basic)
    let transport = try webDAV(server, server.url)
    try check.run(transport)
    #expect(try transport.listBackups().isEmpty)
  }

  @Test(arguments: TransportConformance.checks(.full))
  func apacheWithDigestKeepsEveryRule(check: TransportConformance.Check) throws {
    let server = try ApacheDAV(.digest)
    try check.run(webDAV(server, server.makeFolder("a folder+ä [x]")))
  }

  @Test(arguments: TransportConformance.checks(.full))
  func rcloneKeepsEveryRuleWhereNamesAreUnique(check: TransportConformance.Check) throws {
    let server = try RcloneWebDAV()
    try check.run(webDAV(server, server.url, conditional: false))
  }

  // What `transport test` finds out: whether names need random digits there.
  @Test func rcloneRefusesANameThatIsTaken() throws {
    let server = try RcloneWebDAV()
    try TransportConformance.refusesOverwriting.run(webDAV(server, server.url, conditional: true))
  }
}
