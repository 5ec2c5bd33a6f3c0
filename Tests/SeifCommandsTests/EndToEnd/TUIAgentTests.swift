import SeifCommandLine
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

  private func start(_ words: String = "", columns: Int = 120) throws -> Tmux {
    let tmux = try Tmux(agent.home, columns: columns, environment: agent.variables)
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
    // It is open there again, for everybody.
    #expect(try !tmux.screen().contains("here only"))
    #expect(try agent.seif("list").exitCode == 0)
    try tmux.press("l")
    try tmux.expect("Locked.")
    #expect(try agent.seif("list").exitCode == 77)
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func anAgentThatWentIsStartedAgain() throws {
    let tmux = try start()
    try agent.signal(SIGKILL)
    try tmux.expect("Locked.")
    try tmux.press("Enter")
    try tmux.expect("Passphrase")
    try tmux.run(Canary.vaultPassphrase)
    try tmux.expect("Codes (4)")
    #expect(try agent.process() > 0 && agent.openCount() == 1)
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func whereTheAgentCannotBeHadItIsOpenedHereAlone() throws {
    let tmux = try start()
    #expect(try agent.seif("lock").exitCode == 0)
    try tmux.expect("The agent has locked it.")
    let process = try agent.signal(SIGSTOP)
    defer { kill(process, SIGCONT) }
    try tmux.press("Enter")
    try tmux.expect("no agent is used: the agent doesn't answer")
    try tmux.expect("Passphrase")
    try tmux.run(Canary.vaultPassphrase)
    try tmux.expect("Codes (4)")
    try tmux.expect("unlocked here only")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test(arguments: [("e", "Name [GitHub]"), ("a4", "Title:")]) func aQuestionEndsWithTheAgentsLock(
    keys: String, question: String
  ) throws {
    let tmux = try start()
    try tmux.type(keys)
    try tmux.expect(question)
    #expect(try agent.seif("lock").exitCode == 0)
    try tmux.expect("the vault was locked meanwhile. Nothing was changed.")
    try tmux.expectNothingLeft(status: 77)
  }

  @Test func theAgentsOwnQuestionEndsWithItsLock() throws {
    let tmux = try start()
    try tmux.press("]", "r")
    try tmux.expect("[yes/no]")
    #expect(try agent.seif("lock").exitCode == 0)
    try tmux.expect("The agent has locked it.")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  /// With nothing secret on the screen: while a key is answered, and while the agent asks.
  @Test(arguments: [false, true]) func anAgentThatHangsIsGivenUp(isAsking: Bool) throws {
    let tmux = try start()
    if isAsking {
      try tmux.press("]", "r")
      try tmux.expect("[yes/no]")
    }
    let process = try agent.signal(SIGSTOP)
    defer { kill(process, SIGCONT) }
    if !isAsking { try tmux.press("f") }
    try tmux.expect("The agent doesn't answer.")
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func passwordsFromBeforeAskForTheSameYes() throws {
    #expect(try agent.direct("edit", "Forge", secret: Canary.newPassword).exitCode == 0)
    let tmux = try start(columns: 160)
    try tmux.press("]", "p")
    try tmux.expect("Example Forge: passwords before")
    try tmux.press("b")
    try tmux.expect("[yes/no]")
    try tmux.run("no")
    try tmux.expect("that was not agreed to")
    try tmux.press("b")
    try tmux.expect("[yes/no]")
    try tmux.run("yes")
    try tmux.expect("has its password 1 again")
    let shown = try agent.direct("show", "Forge", "--reveal", reveals: true)
    #expect(shown.output.contains("password: \(Canary.password)\n"))
    try tmux.press("p", "r")
    try tmux.expect(Canary.newPassword)
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
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
    let process = try agent.signal(SIGSTOP)
    defer { kill(process, SIGCONT) }
    try tmux.expect("doesn't answer")
    #expect(try !Tmux.showsACode(tmux.screen()))
  }

  @Test func whatWasStoppedGoesOnWithSecretsHidden() throws {
    let tmux = try start()
    try tmux.press("Down", "r")
    #expect(try becomes { Tmux.showsACode(try tmux.screen()) })
    try tmux.press("C-z")
    try tmux.expect("Stopped")
    try tmux.run("fg; echo ended-$?")
    try tmux.expect("▸  GitLab")
    #expect(try !Tmux.showsACode(tmux.screen()))
    try tmux.press("q")
    try tmux.expectNothingLeft(status: 0)
  }

  @Test func whatWasUnlockedAnewMeanwhileIsLockedHere() throws {
    let tmux = try start()
    try tmux.press("C-z")
    try tmux.expect("Stopped")
    #expect(try agent.seif("lock").exitCode == 0)
    try agent.unlock()
    try tmux.run("fg; echo ended-$?")
    try tmux.expect("The agent has locked it.")
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
