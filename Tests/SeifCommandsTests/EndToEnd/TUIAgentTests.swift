import FoundationEssentials
import Glibc
import Testing

@testable import SeifCommands

/// `seif tui` over a vault that is open in the agent.
@Suite struct TUIAgentTests {
  let agent: AgentHome

  init() throws {
    agent = try AgentHome()
    try agent.unlock()
  }

  private func start(_ words: String = "") throws -> Tmux {
    let tmux = try Tmux(agent.home, environment: agent.variables)
    try tmux.run("\"$SEIF\" tui \(words); echo ended-$?")
    try tmux.expect("Codes (4)")
    return tmux
  }

  @Test func nothingIsAskedButForAYesToTheFirstSecret() throws {
    let tmux = try start()
    try tmux.press("r")
    #expect(try becomes { Tmux.showsACode(try tmux.screen()) })
    try tmux.press("]", "r")
    try tmux.expect("[yes/no]")
    #expect(try tmux.isAlternate)
    try tmux.run("yes")
    try tmux.expect(Canary.password)
    try tmux.press("r")
    try tmux.expectGone(Canary.password)
    // From now on the agent asks no more.
    try tmux.press("r")
    try tmux.expect(Canary.password)
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
    #expect(try agent.seif("agent", "status").output.contains(".local/share/seif"))
  }

  @Test func aNoLeavesItHidden() throws {
    let tmux = try start()
    try tmux.press("]", "r")
    try tmux.expect("[yes/no]")
    try tmux.run("no")
    try tmux.expect("that was not agreed to")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func itLocksWithTheAgentAndTheAgentWithIt() throws {
    let tmux = try start()
    #expect(try agent.seif("lock").exitCode == 0)
    try tmux.expect("The agent has locked it.")
    #expect(try !tmux.screen().contains("GitHub"))
    try tmux.press("Enter")
    try tmux.expect("Passphrase")
    try tmux.run(Canary.vaultPassphrase)
    try tmux.expect("Codes (4)")
    try tmux.expect("unlocked here only")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
    try agent.unlock()
    try tmux.run("\"$SEIF\" tui; echo ended-$?")
    try tmux.expect("Codes (4)")
    try tmux.press("l")
    try tmux.expect("Locked.")
    #expect(try agent.seif("list").exitCode == 77)
    try tmux.press("q")
    try tmux.expect("ended-0")
  }

  @Test func aDialogueEndsWithTheAgentsLock() throws {
    let tmux = try start()
    try tmux.press("e")
    try tmux.expect("Name [GitHub]")
    #expect(try agent.seif("lock").exitCode == 0)
    try tmux.press("Enter")
    try tmux.expect("the vault was locked meanwhile. Nothing was changed.")
    try tmux.expectNothingLeft(status: 77)
  }

  @Test(arguments: [false, true]) func itLocksByItselfToo(isAsking: Bool) throws {
    let tmux = try start("--lock-after 5s")
    if isAsking { try tmux.press("e") }
    try tmux.expect(isAsking ? "locked, since nobody answered" : "Nobody used it for 5 s.")
    #expect(try agent.seif("list").exitCode == 0)
  }

  @Test func anAgentThatHangsKeepsNoSecretOnTheScreen() throws {
    let tmux = try start()
    try tmux.press("r")
    #expect(try becomes { Tmux.showsACode(try tmux.screen()) })
    let process = try agent.process()
    kill(process, SIGSTOP)
    defer { kill(process, SIGCONT) }
    try tmux.expect("doesn't answer")
    #expect(try !Tmux.showsACode(tmux.screen()))
  }

  @Test func whatWasStoppedIsLocked() throws {
    let tmux = try start()
    try tmux.press("C-z")
    try tmux.expect("Stopped")
    try tmux.run("fg; echo ended-$?")
    try tmux.expect("It was suspended.")
    #expect(try !tmux.screen().contains("GitHub"))
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func countersAndChangesGoThroughTheAgent() throws {
    let tmux = try start()
    try tmux.press("/")
    try tmux.type("acme")
    try tmux.press("Enter", "n")
    #expect(try becomes { Tmux.showsACode(try tmux.screen()) })
    #expect(try agent.direct("show", "Acme").output.contains("next counter: 1\n"))
    try tmux.press("f")
    try tmux.expect("▸★ Acme")
    // The secret that the agent kept is still there.
    try tmux.press("n")
    #expect(try becomes { Tmux.showsACode(try tmux.screen()) })
    #expect(try agent.direct("show", "Acme").output.contains("next counter: 2\n"))
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }
}
