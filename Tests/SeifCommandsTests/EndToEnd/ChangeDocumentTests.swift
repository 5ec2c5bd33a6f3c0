import SeifCommandLine
import SeifBytes
import Testing

@testable import SeifCommands

/// What commands that change entries say to programs.
@Suite struct ChangeDocumentTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func run(_ words: String..., schema: String) throws -> JSONValue {
    let result = try home.seif(list: words + ["--json"], passphrase: Canary.vaultPassphrase)
    #expect(result.exitCode == 0, "\(result.errors)")
    return try document(result.output, schema)
  }

  private func id(_ query: String) throws -> String {
    let shown = try home.seif("show", query, passphrase: Canary.vaultPassphrase).output
    return String(try #require(shown.split(separator: "\n").first { $0.hasPrefix("id: ") }).dropFirst(4))
  }

  @Test func anEditSaysWhichEntryAndWhetherItChanged() throws {
    let changed = try run("edit", "Forge", "--account", "bea", schema: "seif-edit")
    #expect(changed["changed"]?.bool == true)
    #expect(changed["entry"]?["id"]?.string == (try id("Forge")))
    #expect(changed["entry"]?["kind"]?.string == "login")
    #expect(changed["entry"]?["name"]?.string == "Example Forge")
    #expect(changed["entry"]?["account"]?.string == "bea")
    #expect(try run("edit", "Forge", "--account", "bea", schema: "seif-edit")["changed"]?.bool == false)
  }

  @Test func aRemovalAUndoAndAReturnNameTheEntries() throws {
    let ids = [try id("GitLab"), try id("Keys")]
    let removed = try run("remove", "GitLab", "Keys", schema: "seif-remove")
    #expect(removed["entries"]?.elements.map { $0["id"]?.string ?? "" } == ids)
    #expect(removed["entries"]?.elements.map { $0["kind"]?.string ?? "" } == ["code", "note"])
    let foreseen = try run("undo", "--dry-run", schema: "seif-undo")
    #expect(foreseen["dryRun"]?.bool == true && foreseen["others"]?.int64 == 0)
    #expect(foreseen["madeAt"]?.string?.hasPrefix("20") == true)
    let outcome = try #require(foreseen["outcomes"]?.elements.first { _ in true })
    #expect(outcome["outcome"]?.string == "returned" && outcome["change"]?.string == "removed")
    #expect(outcome["total"]?.int64 == 2 && outcome["entries"]?.elements.count { _ in true } == 2)
    let undone = try run("undo", schema: "seif-undo")
    #expect(undone["dryRun"]?.bool == false)
    let outcomes = try #require(undone["outcomes"]?.elements.map { $0 })
    #expect(outcomes.map { $0["outcome"]?.string } == ["returned"])
    #expect(outcomes.first?["total"]?.int64 == 2)
    #expect(outcomes.first?["entries"]?.elements.map { $0["name"]?.string ?? "" } == ["GitLab", "Keys"])
    _ = try run("remove", "Keys", schema: "seif-remove")
    let back = try run("bin", "restore", "Keys", schema: "seif-bin-restore")
    #expect(back["entries"]?.elements.map { $0["id"]?.string ?? "" } == [ids[1]])
    let refused = try home.seif("bin", "restore", "Keys", "--json", passphrase: Canary.vaultPassphrase)
    #expect(try document(refused.output, "seif-error")["error"]?["exit"]?.int64 == 66)
  }

  @Test func aRecoveryCodeIsNeverCalledAPassphrase() throws {
    let world = try AgentHome(home)
    for (given, words) in [
      ("", "the recovery code is empty"), ("ABCD", "a recovery code has 24 letters and digits"),
      ("ABCD-EFGH-JKLM-NPQR-STUV-WXYZ", "Can't open the vault: the recovery code is wrong or the vault is damaged"),
    ] {
      for command in ["unlock", "list"] {
        let result = try home.seif(
          command, "--recovery-code", passphrase: given, environment: world.variables)
        #expect([65, 77].contains(result.exitCode))
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(!result.errors.contains("passphrase"), "\(result.errors)")
      }
    }
  }
}
