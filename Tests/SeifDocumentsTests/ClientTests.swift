import CSeif
import Glibc
import SeifBytes
import SeifCrypto
import SeifDocumentFormat
import SeifDocumentTesting
import Testing

@testable import SeifDocuments

@Suite struct ClientTests {
  @Test(arguments: [0, 1, 15, 16, 4096, (1 << 20) - 12, 1 << 20, (1 << 20) + 1, 3_000_000])
  func aDocumentComesBackByteForByte(count: Int) throws {
    let bench = try Bench(inFolder: true)
    let client = try bench.create()
    let id = try bench.put(client, "a.pdf", bytes(count))
    #expect(try bench.content(client, id) == bytes(count))
    let report = try bench.open().get([id], into: bench.scratch.path("out"))
    #expect(report.failed.isEmpty && report.otherLength.isEmpty)
    #expect(try bench.scratch.read("out/a.pdf") == bytes(count))
    #expect(try bench.store.status().byteCount == count + 28)
    #expect(client.manifest.node(id)?.size == count)
  }

  @Test func foldersAreMadeMovedRenamedRemovedAndBroughtBack() throws {
    let bench = try Bench()
    let client = try bench.create()
    let outer = try client.makeFolder("Outer", in: nil).result
    let inner = try client.makeFolder("Inner", in: outer).result
    let file = try bench.put(client, "a.pdf", bytes(10), into: inner)
    #expect(failure { _ = try client.move([outer], to: inner) } == .notPossible)
    #expect(failure { _ = try client.move([outer], to: file) } == .notPossible)
    #expect(failure { _ = try client.makeFolder("x", in: id(9)) } == .notFound)
    _ = try client.rename(file, to: "b.pdf")
    _ = try client.setFavourite([file], true)
    _ = try client.move([file], to: outer)
    let removed = try client.remove([outer]).result
    #expect(Set(removed.nodes.map(\.id)) == [outer, inner, file])
    #expect(client.manifest.nodes.isEmpty)
    #expect(try bench.store.status().objectCount == 1)
    _ = try client.undo(removed)
    let again = try bench.open("b").manifest
    #expect(again.nodes.count == 3)
    let node = try #require(again.node(file))
    #expect(node.name == "b.pdf" && node.parent == outer && node.isFavorite)
    #expect(try bench.content(client, file) == bytes(10))
  }

  @Test func removalsAreTakenBackOneAfterTheOtherTheLastFirst() throws {
    let bench = try Bench()
    let client = try bench.create()
    let files = try (0..<25).map { try bench.put(client, "\($0).pdf", bytes(10)) }
    for file in files { _ = try client.remove([file]) }
    var back: [UUID?] = []
    while let removed = try client.lastRemoved() {
      _ = try client.undo(removed)
      back.append(removed.nodes.first?.id)
    }
    // As many as are kept, and no more.
    #expect(back == files.reversed().prefix(20).map { $0 })
    #expect(client.manifest.nodes.count == 20)
    _ = try client.remove([files[24]])
    #expect(try client.lastRemoved()?.nodes.map(\.id) == [files[24]])
  }

  @Test func whatIsUndoneGoesToTheRootWhereItsFolderIsGone() throws {
    let bench = try Bench()
    let client = try bench.create()
    let folder = try client.makeFolder("Folder", in: nil).result
    let file = try bench.put(client, "a.pdf", bytes(10), into: folder)
    let removed = try client.remove([file]).result
    _ = try client.remove([folder])
    _ = try client.undo(removed)
    #expect(client.manifest.node(file)?.parent == nil)
  }

  @Test func objectsAreThereBeforeTheManifestThatNamesThem() throws {
    let bench = try Bench()
    _ = try bench.create()
    let watched = WatchedStore(bench.store)
    let client = try bench.open(store: watched)
    _ = try bench.put(client, "a.pdf", bytes(10))
    let calls = watched.calls
    let put = try #require(calls.firstIndex(of: "put object"))
    let head = try #require(calls.lastIndex(of: "head object"))
    let manifest = try #require(calls.firstIndex(of: "put manifest"))
    #expect(put < head && head < manifest)
  }

  @Test func anObjectThatTheStoreLostIsSentAgainBeforeItIsNamed() throws {
    let bench = try Bench()
    _ = try bench.create()
    let watched = WatchedStore(bench.store)
    let lost = LossOnce(try bench.memory)
    watched.afterPut = { lost.lose($0) }
    let client = try bench.open(store: watched)
    let id = try bench.put(client, "a.pdf", bytes(100_000))
    #expect(watched.calls.count { $0 == "put object" } == 2)
    #expect(try bench.content(client, id) == bytes(100_000))
  }

  @Test func anObjectThatIsLostForGoodIsNeverNamed() throws {
    let bench = try Bench()
    let client = try bench.create()
    let removed = try client.remove([bench.put(client, "a.pdf", bytes(10))]).result
    let object = try #require(try bench.store.allObjects().first).id
    try bench.memory.force(object, nil)
    #expect(failure { _ = try client.undo(removed) } == .damaged)
    #expect(try bench.open("b").manifest.nodes.isEmpty)
  }

  @Test func twoClientsWithOneBaseLoseNothing() throws {
    let bench = try Bench()
    let first = try bench.create()
    _ = try first.makeFolder("Zero", in: nil)
    let second = try bench.open("b")
    let one = try first.makeFolder("One", in: nil).result
    let two = try second.makeFolder("Two", in: nil).result
    #expect(second.stored?.revision == 4)
    let ids = Set(try bench.open("c").manifest.nodes.map(\.id))
    #expect(ids.isSuperset(of: [one, two]) && ids.count == 3)
  }

  @Test func aStoreThatAlwaysConflictsIsGivenUp() throws {
    let bench = try Bench()
    _ = try bench.create()
    let watched = WatchedStore(bench.store)
    watched.alwaysConflicts = true
    let client = try bench.open(store: watched)
    #expect(failure { _ = try client.makeFolder("x", in: nil) } == .conflict)
    #expect(watched.calls.count { $0 == "put manifest" } == DocumentVaultClient.attempts)
  }

  @Test func anotherKeyOrALaterFormatOpensAndOverwritesNothing() throws {
    let bench = try Bench()
    let client = try bench.create()
    _ = try client.makeFolder("x", in: nil)
    #expect(failure { _ = try bench.open("b", key: 2) } == .cannotOpen)
    let before = try bench.store.manifest()?.tag
    let later = try sealedJSON(#"{"version":2,"nodes":[]}"#)
    try bench.memory.force(StoredManifest(revision: 9, blob: later))
    #expect(failure { _ = try bench.open("b") } == .notUnderstood)
    #expect(failure { _ = try client.makeFolder("y", in: nil) } == .notUnderstood)
    #expect(try bench.store.manifest()?.revision == 9 && before?.revision == 2)
  }

  @Test func aVaultThatWasBegunIsEnded() throws {
    let bench = try Bench()
    _ = try bench.store.putKeyWrap(row(1))
    let client = try bench.open()
    _ = try client.makeFolder("x", in: nil)
    #expect(try bench.store.manifest()?.revision == 1)
    #expect(failure { _ = try bench.create() } == .exists)
  }

  @Test func usageCountsDocumentsByKind() throws {
    let bench = try Bench()
    let client = try bench.create()
    for (name, count) in [("a.pdf", 10), ("b.PDF", 5), ("c.csv", 7), ("d.jpeg", 1)] {
      _ = try bench.put(client, name, bytes(count))
    }
    #expect(client.usage()[.document] == DocumentUsage(count: 2, byteCount: 15))
    #expect(client.usage()[.slides] == nil)
  }
}

/// A manifest of any text, sealed with the test's key.
func sealedJSON(_ text: String) throws -> [UInt8] {
  let cipher = try AES256GCM(key: Bench.key())
  return try SecretValue(utf8: text).withBytes {
    try cipher.sealCombined($0, nonce: [UInt8](repeating: 3, count: 12), aad: RawSpan())
  }
}
