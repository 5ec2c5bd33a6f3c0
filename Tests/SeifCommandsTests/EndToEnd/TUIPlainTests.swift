import SeifCommandLine
import Glibc
import Testing

@testable import SeifCommands

/// `seif tui` for who listens.
@Suite struct TUIPlainTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func start(_ words: String..., environment: [String: String] = [:]) throws -> Terminal {
    try Terminal(
      ["tui", "--passphrase-fd", "3"] + words, program: Home.program, output: .terminal,
      descriptors: [3: Array((Canary.vaultPassphrase + "\n").utf8)], environment: home.variables(environment))
  }

  @Test(arguments: [["--plain"], ["ACCESSIBLE=1"], ["TERM=dumb"]])
  func itIsLinesAndNumbersAndNothingIsDrawn(how: [String]) throws {
    let pair = how[0].split(separator: "=").map(String.init)
    let terminal = try how[0] == "--plain" ? start("--plain") : start(environment: [pair[0]: pair[1]])
    try terminal.expect("Seif, seif. Unlocked.")
    try terminal.expect("1 Codes, 4")
    try terminal.expect("Your choice: ")
    terminal.type("1\n")
    try terminal.expect("2 GitLab, ana")
    try terminal.expect("Your choice: ")
    terminal.type("2\n")
    try terminal.expect("GitLab, ana, 2 of 4")
    try terminal.expect("1 copy code, also by Enter")
    try terminal.expect("Your choice: ")
    terminal.type("r\n")
    try terminal.expect("This stays on the screen:")
    try terminal.expect("Your choice: ")
    terminal.type("nonsense\n")
    try terminal.expect("That isn't one of the choices.")
    terminal.type("b\n")
    try terminal.expect("Codes, 4.")
    terminal.type("forge\n")
    try terminal.expect("1 Example Forge, ana, favourite")
    terminal.type("q\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    #expect(!result.screen.contains("\u{1B}") && !result.screen.contains("•") && !result.screen.contains("─"))
  }

  @Test func copyingIsTheDefaultAndIsSaid() throws {
    let server = try XServer()
    let terminal = try start("--plain", environment: server.environment)
    try terminal.expect("Your choice: ")
    terminal.type("forge\n")
    try terminal.expect("Your choice: ")
    terminal.type("1\n")
    try terminal.expect("1 copy password, also by Enter")
    try terminal.expect("Your choice: ")
    terminal.type("\n")
    try terminal.expect("Copied password. Cleared in 30 s.")
    #expect(
      try home.run("xclip", "-o", "-selection", "clipboard", environment: server.environment).output == Canary.password)
    terminal.type("q\n")
    #expect(try home.check(terminal.finish()).exitCode == 0)
  }

  @Test func entriesAreChangedAndCounted() throws {
    let terminal = try start("--plain")
    try terminal.expect("Your choice: ")
    terminal.type("acme\n")
    try terminal.expect("Your choice: ")
    terminal.type("1\n")
    try terminal.expect("Your choice: ")
    terminal.type("r\n")
    try terminal.expect("This account counts")
    terminal.type("n\n")
    try terminal.expect("This stays on the screen:")
    try terminal.expect("Your choice: ")
    terminal.type("d\n")
    try terminal.expect("Acme is in the bin; u brings it back.")
    try terminal.expect("Bin, 1")
    terminal.type("u\n")
    try terminal.expect("Undone: Acme, user is back from the bin.")
    try terminal.expect("Your choice: ")
    terminal.type("\u{4}")
    #expect(try home.check(terminal.finish()).exitCode == 0)
    let shown = try home.seif("show", "Acme", passphrase: Canary.vaultPassphrase)
    #expect(shown.output.contains("next counter: 1\n"))
  }

  @Test func whereNobodyAnswersItEnds() throws {
    let terminal = try start("--plain", "--lock-after", "1s")
    try terminal.expect("locked, since nobody answered")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 77 && result.screen.contains("Nothing was changed."))
  }

  @Test func afterAChangeNobodyIsToldThatNothingWasChanged() throws {
    let terminal = try start("--plain", "--lock-after", "3s")
    for answer in ["acme", "1", "d"] {
      try terminal.expect("Your choice: ")
      terminal.type(answer + "\n")
    }
    try terminal.expect("locked, since nobody answered.")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 77 && !result.screen.contains("Nothing was changed."))
  }

  @Test(arguments: ["", "SEGV"]) func theTerminalShowsWhatIsTypedAfterwards(signal: String) throws {
    chmod(try home.write(Canary.vaultPassphrase + "\n", as: "pass-in-clear"), 0o600)
    let tmux = try Tmux(home)
    let time = signal.isEmpty ? "3s" : "1h"
    try tmux.run(
      "bash -c 'echo $$ >pid; exec \"$SEIF\" tui --plain --passphrase-file pass-in-clear --lock-after \(time)'; stty -a"
    )
    try tmux.expect("Your choice:")
    try tmux.run("ac")
    try tmux.expect("not shown")
    if !signal.isEmpty { _ = try home.run("sh", "-c", "kill -\(signal) $(cat pid)") }
    try tmux.expect(" icanon")
    #expect(try tmux.screen().contains(" echo ") && !tmux.screen().contains(" -echo "))
  }
}
