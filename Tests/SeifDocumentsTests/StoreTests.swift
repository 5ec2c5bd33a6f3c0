import CSeif
import Glibc
import SeifBytes
import SeifDocumentTesting
import SeifDocuments
import Testing

@Suite struct StoreTests {
  @Test(arguments: StoreConformance.all)
  func aStoreInMemoryDoesWhatAStoreMust(check: StoreConformance.Check) throws {
    let clock = TestClock()
    try check.run(MemoryDocumentStore(now: { clock.now }), clock: clock)
  }

  @Test(arguments: StoreConformance.all)
  func aFolderDoesWhatAStoreMust(check: StoreConformance.Check) throws {
    let scratch = try Scratch()
    let clock = TestClock()
    try check.run(FolderDocumentStore.make(path: scratch.path("vault"), now: { clock.now }), clock: clock)
  }

  @Test(arguments: StoreConformance.all)
  func aFolderWithoutNamelessFilesDoesToo(check: StoreConformance.Check) throws {
    let scratch = try Scratch()
    let clock = TestClock()
    var store = try FolderDocumentStore.make(path: scratch.path("vault"), now: { clock.now })
    store.allowsUnnamed = false
    try check.run(store, clock: clock)
    #expect(try scratch.names("vault/objects").allSatisfy { !$0.hasPrefix(".") })
  }

  @Test func aTagIsReadOnlyAsItIsWritten() {
    let tag = ManifestTag(revision: 7, blob: [1, 2, 3])
    #expect(ManifestTag(tag.description) == tag)
    #expect(ManifestTag("\"\(tag)\"") == tag)
    for text in [
      "W/\"\(tag)\"", "*", "\(tag), \(tag)", "0\(tag)", "7", "7-", "-\(tag)", "0-0123456789abcdef",
      "7-0123456789ABCDEF", "7-0123456789abcde", "", "\"", "99999999999999999999-0123456789abcdef",
    ] { #expect(ManifestTag(text) == nil, "\(text)") }
  }

  @Test func aFolderThatHoldsFilesDoesntBecomeAVault() throws {
    let scratch = try Scratch()
    try scratch.write("full/letter.txt", [1])
    #expect(throws: DocumentError(.exists, place: "")) { try FolderDocumentStore.make(path: scratch.path("full")) }
    _ = try FolderDocumentStore.make(path: scratch.path("deep/er/vault"))
    // A creation that was ended is made again; a vault isn't.
    let store = try FolderDocumentStore.make(path: scratch.path("deep/er/vault"))
    _ = try store.replaceManifest([UInt8](repeating: 1, count: 28), expecting: nil)
    #expect(throws: DocumentError(.exists, place: "")) {
      try FolderDocumentStore.make(path: scratch.path("deep/er/vault"))
    }
  }

  @Test func onlyTheOwnerReadsAVaultsFiles() throws {
    let scratch = try Scratch()
    let old = umask(0)
    defer { umask(old) }
    let store = try FolderDocumentStore.make(path: scratch.path("vault"))
    _ = try store.putObject(id(1), from: ObjectSource([UInt8](repeating: 1, count: 28)))
    _ = try store.putKeyWrap(row(1))
    _ = try store.putKeyWrap(row(2))
    _ = try store.replaceManifest([UInt8](repeating: 1, count: 28), expecting: nil)
    try store.removeKeyWrap(id(2))
    try store.deleteObject(id(1))
    let modes = try scratch.modes("vault")
    #expect(modes.count >= 7)
    for (name, mode) in modes { #expect(mode & 0o077 == 0, "\(name)") }
  }

  @Test func aSecondWriterIsToldThatItIsLocked() throws {
    let scratch = try Scratch()
    var store = try FolderDocumentStore.make(path: scratch.path("vault"))
    store.lockWait = 20
    let other = seif_open(scratch.path("vault/lock"), O_RDWR | O_CREAT, 0o600)
    defer { close(other) }
    #expect(flock(other, LOCK_EX) == 0)
    #expect(throws: DocumentError(.locked, place: "")) { try store.putKeyWrap(row(1)) }
    #expect(try store.keyWraps().isEmpty)
    flock(other, LOCK_UN)
    #expect(try store.putKeyWrap(row(1)) == .stored)
  }
}
