import CSeif
import Glibc
import SeifBytes
import SeifDocuments
import Testing

/// What others, or an end in the middle, may have put into a vault's folder.
@Suite struct FolderTests {
  let scratch: Scratch
  let store: FolderDocumentStore
  let first = [UInt8](repeating: 1, count: 40)
  let second = [UInt8](repeating: 2, count: 40)

  init() throws {
    scratch = try Scratch()
    store = try FolderDocumentStore.make(path: scratch.path("vault"))
  }

  @Test func aManifestThatNeverCountedIsNotRead() throws {
    let tag = try store.replaceManifest(first, expecting: nil)
    try scratch.write("vault/manifest.next", second)
    #expect(try store.manifest()?.tag == tag)
    _ = try store.putKeyWrap(row(1))
    #expect(try !scratch.names("vault").contains("manifest.next"))
  }

  @Test func aManifestThatCountsIsReadBeforeItHasItsName() throws {
    _ = try store.replaceManifest(first, expecting: nil)
    try scratch.write("vault/manifest.next", second)
    try scratch.write("vault/version", Array("2 \(ManifestTag.sha256(second))\n".utf8))
    let tag = try store.manifest()?.tag
    #expect(tag == ManifestTag(revision: 2, blob: second))
    _ = try store.putKeyWrap(row(1))
    #expect(try scratch.read("vault/manifest") == second)
    #expect(try store.manifest()?.tag == tag)
  }

  @Test func rowsThatChangeWithTheManifestCountInTheSameStep() throws {
    _ = try store.putKeyWrap(row(1))
    _ = try store.replaceManifest(first, expecting: nil)
    let next = StoredKeyWrap.list([try row(2)])
    try scratch.write("vault/manifest.next", second)
    try scratch.write("vault/wraps.next", next)
    #expect(try store.keyWraps().map(\.id) == [id(1)])
    let version = "2 \(ManifestTag.sha256(second)) \(ManifestTag.sha256(next))\n"
    try scratch.write("vault/version", Array(version.utf8))
    #expect(try store.keyWraps().map(\.id) == [id(2)])
    #expect(try store.manifest()?.revision == 2)
    // The next writer ends it, whatever of it had been done.
    _ = try store.putKeyWrap(row(3))
    #expect(try Set(store.keyWraps().map(\.id)) == [id(2), id(3)])
    #expect(try scratch.read("vault/version") == Array("2 \(ManifestTag.sha256(second))\n".utf8))
    #expect(try !scratch.names("vault").contains { $0.hasSuffix(".next") })
  }

  @Test func aManifestThatVersionDoesntNameIsRefused() throws {
    _ = try store.replaceManifest(first, expecting: nil)
    try scratch.write("vault/manifest", second)
    #expect(throws: DocumentError(.damaged, place: "")) { try store.manifest() }
    #expect(throws: DocumentError(.damaged, place: "")) { try store.replaceManifest(second, expecting: nil) }
    try scratch.write("vault/manifest", first)
    for text in ["", "1\n", "1 \(ManifestTag.sha256(first))", "01 \(ManifestTag.sha256(first))\n", "-1 x\n"] {
      try scratch.write("vault/version", Array(text.utf8))
      #expect(throws: DocumentError(.damaged, place: "")) { try store.manifest() }
    }
    unlink(scratch.path("vault/version"))
    #expect(throws: DocumentError(.damaged, place: "")) { try store.manifest() }
  }

  @Test func linksPipesAndFoldersInItAreRefusedAtOnce() throws {
    let objects = scratch.path("vault/objects/")
    try scratch.write("secret", [UInt8](repeating: 9, count: 40))
    #expect(symlink(scratch.path("secret"), objects + id(1).description) == 0)
    #expect(mkfifo(objects + id(2).description, 0o600) == 0)
    #expect(mkdir(objects + id(3).description, 0o700) == 0)
    try scratch.write("vault/objects/no identifier", [1])
    for number in [1, 2, 3] as [UInt8] {
      #expect(throws: DocumentError(.damaged, place: "")) { try store.readObject(id(number), range: nil) { _ in } }
      #expect(throws: DocumentError(.damaged, place: "")) {
        try store.putObject(id(number), from: ObjectSource([UInt8](repeating: 9, count: 40)))
      }
    }
    #expect(try store.allObjects().isEmpty)
    #expect(try store.status().objectCount == 0)
    for name in ["manifest", "version", "wraps.json"] {
      #expect(mkfifo(scratch.path("vault/\(name)"), 0o600) == 0)
    }
    #expect(throws: DocumentError(.damaged, place: "")) { try store.manifest() }
    #expect(throws: DocumentError(.damaged, place: "")) { try store.keyWraps() }
    #expect(throws: DocumentError(.damaged, place: "")) { try store.replaceManifest(first, expecting: nil) }
  }

  @Test func aFolderOfObjectsThatIsALinkIsRefused() throws {
    #expect(rmdir(scratch.path("vault/objects")) == 0)
    #expect(mkdir(scratch.path("elsewhere"), 0o700) == 0)
    #expect(symlink(scratch.path("elsewhere"), scratch.path("vault/objects")) == 0)
    #expect(throws: DocumentError.self) {
      try store.putObject(id(1), from: ObjectSource([UInt8](repeating: 9, count: 40)))
    }
    #expect(try scratch.names("elsewhere").isEmpty)
  }

  @Test func aHugeFileIsRefusedBeforeItIsRead() throws {
    for name in ["objects/\(id(1))", "manifest", "wraps.json", "version"] {
      let file = seif_open(scratch.path("vault/\(name)"), O_WRONLY | O_CREAT, 0o600)
      #expect(ftruncate(file, 1 << 40) == 0)
      close(file)
    }
    #expect(throws: DocumentError(.tooLarge, place: "")) { try store.readObject(id(1), range: nil) { _ in } }
    #expect(throws: DocumentError(.tooLarge, place: "")) { try store.manifest() }
    #expect(throws: DocumentError(.tooLarge, place: "")) { try store.keyWraps() }
  }

  @Test func rowsThatArentAListOfRowsAreRefused() throws {
    for text in [
      "", "{}", "[1]", #"[{"id":"x"}]"#, #"[{"kind":"recovery"}]"#, #"[{"id":"\#(id(1))"},{"id":"\#(id(1))"}]"#,
    ] {
      try scratch.write("vault/wraps.json", Array(text.utf8))
      #expect(throws: DocumentError(.damaged, place: "")) { try store.keyWraps() }
      #expect(throws: DocumentError(.damaged, place: "")) { try store.putKeyWrap(row(5)) }
    }
  }

  @Test func anObjectUnderAnUpperCaseNameIsTheSame() throws {
    let upper = try #require(UUID("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"))
    try scratch.write("vault/objects/AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE", first)
    #expect(try store.objectByteCount(upper) == 40)
    #expect(try store.allObjects().map(\.id) == [upper])
    #expect(try store.putObject(upper, from: ObjectSource(first)) == .present)
    try store.deleteObject(upper)
    #expect(try store.objectByteCount(upper) == nil)
    try store.restoreObject(upper)
    #expect(try store.objectByteCount(upper) == 40)
  }

  @Test func aMoveThatWasEndedHalfwayIsEnded() throws {
    _ = try store.putObject(id(1), from: ObjectSource(first))
    try store.deleteObject(id(1))
    let trashed = try #require(try scratch.names("vault/trash").first)
    #expect(link(scratch.path("vault/trash/\(trashed)"), scratch.path("vault/objects/\(id(1))")) == 0)
    try store.restoreObject(id(1))
    #expect(try store.objectByteCount(id(1)) == 40)
    #expect(try scratch.names("vault/trash").isEmpty)
  }

  @Test func twoWritersOfManifestsLoseNone() throws {
    _ = try store.replaceManifest(first, expecting: nil)
    let other = SideWriter(store, rounds: 60)
    var done = 0
    while done < 60 {
      guard let tag = try store.manifest()?.tag else { break }
      do throws(DocumentError) {
        _ = try store.replaceManifest(first, expecting: tag)
        done += 1
      } catch { guard error.code == .conflict else { throw error } }
    }
    #expect(other.wait() == 60)
    #expect(try store.manifest()?.revision == 121)
  }
}
