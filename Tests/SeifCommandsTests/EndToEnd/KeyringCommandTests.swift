import SeifCommandLine
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// A vault that the keyring of a desktop session opens: gnome-keyring on a bus of its own.
@Suite(
  .enabled(if: PrivateKeyring.isInstalled, "gnome-keyring, secret-tool or dbus isn't installed"),
  .timeLimit(.minutes(15)))
struct KeyringCommandTests {
  private let world: AgentHome
  private let keyring: PrivateKeyring

  init() throws {
    world = try AgentHome()
    keyring = try PrivateKeyring()
  }

  private func seif(_ words: String..., passphrase: String? = nil) throws -> Terminal.Result {
    try world.home.seif(
      list: words, passphrase: passphrase,
      environment: world.variables.merging(["PATH": keyring.folder + ":/usr/bin:/bin"]) { $1 })
  }

  @Test func anUnlockedSessionOpensItWithoutAQuestionAndALockedOneRefuses() throws {
    let added = try seif("keys", "add", "keyring", passphrase: Canary.vaultPassphrase)
    #expect(added.exitCode == 0, "\(added.errors)")
    #expect(try seif("list").exitCode == 0)
    // The agent asks the keyring itself.
    let unlocked = try seif("unlock", "--with", "keyring")
    #expect(unlocked.exitCode == 0, "\(unlocked.errors)")
    try world.process()
    #expect(try world.openCount() == 1)
    #expect(try seif("code", "GitHub", "--at", Fixture.moment).output == "756364\n")
    #expect(try seif("lock").exitCode == 0)

    try keyring.lock()
    let refused = try seif("unlock", "--with", "keyring")
    #expect(refused.exitCode == 69)
    #expect(refused.errors.contains("the desktop's keyring isn't there, is locked, or doesn't have this key"))
    #expect(try world.openCount() == 0)
    let direct = try seif("list", "--with", "keyring")
    #expect(direct.exitCode == 69 && direct.errors.contains("is locked"))
    // The passphrase opens it as ever, and what the keyring says is a warning.
    let other = try seif("list", passphrase: Canary.vaultPassphrase)
    #expect(other.exitCode == 0)
    #expect(try seif("list").exitCode == 77)
  }
}
