import SeifCommandLine
import FoundationEssentials
import Glibc
import Testing

@testable import SeifCommands

/// `seif code --watch`: what it shows, and that nothing of it stays.
@Suite struct WatchTests {
  let home: Home
  private static let enter = "\u{1B}[?1049h"
  private static let leave = "\u{1B}[?1049l"

  init() throws { home = try Fixture.withVault() }

  private func watch(_ words: String..., environment: [String: String] = [:]) throws -> Terminal {
    let given = try Terminal(
      ["code", "--watch", "--passphrase-fd", "3"] + words, program: Home.program, output: .terminal,
      descriptors: [3: Array((Canary.vaultPassphrase + "\n").utf8)], environment: home.variables(environment))
    return given
  }

  /// What the first screen has after the second was left: text that isn't within the two switches.
  private func left(_ screen: String) -> [Substring] {
    var rest: [Substring] = []
    var text = screen[...]
    while let start = text.firstRange(of: Self.enter) {
      rest.append(text[..<start.lowerBound])
      guard let end = text.firstRange(of: Self.leave) else { return rest }
      text = text[end.upperBound...]
    }
    return rest + [text]
  }

  @Test(arguments: ["q", "\u{1B}", "\u{4}"])
  func aKeyEndsIt(key: String) throws {
    let terminal = try watch("GitHub", "--quiet")
    try terminal.expect(Self.enter)
    try terminal.expect("GitHub, ana@example.com")
    try terminal.expect(" s")
    terminal.type("xx")
    terminal.type(key)
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    #expect(left(result.screen).joined() == "")
    #expect(!result.screen.contains("xx"))
    // Each line is erased before the screen is left.
    let end = try #require(result.screen.firstRange(of: Self.leave))
    #expect(result.screen[..<end.lowerBound].hasSuffix("\u{1B}[24;1H\u{1B}[2K\u{1B}[1;1H\u{1B}[?25h"))
    #expect(terminal.echoes)
  }

  @Test func whileItIsStoppedNothingShows() throws {
    let terminal = try watch("GitHub", "--quiet")
    try terminal.expect("GitHub")
    terminal.signal(SIGTSTP)
    try terminal.expectStopped()
    try terminal.expect(Self.leave)
    #expect(terminal.echoes)
    terminal.signal(SIGCONT)
    try terminal.expect(Self.enter)
    try terminal.expect("GitHub")
    terminal.type("q")
    #expect(left(try home.check(terminal.finish()).screen).joined() == "")
  }

  @Test func aNameCannotMoveTheCursor() throws {
    let account =
      "{\"type\":\"totp\",\"issuer\":\"evil\\u001b[2J\\u202ename\",\"account\":\"\",\"secret\":\"\(Canary.steamSeed)\"}"
    let file = try home.write(
      "{\"schema\":\"seif-records\",\"version\":1,\"accounts\":[\(account)]}", as: "evil-in-clear.json")
    #expect(try home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase).exitCode == 0)
    let terminal = try watch("evil")
    try terminal.expect("evil\u{FFFD}[2J\u{FFFD}name")
    terminal.type("q")
    #expect(try home.check(terminal.finish()).exitCode == 0)
  }

  @Test(arguments: [["TERM": "dumb"], ["ACCESSIBLE": "1"], [:]])
  func forListenersItIsALineForEachCode(environment: [String: String]) throws {
    let terminal = try watch("GitHub", environment: environment.isEmpty ? [:] : environment)
    if environment.isEmpty {
      try terminal.expect("q quit")
      terminal.signal(SIGTERM)
      #expect(try home.check(terminal.finish()).screen.contains(Self.enter))
    } else {
      try terminal.expect("These codes stay on the screen.")
      try terminal.expect(" s left")
      terminal.signal(SIGTERM)
      let result = try home.check(terminal.finish())
      #expect(!result.screen.contains(Self.enter) && !result.screen.contains("\u{1B}[1;1H"))
    }
  }

  @Test func inAPipeItIsALineForEachCode() throws {
    let account =
      "{\"type\":\"totp\",\"issuer\":\"Quick\",\"account\":\"\",\"secret\":\"\(Canary.steamSeed)\",\"period\":2}"
    let file = try home.write(
      "{\"schema\":\"seif-records\",\"version\":1,\"accounts\":[\(account)]}", as: "quick-in-clear.json")
    #expect(try home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase).exitCode == 0)
    let result = try home.run(
      "sh", "-c", "\"$@\" | head -n 3", "sh", Home.program, "code", "Quick", "--watch", "--quiet",
      "--passphrase-fd", "3", descriptors: [3: Canary.vaultPassphrase + "\n"])
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 3 && Set(lines).count > 1)
    #expect(lines.allSatisfy { $0.count == 6 && $0.allSatisfy { $0.isNumber } })
    // The reader went away, which is no failure worth a word.
    #expect(result.errors == "")
  }

  @Test func whatCountsIsNotWatchedAndItsCounterStays() throws {
    for words in [["Acme"], ["Acme", "--plain"]] {
      let result = try home.seif(list: ["code", "--watch"] + words, passphrase: Canary.vaultPassphrase)
      #expect(result.exitCode == 64)
      #expect(result.errors.contains("this account counts"))
    }
    let shown = try home.seif("show", "Acme", passphrase: Canary.vaultPassphrase)
    #expect(shown.output.contains("next counter: 0\n"))
    for words in [["--copy"], ["--json"], ["--next"], ["--at", "5"]] {
      #expect(
        try home.seif(list: ["code", "GitHub", "--watch"] + words, passphrase: Canary.vaultPassphrase).exitCode == 64)
    }
    #expect(try home.seif("code", "GitHub", "--plain", passphrase: Canary.vaultPassphrase).exitCode == 64)
  }

  // MARK: - In tmux

  /// A way to end it, and the status that the shell sees then.
  struct End: Sendable {
    let keys: String?
    let signal: String?
    let status: Int
  }

  @Test(arguments: [
    End(keys: "q", signal: nil, status: 0), End(keys: "C-c", signal: nil, status: 130),
    End(keys: nil, signal: "TERM", status: 143), End(keys: nil, signal: "HUP", status: 129),
  ])
  func nothingStaysOnTheScreenOrInItsHistory(end: End) throws {
    try home.write(Canary.vaultPassphrase + "\n", as: "pass-in-clear")
    let tools = ["-L", "seif-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))", "-f", "/dev/null"]
    func tmux(_ words: String...) throws -> String {
      let result = try Terminal(
        tools + words, program: "/usr/bin/tmux", hasTerminal: false,
        environment: home.variables(["TMUX_TMPDIR": home.path])
      ).finish()
      return result.output
    }
    // The shell's lines before and after show that the history is there to be searched.
    let inner = "echo $$ >pid; exec \"$1\" code GitHub --watch --passphrase-file pass-in-clear"
    let script = "cd \(home.path); seq 40; sh -c '\(inner)' sh \(Home.program); echo ended-$?; exec sleep 100"
    _ = try tmux("new-session", "-d", "-x", "80", "-y", "24", script)
    defer { _ = try? tmux("kill-server") }
    func screen(_ more: String...) throws -> String {
      try tmux("capture-pane", "-p") + (more.isEmpty ? "" : tmux("capture-pane", "-p", "-S", "-"))
    }
    func showsACode(_ text: String) -> Bool {
      let digits = text.utf8.map { (0x30...0x39).contains($0) ? UInt8(ascii: "9") : $0 }
      return digits.firstRange(of: Array("999 999".utf8)) != nil
    }
    #expect(try becomes { showsACode(try screen()) })
    if let keys = end.keys { _ = try tmux("send-keys", keys) }
    if let signal = end.signal {
      _ = try home.run("sh", "-c", "kill -\(signal) $(cat \(home.file("pid")))")
    }
    #expect(try becomes { try screen().contains("ended-\(end.status)") })
    let all = try screen("with its history")
    #expect(all.contains("\n17\n"))
    #expect(!showsACode(all))
    #expect(!all.contains("GitHub"))
    #expect(try !tmux("capture-pane", "-p", "-a", "-q").contains("GitHub"))
  }
}
