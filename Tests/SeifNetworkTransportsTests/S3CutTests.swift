import SeifBackups
import SeifBytes
import SeifHTTP
import SeifTransportTesting
import Testing

@testable import SeifNetworkTransports

/// Connections that break at any byte.
@Suite struct S3CutTests {
  private static let content = WebDAVCutTests.content
  private static let cleanCodes: Set<TransportError.Code> = [.unavailable, .timedOut, .incomplete, .exists, .badAnswer]

  private static func transport(_ settings: TransportSettings, port: UInt16? = nil) throws -> S3Transport {
    var settings = settings
    if let port { settings.values["endpoint"] = "http://127.0.0.1:\(port)" }
    let quick = try NetworkClient.make(
      TransportSettings(name: "test", kind: "s3"), allowsHTTP: false, followsRedirects: false, retries: false)
    return try S3Transport(settings, client: RetryingClient(quick, time: NoTime().time), quickClient: quick)
  }

  /// Does something once to count its bytes, then cuts it at each point, for a connection and for good.
  private func cutting(
    _ settings: TransportSettings, at port: UInt16,
    _ work: (_ round: Int, _ transport: S3Transport) throws(TransportError) -> Void,
    _ after: (_ round: Int) throws -> Void
  ) throws {
    let proxy = try CuttingProxy(to: port)
    defer { proxy.end() }
    try work(0, Self.transport(settings, port: proxy.port))
    try after(0)
    let totals = CuttingProxy.Direction.allCases.map { ($0, proxy.byteCount($0)) }
    var (round, refused) = (0, 0)
    for (direction, total) in totals {
      for (point, isOnce) in WebDAVCutTests.points(total).flatMap({ [($0, false), ($0, true)] }) {
        round += 1
        // A connection that is kept from the round before would be cut by that round's rule.
        let transport = try Self.transport(settings, port: proxy.port)
        proxy.cut(direction, after: point, isOnce: isOnce)
        let failure = refusal { () throws(TransportError) in try work(round, transport) }
        proxy.heal()
        if let failure {
          refused += 1
          #expect(Self.cleanCodes.contains(failure.code), "\(direction) \(point): \(failure)")
        }
        try after(round)
      }
    }
    #expect(round >= 30)
    #expect(refused > 0 && refused < round)
  }

  @Test func whereNamesAreLookedForAnUploadThatIsCutIsWholeOrNotThere() throws {
    let server = try RcloneS3()
    let direct = try Self.transport(server.settings())
    try cutting(server.settings(), at: server.port) { (round, transport) throws(TransportError) in
      #expect(try transport.upload(Self.content, name: "cut-\(round)").byteCount == Self.content.byteCount)
    } _: { round in
      for file in try direct.listBackups() {
        #expect(file.byteCount == Self.content.byteCount, "round \(round): \(file.name)")
        #expect(try direct.download(id: file.id, limit: 1 << 20) == Self.content)
        try direct.delete(id: file.id)
      }
    }
  }

  @Test func whereNamesAreRefusedAnUploadThatIsSaidToBeDoneIsWhole() throws {
    let server = try MotoS3()
    let settings = server.settings(createsConditionally: true)
    let direct = try Self.transport(settings)
    try cutting(settings, at: server.port) { (round, transport) throws(TransportError) in
      let stored = try transport.upload(Self.content, name: "cut-\(round)")
      #expect(try direct.download(id: stored.id, limit: 1 << 20) == Self.content)
    } _: { _ in
      // moto also keeps a body that is cut, which S3 refuses (IncompleteBody): such a file was never said to be stored.
      for file in try direct.listBackups() { try direct.delete(id: file.id) }
    }
  }

  @Test func aDownloadThatIsCutIsWholeOrRefused() throws {
    let server = try RcloneS3()
    let direct = try Self.transport(server.settings())
    let stored = try direct.upload(Self.content, name: "whole")
    try cutting(server.settings(), at: server.port) { (_, transport) throws(TransportError) in
      #expect(try transport.download(id: stored.id, limit: 1 << 20) == Self.content)
    } _: { _ in
    }
    #expect(try direct.listBackups().map(\.byteCount) == [Self.content.byteCount])
  }

  @Test func aListingThatIsCutIsWholeOrRefused() throws {
    let server = try RcloneS3()
    let direct = try Self.transport(server.settings())
    for index in 0..<40 { _ = try direct.upload(.empty, name: "file-\(index)") }
    try cutting(server.settings(), at: server.port) { (_, transport) throws(TransportError) in
      #expect(try transport.listBackups().count == 40)
    } _: { _ in
    }
  }
}
