import SeifCommandLine
import SeifBytes
import Testing

@testable import SeifCommands

/// Commands that look at everything, of a vault that is open in the agent.
@Suite struct AgentImportTests {
  let world: AgentHome

  init() throws { world = try AgentHome() }

  private var file: String {
    get throws {
      try world.home.write(
        """
        {"schema":"seif-records","version":1,"source":{"format":"test"},"accounts":[
        {"type":"totp","issuer":"GitHub","account":"ana@example.com","secret":"\(Canary.timedSeed)"},
        {"type":"totp","issuer":"New","account":"bea","secret":"\(Canary.steamSeed)"}],"problems":[],"lost":[]}
        """, as: "more-in-clear.json")
    }
  }

  @Test func anImportTakesAYesAndNoPassphrase() throws {
    try world.unlock()
    let file = try file
    for words in [["import", file], ["import", file, "--dry-run"]] {
      let refused = try world.home.seif(list: words, environment: world.variables)
      #expect(refused.exitCode == 77)
      #expect(refused.errors.contains("--vault-passphrase-fd"))
    }
    let no = try world.terminal("import", file)
    try no.expect("[yes/no]")
    no.type("no\n")
    #expect(try world.home.check(no.finish()).exitCode == 77)
    #expect(!(try world.seif("list").output.contains("New")))

    let dry = try world.terminal("import", file, "--dry-run", "--json")
    try dry.expect("[yes/no]")
    dry.type("yes\n")
    let plan = try document(try world.home.check(dry.finish()).output, "seif-import")
    #expect(plan["new"]?.int64 == 1 && plan["same"]?.int64 == 1 && plan["dryRun"]?.bool == true)
    #expect(!(try world.seif("list").output.contains("New")))
    let yes = try world.terminal("import", file)
    try yes.expect("[yes/no]")
    yes.type("yes\n")
    let done = try world.home.check(yes.finish())
    #expect(done.exitCode == 0)
    #expect(done.screen.contains("+ 1 new   = 1 already here"))
    #expect(try world.direct("list").output.contains("New"))
    // One change, and the agent's own.
    #expect(try world.seif("undo").exitCode == 0)
    #expect(!(try world.direct("list").output.contains("New")))
    #expect(try world.direct("doctor").exitCode == 0)
  }

  @Test func aGivenPassphraseLeavesTheAgentOut() throws {
    try world.unlock()
    let imported = try world.home.seif(
      "import", file, vaultPassphrase: Canary.vaultPassphrase, environment: world.variables)
    #expect(imported.exitCode == 0, "\(imported.errors)")
    #expect(try world.seif("list").output.contains("New"))
  }

  @Test func theDoctorLooksThroughAnOpenVaultWithoutAQuestion() throws {
    try world.unlock()
    let found = try document(try world.seif("doctor", "--json").output, "seif-doctor")
    #expect(found["ok"]?.bool == true)
    #expect(found["faults"]?.elements.map { $0 }.isEmpty == true)
    let backup = found["checks"]?.elements.first { $0["id"]?.string == "backup" }
    #expect(backup != nil)
    // What mends wants the vault for itself.
    for option in ["--set-aside", "--accept-contents", "--accept-older-copy"] {
      #expect(try world.seif("doctor", option, "--yes").exitCode == 77)
    }
  }

  @Test func aDamagedRowIsFoundByTheAgentToo() throws {
    try world.unlock()
    let script = """
      import sqlite3, sys
      file = sqlite3.connect(sys.argv[1])
      file.execute("UPDATE item SET detail = zeroblob(length(detail)) WHERE rowid = 1")
      file.commit()
      """
    let vault = world.home.file(".local/share/seif/vault.db")
    let changed = try world.home.run("python3", "-c", script, vault)
    #expect(changed.exitCode == 0, "\(changed.errors)")
    let agent = try world.seif("doctor", "--json")
    let direct = try world.direct("doctor", "--json")
    #expect(agent.exitCode == 2)
    let words = try document(agent.output, "seif-doctor")["faults"]?.elements.map { $0.string ?? "" }
    #expect(words == (try document(direct.output, "seif-doctor")["faults"]?.elements.map { $0.string ?? "" }))
    #expect(words?.contains { $0.contains("doesn't open at its place") } == true)
  }
}
