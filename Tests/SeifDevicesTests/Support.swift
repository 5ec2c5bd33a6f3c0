import FoundationEssentials
import SeifBytes
import SeifCrypto
import SeifTestSupport
import SeifVault
import Testing

/// A folder for one vault, removed with the last reference to it.
final class Place {
  let root: String
  let location: VaultLocation

  init() throws {
    root = FileManager.default.temporaryDirectory.appending(path: "seif-ways-\(UInt64.random(in: 0 ... .max))").path
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    location = VaultLocation(folder: root + "/vault", stateFolder: root + "/state")
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func create() throws -> Vault {
    try Vault.create(
      at: location, passphrase: secret("correct horse battery staple"), recoveryCode: RecoveryCode.make(),
      cost: .forTests)
  }

  func open(with provider: some WayInProvider) throws {
    try Vault.open(at: location, access: .readOnly).unlock(with: provider).lock()
  }
}

func secret(_ text: String) -> SecretBytes { SecretBytes(copying: SecretValue(utf8: text)) }

/// What every kind of way in must do, whoever gives its keys.
enum WayInConformance {
  /// Runs all of it.
  ///
  /// - Parameters:
  ///   - make: the provider, made anew each time, as in another process.
  ///   - wrong: one of the same kind with another passphrase, code, PIN or device.
  ///   - refusals: what opening with the wrong one may end with.
  static func check<Provider: WayInProvider>(
    _ make: () throws -> Provider, wrong: () throws -> Provider, refusals: [VaultError]
  ) throws {
    let place = try Place()
    let vault = try place.create()
    let kind = try make().kind
    let new = try vault.makeWayIn(try make())
    #expect(new.wayIn.kind == kind)
    #expect(new.wayIn.createdAt != nil)
    // It opens nothing before it is added, and proves itself from what is sent to another process.
    #expect(throws: VaultError.self) {
      try Vault.open(at: place.location, access: .readOnly).unlock(with: make(), only: new.wayIn.id)
    }
    let sent = try #require(NewWayIn(encoded: new.encoded))
    try Vault.open(at: place.location, access: .readOnly).unlock(with: make(), candidate: sent).lock()
    try vault.addWayIn(new)
    vault.lock()
    let opened = try Vault.open(at: place.location, access: .readWrite).unlock(with: make(), only: new.wayIn.id)
    #expect(opened.openedBy == new.wayIn.id)
    #expect(try opened.verify() == [])

    // Another of the same kind shares nothing with it that would open both.
    let second = try opened.makeWayIn(try make())
    #expect(second.wayIn.parameters != new.wayIn.parameters)
    // The same parameters in another row, or other ones in this row, open nothing.
    let mixed = sent.encoded.replacing(
      "\(new.wayIn.id)", with: "\(second.wayIn.id)")
    let candidate = try #require(NewWayIn(encoded: mixed))
    #expect(throws: VaultError.self) {
      try Vault.open(at: place.location, access: .readOnly).unlock(with: make(), candidate: candidate)
    }

    do {
      try Vault.open(at: place.location, access: .readOnly).unlock(with: wrong(), only: new.wayIn.id).lock()
      Issue.record("the wrong one opened the vault")
    } catch let error as VaultError {
      #expect(refusals.contains(error), "\(error)")
    }

    // Under a new data key it goes on opening, and what it opened before is a closed book.
    let others = try opened.waysIn().filter { $0.kind != .recovery && $0.id != new.wayIn.id }
    let ways = [PresentedWayIn(id: new.wayIn.id, provider: try make())]
    try opened.rotate(presented: ways, recoveryCode: RecoveryCode.make(), dropped: Set(others.map(\.id))) {
      (candidate, made) throws(VaultError) in
      #expect(made.map(\.kind) == (kind == .recovery ? [.recovery] : [kind, .recovery]))
      guard kind != .recovery else { return }
      do {
        try Vault.open(at: candidate, access: .readOnly).unlock(with: make()).lock()
      } catch {
        throw VaultError(.unverified)
      }
    }
    guard kind != .recovery else { return }
    let again = try Vault.open(at: place.location, access: .readWrite).unlock(with: make(), only: new.wayIn.id)
    #expect(try again.waysIn().first?.generation == 2)
    let row = try #require(again.waysIn().first)
    #expect(row.id == new.wayIn.id && row.createdAt == new.wayIn.createdAt)
    try make().erase(row, vaultID: again.id)
    again.lock()
  }
}

@Suite struct KnownWayInTests {
  @Test func aPassphraseConforms() throws {
    try WayInConformance.check(
      { PassphraseProvider(secret("a phrase of words"), cost: .forTests) },
      wrong: { PassphraseProvider(secret("another phrase"), cost: .forTests) }, refusals: [VaultError(.wrongPassphrase)]
    )
  }

  @Test func aRecoveryCodeConforms() throws {
    let text = try #require(RecoveryCode.make().grouped.exposedText())
    try WayInConformance.check(
      { RecoveryProvider(try RecoveryCode.normalise(secret(text))) }, wrong: { RecoveryProvider(RecoveryCode.make()) },
      refusals: [VaultError(.wrongPassphrase)])
  }
}
