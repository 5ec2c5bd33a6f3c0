import SeifCommandLine
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// A new key for the whole vault, and the vault's end.
@Suite struct RotateCommandTests {
  let home: Home
  private static let file = ".local/share/seif/vault.db"

  init() throws { home = try Fixture.withVault() }

  private func code(_ sheet: String) throws -> String {
    let text = try home.read(sheet)
    return try #require(text.split(separator: "\n").first { $0.hasPrefix("  ") }).trimmed
  }

  private func rotate(_ words: String..., passphrase: String = Canary.vaultPassphrase) throws -> Terminal.Result {
    try home.seif(
      list: ["keys", "rotate", "--recovery-sheet", home.file("new-in-clear.txt")] + words, passphrase: passphrase)
  }

  @Test func theOldCodeAndTheOldFileStayBehind() throws {
    let old = try code("sheet-in-clear.txt")
    let records = try home.seif("list", "--json", passphrase: Canary.vaultPassphrase).output
    let result = try rotate()
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(result.errors.contains("Everything is sealed under a new key."))
    #expect(try home.names(in: ".local/share/seif") == ["vault.db"])
    #expect(try home.seif("list", "--json", passphrase: Canary.vaultPassphrase).output == records)
    #expect(try home.seif("list", "--recovery-code", passphrase: old).exitCode == 77)
    #expect(try home.seif("list", "--recovery-code", passphrase: code("new-in-clear.txt")).exitCode == 0)
    #expect(try home.seif("doctor", passphrase: Canary.vaultPassphrase).exitCode == 0)
  }

  @Test func whatIsntPresentedIsNamedAndDroppedOnlyOnAWord() throws {
    let added = try home.seif(
      "keys", "add", "passphrase", "--unlock-ms", "500", passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.newPassword)
    #expect(added.exitCode == 0)
    let before = try home.bytes(Self.file)
    let refused = try rotate()
    #expect(refused.exitCode == 64)
    #expect(refused.errors.contains("wasn't presented"))
    #expect(refused.errors.contains("--drop passphrase"))
    #expect(try home.bytes(Self.file) == before)
    #expect(!home.exists("new-in-clear.txt"))
    let root = try document(try home.seif("keys", "list", "--json").output, "seif-keys")
    let id = try #require(root["waysIn"]?.elements.map { $0["id"]?.string ?? "" }.last)
    #expect(try rotate("--drop", id).exitCode == 0)
    #expect(try home.seif("list", passphrase: Canary.newPassword).exitCode == 77)
    #expect(try home.seif("list", passphrase: Canary.vaultPassphrase).exitCode == 0)
  }

  @Test func aSecondRecoveryCodeDoesntGoUnsaid() throws {
    let added = try home.seif(
      "keys", "add", "recovery", "--recovery-sheet", home.file("second-in-clear.txt"),
      passphrase: Canary.vaultPassphrase)
    #expect(added.exitCode == 0, "\(added.errors)")
    let result = try rotate()
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(result.errors.contains("the vault has 2 recovery codes"))
    #expect(result.errors.contains("one new code takes the place of all"))
    for sheet in ["sheet-in-clear.txt", "second-in-clear.txt"] {
      #expect(try home.seif("list", "--recovery-code", passphrase: code(sheet)).exitCode == 77)
    }
  }

  @Test func onATerminalTheNewCodeIsTypedBack() throws {
    let terminal = try home.terminal("keys", "rotate", passphrase: Canary.vaultPassphrase)
    try terminal.expect("Recovery code, shown once.")
    try terminal.expect("Type it back (not shown; Enter alone shows it again): ")
    try terminal.expect(echo: false)
    let shown = try #require(terminal.screen.split(whereSeparator: \.isNewline).first { $0.count { $0 == "-" } == 5 })
    terminal.type(shown.trimmed + "\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    #expect(try home.seif("list", "--recovery-code", passphrase: shown.trimmed).exitCode == 0)
  }

  @Test func aCodeThatIsntTypedBackLeavesTheVaultAsItWas() throws {
    let before = try home.bytes(Self.file)
    let terminal = try home.terminal("keys", "rotate", passphrase: Canary.vaultPassphrase)
    try terminal.expect("Type it back (not shown; Enter alone shows it again): ")
    try terminal.expect(echo: false)
    terminal.type("\u{3}")
    #expect(try home.check(terminal.finish()).exitCode == 130)
    #expect(try home.bytes(Self.file) == before)
    #expect(try home.names(in: ".local/share/seif") == ["vault.db"])
  }

  /// Nobody should write down a code that counts for nothing.
  @Test func aVaultThatIsOpenElsewhereIsSaidBeforeAnythingIsAsked() throws {
    let world = try AgentHome(home)
    _ = try world.unlock()
    // No passphrase is given, so a question would end with 77.
    let refused = try world.seif("keys", "rotate", "--recovery-sheet", home.file("new-in-clear.txt"))
    #expect(refused.exitCode == 75, "\(refused.errors)")
    #expect(refused.errors.contains("seif lock"))
    #expect(!home.exists("new-in-clear.txt"))
  }

  // MARK: - destroy

  @Test func aVaultIsDestroyedOnATypedWordThatFollowsTheCounts() throws {
    #expect(try home.seif("destroy", passphrase: Canary.vaultPassphrase).exitCode == 64)
    #expect(home.exists(Self.file))
    let refused = try home.terminal("destroy", passphrase: Canary.vaultPassphrase)
    try refused.expect("This erases 4 codes, 1 login, 1 card, 1 note, and 2 ways in")
    try refused.expect("Type destroy to go on: ")
    refused.type("yes\n")
    try refused.expect("Type destroy to go on: ")
    refused.type("\n")
    #expect(try home.check(refused.finish()).exitCode == 130)
    #expect(try home.seif("list", passphrase: Canary.vaultPassphrase).exitCode == 0)
    let terminal = try home.terminal("destroy", passphrase: Canary.vaultPassphrase)
    try terminal.expect("Type destroy to go on: ")
    terminal.type("destroy\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    #expect(result.screen.contains("each still opens with what opened it"))
    #expect(try home.names(in: ".local/share/seif") == [])
    #expect(try home.names(in: ".local/state/seif") == [])
    #expect(try home.seif("list", passphrase: Canary.vaultPassphrase).exitCode == 66)
  }
}
