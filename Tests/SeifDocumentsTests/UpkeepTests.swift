import CSeif
import Glibc
import SeifBytes
import SeifDocumentFormat
import SeifDocumentTesting
import Testing

@testable import SeifDocuments

/// Ways in, rotation, copies, and what the doctor says.
@Suite struct UpkeepTests {
  @Test func rowsThatAreMissingBackAlteredOrUnknownAreTold() throws {
    let bench = try Bench()
    let client = try bench.create()
    try client.add(row(2))
    try client.add(row(3))
    #expect(try client.keyWrapDifferences() == KeyWrapDifferences())
    try client.removeKeyWrap(id(3))
    #expect(try client.keyWrapDifferences() == KeyWrapDifferences())
    let shown = try bench.store.manifest()
    let other = try #require(StoredKeyWrap(json: SecretValue(utf8: #"{"id":"\#(id(1))","kind":"recovery"}"#)))
    try bench.memory.force(shown, rows: [other, row(3), row(4)])
    let again = try bench.open()
    #expect(
      try again.keyWrapDifferences()
        == KeyWrapDifferences(missing: [id(2)], back: [id(3)], altered: [id(1)], unknown: [id(4)]))
    #expect(try again.keptKeyWraps() == [row(1), row(2)])
    try again.noteOpened(row(4))
    #expect(try again.keyWrapDifferences().unknown.isEmpty)
  }

  @Test func theLastWayInStaysAndARemovedOneComesBack() throws {
    let bench = try Bench()
    let client = try bench.create()
    #expect(failure { try client.removeKeyWrap(id(1)) } == .lastKeyWrap)
    try client.add(row(2))
    try client.removeKeyWrap(id(1))
    try client.restoreKeyWrap(id(1))
    #expect(try client.keyWrapDifferences() == KeyWrapDifferences())
    #expect(try client.keyWraps().count == 2)
  }

  @Test(arguments: [false, true])
  func aRotationTakesTheOldKeysAway(files: Bool) throws {
    let bench = try Bench(inFolder: true)
    let client = try bench.create()
    try client.add(row(2))
    let folder = try client.makeFolder("Folder", in: nil).result
    let id1 = try bench.put(client, "a.pdf", bytes(1_200_000), into: folder)
    let oldManifest = try #require(try bench.store.manifest())
    let oldObject = try #require(try bench.store.allObjects().first).id
    let oldKey = client.manifest.node(id1)?.fileKey
    let report = try client.rotate(to: Bench.key(2), rows: [row(5)], files: files)
    #expect(Set(report.dropped.map(\.id)) == [id(1), id(2)])
    #expect(report.resealed == (files ? 1 : 0) && report.kept.isEmpty)
    #expect(try bench.store.keyWraps() == [row(5)])
    #expect(try bench.store.manifest()?.revision == oldManifest.revision + 1)
    #expect(failure { _ = try bench.open("b") } == .cannotOpen)
    let again = try bench.open(key: 2)
    #expect(again.rollback == nil)
    #expect(try again.keyWrapDifferences() == KeyWrapDifferences())
    #expect(try bench.content(again, id1) == bytes(1_200_000))
    #expect(again.manifest.node(id1)?.parent == folder)
    #expect((again.manifest.node(id1)?.fileKey != oldKey) == files)
    // What the new manifest doesn't name any more stays all the same: nothing deletes objects on its own.
    #expect(try bench.store.objectByteCount(oldObject) != nil)
    #expect(try client.doctor(opens: false).orphans.map(\.id) == (files ? [oldObject] : []))
    _ = try again.makeFolder("after", in: nil)
    #expect(try client.doctor(opens: true).missing.isEmpty)
  }

  @Test func aRotationThatOthersOvertakeChangesNothing() throws {
    let bench = try Bench()
    let client = try bench.create()
    let id1 = try bench.put(client, "a.pdf", bytes(100))
    let other = try bench.open("b")
    var isDone = false
    let watch = WorkWatch(report: { _ in
      guard !isDone else { return }
      isDone = true
      _ = try? other.makeFolder("Meanwhile", in: nil)
    })
    #expect(
      failure { _ = try client.rotate(to: Bench.key(2), rows: [try row(5)], files: true, watch: watch) } == .conflict)
    #expect(isDone)
    #expect(try bench.store.keyWraps() == [row(1)])
    #expect(try bench.content(bench.open("c"), id1) == bytes(100))
    _ = try client.rotate(to: Bench.key(2), rows: [try row(5)], files: true)
    let again = try bench.open("d", key: 2)
    #expect(again.manifest.nodes.contains { $0.name == "Meanwhile" })
  }

  @Test func aDocumentThatDoesntOpenStaysAsItIsInARotation() throws {
    let bench = try Bench()
    let client = try bench.create()
    let id1 = try bench.put(client, "a.pdf", bytes(100))
    let object = try #require(try bench.store.allObjects().first).id
    try bench.memory.force(object, bytes(128))
    let report = try client.rotate(to: Bench.key(2), rows: [row(5)], files: true)
    #expect(report.kept == ["a.pdf"] && report.resealed == 0)
    #expect(try bench.store.objectByteCount(object) == 128)
    #expect(try bench.open("b", key: 2).manifest.node(id1)?.objectID == object)
  }

  @Test func anOrphanGoesOnlyUnderAllFourConditions() throws {
    let bench = try Bench()
    let client = try bench.create()
    let kept = try bench.put(client, "kept.pdf", bytes(50))
    let gone = try bench.put(client, "gone.pdf", bytes(100))
    let goneObject = try #require(client.manifest.node(gone)?.objectID)
    _ = try bench.store.putObject(id(77), from: ObjectSource(bytes(200)))
    _ = try client.remove([gone])
    var report = try client.doctor(opens: true)
    #expect(Set(report.orphans.map(\.id)) == [goneObject, id(77)])
    #expect(report.removable.isEmpty && report.missing.isEmpty && report.damaged.isEmpty)
    bench.clock.advance(days: 8)
    // Of one revision only.
    #expect(try client.doctor(opens: false).removable.isEmpty)
    _ = try client.makeFolder("x", in: nil)
    report = try client.doctor(opens: false)
    #expect(Set(report.removable.map(\.id)) == [goneObject, id(77)])
    // Another client saw neither the removal nor seven days.
    #expect(try bench.open("b").doctor(opens: false).removable.isEmpty)
    // What changed since the person looked isn't what the person agreed to.
    _ = try client.makeFolder("y", in: nil)
    #expect(failure { _ = try client.removeOrphans(report) } == .conflict)
    report = try client.doctor(opens: false)
    #expect(try Set(client.removeOrphans(report).map(\.id)) == [goneObject, id(77)])
    #expect(try bench.store.allObjects().count == 1)
    #expect(try bench.content(client, kept) == bytes(50))
    try bench.store.restoreObject(goneObject)
  }

  @Test func anObjectWhoseRemovalWasntSeenNeverGoes() throws {
    let bench = try Bench()
    let client = try bench.create()
    let gone = try bench.put(client, "gone.pdf", bytes(100))
    let other = try bench.open("b")
    _ = try other.remove([gone])
    _ = try other.makeFolder("x", in: nil)
    // Two revisions at once: which of them removed it isn't known.
    _ = try client.doctor(opens: false)
    bench.clock.advance(days: 30)
    _ = try other.makeFolder("y", in: nil)
    #expect(try client.doctor(opens: false).removable.isEmpty)
    #expect(try client.doctor(opens: false).orphans.count == 1)
  }

  @Test func anUploadThatWasAbandonedMayGoAfterADay() throws {
    let bench = try Bench()
    _ = try bench.create()
    let watched = WatchedStore(bench.store)
    watched.alwaysConflicts = true
    let client = try bench.open(store: watched)
    let path = try bench.file("a.pdf", bytes(10))
    #expect(failure { _ = try client.put([.path(path)], into: nil) } == .conflict)
    #expect(try client.doctor(opens: false).removable.isEmpty)
    bench.clock.advance(days: 1)
    #expect(try client.doctor(opens: false).removable.count == 1)
    #expect(try bench.open("b").doctor(opens: false).removable.isEmpty)
  }

  @Test func missingDocumentsAreNamed() throws {
    let bench = try Bench()
    let client = try bench.create()
    let id1 = try bench.put(client, "a.pdf", bytes(10))
    try bench.memory.force(#require(client.manifest.node(id1)?.objectID), nil)
    #expect(try client.doctor(opens: false).missing == [id1])
    let report = try client.get([id1], into: bench.scratch.path("out"))
    #expect(report.failed.first?.error.code == .notFound)
  }

  @Test func aCopyOpensLikeTheVaultAndFollowsIt() throws {
    let bench = try Bench(inFolder: true)
    let client = try bench.create()
    let id1 = try bench.put(client, "a.pdf", bytes(1_500_000))
    let copy = try FolderDocumentStore.make(path: bench.scratch.path("copy"))
    var report = try client.mirror(to: copy)
    #expect(report == MirrorReport(copied: 1, present: 0, missing: 0, changed: true))
    #expect(try bench.content(bench.open("c", store: copy), id1) == bytes(1_500_000))
    report = try client.mirror(to: copy)
    #expect(report == MirrorReport(copied: 0, present: 1, missing: 0, changed: false))
    _ = try bench.put(client, "b.pdf", bytes(10))
    _ = try client.rotate(to: Bench.key(2), rows: [row(5)], files: false)
    report = try client.mirror(to: copy)
    #expect(report == MirrorReport(copied: 1, present: 1, missing: 0, changed: true))
    #expect(try bench.open("d", key: 2, store: copy).manifest.nodes.count == 2)
    #expect(try copy.keyWraps() == [row(5)])
    // What somebody changed there isn't lost unasked.
    _ = try bench.open("d", key: 2, store: copy).makeFolder("there", in: nil)
    #expect(failure { _ = try client.mirror(to: copy) } == .otherCopy)
    // Nor once it was looked at from here, or changed from here.
    _ = try bench.open("a", key: 2, store: copy).makeFolder("from here", in: nil)
    #expect(failure { _ = try client.mirror(to: copy) } == .otherCopy)
    #expect(try bench.open("e", key: 2, store: copy).manifest.nodes.count == 4)
    #expect(try client.mirror(to: copy, replaces: true).changed)
    #expect(try copy.manifest()?.blob == bench.store.manifest()?.blob)
  }

  @Test func theKitHoldsTheCodeAndItsRow() throws {
    let json = #"{"id":"\#(id(1))","kind":"recovery","salt":"c2FsdA==","iterations":600000,"wrappedKey":"a2V5"}"#
    let row = try #require(StoredKeyWrap(json: SecretValue(utf8: json)))
    let kit = RecoveryKit(
      account: "", server: "/vault", row: row, code: SecretValue(utf8: "AAAA-BBBB-CCCC-DDDD-EEEE-FFFF"))
    let text = try #require(kit.text.exposedText())
    for part in ["/vault", "c2FsdA==", "600000", "a2V5", "AAAA-BBBB-CCCC-DDDD-EEEE-FFFF", id(1).description] {
      #expect(text.contains(part))
    }
    let root = try JSONDocument(parsing: kit.data, policy: .strict).root
    #expect(root["iterations"]?.int64 == 600_000 && root["code"]?.string == "AAAA-BBBB-CCCC-DDDD-EEEE-FFFF")
    #expect(root["salt"]?.string == "c2FsdA==" && root["server"]?.string == "/vault")
  }
}
