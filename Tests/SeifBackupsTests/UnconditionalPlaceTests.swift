import SeifBackups
import SeifBytes
import SeifTransportTesting
import Testing

/// Places that don't refuse a name that is taken.
@Suite struct UnconditionalPlaceTests {
  private let world = BackupWorld()
  private var transport: MemoryTransport { world.transport }

  @Test func namesCarryRandomDigitsAndTwoOfOneSecondDiffer() throws {
    transport.createsConditionally = false
    let names = try (0..<2).map { _ in try world.create(try BackupWorld.records()).proof.name }
    #expect(names[0] != names[1])
    for name in names {
      #expect(name.hasPrefix("seif-backup-20260910T110058Z-0-"))
      #expect(name.utf8.count == "seif-backup-20260910T110058Z-0-00000000.authbackup".utf8.count)
    }
    #expect(Set(transport.files.keys) == Set(names))
  }

  @Test func aPlaceThatRefusesGetsPlainNames() throws {
    let name = try world.create(try BackupWorld.records()).proof.name
    #expect(name == "seif-backup-20260910T110058Z-0.authbackup")
  }

  @Test func aSecondFileOfTheNameIsFound() throws {
    transport.createsConditionally = false
    transport.afterUpload = { place, name in
      place.twins = [BackupDescriptor(id: "another", name: name, byteCount: 3)]
    }
    do {
      _ = try world.create(try BackupWorld.records())
      Issue.record("it was taken for stored")
    } catch BackupFailure.notStored(_, let error) {
      #expect(error.code == .ambiguous)
    }
    #expect(world.ledger.written.map(\.kind) == [.stored, .failed])
  }

  @Test func whatIsntListedAfterwardsIsntStored() throws {
    transport.createsConditionally = false
    transport.forgets = true
    do {
      _ = try world.create(try BackupWorld.records())
      Issue.record("it was taken for stored")
    } catch BackupFailure.notStored(_, let error) {
      #expect(error.code == .misplaced)
    }
  }
}
