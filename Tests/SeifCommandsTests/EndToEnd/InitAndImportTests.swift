import SeifCommandLine
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// Making a vault, and taking files into it.
@Suite struct InitAndImportTests {
  // MARK: - init

  @Test func initOnATerminalHasTheRecoveryCodeTypedBack() throws {
    let home = try Home()
    let terminal = try home.terminal("init", "--unlock-ms", "500", environment: ["NO_COLOR": "1"])
    try terminal.expect("New passphrase for the vault (not shown; Enter alone makes one up): ")
    terminal.type(Canary.vaultPassphrase + "\n")
    try terminal.expect("Again: ")
    terminal.type(Canary.vaultPassphrase + "\n")
    try terminal.expect("Recovery code, shown once.")
    try terminal.expect("Type it back (not shown; Enter alone shows it again): ")
    #expect(!terminal.echoes)
    let code = try #require(
      terminal.screen.split(separator: "\r\n").first { $0.hasPrefix("  ") && $0.contains("-") }?.trimmed)
    #expect(code.split(separator: "-").map(\.count) == [4, 4, 4, 4, 4, 4])
    // What is wrong is said by place, and the question stands there again at once.
    for (typed, fault) in [
      (String(code.dropLast()), "That's 23 of 24 characters."),
      ("OI01" + code.dropFirst(4), "A recovery code never has O, I, 0 or 1"),
      (code + "7", "That's 25 of 24 characters."),
      (code.prefix(5) + other(code.dropFirst(5).prefix(4)) + code.dropFirst(9), "Group 2 isn't as shown."),
    ] {
      terminal.type(typed + "\n")
      try terminal.expect(fault)
      try terminal.expect("Type it back (")
    }
    #expect(!home.exists(".local/share/seif/vault.db"))
    terminal.type("\n")
    try terminal.expect(code)
    try terminal.expect("Type it back (")
    terminal.type(code.lowercased() + "\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    #expect(result.screen.contains("Nobody can reset the passphrase or the recovery code."))
    #expect(result.screen.hasSuffix("Next: seif import FILE\r\n"))
    #expect(try home.seif("list", passphrase: Canary.vaultPassphrase).exitCode == 0)
    #expect(try home.seif("list", "--recovery-code", passphrase: code).exitCode == 0)
  }

  private func other(_ group: Substring) -> String { group == "AAAA" ? "BBBB" : "AAAA" }

  @Test func initWithoutTerminalNeedsASheet() throws {
    let home = try Home()
    let refused = try home.seif("init", newPassphrase: Canary.vaultPassphrase)
    #expect(refused.exitCode == 64)
    #expect(refused.errors.contains("--recovery-sheet"))
    #expect(try home.names() == [])
    let sheet = home.file("sheet-in-clear.txt")
    let made = try home.seif(
      "init", "--recovery-sheet", sheet, "--unlock-ms", "500", passphrase: Canary.vaultPassphrase)
    #expect(made.exitCode == 0, "\(made.errors)")
    #expect(made.output == "")
    #expect(made.errors.contains("The recovery code is on \(sheet): print it, then delete the file."))
    #expect(home.mode("sheet-in-clear.txt") == 0o600)
    #expect(home.mode(".local/share/seif") == 0o700)
    #expect(home.mode(".local/share/seif/vault.db") == 0o600)
    let text = try home.read("sheet-in-clear.txt")
    #expect(text.contains("Made 20"))
    #expect(text.contains("Nobody can reset it."))
    #expect(!made.errors.contains(String(text.split(separator: "\n").first { $0.hasPrefix("  ") }?.trimmed ?? "?")))
    // A second one would be another vault in the same place.
    let again = try home.seif(
      "init", "--recovery-sheet", home.file("second-in-clear.txt"), newPassphrase: Canary.vaultPassphrase)
    #expect(again.exitCode == 73)
    #expect(!home.exists("second-in-clear.txt"))
  }

  @Test func theTimeToOpenHasBounds() throws {
    let home = try Home()
    for milliseconds in ["499", "10001", "soon"] {
      #expect(try home.seif("init", "--unlock-ms", milliseconds).exitCode == 64)
    }
  }

  @Test func noVaultIsMadeWhereTheSheetCantBe() throws {
    let home = try Home()
    let sheet = try home.write("mine", as: "sheet-in-clear.txt")
    let result = try home.seif(
      "init", "--recovery-sheet", sheet, "--unlock-ms", "500", newPassphrase: Canary.vaultPassphrase)
    #expect(result.exitCode == 73)
    // It has no --force, and doesn't offer it.
    #expect(result.errors.hasPrefix("seif: \(sheet) exists, and may hold the code of another vault. Give the sheet"))
    #expect(!result.errors.contains("--force"))
    #expect(try home.read("sheet-in-clear.txt") == "mine")
    #expect(!home.exists(".local/share/seif/vault.db"))
  }

  @Test func aFolderThatCantBeMadeIs73AndLeavesNoSheet() throws {
    let home = try Home()
    let result = try home.seif(
      "init", "--vault", home.write("a file", as: "file") + "/vault", "--recovery-sheet", home.file("s-in-clear.txt"),
      "--unlock-ms", "500", newPassphrase: Canary.vaultPassphrase)
    #expect(result.exitCode == 73)
    #expect(result.errors.hasPrefix("seif: no vault can be made in"))
    #expect(!home.exists("s-in-clear.txt"))
  }

  @Test func aWeakPassphraseForAVaultIsRefused() throws {
    let home = try Home()
    let result = try home.seif(
      "init", "--recovery-sheet", home.file("s-in-clear.txt"), "--unlock-ms", "500", newPassphrase: "password1234")
    #expect(result.exitCode == 64)
    #expect(try home.names() == [])
  }

  @Test func controlCWhileMakingAVaultLeavesNone() throws {
    let home = try Home()
    let terminal = try home.terminal("init", "--unlock-ms", "500")
    try terminal.expect("New passphrase")
    terminal.type(Canary.vaultPassphrase + "\n")
    try terminal.expect("Again: ")
    terminal.type(Canary.vaultPassphrase + "\n")
    try terminal.expect("Type it back (")
    terminal.type("\u{3}")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 130)
    #expect(terminal.echoes)
    #expect(!home.exists(".local/share/seif/vault.db"))
  }

  // MARK: - import

  private func records(_ accounts: String, _ home: Home, as name: String = "more-in-clear.json") throws -> String {
    try home.write("{\"schema\":\"seif-records\",\"version\":1,\"accounts\":[\(accounts)]}", as: name)
  }

  private func list(_ home: Home) throws -> [String] {
    let result = try home.seif("list", passphrase: Canary.vaultPassphrase)
    #expect(result.exitCode == 0)
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test func aDryRunWritesNothing() throws {
    let home = try Fixture.withVault()
    let before = try home.bytes(".local/share/seif/vault.db")
    let result = try home.seif(
      "import", Fixture.sample("phone.authbackup"), "--dry-run", passphrase: Fixture.samplePassphrase,
      vaultPassphrase: Canary.vaultPassphrase)
    #expect(result.exitCode == 0)
    #expect(result.errors.hasSuffix("+ 9 new   = 0 already here   ~ 0 differ\nNothing written.\n"))
    #expect(try home.bytes(".local/share/seif/vault.db") == before)
    #expect(try home.names(in: ".local/share/seif") == ["vault.db"])
  }

  @Test func theSecondImportChangesNothing() throws {
    let home = try Fixture.withVault()
    let before = try home.bytes(".local/share/seif/vault.db")
    let result = try home.seif(
      "import", home.file("phone.authbackup"), "--json", passphrase: Canary.filePassphrase,
      vaultPassphrase: Canary.vaultPassphrase)
    #expect(result.exitCode == 0)
    let root = try document(result.output, "seif-import")
    #expect(["new", "same", "updated", "conflict", "unusable"].map { root[$0]?.int64 } == [0, 7, 0, 0, 0])
    #expect(try home.bytes(".local/share/seif/vault.db") == before)
  }

  @Test func membersThatNobodyUnderstandsAreKeptBesideThoseThatAreThere() throws {
    let home = try Fixture.withVault()
    for (name, member) in [("a", "\"later\":{\"x\":1}"), ("b", "\"other\":[2]"), ("c", "\"later\":{\"x\":9}")] {
      let file = try home.write(
        "{\"schema\":\"seif-records\",\"version\":1,\"accounts\":[],\(member)}", as: "\(name)-in-clear.json")
      #expect(try home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase).exitCode == 0)
    }
    let out = home.file("out-in-clear.json")
    _ = try home.seif(
      "export", "--to", "json", "--plain", "--yes", "-o", out, passphrase: Canary.vaultPassphrase)
    let root = try document(try home.read("out-in-clear.json"), "seif-records")
    #expect(root["later"]?["x"]?.int64 == 1)
    #expect(root["other"]?.elements.map { $0.int64 } == [2])
  }

  @Test func whatDiffersIsKeptTwiceAndNamed() throws {
    let home = try Fixture.withVault()
    let account = """
      {"type":"totp","issuer":"GitHub","account":"ana@example.com","secret":"\(Canary.steamSeed)"}
      """
    let file = try records(account, home)
    let result = try home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase)
    #expect(result.exitCode == 0)
    #expect(
      result.errors == """
        ~ GitHub, ana@example.com: secret differs; both are kept
        + 0 new   = 0 already here   ~ 1 differ

        """)
    #expect(try list(home).filter { $0.contains("GitHub") }.count == 2)
  }

  @Test func ofTwoCountersTheHigherOneStays() throws {
    let home = try Fixture.withVault()
    func account(_ counter: Int) -> String {
      """
      {"type":"hotp","issuer":"Acme","account":"user","secret":"\(Canary.countedSeed)","counter":\(counter)}
      """
    }
    let ahead = try home.seif(
      "import", records(account(2), home), vaultPassphrase: Canary.vaultPassphrase)
    #expect(ahead.exitCode == 0)
    #expect(ahead.errors.contains("the higher counter is kept"))
    let behind = try home.seif("import", records(account(1), home), vaultPassphrase: Canary.vaultPassphrase)
    #expect(behind.exitCode == 0)
    #expect(try home.seif("code", "Acme", passphrase: Canary.vaultPassphrase).output == "257155\n")
  }

  @Test func unusableEntriesAreKeptAsTheyAreAndCountedOnce() throws {
    let home = try Fixture.withVault()
    let account = """
      {"type":"totp","issuer":"Odd","account":"o","secret":"not base32!","digits":6,"period":30}
      """
    let file = try records(account, home)
    let first = try home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase)
    #expect(first.exitCode == 1)
    #expect(first.errors.contains("! accounts 1: "))
    #expect(first.errors.contains("! 1 not usable, kept as they are"))
    let before = try home.bytes(".local/share/seif/vault.db")
    #expect(try home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase).exitCode == 1)
    #expect(try home.bytes(".local/share/seif/vault.db") == before)
    let out = home.file("out.authbackup")
    let exported = try home.seif(
      "export", "--to", "authbackup", "--yes", "-o", out, passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.filePassphrase)
    #expect(exported.exitCode == 0, "\(exported.errors)")
    let opened = try home.seif("open", out, "--json", passphrase: Canary.filePassphrase)
    #expect(opened.exitCode == 1)
    #expect(try document(opened.output, "seif-records")["problems"]?.elements.map { $0 }.count == 1)
  }

  @Test func aFileThatDoesntOpenChangesNothing() throws {
    let home = try Fixture.withVault()
    let before = try home.bytes(".local/share/seif/vault.db")
    let wrong = try home.seif(
      "import", home.file("phone.authbackup"), passphrase: "not the passphrase",
      vaultPassphrase: Canary.vaultPassphrase)
    #expect(wrong.exitCode == 77)
    #expect(wrong.errors.contains("Can't open \(home.file("phone.authbackup"))"))
    let page = try home.write("<html>", as: "page.html")
    #expect(try home.seif("import", page, vaultPassphrase: Canary.vaultPassphrase).exitCode == 65)
    #expect(try home.bytes(".local/share/seif/vault.db") == before)
  }

  /// One person, one terminal: both passphrases are asked for, each by the name of what it opens.
  @Test func bothPassphrasesAreAskedForByName() throws {
    let home = try Fixture.withVault()
    let terminal = try home.terminal("import", home.file("phone.authbackup"))
    try terminal.expect("Passphrase for the vault: ")
    terminal.type(Canary.vaultPassphrase + "\n")
    try terminal.expect("Passphrase for \(home.file("phone.authbackup")): ")
    terminal.type(Canary.filePassphrase + "\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    #expect(result.screen.contains("7 already here"))
  }
}
