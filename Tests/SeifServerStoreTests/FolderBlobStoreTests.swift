import CSeif
import Glibc
import SeifBytes
import SeifServerStore
import Testing

@Suite(.timeLimit(.minutes(15))) struct FolderBlobStoreTests {
  static let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }

  @Test(arguments: [true, false])
  func aBlobIsThereWholeOnceItIsFinishedAndForItsOwnerAlone(allowsUnnamed: Bool) throws {
    let scratch = try Scratch()
    let blobs = try FolderBlobStore(path: scratch.blobs, allowsUnnamed: allowsUnnamed)
    let writer = try blobs.begin()
    try Self.bytes.withUnsafeBytes { try writer.write($0) }
    #expect(try blobs.list(after: nil, limit: 9).isEmpty)
    let blob = try writer.finish()
    #expect(try contents(blob, in: blobs) == Self.bytes)
    #expect(try contents(blob, in: FolderBlobStore(path: scratch.blobs)) == Self.bytes)
    #expect(scratch.mode("blobs") == 0o700)
    #expect(scratch.mode("blobs/" + String(blob.description.prefix(2))) == 0o700)
    #expect(scratch.mode("blobs/" + blobPath(blob)) == 0o600)
    #expect(throws: StoreFailure.self) { try writer.finish() }
  }

  @Test(arguments: [true, false])
  func oneThatIsGivenUpOrForgottenLeavesNothing(allowsUnnamed: Bool) throws {
    let scratch = try Scratch()
    let blobs = try FolderBlobStore(path: scratch.blobs, allowsUnnamed: allowsUnnamed)
    do {
      let (abandoned, forgotten) = (try blobs.begin(), try blobs.begin())
      try [1, 2].withUnsafeBytes { try abandoned.write($0) }
      try [1, 2].withUnsafeBytes { try forgotten.write($0) }
      abandoned.abandon()
      #expect(throws: StoreFailure.self) { try abandoned.finish() }
    }
    let later = Timestamp(milliseconds: 9_000_000_000_000)
    #expect(try blobs.removeLeftOvers(before: later) == 0)
    #expect(try blobs.list(after: nil, limit: 9).isEmpty)
  }

  @Test func halfWrittenOnesOfAnEndedProcessAreTakenAwayOnceTheyAreOldAndWholeOnesStay() throws {
    let scratch = try Scratch()
    let blobs = try FolderBlobStore(path: scratch.blobs)
    let blob = try store([1], in: blobs)
    let left = scratch.blobs + "/" + blobPath(blob) + ".part"
    close(open(left, O_CREAT | O_WRONLY, 0o600))
    #expect(try blobs.list(after: nil, limit: 9).map(\.blob) == [blob])
    #expect(try blobs.removeLeftOvers(before: Timestamp(milliseconds: 0)) == 0)
    #expect(try blobs.removeLeftOvers(before: Timestamp(milliseconds: 9_000_000_000_000)) == 1)
    #expect(access(left, F_OK) != 0)
    #expect(try contents(blob, in: blobs) == [1])
  }

  @Test func blobsAreListedInOrderInPagesAndRemovedOnceOrMore() throws {
    let scratch = try Scratch()
    let blobs = try FolderBlobStore(path: scratch.blobs)
    let made = try (0..<60).map { try store([UInt8](repeating: 1, count: $0), in: blobs) }
    var found: [(blob: UUID, byteCount: Int, storedAt: Timestamp)] = []
    while true {
      let page = try blobs.list(after: found.last?.blob, limit: 7)
      if page.isEmpty { break }
      #expect(page.count <= 7)
      found += page
    }
    #expect(found.map(\.blob) == made.sorted { $0.description < $1.description })
    #expect(found.allSatisfy { row in made.firstIndex(of: row.blob) == row.byteCount })
    for _ in 0..<2 { try blobs.remove(made[0]) }
    #expect(try blobs.open(made[0]) == nil)
    #expect(try blobs.list(after: nil, limit: 99).count == 59)
  }

  @Test func aLinkIsFollowedNeitherInABlobsPlaceNorInAFolders() throws {
    let scratch = try Scratch()
    let blobs = try FolderBlobStore(path: scratch.blobs)
    let blob = try store([1], in: blobs)
    let file = scratch.blobs + "/" + blobPath(blob)
    let shelf = scratch.blobs + "/" + String(blob.description.prefix(2))
    #expect(rename(file, scratch.path + "/elsewhere") == 0)
    #expect(symlink(scratch.path + "/elsewhere", file) == 0)
    #expect(throws: StoreFailure.self) { try blobs.open(blob) }
    #expect(unlink(file) == 0 && rename(scratch.path + "/elsewhere", file) == 0)
    #expect(rename(shelf, scratch.path + "/shelf") == 0)
    #expect(symlink(scratch.path + "/shelf", shelf) == 0)
    #expect(throws: StoreFailure.self) { try blobs.open(blob) }
    #expect(throws: StoreFailure.self) { try blobs.remove(blob) }
    #expect(symlink(scratch.path, scratch.path + "/link") == 0)
    #expect(throws: StoreFailure.self) { try FolderBlobStore(path: scratch.path + "/link") }
  }
}
