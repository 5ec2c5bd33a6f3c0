import SeifBackups
import SeifBytes
import SeifTransportTesting
import Testing

@testable import SeifNetworkTransports

/// Connections to the stand-in that break at any byte.
@Suite struct CloudCutTests {
  private static let content = WebDAVCutTests.content
  private static let cleanCodes: Set<TransportError.Code> = [.unavailable, .timedOut, .incomplete, .badAnswer]

  /// Does something once to count its bytes, then cuts it at each point, for a connection and for good.
  private func cutting(
    _ service: CloudService, _ standIn: CloudStandIn,
    _ work: (_ round: Int, _ transport: any BackupTransport) throws(TransportError) -> Void,
    _ after: (_ round: Int, _ isSaidToBeDone: Bool) throws -> Void
  ) throws {
    let proxy = try CuttingProxy(to: standIn.port)
    defer { proxy.end() }
    try work(0, service.transport(standIn, port: proxy.port))
    try after(0, true)
    let totals = CuttingProxy.Direction.allCases.map { ($0, proxy.byteCount($0)) }
    var (round, refused) = (0, 0)
    for (direction, total) in totals {
      for (point, isOnce) in WebDAVCutTests.points(total).flatMap({ [($0, false), ($0, true)] }) {
        round += 1
        let transport = try service.transport(standIn, port: proxy.port)
        proxy.cut(direction, after: point, isOnce: isOnce)
        let failure = refusal { () throws(TransportError) in try work(round, transport) }
        proxy.heal()
        if let failure {
          refused += 1
          #expect(Self.cleanCodes.contains(failure.code), "\(direction) \(point): \(failure)")
        }
        try after(round, failure == nil)
      }
    }
    #expect(round >= 30)
    #expect(refused > 0 && refused < round)
  }

  @Test(arguments: CloudService.allCases)
  func anUploadThatIsCutIsWholeOrNotThere(service: CloudService) throws {
    let standIn = try CloudStandIn()
    let direct = try service.transport(standIn)
    try cutting(service, standIn) { (round, transport) throws(TransportError) in
      #expect(try transport.upload(Self.content, name: "cut-\(round)").byteCount == Self.content.byteCount)
    } _: { round, isSaidToBeDone in
      let files = try direct.listBackups()
      #expect(files.count == 1 || (files.isEmpty && !isSaidToBeDone), "round \(round): \(files.count)")
      for file in files {
        #expect(file.byteCount == Self.content.byteCount, "round \(round): \(file.name)")
        #expect(try direct.download(id: file.id, limit: 1 << 20) == Self.content)
        try direct.delete(id: file.id)
      }
    }
  }

  @Test(arguments: CloudService.allCases)
  func aDownloadThatIsCutIsWholeOrRefused(service: CloudService) throws {
    let standIn = try CloudStandIn()
    let direct = try service.transport(standIn)
    let stored = try direct.upload(Self.content, name: "whole")
    try cutting(service, standIn) { (_, transport) throws(TransportError) in
      #expect(try transport.download(id: stored.id, limit: 1 << 20) == Self.content)
    } _: { _, _ in
    }
    #expect(try direct.listBackups().map(\.byteCount) == [Self.content.byteCount])
  }

  @Test(arguments: CloudService.allCases)
  func aListingThatIsCutIsWholeOrRefused(service: CloudService) throws {
    let standIn = try CloudStandIn()
    let direct = try service.transport(standIn)
    for index in 0..<30 { _ = try direct.upload(.empty, name: "file-\(index)") }
    try standIn.control(#"{"set":{"pageSize":7}}"#)
    try cutting(service, standIn) { (_, transport) throws(TransportError) in
      #expect(try transport.listBackups().count == 30)
    } _: { _, _ in
    }
  }

  @Test(arguments: CloudService.allCases)
  func aRemovalThatIsSaidToBeDoneIsDone(service: CloudService) throws {
    let standIn = try CloudStandIn()
    let direct = try service.transport(standIn)
    var id = try direct.upload(.empty, name: "file").id
    try cutting(service, standIn) { (_, transport) throws(TransportError) in
      try transport.delete(id: id)
    } _: { round, isSaidToBeDone in
      let left = try direct.listBackups()
      #expect(left.isEmpty || !isSaidToBeDone, "round \(round)")
      if left.isEmpty { id = try direct.upload(.empty, name: "file").id }
    }
  }
}
