import SeifBackups
import SeifBytes
import SeifTransportTesting
import SeifTransports
import Testing

@testable import SeifNetworkTransports

/// The transport at servers that others wrote: two that look at signatures, one that looks at conditions.
@Suite(.serialized) struct S3ServerTests {
  /// The servers of the suite.
  enum Kind: String, Sendable, CaseIterable {
    case rclone, moto, openStack

    func start() throws -> any S3Server {
      switch self {
      case .rclone: try RcloneS3()
      case .moto: try MotoS3()
      case .openStack: try OpenStackS3()
      }
    }

    var createsConditionally: Bool { self == .moto }
  }

  private static func transport(_ settings: TransportSettings) throws -> S3Transport {
    try #require(try TransportRegistry([S3Transport.kind]).transport(settings) as? S3Transport)
  }

  @Test(arguments: Kind.allCases)
  func everyRuleHolds(kind: Kind) throws {
    let server = try kind.start()
    let transport = try Self.transport(
      server.settings(prefix: "backups", createsConditionally: kind.createsConditionally))
    // A thousand files take OpenStack more than a minute.
    for check in TransportConformance.checks(kind == .openStack ? .short : .full) {
      do {
        try check.run(transport)
      } catch {
        Issue.record("\(kind.rawValue): \(check.rule): \(error)")
      }
    }
    #expect(try transport.listBackups().isEmpty)
  }

  @Test(arguments: Kind.allCases)
  func aPlaceIsWhatItsSettingsSay(kind: Kind) throws {
    let server = try kind.start()
    try partsOfAListingAreAllOfIt(server)
    try foldersAreApart(server)
    try whetherThePlaceRefusesShows(kind, server)
    var settings = server.settings(createsConditionally: kind.createsConditionally)
    settings.values["bucket"] = "another-bucket"
    let missing = try Self.transport(settings)
    #expect(throws: TransportError(.notFound, place: "")) { try missing.listBackups() }
    #expect(throws: TransportError(.notFound, place: "")) { try missing.upload(.empty, name: "x") }
    // moto believes every key and every clock.
    if kind != .moto { try credentialsAreChecked(server) }
    if kind == .openStack { try regionAndClockAreChecked(server) }
  }

  // One that is trusted to refuse a name that is taken, and doesn't.
  private func whetherThePlaceRefusesShows(_ kind: Kind, _ server: any S3Server) throws {
    let trusting = try Self.transport(server.settings(createsConditionally: true))
    switch kind {
    case .moto: try TransportConformance.refusesOverwriting.run(trusting)
    case .rclone:
      #expect(throws: TransportConformance.Finding.self) { try TransportConformance.refusesOverwriting.run(trusting) }
    case .openStack:
      let error = #expect(throws: TransportError.self) { try trusting.upload(.empty, name: "x") }
      #expect(error?.code == .failed)
      #expect(error?.reason.contains("can't refuse") == true)
    }
    #expect(try trusting.listBackups().isEmpty)
  }

  private func partsOfAListingAreAllOfIt(_ server: any S3Server) throws {
    var transport = try Self.transport(server.settings(prefix: "parts"))
    transport.keysPerPage = 5
    let names = (0..<12).map { "ä+ \($0)" }
    for name in names { _ = try transport.upload(.empty, name: name) }
    #expect(try transport.listBackups().map(\.name).sorted() == names.sorted())
    for name in names { try transport.delete(id: name) }
  }

  private func foldersAreApart(_ server: any S3Server) throws {
    let all = try ["", "a", "a/b"].map { try Self.transport(server.settings(prefix: $0)) }
    for transport in all { _ = try transport.upload(SecretValue(utf8: "x"), name: "same") }
    for transport in all {
      #expect(try transport.listBackups() == [BackupDescriptor(id: "same", name: "same", byteCount: 1)])
    }
    try all[1].delete(id: "same")
    #expect(try all.map { try $0.listBackups().count } == [1, 0, 1])
    for transport in [all[0], all[2]] { try transport.delete(id: "same") }
  }

  private func credentialsAreChecked(_ server: any S3Server, style: String = "path") throws {
    var settings = server.settings(secretKey: "another/key")
    settings.values["style"] = style
    let transport = try Self.transport(settings)
    #expect(!transport.isAvailable())
    #expect(throws: TransportError(.unauthorized, place: "")) { try transport.listBackups() }
    #expect(throws: TransportError(.unauthorized, place: "")) { try transport.download(id: "x", limit: 9) }
    #expect(throws: TransportError(.unauthorized, place: "")) { try transport.delete(id: "x") }
    #expect(throws: TransportError(.unauthorized, place: "")) { try transport.upload(.empty, name: "x") }
  }

  private func regionAndClockAreChecked(_ server: any S3Server) throws {
    let elsewhere = try Self.transport(server.settings(region: "eu-west-3"))
    let region = #expect(throws: TransportError.self) { try elsewhere.listBackups() }
    #expect(region?.code == .badSettings)
    #expect(region?.reason.contains("us-east-1") == true, "\(region?.reason ?? "")")
    for seconds in [-3600, 3600] as [Int64] {
      var transport = try Self.transport(server.settings())
      transport.clock = { Timestamp(seconds: S3Transport.systemClock().seconds + seconds) }
      let late = #expect(throws: TransportError.self) { try transport.listBackups() }
      #expect(late?.code == .unauthorized)
      #expect(late?.reason.contains("clock") == true, "\(late?.reason ?? "")")
    }
  }

  @Test func aBucketInTheNameOfItsServerKeepsTheRules() throws {
    let server = try RcloneS3(isHostStyle: true)
    var settings = server.settings(prefix: "backups")
    settings.values["style"] = "host"
    let transport = try Self.transport(settings)
    for check in TransportConformance.checks(.short) { try check.run(transport) }
    #expect(try transport.listBackups().isEmpty)
    try credentialsAreChecked(server, style: "host")
    // The other style names another bucket there.
    settings.values["style"] = "path"
    #expect(!(try Self.transport(settings).isAvailable()))
  }

  @Test func aServerThatIsGoneIsUnavailable() throws {
    let server = try RcloneS3()
    let transport = try Self.transport(server.settings())
    #expect(transport.isAvailable())
    server.end()
    #expect(!transport.isAvailable())
    #expect(throws: TransportError(.unavailable, place: "")) { try transport.download(id: "x", limit: 9) }
  }
}
