import Glibc
import SeifBytes
import SeifCrypto
import SeifVault
import Synchronization
import Testing

@testable import SeifAgent

/// An authenticator in software as a way in: opens with its PIN, or without one if it has none.
private final class SoftwareWay: WayInProvider {
  let kind: WayIn.Kind
  private let seed: SecretBytes
  private let isRight: Bool

  init(_ kind: WayIn.Kind, pin: String, given: SecretValue) {
    self.kind = kind
    seed = SecretBytes(copying: SecretValue([UInt8](repeating: 7, count: 32)))
    isRight = given == SecretValue(utf8: pin)
  }

  func makeKey(for id: UUID, vaultID: UUID, random: RandomSource) throws(VaultError) -> NewWrappingKey {
    NewWrappingKey(key: try key(id), parameters: ["uv": .flag(false)])
  }

  func withKeys<Result: ~Copyable>(
    of way: WayIn, vaultID: UUID, _ body: (borrowing SecretBytes) -> Result?
  ) throws(VaultError) -> Result? {
    guard isRight else { throw VaultError(.deviceRefused, "the PIN is wrong; 7 tries are left") }
    return body(try key(way.id))
  }

  private func key(_ id: UUID) throws(VaultError) -> SecretBytes {
    do { return try HKDF.deriveKey(from: seed, salt: id.bytes, info: []) } catch { throw VaultError(.internalFailure) }
  }
}

/// The agent opens a vault by a device itself.
@Suite struct DeviceUnlockTests {
  /// What the client gave as PIN.
  private static let pin = "4711"
  private let asked = Counts()

  private final class Counts: Sendable { let kinds = Mutex<[WayIn.Kind]>([]) }

  private func world(_ kinds: [WayIn.Kind]) throws -> AgentWorld {
    let asked = asked
    return try AgentWorld(device: { (kind, given) throws(VaultError) in
      asked.kinds.withLock { $0.append(kind) }
      return kinds.contains(kind) ? SoftwareWay(kind, pin: Self.pin, given: given) : nil
    })
  }

  private func vault(_ world: AgentWorld, _ kind: WayIn.Kind) throws -> String {
    let path = try world.makeVault()
    let vault = try world.direct(path)
    try vault.addWayIn(vault.makeWayIn(SoftwareWay(kind, pin: Self.pin, given: SecretValue(utf8: Self.pin))))
    vault.lock()
    return path
  }

  private func unlock(
    _ world: AgentWorld, _ path: String, _ way: AgentRequest.Way, _ pin: String
  ) throws -> AgentAnswer.Notices {
    try world.client().unlock(
      folder: path, stateFolder: path + "-state", way, AgentWorld.secret(pin), nil
    ).notices
  }

  @Test(arguments: [AgentRequest.Way.tpm2, .fido2, .keyring])
  func aDeviceOpensAVaultInTheAgent(by way: AgentRequest.Way) throws {
    let world = try world([way.kind])
    let path = try vault(world, way.kind)
    #expect(try unlock(world, path, way, Self.pin) == AgentAnswer.Notices())
    #expect(asked.kinds.withLock { $0 } == [way.kind])
    #expect(try AgentVault(world.client(), folder: path).list().count == AgentWorld.entries.count)
  }

  @Test func whatTheDeviceSaysArrivesAndItStaysLocked() throws {
    let world = try world([.fido2])
    let path = try vault(world, .fido2)
    do {
      _ = try unlock(world, path, .fido2, "1")
      Issue.record("a wrong PIN opened it")
    } catch VaultUseError.vault(let error) {
      #expect(error.code == .deviceRefused && error.detail.contains("7 tries are left"))
    }
    #expect(try world.client().status().vaults.isEmpty)
    // Of a kind that this agent has no device for, and of one that the vault has no way in of.
    let none = try self.world([])
    let other = try vault(none, .fido2)
    #expect(throws: VaultUseError.vault(VaultError(.deviceMissing))) { _ = try unlock(none, other, .fido2, Self.pin) }
    let keyring = try self.world([.keyring])
    let third = try vault(keyring, .fido2)
    #expect(throws: VaultUseError.vault(VaultError(.noSuchWayIn))) { _ = try unlock(keyring, third, .keyring, "") }
  }

  /// A touch may come when nobody waits for it any more.
  @Test func whoIsGoneBeforeTheTouchGetsNothingOpened() throws {
    let world = try world([.fido2])
    let path = try vault(world, .fido2)
    let vaults = OpenVaults(
      consent: Consent(asker: FixedAsker(.yes)),
      device: { (kind, given) throws(VaultError) in SoftwareWay(kind, pin: Self.pin, given: given) }, changed: {})
    let location = VaultLocation(folder: path, stateFolder: path + "-state")
    let gone = Peer(process: getpid(), user: geteuid(), started: 1)
    #expect(
      refusal { _ = try vaults.unlock(location, .fido2, SecretValue(utf8: Self.pin), .standard, peer: gone) } == .gone)
    #expect(vaults.all.isEmpty)
    let here = try #require(Peer.look(at: getpid(), user: geteuid()))
    _ = try vaults.unlock(location, .fido2, SecretValue(utf8: Self.pin), .standard, peer: here)
    #expect(vaults.all.count == 1)
    vaults.lockAll()
  }

  @Test func everyKindThatAVaultKnowsHasItsNumber() {
    #expect(Set(WayIn.Kind.known) == Set(AgentRequest.Way.allCases.map(\.kind)))
    #expect(AgentRequest.Way(.other("x")) == nil)
    #expect(AgentRequest.Way.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
  }
}
