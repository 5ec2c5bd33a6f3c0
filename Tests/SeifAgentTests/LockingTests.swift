import Glibc
import SeifBytes
import SeifVault
import Synchronization
import Testing

@testable import SeifAgent

/// What is locked stays locked, whatever was under way.
@Suite struct LockingTests {
  private static func unlock(_ vaults: OpenVaults, _ path: String, _ after: LockAfter) throws(VaultUseError) {
    _ = try vaults.unlock(
      VaultLocation(folder: path, stateFolder: path + "-state"), .passphrase,
      SecretValue(utf8: AgentWorld.passphrase), after, peer: Peer(process: getpid(), user: geteuid()))
  }

  /// A key takes seconds to derive; suspend, screen lock and log-out come in between.
  @Test(arguments: ["all", "folder", "session", "other folder"])
  func whatIsLockedWhileItIsUnlockedDoesntOpen(by way: String) throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    let otherFolder = world.scratch.path
    let box = Mutex<OpenVaults?>(nil)
    let vaults = OpenVaults(
      consent: Consent(asker: FixedAsker(.yes)),
      whenDerived: {
        guard let vaults = box.withLock({ $0 }) else { return }
        switch way {
        case "all": vaults.lockAll()
        case "folder": vaults.lock(folder: path)
        case "session": vaults.forgetComing()
        default: vaults.lock(folder: otherFolder)
        }
      }, changed: {})
    box.withLock { $0 = vaults }
    let isOther = way == "other folder"
    #expect(refusal { try Self.unlock(vaults, path, .standard) } == (isOther ? nil : .locked))
    #expect(vaults.all.count == (isOther ? 1 : 0))
    // The next one isn't touched by it.
    box.withLock { $0 = nil }
    try Self.unlock(vaults, path, .standard)
    #expect(vaults.all.count == 1)
    vaults.lockAll()
  }

  /// The thread that locks what is due may sleep with the machine.
  @Test func whatIsDueIsGivenToNobodyThoughNobodyHasLockedItYet() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    let vaults = OpenVaults(consent: Consent(asker: FixedAsker(.yes)), changed: {})
    try Self.unlock(vaults, path, .seconds(1))
    let due = try #require(vaults.all.first?.due)
    while Deadline.now < due { usleep(50_000) }
    #expect(refusal { _ = try vaults.vault(path) } == .locked)
    #expect(vaults.all.isEmpty)
  }

  /// A press of TAB shows names, and is no reason to stay open longer, or to lock.
  @Test func whoOnlyLooksForNamesIsNoUse() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    let vaults = OpenVaults(consent: Consent(asker: FixedAsker(.yes)), changed: {})
    try Self.unlock(vaults, path, .seconds(60))
    let vault = try vaults.vault(path)
    let due = vault.due
    usleep(20_000)
    let (names, list) = (
      try vault.list(counts: false),
      try { () throws in
        #expect(vault.due == due)
        return try vault.list()
      }()
    )
    #expect(names == list)
    #expect(try #require(vault.due) > (try #require(due)))
    vaults.lockAll()
    _ = try world.unlocked(path, after: .use)
    do {
      let client = try world.client()
      #expect(try AgentVault(client, folder: path).names().count == AgentWorld.entries.count)
    }
    // Its connection has ended, which for a use would lock it.
    usleep(200_000)
    #expect(try world.client().isOpen(folder: path))
  }

  @Test func oneThatLocksAfterItsFirstUseLocksWithoutOneToo() throws {
    let world = try AgentWorld()
    let path = try world.makeVault()
    let vaults = OpenVaults(consent: Consent(asker: FixedAsker(.yes)), changed: {})
    try Self.unlock(vaults, path, .use)
    let next = try #require(vaults.lockWhatIsDue())
    #expect(next > Deadline.now && next <= Deadline.now + 300_000)
    #expect(vaults.all.first.map { $0.due == nil } == true)
    vaults.lockAll()
  }
}
