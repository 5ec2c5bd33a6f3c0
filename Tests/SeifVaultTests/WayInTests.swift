import FoundationEssentials
import Glibc
import SeifBytes
import SeifCrypto
import SeifTestSupport
import Testing

@testable import SeifVault

/// Ways in that are added, changed and removed.
@Suite struct WayInTests {
  private static let other = "another phrase with enough words"

  private func passphrase(_ text: String) -> PassphraseProvider {
    PassphraseProvider(TestVault.secret(text), cost: .forTests)
  }

  private func opens(_ place: TestVault, _ text: String) -> Bool {
    guard let locked = try? Vault.open(at: place.location, access: .readOnly),
      let vault = try? locked.unlock(passphrase: TestVault.secret(text))
    else { return false }
    vault.lock()
    return true
  }

  @Test func oneThatWasMadeOpensNothingUntilItIsAdded() throws {
    let place = try TestVault()
    let vault = try place.create()
    let provider = passphrase(Self.other)
    let new = try vault.makeWayIn(provider)
    #expect(!opens(place, Self.other))
    #expect(try vault.waysIn().count == 2)
    let sent = try #require(NewWayIn(encoded: new.encoded))
    let proven = try Vault.open(at: place.location, access: .readOnly).unlock(with: provider, candidate: sent)
    #expect(proven.id == vault.id && proven.openingFaults == [])
    proven.lock()
    try vault.addWayIn(new)
    #expect(try vault.waysIn().map(\.kind) == [.passphrase, .recovery, .passphrase])
    #expect(try vault.verify() == [])
    vault.lock()
    #expect(opens(place, Self.other))
    #expect(opens(place, TestVault.passphrase))
  }

  @Test func aCandidateOfAnotherVaultOrAnAlteredOneProvesNothing() throws {
    let place = try TestVault()
    let vault = try place.create()
    let elsewhere = try TestVault().create()
    let provider = passphrase(Self.other)
    let foreign = try elsewhere.makeWayIn(provider)
    #expect(throws: VaultError(.wrongPassphrase)) {
      try Vault.open(at: place.location, access: .readOnly).unlock(with: provider, candidate: foreign)
    }
    let text = try vault.makeWayIn(provider).encoded
    for (old, new) in [("\"generation\":1", "\"generation\":2"), ("\\\"passes\\\":1", "\\\"passes\\\":2")] {
      let altered = text.replacing(old, with: new)
      #expect(altered != text)
      let candidate = try #require(NewWayIn(encoded: altered))
      #expect(throws: VaultError(.wrongPassphrase)) {
        try Vault.open(at: place.location, access: .readOnly).unlock(with: provider, candidate: candidate)
      }
    }
    for wrong in ["", "{}", text.replacing("wrappedKey", with: "key"), text + " x"] {
      #expect(NewWayIn(encoded: wrong) == nil)
    }
  }

  @Test func aChangedPassphraseTakesThePlaceOfTheOldOneInOneStep() throws {
    let place = try TestVault()
    let vault = try place.create()
    let old = try #require(try vault.waysIn().first)
    let before = try vault.counter()
    let new = try vault.makeWayIn(passphrase(Self.other))
    try vault.addWayIn(new, replacing: old.id)
    #expect(try vault.counter() == before + 1)
    #expect(try vault.verify() == [])
    vault.lock()
    #expect(opens(place, Self.other))
    #expect(!opens(place, TestVault.passphrase))
    #expect(throws: VaultError(.noSuchWayIn)) {
      let vault = try Vault.open(at: place.location, access: .readWrite).unlock(
        passphrase: TestVault.secret(Self.other))
      try vault.addWayIn(try vault.makeWayIn(passphrase("word")), replacing: old.id)
    }
  }

  @Test func whatCountsAsStrong() {
    func way(_ kind: WayIn.Kind) -> WayIn {
      WayIn(id: RandomSource.system.makeUUID(), kind: kind, createdAt: nil, generation: 1, parameters: "{}")
    }
    let passphrase = way(.passphrase)
    #expect(!WayIn.areStrong([passphrase], passphrases: []))
    #expect(WayIn.areStrong([passphrase], passphrases: [passphrase.id]))
    #expect(WayIn.areStrong([way(.recovery)], passphrases: []))
    #expect(!WayIn.areStrong([way(.fido2)], passphrases: []))
    #expect(WayIn.areStrong([way(.fido2), way(.fido2)], passphrases: []))
    #expect(!WayIn.areStrong([way(.tpm2), way(.tpm2), way(.keyring), way(.other("later"))], passphrases: []))
    #expect(!WayIn.areStrong([], passphrases: []))
  }

  @Test func theLastStrongWayInStays() throws {
    let place = try TestVault()
    let vault = try place.create()
    let ways = try vault.waysIn()
    let (first, code) = (try #require(ways.first), try #require(ways.last))
    // Nobody showed that the passphrase is one that holds a vault.
    #expect(throws: VaultError(.lastStrongWayIn)) { try vault.removeWayIn(code.id, passphrases: []) }
    #expect(try vault.waysIn().count == 2)
    // What is shown of a passphrase that goes away doesn't help.
    #expect(throws: VaultError(.lastStrongWayIn)) {
      let weak = try vault.makeWayIn(passphrase("weak"))
      try vault.removeWayIn(code.id, passphrases: [weak.wayIn.id])
    }
    try vault.removeWayIn(first.id, passphrases: [])
    #expect(throws: VaultError(.lastStrongWayIn)) { try vault.removeWayIn(code.id, passphrases: []) }
    #expect(throws: VaultError(.noSuchWayIn)) { try vault.removeWayIn(first.id, passphrases: []) }
    let strong = try vault.makeWayIn(passphrase(Self.other))
    try vault.addWayIn(strong)
    try vault.removeWayIn(code.id, passphrases: [strong.wayIn.id])
    #expect(try vault.waysIn().map(\.id) == [strong.wayIn.id])
    #expect(throws: VaultError(.lastStrongWayIn)) {
      let weak = try vault.makeWayIn(passphrase("weak"))
      try vault.addWayIn(weak, replacing: strong.wayIn.id)
    }
    #expect(try vault.verify() == [])
  }

  @Test func thereIsRoomForSixtyFour() throws {
    let place = try TestVault()
    let vault = try place.create()
    let code = RecoveryCode.make()
    let new = try vault.makeWayIn(RecoveryProvider(code))
    for _ in 2..<64 {
      // One derivation does for all.
      let wrap = KeyWrap(
        id: RandomSource.system.makeUUID(), kind: .recovery, generation: 1, parameters: new.wrap.parameters,
        wrappedKey: new.wrap.wrappedKey)
      try vault.addWayIn(NewWayIn(wrap))
    }
    #expect(throws: VaultError(.tooManyWaysIn)) { try vault.addWayIn(new) }
    #expect(try vault.waysIn().count == 64)
  }

  @Test func theLastUseOfEachIsKeptAndForgottenWithIt() throws {
    let place = try TestVault()
    try place.create().lock()
    let early = Moment.days(1)
    try place.open(now: early).lock()
    let locked = try Vault.open(at: place.location, access: .readOnly)
    let id = try #require(locked.waysIn.first?.id)
    #expect(locked.lastUses == [id: early])
    #expect(throws: VaultError(.wrongPassphrase)) {
      try Vault.open(at: place.location, access: .readOnly, now: { Moment.days(2) }).unlock(
        passphrase: TestVault.secret("wrong"))
    }
    #expect(try Vault.open(at: place.location, access: .readOnly).lastUses == [id: early])
    let vault = try place.open(.readWrite, now: Moment.days(3))
    #expect(vault.openedBy == id)
    let new = try vault.makeWayIn(passphrase(Self.other))
    try vault.addWayIn(new, replacing: id)
    #expect(vault.lastUses == [new.wayIn.id: Moment.days(3)])
  }

  @Test func aUseThatCantBeKeptKeepsNobodyOut() throws {
    let place = try TestVault()
    try place.create().lock()
    let file = "\(place.location.stateFolder)/\(try place.open().id).ways"
    try FileManager.default.removeItem(atPath: file)
    #expect(mkdir(file, 0o700) == 0)
    try place.open().lock()
    #expect(rmdir(file) == 0)
    #expect(FileManager.default.createFile(atPath: file, contents: Data("nonsense".utf8)))
    try place.open().lock()
    #expect(try Vault.open(at: place.location, access: .readOnly).lastUses.count == 1)
  }
}
