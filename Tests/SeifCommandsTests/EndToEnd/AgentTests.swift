import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// The agent and the commands that use it.
@Suite struct AgentTests {
  let world: AgentHome

  init() throws { world = try AgentHome() }

  // MARK: - The same as without

  @Test func commandsSayTheSameWithTheAgentAsWithThePassphrase() throws {
    try world.unlock()
    for words in [
      ["list"], ["list", "--json"], ["list", "git"], ["show", "GitHub"], ["show", "GitHub", "--json"],
      ["show", "Forge"], ["show", "Forge", "--json"], ["show", "Everyday"], ["show", "Everyday", "--json"],
      ["show", "Keys", "--json"], ["show", "Steam"], ["bin", "list", "--json"], ["show", "nobody"], ["show", "git"],
      ["code", "GitHub", "--at", Fixture.moment], ["code", "git"], ["code", "Forge"], ["code", ""],
      ["code", "GitHub", "--at", Fixture.moment, "--json"], ["code", "GitHub", "--next", "--at", Fixture.moment],
      ["code", "Acme", "--next"],
    ] {
      let agent = try world.home.seif(list: words, environment: world.variables)
      let direct = try world.home.seif(
        list: words, passphrase: Canary.vaultPassphrase, environment: world.variables)
      #expect(agent.exitCode == direct.exitCode, "\(words)")
      #expect(agent.output == direct.output, "\(words)")
      #expect(agent.errors == direct.errors, "\(words)")
    }
  }

  @Test func whatIsWrittenThroughTheAgentIsThereForEveryone() throws {
    try world.unlock()
    let before = try world.direct("show", "Forge", "--reveal", reveals: true).output
    #expect(try world.seif("edit", "Forge", "--account", "ana maria").exitCode == 0)
    let after = try world.direct("show", "Forge", "--reveal", reveals: true).output
    #expect(after.contains("user: ana maria") && after.contains("password: \(Canary.password)"))
    #expect(try world.seif("undo").exitCode == 0)
    #expect(try world.direct("show", "Forge", "--reveal", reveals: true).output == before)
    #expect(try world.seif("add", "code", "--name", "New", secret: Canary.timedSeed).exitCode == 0)
    #expect(try world.direct("code", "New", "--at", Fixture.moment).output == "756364\n")
    #expect(try world.seif("remove", "New", "Keys").exitCode == 0)
    #expect(try world.direct("list").output == (try world.seif("list").output))
    #expect(try world.seif("bin", "restore", "Keys").exitCode == 0)
    #expect(try world.direct("doctor").exitCode == 0)
  }

  @Test func aCounterNeverGoesBackWhoeverAsks() throws {
    try world.unlock()
    var codes: [String] = []
    for turn in 0..<6 {
      codes.append(try (turn % 2 == 0 ? world.seif("code", "Acme") : world.direct("code", "Acme")).output)
    }
    #expect(Set(codes).count == 6)
    #expect(try world.direct("show", "Acme").output.contains("next counter: 6"))
  }

  /// The agent's undo compares no secrets, so that a guess stays one; what was typed isn't lost by it.
  @Test func undoOfAChangedPasswordBringsTheOldOneBackAndKeepsTheTypedOne() throws {
    func passwords() throws -> [String] {
      let result = try world.direct("history", "Forge", "--reveal", "--json", reveals: true)
      return try #require(try document(result.output, "seif-history")["passwords"]).elements
        .map { $0["password"]?.string ?? "" }
    }
    func present() throws -> String? {
      let shown = try world.direct("show", "Forge", "--json", "--reveal", reveals: true)
      return try document(shown.output, "seif-records")["passwords"]?.elements.map { $0["password"]?.string }.first
        ?? nil
    }
    #expect(try present() == Canary.password)
    #expect(try passwords() == [])
    try world.unlock()
    let changed = try world.seif("edit", "Forge", secret: Canary.newPassword)
    #expect(changed.exitCode == 0, "\(changed.errors)")
    #expect(try present() == Canary.newPassword)
    #expect(try passwords() == [Canary.password])
    let undone = try world.seif("undo")
    #expect(undone.exitCode == 0, "\(undone.errors)")
    #expect(try present() == Canary.password)
    #expect(try passwords() == [Canary.newPassword])
  }

  // MARK: - Locking

  @Test func aLockedVaultAsksAgain() throws {
    try world.unlock()
    #expect(try world.seif("list").exitCode == 0)
    let locked = try world.seif("lock")
    #expect(locked.exitCode == 0 && locked.errors == "✓ Locked.\n")
    #expect(try world.seif("list").exitCode == 77)
    #expect(try world.seif("lock").errors == "Nothing was open.\n")
    #expect(try world.seif("lock", "--all").exitCode == 0)
    #expect(try world.direct("list").exitCode == 0)
  }

  @Test func aWrongPassphraseIs77AndLeavesItLocked() throws {
    let wrong = try world.home.seif("unlock", passphrase: "not the passphrase", environment: world.variables)
    #expect(wrong.exitCode == 77)
    #expect(wrong.errors.contains("the passphrase is wrong or the vault is damaged"))
    try world.process()
    #expect(try world.openCount() == 0)
    #expect(try world.seif("unlock", "--vault", world.home.file("none")).exitCode == 66)
    #expect(try world.home.seif("unlock", passphrase: "x").exitCode == 69)
  }

  @Test func itLocksByItselfAndTheRecoveryCodeUnlocksToo() throws {
    try world.unlock("--lock-after", "1s")
    try world.expect(open: 0)
    #expect(try world.seif("list").exitCode == 77)
    let sheet = try world.home.read("sheet-in-clear.txt")
    let code = try #require(sheet.split(separator: "\n").first { $0.hasPrefix("  ") }?.trimmed)
    #expect(
      try world.home.seif(
        "unlock", "--recovery-code", "--lock-after", "immediately", passphrase: code, environment: world.variables
      ).exitCode == 0)
    #expect(try world.seif("code", "GitHub", "--at", Fixture.moment).output == "756364\n")
    try world.expect(open: 0)
    for time in ["0s", "25h", "5", "-1m", "5 m", "x", ""] {
      #expect(try world.seif("unlock", "--lock-after", time).exitCode == 64, "\(time)")
    }
  }

  @Test func severalVaultsAreOpenEachForItself() throws {
    let other = world.home.file("other")
    let made = try world.home.seif(
      "init", "--vault", other, "--recovery-sheet", world.home.file("other-in-clear.txt"), "--unlock-ms", "500",
      newPassphrase: Canary.filePassphrase)
    #expect(made.exitCode == 0)
    try world.unlock()
    #expect(
      try world.home.seif(
        "unlock", "--vault", other, passphrase: Canary.filePassphrase, environment: world.variables
      ).exitCode == 0)
    #expect(try world.openCount() == 2)
    #expect(try world.seif("list", "--vault", other).errors == "The vault is empty.\n")
    #expect(try world.seif("lock", "--vault", other).exitCode == 0)
    #expect(try world.seif("list").exitCode == 0)
    #expect(try world.seif("list", "--vault", other).exitCode == 77)
  }
}
