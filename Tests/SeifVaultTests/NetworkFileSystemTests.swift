import FoundationEssentials
import SeifBytes
import SeifCrypto
import SeifRecords
import SeifSQL
import Testing

@testable import SeifVault

/// A vault where other machines may write too: told by the number of the file system, made up here.
@Suite struct NetworkFileSystemTests {
  private static let nfs: UInt32 = 0x6969

  private func elsewhere(_ place: TestVault, _ type: UInt32 = nfs) -> VaultLocation {
    VaultLocation(
      folder: place.location.folder, stateFolder: place.location.stateFolder, vfs: nil, fileSystemType: type)
  }

  private func journal(_ place: TestVault) throws -> UInt8 {
    // Byte 18 of the header: 2 where a write-ahead log belongs to the file.
    try Data(contentsOf: URL(filePath: place.location.file))[18]
  }

  private func open(_ location: VaultLocation, _ access: VaultAccess = .readWrite) throws -> Vault {
    try Vault.open(at: location, access: access).unlock(passphrase: TestVault.secret(TestVault.passphrase))
  }

  @Test func aVaultMadeThereHasNoWriteAheadLog() throws {
    let place = try TestVault()
    let location = elsewhere(place)
    #expect(location.networkFileSystem == "NFS")
    let vault = try Vault.create(
      at: location, passphrase: TestVault.secret(TestVault.passphrase), recoveryCode: RecoveryCode.make(),
      cost: .forTests)
    try vault.add([try Sample.totp("A")])
    #expect(try FileManager.default.contentsOfDirectory(atPath: location.folder) == ["vault.db"])
    #expect(try journal(place) == 1)
    vault.lock()
    let again = try open(location)
    try again.add([try Sample.totp("B")])
    #expect(try again.summaries().map(\.name) == ["A", "B"])
    #expect(try again.verify() == [])
    #expect(try journal(place) == 1)
    again.lock()
    #expect(try open(location, .readOnly).summaries().count == 2)
  }

  @Test func aVaultThatWasMovedThereOrBackChangesItsJournalAndKeepsAll() throws {
    let place = try TestVault()
    var vault = try place.create()
    try vault.add([try Sample.totp("A")])
    #expect(try journal(place) == 2)
    vault.lock()
    vault = try open(elsewhere(place))
    #expect(try journal(place) == 1)
    try vault.add([try Sample.totp("B")])
    #expect(try place.bytes().keys.sorted() == ["vault.db"])
    // Two at once still take turns.
    let other = try open(elsewhere(place))
    try other.add([try Sample.totp("C")])
    #expect(try vault.summaries().map(\.name) == ["A", "B", "C"])
    other.lock()
    vault.lock()
    vault = try place.open()
    #expect(try journal(place) == 2)
    #expect(try vault.summaries().map(\.name) == ["A", "B", "C"])
    #expect(try vault.verify() == [])
  }

  @Test func aLogThatCameAlongIsTakenIn() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.add([try Sample.totp("A")])
    // As after a kill: the change stands in the log alone.
    let there = try TestVault()
    try FileManager.default.createDirectory(atPath: there.location.folder, withIntermediateDirectories: true)
    for name in ["vault.db", "vault.db-wal"] {
      try FileManager.default.copyItem(
        atPath: place.location.folder + "/" + name, toPath: there.location.folder + "/" + name)
    }
    let moved = try open(elsewhere(there))
    #expect(try moved.summaries().map(\.name) == ["A"])
    #expect(try journal(there) == 1)
    moved.lock()
    #expect(try there.bytes().keys.sorted() == ["vault.db"])
  }

  @Test func aChangeThatWasCutShortIsTakenBackByTheNextThatLooks() throws {
    let place = try TestVault()
    let location = elsewhere(place)
    let vault = try Vault.create(
      at: location, passphrase: TestVault.secret(TestVault.passphrase), recoveryCode: RecoveryCode.make(),
      cost: .forTests)
    try vault.add((0..<40).map { try Sample.totp("A\($0)") })
    vault.lock()
    let cut = try TestVault()
    try FileManager.default.createDirectory(atPath: cut.location.folder, withIntermediateDirectories: true)
    let connection = try Connection(
      path: location.file, mode: .readWrite, options: ConnectionOptions(journal: .rollback))
    // So little memory that pages go to the file before the end.
    try connection.execute("PRAGMA cache_size = 2")
    try connection.transaction(.immediate) { () throws(SQLError) in
      try connection.execute(
        "UPDATE item SET detail = zeroblob(9000); UPDATE secret SET value = zeroblob(9000)")
      for name in ["vault.db", "vault.db-journal"] {
        try? FileManager.default.copyItem(
          atPath: place.location.folder + "/" + name, toPath: cut.location.folder + "/" + name)
      }
      try connection.execute("UPDATE vault SET created_at = created_at")
    }
    let names = try cut.bytes()
    #expect(names["vault.db-journal"]?.isEmpty == false)
    #expect(names["vault.db"] != (try place.bytes()["vault.db"]))
    let found = try open(elsewhere(cut), .readOnly)
    #expect(try found.entries().count == 40)
    #expect(try found.verify() == [])
    #expect(try cut.bytes().keys.sorted() == ["vault.db"])
  }

  @Test func numbersOfFileSystemsAreKnown() {
    for (type, name) in [(0xFF53_4D42, "SMB"), (0x0102_1997, "9P"), (0x6573_5546, "FUSE")] as [(UInt32, String)] {
      #expect(NetworkFileSystem.name(type) == name)
    }
    // ext4, tmpfs, btrfs, overlayfs, xfs.
    for type in [0xEF53, 0x0102_1994, 0x9123_683E, 0x794C_7630, 0x5846_5342] as [UInt32] {
      #expect(NetworkFileSystem.name(type) == nil)
    }
    #expect(NetworkFileSystem.type(of: "/proc") == 0x9FA0)
    #expect(NetworkFileSystem.type(of: "/nonexistent") == nil)
  }
}
