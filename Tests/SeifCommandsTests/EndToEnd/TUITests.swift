import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// `seif tui` in a real terminal: what it shows, what it does to the vault, and that nothing of it stays.
@Suite struct TUITests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func start(
    _ words: String = "", columns: Int = 120, rows: Int = 24, environment: [String: String] = [:]
  ) throws -> Tmux {
    try Tmux.withVault(of: home, words, columns: columns, rows: rows, environment: environment)
  }

  @Test func itIsWalkedThroughAtEveryWidth() throws {
    let tmux = try start()
    try tmux.expect("Codes (4)")
    try tmux.expect("┌ Kinds ──")
    #expect(try !Tmux.showsACode(tmux.screen()))
    try tmux.press("r")
    #expect(try becomes { Tmux.showsACode(try tmux.screen()) })
    try tmux.press("Down")
    #expect(try becomes { !Tmux.showsACode(try tmux.screen()) })
    try tmux.expect("▸  GitLab")
    for (columns, rows, sign) in [
      (99, 24, "┌ GitLab"), (80, 20, "[ ] kind"), (69, 20, "Enter open"), (40, 10, "Codes (4)"),
      (39, 10, "Make the window bigger,"), (100, 30, "┌ Kinds ──"),
    ] {
      try tmux.resize(columns, rows)
      try tmux.expect(sign)
      if columns >= 40 { try tmux.expect("▸  GitLab") }
      for line in try tmux.screen().split(separator: "\n") { #expect(CellWidth.of(line) <= columns) }
    }
    try tmux.press("/")
    try tmux.type("acm")
    try tmux.expect("Codes (1 of 4) /acm")
    try tmux.press("Enter", "Escape")
    try tmux.expect("Codes (4)")
    try tmux.press("?")
    try tmux.expect("choose a field to copy")
    try tmux.press("Escape")
    try tmux.expect("Codes (4)")
    try tmux.resize(120, 24)
    try tmux.press("]", "r")
    try tmux.expect(Canary.password)
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  /// A way to end it while a secret is on the screen, and the status that the shell sees then.
  @Test(arguments: [("C-c", 130), ("TERM", 143), ("HUP", 129), ("SEGV", 139), ("ILL", 132), ("q", 0)])
  func howeverItEndsTheTerminalIsAsBefore(end: String, status: Int) throws {
    let tmux = try start()
    try tmux.expect("Codes (4)")
    try tmux.press("r")
    #expect(try becomes { Tmux.showsACode(try tmux.screen()) })
    if end.count <= 3, end != "HUP", end != "ILL" {
      try tmux.press(end)
    } else {
      _ = try home.run("sh", "-c", "kill -\(end) $(cat pid)")
    }
    try tmux.expectNothingLeft(status: status)
  }

  /// Only root may read the memory of a process that is closed to tracing.
  @Test(.enabled(if: getuid() == 0)) func whatWasShownIsNotInItsMemoryOnceItIsHidden() throws {
    let tmux = try start()
    try tmux.expect("Codes (4)")
    let process = try #require(Int32(home.read("pid").prefix { $0.isNumber }))
    try tmux.press("]", "r")
    try tmux.expect(Canary.password)
    #expect(try Self.count(Canary.password, in: process) > 0)
    try tmux.press("r")
    try tmux.expectGone(Canary.password)
    #expect(try Self.count(Canary.password, in: process) == 0)
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  /// How often a text stands in a process's memory.
  private static func count(_ text: String, in process: Int32) throws -> Int {
    let script = """
      import re, sys
      needle, found = sys.stdin.buffer.read(), 0
      with open(f"/proc/{sys.argv[1]}/maps") as maps, open(f"/proc/{sys.argv[1]}/mem", "rb", 0) as memory:
          for line in maps:
              start, end, mode = re.match(r"(\\w+)-(\\w+) (\\S+)", line).groups()
              if "w" in mode:
                  try:
                      memory.seek(int(start, 16))
                      found += memory.read(int(end, 16) - int(start, 16)).count(needle)
                  except OSError:
                      pass
      print(found)
      """
    let result = try Terminal(
      ["-c", script, String(process)], program: "/usr/bin/python3", hasTerminal: false, input: Array(text.utf8)
    ).finish()
    return try #require(Int(result.output.prefix { $0.isNumber }), "\(result.errors)")
  }

  @Test func whileItIsStoppedNothingShowsAndThenItGoesOn() throws {
    let tmux = try start()
    try tmux.expect("Codes (4)")
    try tmux.press("Down", "r")
    #expect(try becomes { Tmux.showsACode(try tmux.screen()) })
    try tmux.press("C-z")
    try tmux.expect("Stopped")
    #expect(try !tmux.everything().contains("GitLab") && !tmux.isAlternate)
    try tmux.run("fg; echo ended-$?")
    try tmux.expect("▸  GitLab")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func whatIsCopiedIsInTheClipboardAndCountsItsSeconds() throws {
    let server = try XServer()
    let tmux = try start(environment: server.environment)
    try tmux.expect("Codes (4)")
    try tmux.press("]", "Enter")
    try tmux.expect("✓ Copied password. Cleared in ")
    let pasted = try home.run("xclip", "-o", "-selection", "clipboard", environment: server.environment)
    #expect(pasted.output == Canary.password)
    try tmux.press("c")
    try tmux.expect("┌ Copy ──")
    try tmux.press("2")
    try tmux.expect("Copied name.")
    #expect(
      try home.run("xclip", "-o", "-selection", "clipboard", environment: server.environment).output == "Example Forge")
    // Another program copies: ours is gone, and that is said.
    _ = try home.run(
      "sh", "-c", "printf other | xclip -selection clipboard >/dev/null 2>&1", environment: server.environment)
    try tmux.expect("no longer ours")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func aCounterIsStoredBeforeItsCodeIsShown() throws {
    let tmux = try start()
    try tmux.expect("Codes (4)")
    try tmux.press("/")
    try tmux.type("acme")
    try tmux.press("Enter", "r")
    try tmux.expect("This account counts")
    #expect(try !Tmux.showsACode(tmux.screen()))
    try tmux.press("n")
    #expect(try becomes { Tmux.showsACode(try tmux.screen()) })
    let shown = try home.seif("show", "Acme", passphrase: Canary.vaultPassphrase)
    #expect(shown.output.contains("next counter: 1\n"))
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func aDialogueThatIsInterruptedLeavesNothing() throws {
    let tmux = try start()
    try tmux.expect("Codes (4)")
    try tmux.press("e")
    try tmux.expect("Name [GitHub]")
    try tmux.press("C-z")
    try tmux.expect("Stopped")
    #expect(try !tmux.everything().contains("GitHub"))
    try tmux.run("fg; echo ended-$?")
    #expect(try becomes { try tmux.isAlternate })
    try tmux.press("C-c")
    try tmux.expectNothingLeft(status: 130)
  }

  @Test func itLocksWhenNobodyUsesItAndByAKey() throws {
    let tmux = try start("--lock-after 5s")
    try tmux.expect("Locked.")
    try tmux.expect("Nobody used it for 5 s.")
    #expect(try !tmux.screen().contains("GitHub"))
    try tmux.press("Enter")
    try tmux.expect("Codes (4)")
    try tmux.press("l")
    try tmux.expect("Locked.")
    #expect(try !tmux.screen().contains("GitHub"))
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func aQuestionThatNobodyAnswersEndsIt() throws {
    let tmux = try start("--lock-after 5s")
    try tmux.expect("Codes (4)")
    try tmux.press("e")
    try tmux.expect("Name [GitHub]")
    try tmux.expect("locked, since nobody answered")
    try tmux.expectNothingLeft(status: 77)
  }

  @Test func theTimeOfAQuestionBeginsWithEachOfThem() throws {
    let tmux = try start("--lock-after 5s")
    try tmux.expect("Codes (4)")
    // The second key isn't meant for what comes after the dialogue.
    try tmux.type("ed")
    for question in ["Name [GitHub]", "Account", "Key URI", "Addresses", "Tags", "Favourite", "Notes"] {
      try tmux.expect(question)
      usleep(1_200_000)
      try tmux.press("Enter")
    }
    try tmux.expect("Enter goes back to the list.")
    // Nobody is told that nothing was changed: it locks as the list does.
    try tmux.expect("Nobody used it for 5 s.")
    try tmux.press("Enter")
    try tmux.expect("Codes (4)")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test(arguments: ["ALRM", "SEGV"]) func aCrashWhileItIsStoppedLeavesTheShellsScreen(signal: String) throws {
    let tmux = try start()
    try tmux.expect("Codes (4)")
    try tmux.press("C-z")
    try tmux.expect("Stopped")
    _ = try home.run("sh", "-c", "kill -\(signal) $(cat pid)")
    try tmux.run("echo still-$((6*7))-here; fg; echo over")
    try tmux.expect("over")
    #expect(try tmux.everything().contains("still-42-here"))
  }

  @Test func coloursAreTheTerminalsOwnOrNone() throws {
    func colours(_ environment: [String: String]) throws -> Set<Substring> {
      let tmux = try start(environment: environment)
      try tmux.expect("Codes (4)")
      let screen = try tmux.screen(colours: true)
      try tmux.press("q")
      return Set(screen.split(separator: "\u{1B}[").dropFirst().map { $0.prefix { $0 != "m" } })
    }
    let usual = try colours([:])
    #expect(usual.contains("36"))
    let none = try colours(["NO_COLOR": "1"])
    // 39 and 49 are tmux's own words for the default colours.
    #expect(!none.isEmpty)
    #expect(none.allSatisfy { $0.split(separator: ";").allSatisfy { ["0", "1", "7", "39", "49"].contains($0) } })
  }

  @Test func withoutUTF8ItIsASCII() throws {
    let tmux = try start(environment: ["LANG": "C", "LC_ALL": "C"])
    try tmux.expect("+ Codes (4) --")
    try tmux.expect(">* GitHub")
    #expect(try tmux.screen().utf8.allSatisfy { $0 < 0x80 })
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func aNameCannotMoveTheCursor() throws {
    let account =
      "{\"type\":\"totp\",\"issuer\":\"evil\\u001b[2J\\u202ename\",\"account\":\"\\u009b31m\",\"secret\":\"\(Canary.steamSeed)\"}"
    let file = try home.write(
      "{\"schema\":\"seif-records\",\"version\":1,\"accounts\":[\(account)]}", as: "evil-in-clear.json")
    #expect(try home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase).exitCode == 0)
    let tmux = try start()
    try tmux.expect("evil\u{FFFD}[2J\u{FFFD}name")
    try tmux.expect("\u{FFFD}31m")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func aFileChangesTheKeysAndAFaultyOneIsSaid() throws {
    _ = try home.folder(".config/seif")
    try home.write("lock L\nright l Right\n", as: ".config/seif/keys")
    let tmux = try start()
    try tmux.expect("L lock")
    try tmux.press("l", "L")
    try tmux.expect("Locked.")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
    try home.write("lock\n", as: ".config/seif/keys")
    try tmux.run("\"$SEIF\" tui --passphrase-file pass-in-clear; echo ended-$?")
    try tmux.expect("line 1 names no key")
    try tmux.expect("ended-65")
  }

  @Test(arguments: [("mkfifo", "isn't a file"), ("head -c 70000 /dev/zero >", "is larger than 64 KB")])
  func aFileOfKeysThatIsNoneIsRefusedAtOnce(making: String, words: String) throws {
    _ = try home.folder(".config/seif")
    _ = try home.run("sh", "-c", "\(making) .config/seif/keys")
    let tmux = try start()
    try tmux.expect(words)
    try tmux.expect("ended-65")
  }

  @Test func withoutATerminalItSaysSo() throws {
    let result = try home.seif("tui", passphrase: Canary.vaultPassphrase)
    #expect(result.exitCode == 64 && result.errors.contains("this needs a terminal"))
  }
}
