import SeifCommandLine
import Glibc
import Testing

@testable import SeifCommands

/// The prompt in a real pseudo-terminal: what is typed isn't shown, whatever happens.
@Suite struct PassphrasePromptTests {
  let question = "Passphrase for phone.authbackup: "

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func echoIsBackAfterASignalAndNothingTypedIsShown(number: Int32) throws {
    let terminal = try Terminal(["ask"])
    try terminal.expect(question)
    #expect(!terminal.echoes)
    terminal.type("half-typed")
    terminal.signal(number)
    let result = try terminal.finish()
    #expect(result.exitCode == 128 + number)
    #expect(terminal.echoes)
    #expect(result.output == "")
    #expect(
      result.screen == question + "\r\n" + (number == SIGINT ? "seif: interrupted. Nothing is half done.\r\n" : ""))
  }

  @Test func controlCTypedEndsWith130() throws {
    let terminal = try Terminal(["ask"])
    try terminal.expect(question)
    terminal.type("unfinished\u{3}")
    let result = try terminal.finish()
    #expect(result.exitCode == 130)
    #expect(terminal.echoes)
    #expect(!result.screen.contains("unfinished"))
  }

  @Test func suspensionShowsEchoAndGoingOnHidesItAgain() throws {
    let terminal = try Terminal(["ask"])
    try terminal.expect(question)
    terminal.type("half-typed")
    terminal.signal(SIGTSTP)
    try terminal.expectStopped()
    #expect(terminal.echoes)
    terminal.signal(SIGCONT)
    try terminal.expect(question)
    try terminal.expect(echo: false)
    terminal.type("another one\n")
    let result = try terminal.finish()
    #expect(result.exitCode == 0)
    #expect(terminal.echoes)
    #expect(result.output == hexadecimal("another one") + "\n")
    #expect(!result.screen.contains("half"))
    #expect(!result.screen.contains("another"))
  }

  @Test func suspendedTwiceThenInterruptedLeavesEchoOn() throws {
    let terminal = try Terminal(["ask"])
    try terminal.expect(question)
    for _ in 0..<2 {
      terminal.signal(SIGTSTP)
      try terminal.expectStopped()
      terminal.signal(SIGCONT)
      try terminal.expect(question)
    }
    terminal.signal(SIGINT)
    #expect(try terminal.finish().exitCode == 130)
    #expect(terminal.echoes)
  }

  @Test func theProcessIsHardenedBeforeItAsks() throws {
    let terminal = try Terminal(["ask"])
    try terminal.expect(question)
    let limits = try TemporaryFolder.text(of: "/proc/\(terminal.child)/limits")
    let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
    #expect(core.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    let status = try TemporaryFolder.text(of: "/proc/\(terminal.child)/status")
    #expect(status.contains("Umask:\t0077\n"))
    let ignored = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") })
    let mask = try #require(UInt64(ignored.split(separator: "\t")[1], radix: 16))
    #expect(mask & (1 << (SIGPIPE - 1)) != 0)
    terminal.type("done\n")
    _ = try terminal.finish()
  }

  @Test func aSignalThatTheCallerIgnoresStaysIgnored() throws {
    let terminal = try Terminal(["-c", "trap '' HUP; exec \(Terminal.probe) ask"], program: "/bin/sh")
    try terminal.expect(question)
    terminal.signal(SIGHUP)
    terminal.type("still here\n")
    #expect(try terminal.finish().output == hexadecimal("still here") + "\n")
  }

  @Test func endOfInputCancels() throws {
    let terminal = try Terminal(["ask"])
    try terminal.expect(question)
    terminal.type("\u{4}")
    #expect(try terminal.finish().exitCode == 130)
    #expect(terminal.echoes)
  }

  @Test func spacesTypedArePartOfThePassphrase() throws {
    let terminal = try Terminal(["ask"])
    try terminal.expect(question)
    terminal.type("  ș ț  \n")
    #expect(try terminal.finish().output == hexadecimal("  ș ț  ") + "\n")
  }

  @Test func standardOutputHoldsDataOnlyAndTheQuestionGoesToTheTerminal() throws {
    let terminal = try Terminal(["ask"], input: Array("not read\n".utf8), errors: .pipe)
    try terminal.expect(question)
    terminal.type("typed on the terminal\n")
    let result = try terminal.finish()
    #expect(result.output == hexadecimal("typed on the terminal") + "\n")
    #expect(result.errors == "")
  }

  @Test func withoutTerminalItEndsAtOnceWith77() throws {
    let result = try Terminal(["ask"], hasTerminal: false, input: Array("pass\n".utf8)).finish()
    #expect(result.exitCode == 77)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("seif: a passphrase is needed"))
    #expect(result.errors.contains("--passphrase-fd"))
  }

  @Test func typedOnATerminalThatIsDescriptorZeroItIsHiddenToo() throws {
    let terminal = try Terminal(["ask", "--passphrase-fd", "0"])
    try terminal.expect(question)
    #expect(!terminal.echoes)
    terminal.type("hidden\n")
    let result = try terminal.finish()
    #expect(result.output == hexadecimal("hidden") + "\n")
    #expect(!result.screen.contains("hidden"))
  }

  @Test func aYesNoQuestionTakesItsDefaultFromEnter() throws {
    let terminal = try Terminal(["confirm"])
    try terminal.expect("Go on? [y/N] ")
    terminal.type("\n")
    #expect(try terminal.finish().output == "no\n")
  }

  @Test func aQuestionWithoutATerminalNamesTheOption() throws {
    let result = try Terminal(["confirm"], hasTerminal: false).finish()
    #expect(result.exitCode == 64)
    #expect(result.errors.contains("--yes"))
  }
}
