import SeifBytes
import SeifDocumentFormat
import SeifDocumentTesting
import Testing

@testable import SeifDocuments

/// A place that shows an older or another state: nothing is written, deleted or created until the person accepts it.
@Suite struct RollbackTests {
  let bench: Bench
  let client: DocumentVaultClient
  let old: StoredManifest

  init() throws {
    bench = try Bench()
    client = try bench.create()
    _ = try client.makeFolder("One", in: nil)
    old = try #require(try bench.store.manifest())
    _ = try client.makeFolder("Two", in: nil)
  }

  @Test(arguments: Rollback.Kind.all)
  func nothingIsWrittenAfterARollback(kind: Rollback.Kind) throws {
    try show(kind)
    let watched = WatchedStore(bench.store)
    let client = try bench.open(store: watched)
    #expect(client.rollback?.kind == kind)
    #expect(client.rollback?.seen.revision == 3)
    #expect(try client.seenManifest()?.nodes.count == 2)
    let file = try bench.file("a.pdf", [1])
    let report = try client.doctor(opens: true)
    #expect(report.rollback?.kind == kind && report.orphans.isEmpty && report.removable.isEmpty)
    let row = try row(7)
    let clock = bench.clock
    let other = MemoryDocumentStore(place: "b") { clock.now }
    for refused in [
      failure { _ = try client.makeFolder("x", in: nil) },
      failure { _ = try client.put([.path(file)], into: nil) },
      failure { _ = try client.remove([]) },
      failure { _ = try client.rotate(to: Bench.key(2), rows: [row], files: true) },
      failure { try client.add(row) },
      failure { try client.removeKeyWrap(id(1)) },
      failure { _ = try client.removeOrphans(report) },
      failure {
        _ = try client.mirror(to: other)
      },
    ] { #expect(refused == .rollback) }
    #expect(watched.calls.allSatisfy { $0 == "get manifest" || $0 == "head object" })
    // Looking again doesn't make it right, nor does another client of the same memory.
    #expect(try bench.open().rollback?.kind == kind)
  }

  @Test(arguments: Rollback.Kind.all)
  func anAcceptedRollbackIsTheTruthFromThenOn(kind: Rollback.Kind) throws {
    try show(kind)
    let client = try bench.open()
    try client.acceptRollback()
    #expect(client.rollback == nil)
    if kind == .noVault {
      #expect(failure { try client.refresh() } == .noVault)
      return
    }
    _ = try client.makeFolder("Three", in: nil)
    #expect(try bench.open().rollback == nil)
  }

  @Test func aClientThatSawNothingCantTell() throws {
    try show(.lowerRevision)
    #expect(try bench.open("b").rollback == nil)
  }

  @Test func aManifestThatDoesntOpenDoesntRaiseTheMark() throws {
    try bench.memory.force(StoredManifest(revision: 1_000_000, blob: [UInt8](repeating: 5, count: 60)))
    #expect(failure { try client.refresh() } == .cannotOpen)
    try bench.memory.force(StoredManifest(revision: 4, blob: old.blob))
    #expect(try bench.open().rollback == nil)
  }

  private func show(_ kind: Rollback.Kind) throws {
    let memory = try bench.memory
    switch kind {
    case .lowerRevision: memory.force(old)
    case .otherContents: memory.force(StoredManifest(revision: 3, blob: old.blob))
    case .noManifest: memory.force(nil)
    case .noVault: memory.force(nil, rows: [])
    }
  }
}

extension Rollback.Kind {
  static let all: [Rollback.Kind] = [.lowerRevision, .otherContents, .noManifest, .noVault]
}
