import FoundationEssentials
import Glibc
import SeifBytes
import SeifCrypto
import SeifRecords
import SeifSQL
import SeifTestSupport
import Testing

@testable import SeifVault

@Suite struct UnlockingTests {
  @Test func bothWaysInOpenTheSameVault() throws {
    let place = try TestVault()
    let code = RecoveryCode.make()
    let made = try Vault.create(
      at: place.location, passphrase: TestVault.secret("word"), recoveryCode: code, cost: .forTests)
    try made.add([try Sample.totp("A")])
    let records = try made.records()
    made.lock()
    let locked = try Vault.open(at: place.location, access: .readOnly)
    #expect(locked.waysIn.map(\.kind) == [.passphrase, .recovery])
    #expect(locked.waysIn.allSatisfy { $0.createdAt != nil && $0.generation == 1 })
    #expect(locked.id == made.id)
    #expect(try locked.unlock(passphrase: TestVault.secret("word")).records() == records)
    // EXPOSE: a code of this test.
    let printed = try #require(code.grouped.exposedText())
    let typed = try RecoveryCode.normalise(TestVault.secret(printed.lowercased() + " \n"))
    let again = try Vault.open(at: place.location, access: .readOnly)
    #expect(try again.unlock(recoveryCode: typed).records() == records)
  }

  @Test func whatIsWrongOpensNothing() throws {
    let place = try TestVault()
    try place.create().lock()
    #expect(throws: VaultError(.wrongPassphrase)) {
      try Vault.open(at: place.location, access: .readOnly).unlock(passphrase: TestVault.secret("wrong"))
    }
    #expect(throws: VaultError(.wrongPassphrase)) {
      try Vault.open(at: place.location, access: .readOnly).unlock(recoveryCode: RecoveryCode.make())
    }
  }

  @Test func aPassphraseTypedInEitherNormalFormOpens() throws {
    let place = try TestVault()
    let vault = try Vault.create(
      at: place.location, passphrase: TestVault.secret("caf\u{E9}"), recoveryCode: RecoveryCode.make(), cost: .forTests)
    vault.lock()
    _ = try Vault.open(at: place.location, access: .readOnly).unlock(passphrase: TestVault.secret("cafe\u{301}"))
  }

  @Test func anAlteredWayInDoesNotOpenAndAHugeCostIsRefusedBeforeItIsPaid() throws {
    let place = try TestVault()
    try place.create().lock()
    try place.tamper {
      try $0.execute("UPDATE way_in SET parameters = replace(parameters, '\"passes\":1', '\"passes\":2')")
    }
    #expect(throws: VaultError(.wrongPassphrase)) { try place.open() }
    try place.tamper { try $0.execute("UPDATE way_in SET parameters = replace(parameters, '8192', '99999999')") }
    #expect(throws: VaultError(.costRefused)) { try place.open() }
  }

  /// The passphrase's row of a new vault, and rows made of it by the changes, added in front of it.
  private func withRows(_ changes: [(of: String, to: String)]) throws -> TestVault {
    let place = try TestVault()
    try place.create().lock()
    try place.tamper { connection in
      for (index, change) in changes.enumerated() {
        let insert = try connection.prepare(
          """
          INSERT INTO way_in (position, id, revision, kind, generation, parameters, wrapped_key)
          SELECT ?1, randomblob(16), 1, kind, 1, replace(parameters, ?2, ?3), wrapped_key FROM way_in
          WHERE position = 1
          """)
        try insert.bind(Int64(-100 + index), at: 1)
        try insert.bind(change.of, at: 2)
        try insert.bind(change.to, at: 3)
        try insert.run()
      }
    }
    return place
  }

  private func ways(_ place: TestVault) throws -> [KeyWrap] {
    let connection = try Connection(path: place.location.file, mode: .readOnly)
    return try KeyWrap.all(in: connection).filter { $0.kind == .passphrase }
  }

  @Test func aWayInThatIsRefusedDoesNotKeepTheNextFromOpening() throws {
    let place = try withRows([
      ("8192", "1048577"), ("8192", "4096"), ("\"lanes\":1", "\"lanes\":2"), ("8192", "\"no number\""),
      ("\"memoryKiB\":8192,\"passes\":1", "\"memoryKiB\":1048576,\"passes\":4"),
    ])
    for row in try ways(place).dropLast() { #expect(throws: VaultError(.costRefused)) { try row.cost() } }
    let vault = try place.open()
    #expect(vault.openingFaults.count == 1)
    vault.lock()
    #expect(throws: VaultError(.costRefused)) {
      try Vault.open(at: place.location, access: .readOnly).unlock(passphrase: TestVault.secret("wrong"))
    }
  }

  @Test func theCheapestWaysInAreTriedFirstAndOnlyEight() throws {
    // Were one of these tried before the vault's own, this test would take minutes.
    let dear = (of: "\"memoryKiB\":8192,\"passes\":1", to: "\"memoryKiB\":1048576,\"passes\":3")
    let place = try withRows([dear] + (0..<3).map { _ in ("8192", "8193") } + (0..<50).map { _ in dear })
    try place.open().lock()
    var refusal: VaultError?
    let tried = LockedVault.cheapestFirst(try ways(place), &refusal)
    #expect(tried.map(\.cost.memoryKiB) == [8_192] + [8_193, 8_193, 8_193] + [Int](repeating: 1_048_576, count: 4))
    #expect(refusal == nil)
  }

  @Test func aRecoveryRowThatIsRefusedDoesNotKeepTheNextFromOpening() throws {
    let place = try TestVault()
    let code = RecoveryCode.make()
    try Vault.create(
      at: place.location, passphrase: TestVault.secret("word"), recoveryCode: code, cost: .forTests
    ).lock()
    try place.tamper {
      try $0.execute(
        """
        INSERT INTO way_in (position, id, revision, kind, generation, parameters, wrapped_key)
        SELECT -1, randomblob(16), 1, kind, 1, replace(parameters, '600000', '600001'), wrapped_key FROM way_in
        WHERE kind = 'recovery'
        """)
    }
    try Vault.open(at: place.location, access: .readOnly).unlock(recoveryCode: code).lock()
  }

  @Test func aLockedVaultGivesNothing() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.add([try Sample.totp("A")])
    vault.lock()
    #expect(vault.isLocked)
    #expect(throws: VaultError(.locked)) { try vault.records() }
    #expect(throws: VaultError(.locked)) { try vault.add([try Sample.totp("B")]) }
    #expect(throws: VaultError(.locked)) { try vault.verify() }
  }

  @Test func folderAndFileAreClosedToOthersAndLockingLeavesOneFile() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.add([try Sample.totp("A")])
    vault.lock()
    func mode(_ path: String) -> UInt32 {
      var status = stat()
      return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }
    #expect(mode(place.location.folder) == 0o700)
    #expect(mode(place.location.file) == 0o600)
    #expect(mode(place.location.stateFolder) == 0o700)
    #expect(try Array(place.bytes().keys) == ["vault.db"])
  }

  @Test func aFolderThatOthersCanWriteToHoldsNoVaultUnlessItIsEmpty() throws {
    let place = try TestVault()
    let folder = place.location.folder
    #expect(mkdir(folder, 0o700) == 0)
    let other = folder + "/other"
    #expect(FileManager.default.createFile(atPath: other, contents: nil))
    chmod(folder, 0o777)
    #expect(throws: VaultError(.cantOpen)) { try place.create() }
    #expect(try place.bytes().keys.sorted() == ["other"])
    chmod(folder, 0o755)
    try place.create().lock()
    let second = try TestVault()
    #expect(mkdir(second.location.folder, 0o700) == 0)
    chmod(second.location.folder, 0o777)
    try second.create().lock()
    var status = stat()
    #expect(stat(second.location.folder, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
  }

  @Test func aPipeInTheVaultsPlaceKeepsNobodyWaiting() throws {
    let place = try TestVault()
    let vault = try place.create()
    let mark = place.location.stateFolder + "/\(vault.id).counter"
    vault.lock()
    #expect(unlink(mark) == 0)
    #expect(mkfifo(mark, 0o600) == 0)
    try place.open(.readOnly).lock()
    #expect(unlink(place.location.file) == 0)
    #expect(mkfifo(place.location.file, 0o600) == 0)
    #expect(throws: VaultError(.notAVault)) { try place.open() }
  }

  @Test func whereAVaultIsNoOtherIsMadeAndWhereNoneIsNoneOpens() throws {
    let place = try TestVault()
    #expect(throws: VaultError(.missing)) { try place.open() }
    try place.create().lock()
    let before = try place.bytes()
    #expect(throws: VaultError(.alreadyExists)) { try place.create() }
    #expect(try place.bytes() == before)
  }

  @Test func readingOnlyLeavesNoFileAndChangesNone() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.add([try Sample.totp("A")])
    vault.lock()
    let before = try place.bytes()
    let reader = try place.open(.readOnly)
    #expect(try reader.summaries().count == 1)
    #expect(throws: VaultError(.readOnly)) { try reader.add([try Sample.totp("B")]) }
    reader.lock()
    #expect(try place.bytes() == before)
  }

  @Test func costsOfNewVaultsAreBetween64MiBAnd1GiB() throws {
    #expect(throws: VaultError(.costRefused)) { try VaultCost(memoryKiB: 65_535) }
    #expect(throws: VaultError(.costRefused)) { try VaultCost(memoryKiB: 65_536, passes: 2) }
    #expect(throws: VaultError(.costRefused)) { try VaultCost(memoryKiB: 1_048_577) }
    #expect(throws: VaultError(.costRefused)) { try VaultCost(memoryKiB: 1_048_576, passes: 4) }
    #expect(try VaultCost(memoryKiB: 1_048_576, passes: 3).memoryKiB == 1_048_576)
    #expect(VaultCost.tuned(minimumTakes: 250).memoryKiB == 4 * 65_536)
    #expect(VaultCost.tuned(minimumTakes: 0).memoryKiB == 1_048_576)
    #expect(VaultCost.tuned(minimumTakes: 5_000) == .minimum)
  }

  @Test(.enabled(if: TestData.shared != nil, "the document vault's vectors aren't here"))
  func recoveryCodesAreReadAsTheDocumentVaultReadsThem() throws {
    let shared = try #require(TestData.shared)
    let vectors = try TestData.json(shared.appending(path: "vectors/tapsign-v1.json"))
    var seen = 0
    for vector in try #require(vectors.root["recoveryCodes"]).elements {
      let bytes = try #require(vector["inputHex"]?.hexBytes)
      let expected = vector["normalised"]?.string
      let code = try? RecoveryCode.normalise(SecretBytes(copying: SecretValue(bytes)))
      let text = code?.withBytes { span in SecretValue(copying: span).exposedText() } ?? nil
      #expect(text == expected, "\(vector["name"]?.string ?? "")")
      seen += 1
    }
    #expect(seen > 30)
  }

  @Test func newRecoveryCodesUseAllOfTheAlphabetInSixGroupsOfFour() throws {
    var letters = Set<Character>()
    for _ in 0..<100 {
      let text = try #require(RecoveryCode.make().grouped.exposedText())
      let groups = text.split(separator: "-")
      #expect(groups.map(\.count) == [4, 4, 4, 4, 4, 4])
      letters.formUnion(groups.joined())
    }
    #expect(letters == Set<Character>(RecoveryCode.alphabet))
  }
}
