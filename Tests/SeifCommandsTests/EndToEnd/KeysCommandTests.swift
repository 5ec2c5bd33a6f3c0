import SeifCommandLine
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// What opens the vault, listed, added, changed, tried and removed.
@Suite struct KeysCommandTests {
  let home: Home

  init() throws { home = try Fixture.withStrongVault() }

  private func run(_ words: String..., new: String? = nil) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: Canary.vaultPassphrase, newPassphrase: new)
  }

  private func list() throws -> [JSONValue] {
    let root = try document(try home.seif("keys", "list", "--json").output, "seif-keys")
    return Array(try #require(root["waysIn"]).elements)
  }

  private func code() throws -> String {
    let sheet = try home.read("sheet-in-clear.txt")
    return try #require(sheet.split(separator: "\n").first { $0.hasPrefix("  ") }).trimmed
  }

  @Test func theListNeedsNoPassphraseAndSaysWhatAnAttackerNeeds() throws {
    let result = try home.seif("keys", "list")
    #expect(result.exitCode == 0)
    #expect(result.output.contains("each guess costs"))
    #expect(result.output.contains("120 random bits"))
    #expect(result.output.contains("never here"))
    let ways = try list()
    #expect(ways.map { $0["kind"]?.string } == ["passphrase", "recovery"])
    #expect(ways.allSatisfy { $0["createdAt"]?.string != nil && $0["id"]?.string != nil })
    // The import of the fixture used the passphrase, nobody the code.
    #expect(ways.map { $0["lastUsedAt"] != nil } == [true, false])
    #expect(try home.seif("list", "--with", "recovery", passphrase: code()).exitCode == 0)
    #expect(try list().map { $0["lastUsedAt"] != nil } == [true, true])
  }

  @Test func onATerminalEachLineHasWhatTellsTwoOfAKindApart() throws {
    let ids = try list().map { $0["id"]?.string ?? "" }
    let terminal = try home.terminal("keys", "list", "--quiet")
    let screen = try home.check(terminal.finish()).screen
    for id in ids { #expect(screen.contains(String(id.prefix(8))) && !screen.contains(id)) }
    #expect(screen.contains("MADE") && screen.contains("LAST USED"))
    // Data, so --quiet leaves it.
    #expect(screen.contains("each guess costs"))
    #expect(screen.contains("120 random bits"))
  }

  @Test func eightDigitsNameAWayIn() throws {
    let id = try #require(try list().last?["id"]?.string)
    let removed = try home.seif(
      "keys", "remove", id.prefix(8).uppercased(), "--yes", passphrase: Canary.vaultPassphrase)
    #expect(removed.exitCode == 0, "\(removed.errors)")
    #expect(try list().map { $0["kind"]?.string } == ["passphrase"])
    #expect(try home.seif("keys", "remove", String(id.prefix(7)), passphrase: Canary.vaultPassphrase).exitCode == 66)
  }

  @Test func aPassphraseIsAddedOnceAnotherProcessOpenedTheVaultWithIt() throws {
    let added = try run("keys", "add", "passphrase", "--unlock-ms", "500", new: Canary.newPassword)
    #expect(added.exitCode == 0, "\(added.errors)")
    #expect(added.errors.contains("Added and proven"))
    #expect(try list().count == 3)
    #expect(try home.seif("list", passphrase: Canary.newPassword).output.contains("GitHub"))
    #expect(try run("list").exitCode == 0)
    #expect(try run("doctor").exitCode == 0)
    #expect(try run("keys", "add", "passphrase", new: "short").exitCode == 64)
    #expect(try run("keys", "add", "tpm", new: nil).firstError.contains("Did you mean tpm2?"))
    #expect(try list().count == 3)
  }

  @Test func aRecoveryCodeIsAddedFromASheet() throws {
    let sheet = home.file("second-in-clear.txt")
    let added = try run("keys", "add", "recovery", "--recovery-sheet", sheet)
    #expect(added.exitCode == 0, "\(added.errors)")
    let text = try home.read("second-in-clear.txt")
    let second = try #require(text.split(separator: "\n").first { $0.hasPrefix("  ") }).trimmed
    for code in [second, try code()] {
      #expect(try home.seif("list", "--recovery-code", passphrase: code).exitCode == 0)
    }
    #expect(try run("keys", "remove", "recovery", "--yes").firstError.contains("fits 2 ways in"))
    #expect(try run("keys", "add", "recovery").firstError.contains("nowhere to go"))
    #expect(try list().count == 3)
  }

  @Test func aChangedPassphraseLeavesBackupsWithTheirs() throws {
    _ = try home.folder("backups")
    let made = try run(
      "backup", "create", "--destination", home.file("backups"), "--quiet", new: Canary.filePassphrase)
    #expect(made.exitCode == 0)
    let result = try run("keys", "passphrase", "--unlock-ms", "500", new: Canary.newPassword)
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(result.errors.contains("A copy made before now still opens with it, and shows the present key."))
    #expect(result.errors.contains("The proven backup keeps the passphrase of the day it was made:"))
    #expect(result.errors.contains(".authbackup"))
    #expect(try run("list").exitCode == 77)
    #expect(try home.seif("list", passphrase: Canary.newPassword).exitCode == 0)
    #expect(try list().count == 2)
  }

  @Test func theLastStrongWayInCantBeRemovedNorMadeWeak() throws {
    #expect(try run("keys", "remove", "recovery").exitCode == 64)
    // Opened with the passphrase, which is a good one: the code may go.
    let removed = try run("keys", "remove", "recovery", "--yes")
    #expect(removed.exitCode == 0, "\(removed.errors)")
    #expect(removed.errors.contains("After a theft: seif keys rotate"))
    #expect(try home.seif("list", "--recovery-code", passphrase: code()).exitCode == 66)
    let last = try run("keys", "remove", "passphrase", "--yes")
    #expect(last.exitCode == 64)
    #expect(last.errors.contains("this is your last way in"))
    let weak = try run("keys", "passphrase", "--weak", "--unlock-ms", "500", new: "abcabcabcabc")
    #expect(weak.exitCode == 64)
    #expect(weak.errors.contains("this is your last way in"))
    #expect(try run("list").exitCode == 0)
  }

  @Test func aWeakPassphraseDoesntHoldAVault() throws {
    #expect(try run("keys", "passphrase", "--weak", "--unlock-ms", "500", new: "abcabcabcabc").exitCode == 0)
    let removed = try home.seif("keys", "remove", "recovery", "--yes", passphrase: "abcabcabcabc")
    #expect(removed.exitCode == 64)
    #expect(removed.errors.contains("this is your last way in"))
    // By the code the code can't be removed either: nobody showed the passphrase.
    let unshown = try home.seif("keys", "remove", "recovery", "--yes", "--recovery-code", passphrase: code())
    #expect(unshown.exitCode == 64)
    #expect(unshown.errors.contains("the passphrase wasn't given"))
    #expect(try list().count == 2)
  }

  @Test func eachPresentedWayInIsTriedInAnotherProcess() throws {
    let both = try home.seif(
      "keys", "test", "--recovery-code-file", try home.write(try code() + "\n", as: "code-in-clear.txt"),
      passphrase: Canary.vaultPassphrase)
    #expect(both.exitCode == 0)
    let lines = both.output.split(separator: "\n")
    #expect(lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == ["✓ passphrase", "✓ recovery"])
    #expect(lines.allSatisfy { $0.contains(", made 20") && $0.hasSuffix(": opens the vault") })
    let wrong = try home.seif("keys", "test", "--json", passphrase: "wrong")
    #expect(wrong.exitCode == 2)
    let root = try document(wrong.output, "seif-keys-test")
    #expect(root["waysIn"]?.elements.map { $0["outcome"]?.string } == ["refused", "untried"])
    #expect(try home.seif("keys", "test").exitCode == 2)
  }

  @Test func onATerminalEachIsAskedForAndEnterLeavesOneOut() throws {
    let terminal = try home.terminal("keys", "test")
    try terminal.expect("Passphrase for the vault (Enter: leave it out): ")
    try terminal.expect(echo: false)
    terminal.type(Canary.vaultPassphrase + "\n")
    try terminal.expect("Recovery code (Enter: leave it out): ")
    try terminal.expect(echo: false)
    terminal.type("\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    #expect(result.screen.contains(": not presented"))
  }

  @Test func ofTwoOfAKindTheQuestionSaysWhichAndASlipIsAskedForAgain() throws {
    #expect(try run("keys", "add", "passphrase", "--unlock-ms", "500", new: Canary.newPassword).exitCode == 0)
    let ids = try list().map { String($0["id"]?.string?.prefix(8) ?? "") }
    let terminal = try home.terminal("keys", "test", environment: ["NO_COLOR": "1"], columns: 80)
    try terminal.expect("Passphrase for the vault, the one made 20")
    try terminal.expect("id \(ids[0])")
    try terminal.expect("(Enter: leave it out): ")
    try terminal.expect(echo: false)
    // The other one's, by mistake.
    terminal.type(Canary.newPassword + "\n")
    try terminal.expect("seif: that isn't the passphrase \(ids[0]). It is another of them: \(ids[2]).")
    try terminal.expect("(Enter: leave it out): ")
    terminal.type(Canary.vaultPassphrase + "\n")
    try terminal.expect("Recovery code (Enter: leave it out): ")
    for attempt in 1...3 {
      if attempt > 1 { try terminal.expect("Recovery code (Enter: leave it out): ") }
      terminal.type("ABCD-EFGH-JKLM-NPQR-STUV-WXYZ\n")
      if attempt < 3 { try terminal.expect("the recovery code doesn't open the vault in another process") }
    }
    try terminal.expect("id \(ids[2])")
    try terminal.expect("(Enter: leave it out): ")
    terminal.type("\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 2)
    let words = ["✓ passphrase", "✗ recovery", "! passphrase"]
    let lines = result.screen.split(whereSeparator: \.isNewline).filter { line in words.contains { line.hasPrefix($0) }
    }
    #expect(lines.count == 3)
    // Of each slip one line: the process that tried says nothing beside it.
    let said = result.screen.split(whereSeparator: \.isNewline)
    #expect(said.count { $0.hasPrefix("seif: ") } == 3, "\(result.screen)")
    #expect(!result.screen.contains("is wrong or the vault is damaged"))
  }

  @Test func theSamePassphraseIsNoNewOne() throws {
    let same = try run("keys", "passphrase", "--unlock-ms", "500", new: Canary.vaultPassphrase)
    #expect(same.exitCode == 64)
    #expect(same.firstError.contains("that is the passphrase that the vault has"))
    // However the vault was opened.
    let code = try code()
    let byCode = try home.seif(
      "keys", "passphrase", "--recovery-code", passphrase: code, newPassphrase: Canary.vaultPassphrase)
    #expect(byCode.exitCode == 64)
    #expect(try list().count == 2)
  }

  @Test func whatIsGivenToOpenAVaultDoesntKeepItsListFromBeingShown() throws {
    let result = try home.seif("keys", "list", "--json", "--passphrase-file", home.file("none"))
    #expect(result.exitCode == 0, "\(result.errors)")
    _ = try document(result.output, "seif-keys")
  }

  @Test func whoIsLeftWithOnePassphraseIsWarned() throws {
    let removed = try run("keys", "remove", "recovery", "--yes")
    #expect(removed.errors.contains("one passphrase will then be all that holds this vault"))
    #expect(removed.errors.contains("seif keys add recovery"))
    #expect(try run("keys", "add", "passphrase", "--unlock-ms", "500", new: Canary.newPassword).exitCode == 0)
    let id = try #require(try list().last?["id"]?.string)
    #expect(try run("keys", "add", "recovery", "--recovery-sheet", home.file("two-in-clear.txt")).exitCode == 0)
    let second = try run("keys", "remove", id, "--yes")
    #expect(second.exitCode == 0 && !second.errors.contains("one passphrase"))
  }

  @Test func aDeviceIsLookedForBeforeAnythingIsTyped() throws {
    // No passphrase is given, so a question would end with 77.
    let result = try home.seif(
      "keys", "add", "tpm2", environment: ["SEIF_TCTI": "swtpm:host=127.0.0.1,port=1"])
    #expect(result.exitCode == 69, "\(result.errors)")
    #expect(try home.seif("keys", "add", "fido2").exitCode == 69)
  }

  @Test func theProvingProcessTakesNothingFromItsArgumentsAndIsntListed() throws {
    #expect(!(try home.seif("help").output.contains("prove-way-in")))
    let result = try home.seif("prove-way-in", input: "no request\n")
    #expect(result.exitCode == 64)
    #expect(try home.seif("prove-way-in", "word").exitCode == 64)
    #expect(try home.seif("prove-way-in", input: "{\"folder\":\"/\"}\n").exitCode == 64)
  }
}
