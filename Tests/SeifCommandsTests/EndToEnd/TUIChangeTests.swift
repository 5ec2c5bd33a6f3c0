import SeifCommandLine
import Glibc
import Testing

@testable import SeifCommands

/// What keys of `seif tui` do to the vault, and what is asked before.
@Suite struct TUIChangeTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func start(columns: Int = 120) throws -> Tmux { try Tmux.withVault(of: home, columns: columns) }

  @Test func keysChangeTheVault() throws {
    let tmux = try start()
    try tmux.expect("▸★ GitHub")
    try tmux.press("f")
    try tmux.expect("▸  GitHub")
    try tmux.press("d")
    try tmux.expect("✓ GitHub is in the bin; u brings it back")
    try tmux.expect("Codes (3)")
    try tmux.press("u")
    try tmux.expect("Undone: GitHub, ana@example.com is back from the bin.")
    try tmux.press("d", "[", "]", "]", "]", "]", "]")
    try tmux.expect("Bin (1)")
    try tmux.press("Enter")
    try tmux.expect("Brought back.")
    try tmux.press("[", "a", "4")
    try tmux.expect("Title:")
    try tmux.run("A new note")
    try tmux.expect("Text (not shown)")
    try tmux.run("secret text")
    try tmux.run(".")
    try tmux.expect("Added A new note.")
    try tmux.press("Enter")
    try tmux.expect("Notes (2)")
    #expect(try !tmux.screen().contains("secret text"))
    try tmux.press("End", "e")
    try tmux.expect("Title [A new note]")
    try tmux.run("Another name")
    try tmux.expect("Text (")
    try tmux.press("Enter")
    try tmux.expect("Tags")
    try tmux.press("Enter")
    try tmux.expect("Favourite")
    try tmux.press("Enter")
    try tmux.expect("Changed Another name.")
    try tmux.press("Enter")
    try tmux.expect("▸  Another name")
    // A dialogue that is given up changes nothing.
    try tmux.press("e")
    try tmux.expect("Title [Another name]")
    try tmux.press("C-d")
    try tmux.expect("cancelled")
    try tmux.press("Enter")
    try tmux.expect("▸  Another name")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
    let list = try home.seif("list", "--favorite", passphrase: Canary.vaultPassphrase)
    #expect(!list.output.contains("GitHub"))
  }

  @Test func whatWasNotDoneHereIsTakenBackAfterAYes() throws {
    let tmux = try start()
    try tmux.expect("Codes (4)")
    try tmux.press("u")
    // What would go is named before anybody is asked.
    try tmux.expect("by no key here:")
    try tmux.expect("- GitHub, ana@example.com: added; goes into the bin")
    try tmux.expect("- Keys: added; goes into the bin")
    try tmux.expect("Take it back?")
    try tmux.run("n")
    try tmux.expect("Codes (4)")
    try tmux.press("u")
    try tmux.expect("Take it back?")
    try tmux.run("y")
    try tmux.expectGone("Codes (4)")
    try tmux.expect("Codes (0)")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func aChangeOfAnotherIsNamedAlsoAfterOneOfAKey() throws {
    let tmux = try start()
    try tmux.expect("▸★ GitHub")
    try tmux.press("f")
    try tmux.expect("▸  GitHub")
    #expect(try home.seif("remove", "GitLab", passphrase: Canary.vaultPassphrase).exitCode == 0)
    try tmux.press("u")
    try tmux.expect("+ GitLab, ana: removed; comes back from the bin")
    try tmux.run("y")
    try tmux.expect("Undone: GitLab, ana is back from the bin.")
    // The one before was that of the key.
    try tmux.press("u")
    try tmux.expect("Undone: GitHub, ana@example.com is as it was before.")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func passwordsFromBeforeAreShownAndBroughtBack() throws {
    let changed = try home.seif(
      "edit", "Forge", passphrase: Canary.vaultPassphrase, secret: Canary.newPassword)
    #expect(changed.exitCode == 0, "\(changed.errors)")
    // So wide that no password is broken.
    let tmux = try start(columns: 160)
    try tmux.expect("Codes (4)")
    try tmux.press("]", "p")
    try tmux.expect("Example Forge: passwords before")
    #expect(try !tmux.screen().contains(Canary.password))
    try tmux.press("r")
    try tmux.expect(Canary.password)
    try tmux.press("b")
    try tmux.expect("Example Forge, ana has its password 1 again.")
    #expect(try !tmux.screen().contains(Canary.password))
    try tmux.press("p", "r")
    try tmux.expect(Canary.newPassword)
    // An Escape that a letter follows at once would be another key.
    try tmux.press("Escape")
    try tmux.expectGone(Canary.newPassword)
    try tmux.press("u")
    try tmux.expect("Undone: Example Forge, ana is as it was before.")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func whatADialogueCutsOffAPasteIsNeitherAnAnswerNorAKey() throws {
    let tmux = try start()
    try tmux.expect("▸★ GitHub")
    // More than is read at once, with lines that would answer, and keys that would delete.
    let lines = (1...20).map { "pasted line \($0) d" }.joined(separator: "\r")
    try tmux.type("e\u{1B}[200~\(lines)\r\u{1B}[201~")
    try tmux.expect("Name [GitHub]")
    usleep(300_000)
    #expect(try !tmux.screen().contains("pasted") && !tmux.screen().contains("Account ["))
    try tmux.press("C-d")
    try tmux.expect("Enter goes back to the list.")
    try tmux.press("Enter")
    try tmux.expect("▸★ GitHub")
    try tmux.expect("Codes (4)")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }
}
