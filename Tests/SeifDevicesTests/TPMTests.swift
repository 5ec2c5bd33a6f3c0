import FoundationEssentials
import SeifBytes
import SeifCrypto
import SeifTestSupport
import SeifVault
import Testing

@testable import SeifDevices

@Suite(.enabled(if: SoftwareTPM.isInstalled, "swtpm isn't installed"))
struct TPMTests {
  let tpm: SoftwareTPM

  init() throws { tpm = try SoftwareTPM() }

  private func provider(_ pin: String? = nil, on other: SoftwareTPM? = nil, pcrs: String = "7") -> TPMProvider {
    TPMProvider(address: (other ?? tpm).address, pin: pin.map { secret($0) }, pcrs: pcrs)
  }

  /// A vault with a way in through the TPM.
  private func vault(_ pin: String? = nil, pcrs: String = "7") throws -> Place {
    let place = try Place()
    let vault = try place.create()
    try vault.addWayIn(try vault.makeWayIn(provider(pin, pcrs: pcrs)))
    vault.lock()
    return place
  }

  @Test func itConformsWithoutAPINAndWithOne() throws {
    let other = try SoftwareTPM()
    try WayInConformance.check(
      { provider() }, wrong: { provider(on: other) }, refusals: [VaultError(.otherDevice)])
    try WayInConformance.check(
      { provider("1234") }, wrong: { provider("1235") }, refusals: [VaultError(.deviceRefused)])
  }

  @Test func itsStateSaysHowManyWrongPINsAreCounted() throws {
    try tpm.tool("tpm2_dictionarylockout", "--setup-parameters", "--max-tries=3", "--recovery-time=600")
    let fresh = TPMState(address: tpm.address, isQuiet: false)
    #expect(fresh == .usable(.init(failures: 0, limit: 3, interval: 600)))
    let place = try vault("1234")
    #expect(throws: VaultError(.deviceRefused)) { try place.open(with: provider("1235")) }
    #expect(TPMState(address: tpm.address, isQuiet: false) == .usable(.init(failures: 1, limit: 3, interval: 600)))
  }

  @Test func oneThatDoesNotAnswerRefuses() throws {
    guard case .refuses(let why) = TPMState(address: "swtpm:host=127.0.0.1,port=1", isQuiet: true) else {
      Issue.record("it serves")
      return
    }
    #expect(why.contains("doesn't answer"))
  }

  @Test func onAnotherMachineThePassphraseStillOpens() throws {
    let place = try vault()
    try place.open(with: provider())
    let copy = place.root + "/copy"
    try FileManager.default.copyItem(atPath: place.location.folder, toPath: copy)
    let location = VaultLocation(folder: copy, stateFolder: place.root + "/other state")
    let other = try SoftwareTPM()
    do {
      try Vault.open(at: location, access: .readOnly).unlock(with: provider(on: other)).lock()
      Issue.record("it opened on another machine")
    } catch {
      #expect(error == VaultError(.otherDevice))
      #expect(error.description.contains("another machine"))
    }
    try Vault.open(at: location, access: .readOnly).unlock(
      passphrase: secret("correct horse battery staple")
    ).lock()
  }

  @Test func aMachineThatStartedOtherwiseIsRefusedWithWhatToDo() throws {
    let place = try vault()
    let pinned = try vault("0000")
    try tpm.tool("tpm2_pcrextend", "7:sha256=" + String(repeating: "ab", count: 32))
    for (place, pin) in [(place, nil), (pinned, "0000")] {
      do {
        try place.open(with: provider(pin))
        Issue.record("it opened")
      } catch let error as VaultError {
        #expect(error == VaultError(.deviceChanged))
        #expect(error.description.contains("remove this one and add it again"))
      }
    }
    // Not bound to it: a PIN alone.
    let free = try vault("0000", pcrs: "")
    try tpm.tool("tpm2_pcrextend", "7:sha256=" + String(repeating: "cd", count: 32))
    try free.open(with: provider("0000"))
    #expect(throws: VaultError(.deviceRefused)) { try vault(nil, pcrs: "") }
  }

  @Test func wrongPINsAreCountedSaidAndEndInALockThatSparesTheRest() throws {
    let place = try vault("1234")
    let plain = try vault()
    try tpm.tool("tpm2_dictionarylockout", "--setup-parameters", "--max-tries=3", "--recovery-time=600")
    func refusal(_ pin: String) -> VaultError? {
      do { try place.open(with: provider(pin)) } catch { return error as? VaultError }
      return nil
    }
    let first = try #require(refusal("1"))
    #expect(first == VaultError(.deviceRefused))
    #expect(first.description.contains("the PIN is wrong; 2 tries are left; each 10 minutes without a wrong one"))
    #expect(refusal("1234") == nil)
    #expect(refusal("2")?.code == .deviceRefused)
    #expect(refusal("3")?.code == .deviceRefused)
    // Not a try more is spent, with the right one either.
    let locked = try #require(refusal("1234"))
    #expect(locked == VaultError(.deviceLocked))
    #expect(locked.description.contains("0 tries are left"))
    try plain.open(with: provider())
    try place.open(with: PassphraseProvider(secret("correct horse battery staple")))
  }

  @Test func theRowHoldsTheTCGsPrimaryAndASealedObjectThatCantLeaveTheTPM() throws {
    let place = try vault("1234")
    let way = try #require(Vault.open(at: place.location, access: .readOnly).waysIn.last)
    #expect(way.kind == .tpm2)
    #expect(way.bytes("primaryName")?.count == 34)
    #expect(way.bytes("primaryName")?.prefix(2) == [0x00, 0x0B])
    #expect(way.text("pcrs") == "7")
    #expect(way.flag("pin") == true)
    let object = try #require(way.bytes("public"))
    // TPM2B size, TPM_ALG_KEYEDHASH, TPM_ALG_SHA256, attributes: fixedTPM and fixedParent alone.
    #expect(object.prefix(10).dropFirst(2) == [0x00, 0x08, 0x00, 0x0B, 0x00, 0x00, 0x00, 0x12])
    #expect(way.bytes("private")?.isEmpty == false)
  }

  @Test func whatIsntATPMOrAnAlteredRowIsRefused() throws {
    let place = try vault()
    #expect(throws: VaultError(.deviceMissing)) {
      try place.open(with: TPMProvider(address: "swtpm:host=127.0.0.1,port=1"))
    }
    #expect(throws: VaultError(.deviceMissing)) { try place.open(with: TPMProvider(address: "nonsense:")) }
    let vault = try Vault.open(at: place.location, access: .readOnly).unlock(with: provider())
    let text = try vault.makeWayIn(provider()).encoded
    for (old, new) in [("\\\"pcrs\\\":\\\"7\\\"", "\\\"pcrs\\\":\\\"8\\\""), ("\\\"pin\\\":false", "\\\"pin\\\":true")]
    {
      let altered = text.replacing(old, with: new)
      #expect(altered != text)
      let candidate = try #require(NewWayIn(encoded: altered))
      #expect(throws: VaultError.self) {
        try Vault.open(at: place.location, access: .readOnly).unlock(with: provider(), candidate: candidate)
      }
    }
  }
}
