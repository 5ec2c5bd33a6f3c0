import SeifCommandLine
import CSeif
import Glibc
import Testing

@testable import SeifCommands

/// `seif run`: what the program gets, what of it is seen, and that nothing is between it and the shell.
@Suite struct RunCommandTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func run(
    _ words: String..., options: [String] = [], input: String = "", environment: [String: String] = [:],
    reveals: Bool = false
  ) throws -> Terminal.Result {
    let terminal = try Terminal(
      ["run"] + options + ["--passphrase-fd", "3", "--"] + words, program: Home.program, hasTerminal: false,
      input: Array(input.utf8), descriptors: Self.passphrase, environment: home.variables(environment))
    return try home.check(try terminal.finish(), reveals)
  }

  private func script(_ text: String, options: [String] = [], environment: [String: String] = [:]) throws
    -> Terminal.Result
  {
    try run("/bin/sh", "-c", text, options: options, environment: environment)
  }

  // Words after -- are the program's, so the option and its descriptor are given one by one.
  private static let passphrase: [Int32: [UInt8]] = [3: Array((Canary.vaultPassphrase + "\n").utf8)]

  private func atTerminal(_ text: String, columns: UInt16 = 80) throws -> Terminal {
    try Terminal(
      ["run", "--passphrase-fd", "3", "--", "/bin/sh", "-c", text], program: Home.program, output: .terminal,
      descriptors: Self.passphrase, environment: home.variables(["P": Self.forge]), columns: columns)
  }

  private static let forge = "seif://Example%20Forge/password"

  // MARK: - What the program gets

  @Test func referencesAreResolvedWholeAndInsideValues() throws {
    // The digest shows that the program has the value, without showing it.
    let result = try script(
      "printf %s \"$P\" | sha256sum; printf %s \"$U\" | sha256sum; echo \"$PLAIN\"",
      environment: [
        "P": Self.forge, "U": "db://{{ seif://example%20forge/username }}:{{\(Self.forge)}}@h",
        "PLAIN": "{{ as it is }}",
      ])
    #expect(result.exitCode == 0, "\(result.errors)")
    let digests = try home.run(
      "sh", "-c", "printf %s '\(Canary.password)' | sha256sum; printf %s 'db://ana:\(Canary.password)@h' | sha256sum")
    #expect(result.output == digests.output + "{{ as it is }}\n")
  }

  @Test func aSecretComesOverADescriptorAndIsInNoEnvironment() throws {
    let result = try script(
      "sha256sum <&9; cat <&9 | wc -c; tr '\\0' '\\n' </proc/self/environ | grep -c ripple",
      options: ["--fd", "9=\(Self.forge)"])
    let digest = try home.run("sh", "-c", "printf %s '\(Canary.password)' | sha256sum")
    #expect(result.output == digest.output + "0\n0\n")
  }

  @Test func variablesOfAFileAreResolvedAndComeBeforeOthers() throws {
    try home.write("# test\nA=seif://GitHub:ana@example.com/username\nB=\"b c\"\n", as: "vars")
    let result = try script(
      "echo \"$A|$B|$C\"", options: ["--env-file", home.file("vars")], environment: ["A": "before", "C": "stays"])
    #expect(result.output == "ana@example.com|b c|stays\n")
    try home.write("A=1\nB\n", as: "vars")
    let refused = try script("echo started", options: ["--env-file", home.file("vars")])
    #expect(refused.exitCode == 65)
    #expect(refused.output == "")
    #expect(refused.errors.hasSuffix("vars, line 2: a line is KEY=VALUE. Nothing was started.\n"))
  }

  @Test func codesAreComputedAndACounterMoves() throws {
    let codes = try Home(copying: Fixture.vault.get())
    for field in ["code", "totp"] {
      let given = try script("printf '%s\\n' \"$C\" | sha256sum", environment: ["C": "seif://Acme/\(field)"])
      let code = try codes.seif("code", "Acme", passphrase: Canary.vaultPassphrase).output
      #expect(try home.run("sha256sum", input: code).output == given.output)
    }
  }

  @Test func theProgramGetsNoDescriptorOfOurs() throws {
    let result = try script("ls /proc/self/fd | tr '\\n' ' '", environment: ["P": Self.forge])
    // 3 is the folder that ls reads.
    #expect(result.output == "0 1 2 3 ")
    let replaced = try script(
      "ls /proc/self/fd | tr '\\n' ' '", options: ["--no-masking"], environment: ["P": Self.forge])
    #expect(replaced.output == "0 1 2 3 ")
  }

  @Test func theCallersMaskForNewFilesIsKept() throws {
    let result = try home.run(
      "sh", "-c", "umask 027; \(Home.program) run --passphrase-fd 3 -- sh -c umask",
      descriptors: [3: Canary.vaultPassphrase + "\n"], environment: ["P": Self.forge])
    #expect(result.output == "0027\n")
  }

  @Test func standardInputReachesTheProgram() throws {
    #expect(try run("/bin/cat", input: "x\ny", environment: ["P": Self.forge]).output == "x\ny")
  }

  // MARK: - What refuses

  @Test func withoutEveryValueNothingIsStarted() throws {
    let result = try script(
      "touch \(home.file("started")); echo started",
      environment: [
        "A": Self.forge, "B": "seif://nobody/password", "C": "x{{seif://git/code}}", "D": "seif://Keys/cvc",
      ])
    #expect(result.exitCode == 66)
    #expect(result.output == "")
    #expect(!home.exists("started"))
    #expect(result.errors.hasPrefix("seif: 3 references have no value. Nothing was started.\n"))
    #expect(result.errors.contains("  seif://nobody/password: nothing in the vault fits\n"))
    #expect(result.errors.contains("  seif://git/code: it fits 2 entries: GitHub, ana@example.com ("))
    #expect(result.errors.contains("  seif://Keys/cvc: what fits has no such field\n"))
  }

  @Test func aCounterStaysWhereAnotherReferenceFails() throws {
    let failed = try script("echo started", environment: ["A": "seif://Acme/code", "B": "seif://nobody/url"])
    #expect(failed.exitCode == 66)
    let untouched = try Home(copying: Fixture.vault.get())
    #expect(
      try home.seif("code", "Acme", passphrase: Canary.vaultPassphrase).output
        == untouched.seif("code", "Acme", passphrase: Canary.vaultPassphrase).output)
  }

  @Test func aMissingProgramIsFoundBeforeAnybodyIsAsked() throws {
    let result = try home.seif("run", "--", "no-such-program-here")
    #expect(result.exitCode == 66)
    #expect(result.errors == "seif: there is no program no-such-program-here. Nothing was started.\n")
    #expect(try home.seif("run", "--passphrase-fd", "3").exitCode == 64)
    #expect(try home.seif("run", "--fd", "2=\(Self.forge)", "--", "true").exitCode == 64)
    #expect(try home.seif("run", "--fd", "4=x", "--", "true").exitCode == 64)
    #expect(try home.seif("run", "--fd", "4=\(Self.forge)", "--fd", "4=\(Self.forge)", "--", "true").exitCode == 64)
  }

  // MARK: - Masking

  @Test func secretsAreMaskedInBothOutputsAlsoAcrossWrites() throws {
    let half = Canary.password.count / 2
    let result = try script(
      "echo \"<$P>\"; printf %s \"${P%\(Canary.password.suffix(half))}\"; sleep 0.2; "
        + "echo \"\(Canary.password.suffix(half))\"; echo \"e $P\" >&2",
      environment: ["P": Self.forge])
    #expect(result.output == "<****>\n****\n")
    #expect(result.errors == "e ****\n")
  }

  @Test func aNoteOfSeveralLinesIsMasked() throws {
    try home.write("first line\nsecond line\n", as: "text")
    try home.seif(
      "add", "note", "--name", "Poem", "--text-file", home.file("text"), passphrase: Canary.vaultPassphrase)
    let result = try script("printf '<%s>' \"$N\"", environment: ["N": "seif://Poem/notes"])
    #expect(result.output == "<****\n>")
  }

  @Test func shortSecretsAreSaidNotToBeMasked() throws {
    let result = try script("echo cvc $C", environment: ["C": "seif://Everyday%20plastic/cvc"])
    #expect(result.output == "cvc 123\n")
    #expect(result.errors.contains("secrets of fewer than 4 bytes aren't masked (here: 1)"))
  }

  @Test func userNamesAreNotMasked() throws {
    let result = try script("echo $U", environment: ["U": "seif://Everyday%20plastic/holder"])
    #expect(result.output == "ANA EXAMPLE\n")
  }

  @Test func noMaskingLeavesEverything() throws {
    let result = try run(
      "/bin/sh", "-c", "echo $P", options: ["--no-masking"], environment: ["P": Self.forge], reveals: true)
    #expect(result.output == Canary.password + "\n")
  }

  @Test func muchOutputComesWholeAndInOrder() throws {
    let result = try script("seq 1 200000; seq 200001 200100 >&2", environment: ["P": Self.forge])
    #expect(result.output.utf8.count == 1_288_895)
    #expect(result.output.hasSuffix("199999\n200000\n"))
  }

  // MARK: - Exit codes and signals

  @Test(arguments: [["exit 0", "0"], ["exit 7", "7"], ["kill -TERM $$", "143"], ["kill -KILL $$", "137"]])
  func theExitCodeIsTheProgramsOwn(_ given: [String]) throws {
    for options in [[], ["--no-masking"]] {
      let result = try script(given[0], options: options, environment: ["P": Self.forge])
      // In its place, a signal's end is the program's; beside it, what a shell would say.
      #expect(result.exitCode == Int32(given[1]) || (options != [] && result.exitCode == nil))
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func signalsReachTheProgram(_ number: Int32) throws {
    for handles in [true, false] {
      let trap = handles ? "trap 'echo got it; exit 9' INT TERM HUP QUIT; " : ""
      let terminal = try atTerminal(
        trap + "echo ready; while :; do sleep 0.05; done")
      try terminal.expect("ready")
      terminal.signal(number)
      if handles { try terminal.expect("got it") }
      #expect(try home.check(try terminal.finish()).exitCode == (handles ? 9 : 128 + number))
    }
  }

  // MARK: - Terminals

  @Test func aTerminalStaysATerminalOfItsSize() throws {
    let terminal = try atTerminal(
      "test -t 0 && test -t 1 && test -t 2 && stty size && echo $P >/dev/tty; read x; echo \"got $x <$P>\"; exit 3",
      columns: 93)
    try terminal.expect("24 93")
    try terminal.expect("****")
    terminal.type("hello\n")
    try terminal.expect("got hello <****>")
    let result = try home.check(try terminal.finish())
    #expect(result.exitCode == 3)
    #expect(terminal.echoes)
  }

  @Test(arguments: [[], ["--no-masking"]])
  func theProgramFindsTheTerminalAsItWasBeforeThePassphrase(_ options: [String]) throws {
    let terminal = try Terminal(
      ["run"] + options + ["--", "/bin/sh", "-c", "stty -a | grep -o -e '[ -]echo ' ; read x; echo \"got $x\""],
      program: Home.program, output: .terminal, environment: home.variables(["P": Self.forge]))
    try terminal.expect("Passphrase for the vault: ")
    try terminal.expect(echo: false)
    terminal.type(Canary.vaultPassphrase + "\n")
    try terminal.expect(" echo ")
    terminal.type("shown\n")
    try terminal.expect("shown\r\n")
    try terminal.expect("got shown")
    #expect(try home.check(try terminal.finish()).exitCode == 0)
    #expect(terminal.echoes)
  }

  @Test func aNewSizeOfTheTerminalReachesTheProgram() throws {
    let terminal = try atTerminal("trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done")
    try terminal.expect("ready")
    try terminal.resize(columns: 131)
    try terminal.expect("24 131")
    terminal.type("\u{3}")
    #expect(try home.check(try terminal.finish()).exitCode == 130)
  }

  @Test func aShellInItHasJobControl() throws {
    let terminal = try atTerminal("exec bash --norc --noprofile -i")
    // Typed sooner, it would meet the shell itself.
    terminal.type("sh -c 'echo begun; exec sleep 60'\n")
    try terminal.expect("begun\r\n")
    terminal.type("\u{1A}")
    try terminal.expect("Stopped")
    terminal.type("kill -9 %1; exec sh -c 'echo \"<$P>\"; exit 6'\n")
    try terminal.expect("<****>")
    #expect(try home.check(try terminal.finish()).exitCode == 6)
  }

  @Test func aReaderThatGoesAwayEndsTheProgram() throws {
    let result = try home.run(
      "bash", "-c", "\(Home.program) run --passphrase-fd 3 -- yes | head -n 1; echo ${PIPESTATUS[0]}",
      descriptors: [3: Canary.vaultPassphrase + "\n"], environment: ["P": Self.forge])
    #expect(result.output == "y\n141\n")
  }

  @Test func controlCAndControlZReachTheProgram() throws {
    let terminal = try atTerminal(
      "trap 'echo interrupted; exit 4' INT; echo ready; while :; do sleep 0.05; done")
    try terminal.expect("ready")
    terminal.type("\u{1A}")
    try terminal.expectStopped()
    #expect(terminal.echoes)
    terminal.signal(SIGCONT)
    try terminal.expect(echo: false)
    terminal.type("\u{3}")
    try terminal.expect("interrupted")
    #expect(try home.check(try terminal.finish()).exitCode == 4)
    #expect(terminal.echoes)
  }

  @Test func anOutputThatIsATerminalStaysOneWhereInputIsNot() throws {
    let terminal = try Terminal(
      ["run", "--passphrase-fd", "3", "--", "/bin/sh", "-c", "test -t 1 && test -t 2 && stty size <&1; cat; echo $P"],
      program: Home.program, input: Array("from a pipe\n".utf8), output: .terminal,
      descriptors: [3: Array((Canary.vaultPassphrase + "\n").utf8)],
      environment: home.variables(["P": Self.forge]), columns: 71)
    let result = try home.check(try terminal.finish())
    #expect(result.screen == "24 71\r\nfrom a pipe\r\n****\r\n")
    #expect(result.exitCode == 0)
  }

  @Test func nothingIsLeftRunningAndNothingWaits() throws {
    let started = Clock.monotonicMilliseconds()
    let result = try script("sleep 30 >/dev/null 2>&1 & echo $!", environment: ["P": Self.forge])
    #expect(Clock.monotonicMilliseconds() - started < 20_000)
    if let left = pid_t(result.output.dropLast()), left > 1 { kill(left, SIGKILL) }
    #expect(result.exitCode == 0)
  }
}
