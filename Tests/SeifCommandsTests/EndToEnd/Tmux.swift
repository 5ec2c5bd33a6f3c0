import SeifCommandLine
import Glibc
import Testing

@testable import SeifCommands

/// A terminal that a program draws on, and that tells what is on it.
final class Tmux {
  private let home: Home
  private let tools: [String]

  /// Starts a shell in a terminal of a size, below lines that show whether its history is searched.
  init(_ home: Home, columns: Int = 120, rows: Int = 24, environment: [String: String] = [:]) throws {
    self.home = home
    tools = ["-L", "seif-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))", "-f", "/dev/null"]
    let variables = home.variables(["LANG": "C.UTF-8", "SEIF": Home.program]).merging(environment) { $1 }
    let assignments = variables.map { "\($0.key)=\($0.value)" }
    // The shell's own line editing would move about on the screen too.
    let shell =
      ["env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY"] + assignments + ["PS1=ready-", "bash", "--norc", "--noediting"]
    _ = try tmux(
      ["new-session", "-d", "-x", String(columns), "-y", String(rows), "-c", home.path] + shell)
    try expect("ready-")
    try run("seq 40; stty -g >stty-before; echo begun")
    try expect("begun\nready-")
  }

  deinit { _ = try? tmux(["kill-server"]) }

  @discardableResult
  private func tmux(_ words: [String]) throws -> String {
    try Terminal(
      tools + words, program: "/usr/bin/tmux", hasTerminal: false,
      environment: home.variables(["TMUX_TMPDIR": home.path])
    ).finish().output
  }

  /// One in which `seif tui` runs over a home's vault, its process in `pid`.
  static func withVault(
    of home: Home, _ words: String = "", columns: Int = 120, rows: Int = 24, environment: [String: String] = [:]
  ) throws -> Tmux {
    chmod(try home.write(Canary.vaultPassphrase + "\n", as: "pass-in-clear"), 0o600)
    let tmux = try Tmux(home, columns: columns, rows: rows, environment: environment)
    let command = "exec \"$SEIF\" tui --passphrase-file pass-in-clear \(words)"
    try tmux.run("sh -c 'echo $$ >pid; \(command)'; echo ended-$?")
    return tmux
  }

  /// Types a line into the shell.
  func run(_ line: String) throws {
    try tmux(["send-keys", "-l", line])
    try tmux(["send-keys", "Enter"])
  }

  /// Presses keys by tmux's names.
  func press(_ keys: String...) throws { try tmux(["send-keys"] + keys) }

  func type(_ text: String) throws { try tmux(["send-keys", "-l", text]) }

  func resize(_ columns: Int, _ rows: Int) throws {
    try tmux(["resize-window", "-x", String(columns), "-y", String(rows)])
  }

  /// What is on the screen, with its colours if they are asked for.
  func screen(colours: Bool = false) throws -> String {
    try tmux(["capture-pane", "-p"] + (colours ? ["-e"] : []))
  }

  /// That and what was scrolled away, and what the other screen holds.
  func everything() throws -> String {
    try tmux(["capture-pane", "-p", "-J", "-S", "-"]) + tmux(["capture-pane", "-p", "-a", "-q", "-S", "-"])
  }

  var isAlternate: Bool { get throws { try tmux(["display-message", "-p", "#{alternate_on}"]).hasPrefix("1") } }
  /// Whether the cursor is shown, and lines wrap.
  var modes: String { get throws { try tmux(["display-message", "-p", "#{cursor_flag}#{wrap_flag}"]) } }

  /// Waits until the screen shows a text.
  func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    if try !becomes({ try screen().utf8.count > 0 && Self.contains(screen(), text) }) {
      throw Terminal.Failure(what: "\(sourceLocation): never shown: \(text); shown:\n\(try screen())")
    }
  }

  /// Waits until the screen doesn't show a text any longer.
  func expectGone(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    if try !becomes({ try !Self.contains(screen(), text) }) {
      throw Terminal.Failure(what: "\(sourceLocation): stays: \(text); shown:\n\(try screen())")
    }
  }

  static func contains(_ text: String, _ part: String) -> Bool {
    text.utf8.count >= part.utf8.count && text.contains(part)
  }

  /// Whether six digits stand somewhere in two groups.
  static func showsACode(_ text: String) -> Bool {
    let digits = text.utf8.map { (0x30...0x39).contains($0) ? UInt8(ascii: "9") : $0 }
    return digits.firstRange(of: Array("999 999".utf8)) != nil
  }

  /// The terminal is the shell's again, as it was, and nothing of the vault is on it or above.
  func expectNothingLeft(status: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expect("ended-\(status)", sourceLocation: sourceLocation)
    try run("stty -g >stty-after; cmp stty-before stty-after && echo as-before")
    try expect("\nas-before", sourceLocation: sourceLocation)
    #expect(try !isAlternate && modes.hasPrefix("11"), sourceLocation: sourceLocation)
    let all = try everything()
    #expect(all.contains("\n17\n"), sourceLocation: sourceLocation)
    for text in ["GitHub", "ana@example.com", Canary.password, Canary.note, "•"] {
      #expect(!all.contains(text), "\(text) stays", sourceLocation: sourceLocation)
    }
    #expect(!Self.showsACode(all), sourceLocation: sourceLocation)
  }
}
