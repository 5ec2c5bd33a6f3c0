import Glibc
import SeifBytes
import SeifServerStore
import Testing

@Suite(.timeLimit(.minutes(15))) struct CareTests {
  let scratch: Scratch
  let database: SQLiteServerStore
  let blobs: FolderBlobStore
  let kept: [UUID]

  static let moment = Timestamp(milliseconds: 1_790_000_000_000)

  /// Three objects of 100, 200 and 300 bytes, and a blob that nothing names.
  init() throws {
    scratch = try Scratch()
    database = try SQLiteServerStore(path: scratch.database)
    blobs = try FolderBlobStore(path: scratch.blobs)
    let account = try #require(UUID(bytes: [UInt8](repeating: 1, count: 16)))
    _ = try database.makeAccount(
      AccountRow(id: account, name: "ada", quota: 1000, createdAt: Self.moment),
      enrolment: EnrolmentRow(account: account, tokenHash: [UInt8](repeating: 2, count: 32), endsAt: Self.moment))
    var kept: [UUID] = []
    for number in 1...3 {
      let object = try #require(UUID(bytes: [UInt8](repeating: UInt8(number), count: 16)))
      let bytes = [UInt8](repeating: UInt8(number), count: number * 100)
      let limits = VaultLimits(objectCount: 9, byteCount: 1000)
      guard
        case .reserved(let reservation) = try database.reserve(
          account, object, byteCount: bytes.count, limits: limits, at: Self.moment)
      else { throw StoreFailure(.full, "no room") }
      let blob = try store(bytes, in: blobs)
      _ = try database.keep(reservation, blob: blob, byteCount: bytes.count, sha256: sha256(bytes), at: Self.moment)
      kept.append(blob)
    }
    _ = try store([1], in: blobs)
    self.kept = kept
  }

  private func path(_ index: Int) -> String { scratch.blobs + "/" + blobPath(kept[index]) }

  @Test func whatIsWholeIsWellAndWhatNothingNamesIsCounted() throws {
    let report = try ServerCheck(database, blobs).run(reads: true)
    #expect(report.isWell)
    #expect(report.checked == 3)
    #expect(report.unnamed == 1)
  }

  @Test func aMissingBlobOneOfAnotherLengthAndOneOfOtherBytesAreToldApartAndNothingIsTakenAway() throws {
    #expect(unlink(path(0)) == 0)
    #expect(truncate(path(1), 199) == 0)
    let file = open(path(2), O_WRONLY)
    #expect(pwrite(file, [UInt8(9)], 1, 150) == 1)
    close(file)
    let lengths = try ServerCheck(database, blobs).run(reads: false)
    #expect(lengths.missing == [kept[0]])
    #expect(lengths.damaged == [kept[1]])
    let read = try ServerCheck(database, blobs).run(reads: true)
    #expect(Set(read.damaged) == [kept[1], kept[2]])
    #expect(!read.isWell)
    #expect(try blobs.list(after: nil, limit: 9).count == 3)
  }

  @Test func aCopyIsWellByItselfAndHasWhatIsNamedAlone() throws {
    let target = scratch.path + "/copy"
    #expect(mkdir(target, 0o700) == 0)
    #expect(try ServerCopy(database, blobs).run(database: target + "/server.db", blobs: target + "/blobs") == 3)
    let report = try ServerCheck(
      SQLiteServerStore(path: target + "/server.db"), FolderBlobStore(path: target + "/blobs")
    ).run(reads: true)
    #expect(report.isWell)
    #expect(report.checked == 3)
    #expect(report.unnamed == 0)
  }

  @Test func whatGoesWhileACopyIsMadeIsNoFaultOfTheCopy() throws {
    let target = scratch.path + "/copy"
    #expect(mkdir(target, 0o700) == 0)
    let count = try ServerCopy(database, blobs).run(database: target + "/server.db", blobs: target + "/blobs") { done in
      guard done == 1 else { return }
      for account in (try? database.accounts(after: nil, limit: 9)) ?? [] {
        _ = try? database.removeAccount(account.id)
      }
      for blob in kept { try? blobs.remove(blob) }
    }
    #expect(count == 1)
    let report = try ServerCheck(
      SQLiteServerStore(path: target + "/server.db"), FolderBlobStore(path: target + "/blobs")
    ).run(reads: true)
    #expect(report.isWell && report.checked == 1)
  }

  @Test func aCopyIntoBlobsThatAreThereAlreadyLeavesThemOutUnlessTheirLengthIsAnother() throws {
    let copy = ServerCopy(database, blobs)
    let target = scratch.path + "/blobs2"
    _ = try copy.run(database: scratch.path + "/one.db", blobs: target)
    #expect(try copy.run(database: scratch.path + "/two.db", blobs: target) == 3)
    #expect(truncate(target + "/" + blobPath(kept[0]), 5) == 0)
    #expect(throws: StoreFailure.self) { try copy.run(database: scratch.path + "/three.db", blobs: target) }
  }

  @Test func aCopyOfWhatLacksABlobFails() throws {
    #expect(unlink(path(1)) == 0)
    #expect(throws: StoreFailure.self) {
      try ServerCopy(database, blobs).run(database: scratch.path + "/copy.db", blobs: scratch.path + "/blobs2")
    }
  }
}
