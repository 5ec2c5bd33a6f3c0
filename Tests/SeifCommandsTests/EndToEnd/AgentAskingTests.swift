import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// Questions of the agent from a person's side, and commands that go by it.
@Suite struct AgentAskingTests {
  let world: AgentHome

  init() throws { world = try AgentHome() }

  @Test func watchingACodeGoesByTheAgent() throws {
    try world.unlock()
    let terminal = try Terminal(
      ["code", "--watch", "--quiet", "GitHub"], program: Home.program, output: .terminal,
      environment: world.home.variables(world.variables))
    try terminal.expect("GitHub, ana@example.com")
    try terminal.expect(" s")
    terminal.type("q")
    #expect(try world.home.check(terminal.finish()).exitCode == 0)
  }

  @Test func theDoctorKnowsAnAgentOfTheSameBuild() throws {
    let process = try world.unlock()
    let result = try world.seif("doctor")
    #expect(result.output.contains("running, process \(process)"), "\(result.output)")
    #expect(!result.output.contains("another Seif"))
  }

  /// A window that asks for a program that is gone would be answered for nobody.
  @Test func aWindowGoesWithWhoAsked() throws {
    let script = """
      #!/bin/sh
      echo "OK Pleased to meet you"
      while read -r command rest; do
        case $command in
          CONFIRM) echo $$ > "$0.asks"; exec sleep 1000 ;;
          *) echo OK ;;
        esac
      done
      """
    let pinentry = try world.home.write(script, as: "pinentry")
    ExecutableFile.settle(pinentry)
    try world.unlock(environment: ["SEIF_PINENTRY": pinentry])
    let asker = try world.terminal("show", "Forge", "--reveal")
    for _ in 0..<500 where !world.home.exists("pinentry.asks") { usleep(20_000) }
    usleep(50_000)
    let window = try #require(Int32(try world.home.read("pinentry.asks").filter(\.isNumber)))
    #expect(kill(window, 0) == 0)
    asker.signal(SIGKILL)
    _ = try asker.finish()
    var isGone = false
    for _ in 0..<500 where !isGone {
      isGone = kill(window, 0) != 0
      if !isGone { usleep(20_000) }
    }
    #expect(isGone)
  }

  /// A program of a whole screen has its terminal as it left it.
  @Test func theTerminalIsAsItWasAfterAQuestion() throws {
    try world.unlock()
    let script = "stty -echo -icanon; \"$1\" show Forge --reveal > /dev/null; stty -a | tr -d '\\n'; stty sane"
    let asked = try Terminal(
      ["-c", script, "sh", Home.program], program: "/bin/sh", output: .terminal,
      environment: world.home.variables(world.variables.merging(["PATH": "/usr/bin:/bin"]) { $1 }))
    try asked.expect("[yes/no]")
    asked.type("yes\n")
    let screen = try asked.finish().screen
    // What is typed shows, and the line ends.
    #expect(screen.contains("[yes/no] yes\r\n") || screen.contains("[yes/no] yes\n"))
    #expect(screen.contains("-icanon") && screen.contains("-echo "))
  }
}
