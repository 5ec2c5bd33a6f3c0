import SeifBackups
import SeifBytes
import SeifHTTP
import SeifTransportTesting
import Testing

@testable import SeifNetworkTransports

/// Connections that break at any byte.
@Suite struct WebDAVCutTests {
  static let content = SecretValue((0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

  /// Where bytes are cut: near the ends, where heads stand, closer than in the middle of a body.
  static func points(_ total: Int) -> [Int] {
    let edges = [0, 1, 100, 400, 900, 1500].filter { $0 < total }
    let middle = (1...8).map { total * $0 / 9 }
    return Array(Set(edges + middle + edges.map { total - 1 - $0 })).filter { $0 >= 0 }.sorted()
  }

  /// Does something once to count its bytes, then cuts it at each point.
  private func cutting(
    _ proxy: CuttingProxy, _ work: (_ round: Int) throws -> Void, _ after: (_ round: Int) throws -> Void
  ) throws -> Int {
    proxy.heal()
    try work(0)
    let totals = CuttingProxy.Direction.allCases.map { ($0, proxy.byteCount($0)) }
    var round = 0
    for (direction, total) in totals {
      for point in Self.points(total) {
        for isOnce in [false, true] {
          round += 1
          proxy.cut(direction, after: point, isOnce: isOnce)
          try work(round)
          proxy.heal()
          try after(round)
        }
      }
    }
    return round
  }

  // Locked: rclone holds a name while a part of it may still come.
  private static let cleanCodes: Set<TransportError.Code> = [
    .unavailable, .timedOut, .incomplete, .exists, .badAnswer, .locked,
  ]

  private func uploads(
    through proxy: CuttingProxy, _ direct: WebDAVTransport, _ make: () throws -> WebDAVTransport
  ) throws {
    var refused = 0
    let rounds = try cutting(
      proxy,
      { round in
        let transport = try make()
        let failure = refusal { () throws(TransportError) in
          let stored = try transport.upload(Self.content, name: "cut-\(round)")
          #expect(stored.byteCount == Self.content.byteCount)
        }
        guard let failure else { return }
        refused += 1
        #expect(round > 0 && Self.cleanCodes.contains(failure.code), "\(failure)")
      },
      { round in
        // Whole or not there; and the next one works.
        for file in try direct.listBackups() {
          #expect(file.byteCount == Self.content.byteCount, "round \(round): \(file.name)")
          #expect(try direct.download(id: file.id, limit: 1 << 20) == Self.content)
          try direct.delete(id: file.id)
        }
      })
    let again = try make().upload(Self.content, name: "again")
    #expect(try direct.download(id: again.id, limit: 1 << 20) == Self.content)
    #expect(rounds >= 30)
    #expect(refused > 0 && refused < rounds)
  }

  private func downloads(
    through proxy: CuttingProxy, _ direct: WebDAVTransport, _ make: () throws -> WebDAVTransport
  ) throws {
    let stored = try direct.upload(Self.content, name: "whole")
    var refused = 0
    let rounds = try cutting(
      proxy,
      { round in
        let transport = try make()
        let failure = refusal { () throws(TransportError) in
          let back = try transport.download(id: stored.id, limit: 1 << 20)
          #expect(back == Self.content)
        }
        guard let failure else { return }
        refused += 1
        #expect(round > 0 && Self.cleanCodes.contains(failure.code), "\(failure)")
      }, { _ in })
    #expect(rounds >= 30)
    #expect(refused > 0 && refused < rounds)
    #expect(try direct.listBackups().map(\.byteCount) == [Self.content.byteCount])
  }

  @Test func atApacheAnUploadThatIsCutIsWholeOrNotThere() throws {
    let server = try ApacheDAV(.basic)
    let proxy = try CuttingProxy(to: server.port)
    defer { proxy.end() }
    try uploads(through: proxy, webDAV(server, server.url)) {
      try webDAV(server, "http://127.0.0.1:\(proxy.port)/dav/")
    }
  }

  @Test func atApacheADownloadThatIsCutIsWholeOrRefused() throws {
    let server = try ApacheDAV(.basic)
    let proxy = try CuttingProxy(to: server.port)
    defer { proxy.end() }
    try downloads(through: proxy, webDAV(server, server.url)) {
      try webDAV(server, "http://127.0.0.1:\(proxy.port)/dav/")
    }
  }

  @Test func atRcloneAnUploadThatIsCutIsWholeOrNotThere() throws {
    let server = try RcloneWebDAV()
    let proxy = try CuttingProxy(to: server.port)
    defer { proxy.end() }
    try uploads(through: proxy, webDAV(server, server.url, conditional: false)) {
      try webDAV(server, "http://127.0.0.1:\(proxy.port)/", conditional: false)
    }
  }

  @Test func atRcloneADownloadThatIsCutIsWholeOrRefused() throws {
    let server = try RcloneWebDAV()
    let proxy = try CuttingProxy(to: server.port)
    defer { proxy.end() }
    try downloads(through: proxy, webDAV(server, server.url, conditional: false)) {
      try webDAV(server, "http://127.0.0.1:\(proxy.port)/", conditional: false)
    }
  }
}
