import FoundationEssentials
import Glibc
import SeifBytes
import SeifCrypto
import SeifFormats
import SeifRecords
import SeifSQL
import SeifTestSupport
import Testing

@testable import SeifVault

/// A new data key for everything, and a vault that is destroyed.
@Suite struct RotationTests {
  private func presented(_ vault: Vault, _ text: String = TestVault.passphrase) throws -> [PresentedWayIn] {
    try vault.waysIn().filter { $0.kind == .passphrase }.map {
      PresentedWayIn(id: $0.id, provider: PassphraseProvider(TestVault.secret(text), cost: .forTests))
    }
  }

  /// A vault in which every table has rows.
  private func full(_ place: TestVault) throws -> Vault {
    let vault = try place.create()
    try vault.apply(Sample.changes(try Sample.full()))
    let id = try #require(vault.entries().first?.id)
    try vault.remove([id])
    vault.lock()
    let later = try place.open(now: Moment.days(40))
    #expect(try later.purgeBin() == 1)
    try later.remove([try #require(later.entries().first?.id)])
    _ = try later.nextBackupLink()
    try later.recordBackup(sequence: 1, sha256: [UInt8](repeating: 7, count: 32))
    for number in 1...3 {
      try later.appendToLedger(
        LedgerEntry(
          event: .proven, at: Moment.start, destination: "d", name: "n\(number)", format: "authbackup", bytes: 1,
          sha256: [UInt8](repeating: 1, count: 32), counts: [.notes: 1], content: [UInt8](repeating: 2, count: 32),
          state: 1))
    }
    return later
  }

  @Test func everythingIsThereUnderAnotherKeyAndNothingOpensWithTheOldOne() throws {
    let place = try TestVault()
    let vault = try full(place)
    let (records, bin, ledger) = (try vault.records(), try vault.bin(), try vault.ledger())
    let (counter, tombstones) = (try vault.counter(), try vault.tombstones())
    let ways = try vault.waysIn()
    let oldKey = try vault.opened().keys.dataKey.duplicate()
    let sealed = try values(place)
    let code = RecoveryCode.make()
    var proven: [WayIn.Kind] = []
    try vault.rotate(presented: presented(vault), recoveryCode: code) { (candidate, ways) throws(VaultError) in
      proven = ways.map(\.kind)
      let opened = try Vault.open(at: candidate, access: .readOnly).unlock(recoveryCode: code)
      guard try opened.verify().isEmpty else { throw VaultError(.damaged) }
      opened.lock()
    }
    #expect(proven == [.passphrase, .recovery])
    #expect(vault.isLocked)
    #expect(try Array(place.bytes().keys) == ["vault.db"])
    let again = try place.open()
    #expect(again.openingFaults == [])
    #expect(try again.verify() == [])
    #expect(try again.records() == records)
    #expect(try again.bin() == bin)
    #expect(try again.ledger() == ledger)
    #expect(try again.tombstones() == tombstones)
    #expect(try again.counter() == counter + 1)
    #expect(try again.waysIn().allSatisfy { $0.generation == 2 })
    #expect(try again.waysIn().first?.id == ways.first?.id)
    #expect(try again.waysIn().first?.createdAt == ways.first?.createdAt)
    #expect(try again.waysIn().last?.id != ways.last?.id)
    try again.undo()
    #expect(
      try again.nextBackupLink() == BackupLink(vault: again.id, sequence: 2, previous: [UInt8](repeating: 7, count: 32))
    )
    let isSame = oldKey.withBytes { left in
      (try? again.opened().keys.dataKey.withBytes { right in constantTimeEqual(left, right) }) ?? true
    }
    #expect(!isSame)
    again.lock()
    // Not one sealed value stayed as it was.
    #expect(sealed.count > 40)
    #expect(try values(place).isDisjoint(with: sealed))
    try Vault.open(at: place.location, access: .readOnly).unlock(recoveryCode: code).lock()
  }

  /// All values that are longer than an identifier.
  private func values(_ place: TestVault) throws -> Set<[UInt8]> {
    var found: Set<[UInt8]> = []
    let connection = try Connection(path: place.location.file, mode: .readOnly)
    for table in try #require(VaultSchema.current.versions.last).tables {
      let statement = try connection.prepare(table.selectAll)
      while try statement.step() {
        for index in table.columns.indices {
          if case .blob(let bytes) = try statement.value(index), bytes.count > 16 { found.insert(bytes) }
        }
      }
    }
    return found
  }

  @Test func aWayInThatIsntPresentedGoesOnlyOnAWord() throws {
    let place = try TestVault()
    let vault = try place.create()
    let other = PassphraseProvider(TestVault.secret("another phrase"), cost: .forTests)
    let added = try vault.makeWayIn(other)
    try vault.addWayIn(added)
    let first = try #require(try presented(vault).first)
    let code = RecoveryCode.make()
    let before = try place.bytes()
    #expect(throws: VaultError(.wayInNotPresented)) {
      try vault.rotate(presented: [first], recoveryCode: code) { (_, _) in }
    }
    #expect(throws: VaultError(.wrongPassphrase)) {
      try vault.rotate(
        presented: [first, PresentedWayIn(id: added.wayIn.id, provider: first.provider)], recoveryCode: code
      ) { (_, _) in }
    }
    #expect(try place.bytes() == before)
    try vault.rotate(presented: [first], recoveryCode: code, dropped: [added.wayIn.id]) { (_, _) in }
    #expect(throws: VaultError(.wrongPassphrase)) {
      try Vault.open(at: place.location, access: .readOnly).unlock(with: other)
    }
    #expect(try place.open().waysIn().map(\.kind) == [.passphrase, .recovery])
  }

  @Test func whereAProofFailsNothingHasHappened() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.add([try Sample.totp("A")])
    let records = try vault.records()
    #expect(throws: VaultError(.deviceMissing)) {
      try vault.rotate(presented: presented(vault), recoveryCode: RecoveryCode.make()) {
        (candidate, _) throws(VaultError) in
        #expect(FileManager.default.fileExists(atPath: candidate.file))
        throw VaultError(.deviceMissing)
      }
    }
    #expect(try vault.records() == records)
    #expect(try vault.waysIn().allSatisfy { $0.generation == 1 })
    try vault.add([try Sample.totp("B")])
    #expect(try vault.verify() == [])
    vault.lock()
    #expect(try Array(place.bytes().keys) == ["vault.db"])
  }

  @Test func aVaultThatIsntAsLastWrittenIsntRotated() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.add([try Sample.totp("A"), try Sample.totp("B")])
    vault.lock()
    try place.tamper { try $0.execute("UPDATE item SET position = position + 10") }
    let opened = try place.open()
    #expect(throws: VaultError(.unverified)) {
      try opened.rotate(presented: presented(opened), recoveryCode: RecoveryCode.make()) { (_, _) in }
    }
  }

  @Test func whoHasTheVaultOpenKeepsItFromBeingRotatedAndLosesNothing() throws {
    let place = try TestVault()
    let vault = try place.create()
    let other = try place.open()
    try other.add([try Sample.totp("A")])
    #expect(throws: VaultError(.busy)) {
      try vault.rotate(presented: presented(vault), recoveryCode: RecoveryCode.make()) { (_, _) in }
    }
    try other.add([try Sample.totp("B")])
    other.lock()
    try vault.rotate(presented: presented(vault), recoveryCode: RecoveryCode.make()) { (_, _) in
      // Meanwhile nobody gets in, also not to read.
      #expect(throws: SQLError(.busy)) { try place.openSoon() }
    }
    #expect(try place.open().entries().count == 2)
  }

  @Test func whatHeldTheOldFileFindsNoDatabaseInIt() throws {
    let place = try TestVault()
    let vault = try place.create()
    let kept = place.root.appending(path: "linked").path
    try FileManager.default.linkItem(atPath: place.location.file, toPath: kept)
    try vault.rotate(presented: presented(vault), recoveryCode: RecoveryCode.make()) { (_, _) in }
    let bytes = try Data(contentsOf: URL(filePath: kept))
    #expect(bytes.count > 4096)
    #expect(bytes.allSatisfy { $0 == 0 })
    #expect(throws: SQLError.self) { try Connection(path: kept, mode: .readWrite) }
  }

  @Test func whatAKilledRotationLeftGoesWithTheNextCleanUnlock() throws {
    let place = try TestVault()
    try place.create().lock()
    for suffix in ["", "-wal", "-shm"] {
      let left = place.location.file + ".new-0011223344556677" + suffix
      #expect(FileManager.default.createFile(atPath: left, contents: Data("left".utf8)))
    }
    try place.open().lock()
    #expect(try Array(place.bytes().keys) == ["vault.db"])
  }

  @Test func aDestroyedVaultIsGoneWithWhatIsRememberedOfIt() throws {
    let place = try TestVault()
    let vault = try full(place)
    let kept = place.root.appending(path: "linked").path
    try FileManager.default.linkItem(atPath: place.location.file, toPath: kept)
    try vault.destroy()
    #expect(vault.isLocked)
    #expect(try place.bytes().isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.location.stateFolder) == [])
    #expect(try Data(contentsOf: URL(filePath: kept)).allSatisfy { $0 == 0 })
    #expect(throws: VaultError(.missing)) { try place.open() }
  }

  @Test func aDestructionThatWasCutShortCanBeEndedAndNoOther() throws {
    let place = try TestVault()
    let vault = try place.create()
    #expect(throws: VaultError(.lastStrongWayIn)) { try Vault.destroyRest(at: place.location) }
    let ways = try vault.waysIn()
    try vault.write { (rows) throws(VaultError) in
      for way in ways { try rows.delete(.wayIn, way.id) }
    }
    vault.lock()
    #expect(throws: VaultError(.noSuchWayIn)) { try place.open() }
    try Vault.destroyRest(at: place.location)
    #expect(try place.bytes().isEmpty)
  }

  @Test func aDestructionThatWasCutShortAfterTheFileLostItsNameCanBeEnded() throws {
    let place = try TestVault()
    try place.create().lock()
    #expect(!Vault.isHalfDestroyed(at: place.location))
    try FileManager.default.moveItem(atPath: place.location.file, toPath: place.location.file + ".destroyed")
    #expect(Vault.isHalfDestroyed(at: place.location))
    try Vault.destroyRest(at: place.location)
    #expect(try place.bytes().isEmpty)
    #expect(!Vault.isHalfDestroyed(at: place.location))
  }

  @Test func aCopyThatAPersonMadeStaysWhenTheVaultIsDestroyed() throws {
    let place = try TestVault()
    let vault = try full(place)
    let copy = place.location.file + ".bak"
    try FileManager.default.copyItem(atPath: place.location.file, toPath: copy)
    try vault.destroy()
    #expect(try Array(place.bytes().keys) == ["vault.db.bak"])
  }
}

extension TestVault {
  /// As `open`, without waiting for its turn.
  func openSoon() throws {
    var options = ConnectionOptions()
    options.busyTimeoutMilliseconds = 1
    _ = try Connection(path: location.file, mode: .readWrite, options: options).userVersion()
  }
}
