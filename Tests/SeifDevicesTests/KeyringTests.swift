import FoundationEssentials
import Glibc
import SeifBytes
import SeifProcesses
import SeifTestSupport
import SeifVault
import Testing

@testable import SeifDevices

@Suite(
  .enabled(if: PrivateKeyring.isInstalled, "gnome-keyring, secret-tool or dbus isn't installed"),
  .timeLimit(.minutes(15)))
struct KeyringTests {
  @Test func itConformsAndNoKeyStandsInArguments() throws {
    let (keyring, other) = (try PrivateKeyring(), try PrivateKeyring())
    try WayInConformance.check(
      { KeyringProvider(program: keyring.tool) }, wrong: { KeyringProvider(program: other.tool) },
      refusals: [VaultError(.deviceMissing)])
    let arguments = keyring.arguments
    #expect(arguments.contains("store\n") && arguments.contains("lookup\n") && arguments.contains("clear\n"))
    // A key in base64 has 44 characters and ends so.
    #expect(!arguments.split(separator: "\n").contains { $0.utf8.count == 44 && $0.hasSuffix("=") })
  }

  @Test func whatIsErasedOpensNoMore() throws {
    let keyring = try PrivateKeyring()
    let place = try Place()
    let vault = try place.create()
    let provider = KeyringProvider(program: keyring.tool)
    let new = try vault.makeWayIn(provider)
    try vault.addWayIn(new)
    vault.lock()
    try place.open(with: provider)
    try provider.erase(new.wayIn, vaultID: vault.id)
    #expect(throws: VaultError(.deviceMissing)) { try place.open(with: provider) }
  }

  @Test func withoutTheProgramOrAnAnswerItSaysWhatIsMissing() throws {
    let place = try Place()
    let vault = try place.create()
    for program in ["/nonexistent/secret-tool", "/bin/false"] {
      #expect(throws: VaultError(.deviceMissing)) { try vault.makeWayIn(KeyringProvider(program: program)) }
    }
  }
}
