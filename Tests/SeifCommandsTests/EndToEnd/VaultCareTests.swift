import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// What leaves the vault, what guards it, and what tells how it is.
@Suite struct VaultCareTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func run(
    _ words: String..., secret: String? = nil, input: String = "", reveals: Bool = false
  ) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: Canary.vaultPassphrase, secret: secret, input: input, reveals: reveals)
  }

  // MARK: - bin

  @Test func theBinHoldsWhatWasRemovedAndGivesItBack() throws {
    let empty = try run("bin", "list")
    #expect(empty.exitCode == 0)
    #expect(empty.errors == "The bin is empty.\n")
    #expect(try run("remove", "GitHub", "Keys").exitCode == 0)
    let listed = try run("bin", "list")
    #expect(listed.output.contains("GitHub"))
    #expect(listed.output.contains("just now"))
    let root = try document(try run("bin", "list", "--json").output, "seif-bin")
    #expect(root["entries"]?.elements.map { $0["kind"]?.string ?? "" }.sorted() == ["code", "note"])
    #expect(try run("code", "GitHub").exitCode == 66)
    #expect(try run("bin", "restore", "nobody").exitCode == 66)
    // A part of a name does, as for every other command.
    #expect(try run("bin", "restore", "gith").exitCode == 0)
    #expect(try run("code", "GitHub", "--at", Fixture.moment).output == "756364\n")
    #expect(try run("list").output.hasPrefix("code   GitHub"))
  }

  // MARK: - doctor

  @Test func doctorFindsWhatWasDoneBehindOurBack() throws {
    let sound = try run("doctor")
    #expect(sound.exitCode == 0)
    #expect(sound.output.hasSuffix("✓ vault          every value is as it was last written\n"))
    #expect(try document(try run("doctor", "--json").output, "seif-doctor")["ok"]?.bool == true)
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      table = next(n for n, in db.execute("select name from sqlite_schema where type='table'") if n == "item")
      rows = [r for r, in db.execute(f"select rowid from {table}")]
      a, b = (db.execute(f"select detail from {table} where rowid=?", (r,)).fetchone()[0] for r in rows[:2])
      db.execute(f"update {table} set detail=? where rowid=?", (b, rows[0]))
      db.execute(f"update {table} set detail=? where rowid=?", (a, rows[1]))
      db.commit()
      """
    let swapped = try home.run("python3", "-c", script, home.file(".local/share/seif/vault.db"))
    try #require(swapped.exitCode == 0, "\(swapped.errors)")
    let result = try run("doctor")
    #expect(result.exitCode == 2)
    #expect(result.output.contains("✗ "))
    let json = try run("doctor", "--json")
    #expect(json.exitCode == 2)
    #expect(try document(json.output, "seif-doctor")["ok"]?.bool == false)
    #expect(try run("status").exitCode == 2)
  }

  @Test func oneDamagedRowIsNamedAndTheOthersServeAsEver() throws {
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      db.execute("update item_summary set summary=zeroblob(length(summary)) "
                 "where position=(select max(position) from item)")
      db.execute("update secret set value=zeroblob(length(value)) where position=(select max(position) from secret)")
      print(db.execute("select lower(hex(id)) from item order by position desc limit 1").fetchone()[0])
      db.commit()
      """
    let before = try run("list").output
    let damaged = try home.run("python3", "-c", script, home.file(".local/share/seif/vault.db"))
    try #require(damaged.exitCode == 0, "\(damaged.errors)")
    let listed = try run("list")
    #expect(listed.exitCode == 1)
    #expect(listed.output.split(separator: "\n").count == before.split(separator: "\n").count - 1)
    #expect(listed.errors.filter { $0 != "-" }.contains("item \(damaged.output.prefix(32))"))
    #expect(listed.errors.contains("seif doctor"))
    let code = try run("code", "GitHub", "--at", Fixture.moment)
    #expect(code.exitCode == 1)
    #expect(code.output == "756364\n")
    #expect(try run("show", "GitHub").exitCode == 1)
    #expect(try run("status").exitCode == 2)
    #expect(try run("edit", "GitHub", "--name", "GitHub 2").exitCode == 0)
    let out = home.file("out-in-clear.json")
    let export = try run("export", "--to", "json", "--plain", "--yes", "-o", out)
    #expect(export.exitCode == 1)
    #expect(export.errors.contains("the seed of entry "))
    #expect(home.exists("out-in-clear.json"))
    let imported = try home.seif(
      "import", Fixture.sample("phone.authbackup"), passphrase: Fixture.samplePassphrase,
      vaultPassphrase: Canary.vaultPassphrase)
    #expect(imported.exitCode == 1, "\(imported.errors)")
    let backup = try home.seif(
      "backup", "create", "--destination", try home.folder("backups"), passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.filePassphrase)
    #expect(backup.exitCode == 2)
    #expect(backup.errors.contains("seif doctor"))
    #expect(backup.errors.contains("the seed of entry "))
    #expect(try home.names(in: "backups") == [])
  }

  @Test func whatDoesNotOpenIsSetAsideAndTheVaultIsWholeAgain() throws {
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      db.execute("update item set detail=zeroblob(length(detail)) where position=(select min(position) from item)")
      db.execute("insert into vault values (zeroblob(16), 1, 1, 0)")
      db.commit()
      """
    let before = try run("list").output
    let damaged = try home.run("python3", "-c", script, home.file(".local/share/seif/vault.db"))
    try #require(damaged.exitCode == 0, "\(damaged.errors)")
    let refused = try run("remove", "GitHub")
    #expect(refused.exitCode == 65)
    #expect(refused.errors.contains("seif doctor --set-aside"))
    // Nobody is there to ask, and nothing changes.
    #expect(try run("doctor", "--set-aside").exitCode == 64)
    #expect(try run("list").output == before)
    let early = try run("doctor", "--accept-contents", "--yes")
    #expect(early.exitCode == 65)
    let aside = try run("doctor", "--set-aside", "--yes")
    #expect(aside.exitCode == 2)
    #expect(aside.errors.contains("1 set aside"))
    #expect(aside.output.contains("belongs to nothing here"))
    #expect(try run("list").output.split(separator: "\n").count == before.split(separator: "\n").count - 1)
    let settled = try run("doctor", "--accept-contents", "--yes")
    #expect(settled.exitCode == 0)
    #expect(settled.output.hasSuffix("✓ vault          every value is as it was last written\n"))
    #expect(try run("list").exitCode == 0)
    #expect(try run("undo").exitCode == 0)
    #expect(try run("list").output == before)
  }

  @Test func anOlderCopyOfTheVaultIsNoticed() throws {
    let older = try home.bytes(".local/share/seif/vault.db")
    #expect(try run("add", "code", "--name", "Newer", secret: Canary.timedSeed).exitCode == 0)
    try home.write(older, as: ".local/share/seif/vault.db")
    let result = try run("list")
    #expect(result.errors.contains("older copy"))
    #expect(try run("doctor").exitCode == 2)
    #expect(try run("doctor", "--accept-older-copy").exitCode == 0)
    #expect(try run("list").errors == "")
  }

  @Test func whatIsShownComesBeforeWhatIsSaid() throws {
    for (words, last) in [(["show", "GitHub"], "Next: "), (["list"], "note "), (["status"], "Next: ")] {
      let terminal = try Terminal(
        words + ["--passphrase-fd", "3"], program: Home.program, output: .terminal,
        descriptors: [3: Array((Canary.vaultPassphrase + "\n").utf8)], environment: home.variables())
      let result = try home.check(terminal.finish())
      let line = result.screen.split(separator: "\r\n").last ?? ""
      #expect(line.hasPrefix(last), "\(words): \(line)")
    }
  }

  // MARK: - export

  @Test func aFileInClearNeedsPlainANameAndAYes() throws {
    let out = home.file("out-in-clear.json")
    let unsaid = try run("export", "--to", "json", "-o", out)
    #expect(unsaid.exitCode == 64)
    #expect(unsaid.errors.contains("--plain"))
    #expect(try run("export", "--to", "json", "--plain", "-o", "-").exitCode == 64)
    let unasked = try run("export", "--to", "json", "--plain", "-o", out)
    #expect(unasked.exitCode == 64)
    #expect(unasked.errors.contains("--yes"))
    #expect(!home.exists("out-in-clear.json"))
    let done = try run("export", "--to", "json", "--plain", "--yes", "-o", out)
    #expect(done.exitCode == 0)
    #expect(done.errors.contains("readable to anyone who gets the file: 4 codes, 1 login, 1 card, 1 note"))
    #expect(home.mode("out-in-clear.json") == 0o600)
    #expect(try run("export", "--to", "json", "--plain", "--yes", "-o", out).exitCode == 73)
  }

  @Test func anExportToAPipeIsTheFileAlone() throws {
    let result = try home.seif(
      "export", "--to", "authbackup", "--yes", "-o", "-", passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.filePassphrase)
    #expect(result.exitCode == 0)
    #expect(result.errors == "✓ 7 of 7 entries written to standard output\n")
    let opened = try home.seif("open", "-", passphrase: Canary.filePassphrase, input: result.output)
    #expect(opened.output.hasPrefix("code   GitHub"))
  }

  @Test func anExportIsSealedUnderItsOwnPassphrase() throws {
    let out = home.file("out.authbackup")
    let result = try home.seif(
      "export", "--to", "authbackup", "--yes", "-o", out, passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.filePassphrase)
    #expect(result.exitCode == 0)
    #expect(try home.seif("open", out, passphrase: Canary.filePassphrase).exitCode == 0)
    #expect(try home.seif("open", out, passphrase: Canary.vaultPassphrase).exitCode == 77)
  }

  @Test func withoutTheWordNothingIsExported() throws {
    let out = home.file("out-in-clear.json")
    let terminal = try home.terminal(
      "export", "--to", "json", "--plain", "-o", out, passphrase: Canary.vaultPassphrase)
    try terminal.expect("Type export to go on: ")
    terminal.type("yes\n")
    try terminal.expect("Type export to go on: ")
    terminal.type("\n")
    #expect(try home.check(terminal.finish()).exitCode == 130)
    #expect(!home.exists("out-in-clear.json"))
  }

  @Test func twoFacsWeaknessIsSaidBeforeItsFileIsWritten() throws {
    let result = try home.seif(
      "export", "--to", "twofac", "--yes", "-o", home.file("out.json"), passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.filePassphrase)
    #expect(result.exitCode == 1)
    #expect(result.errors.contains("200 rounds"))
  }

  // MARK: - ctrl-C

  @Test(arguments: [["list"], ["code", "GitHub"], ["add", "code", "--name", "x"], ["undo"]])
  func controlCAtThePromptIs130AndChangesNothing(words: [String]) throws {
    let before = try home.bytes(".local/share/seif/vault.db")
    let terminal = try Terminal(words, program: Home.program, environment: home.variables())
    try terminal.expect("Passphrase for the vault: ")
    terminal.type("half-typed\u{3}")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 130)
    #expect(terminal.echoes)
    #expect(!result.screen.contains("half-typed"))
    #expect(try home.bytes(".local/share/seif/vault.db") == before)
    #expect(try home.names(in: ".local/share/seif") == ["vault.db"])
  }

  // MARK: - status, paths

  @Test func statusSaysWhatIsThereAndWhatIsMissing() throws {
    let result = try run("status")
    #expect(result.exitCode == 0)
    #expect(
      result.output == """
        vault       \(home.path)/.local/share/seif
        protection  passphrase, recovery code
        items       4 codes, 1 login, 1 card, 1 note
        backup      ! none is proven
        rule        none says how old the last backup may be (seif backup rule)

        """)
    let locked = try home.seif("status", "--locked", "--json")
    #expect(locked.exitCode == 0)
    let root = try document(locked.output, "seif-status")
    #expect(root["waysIn"]?.elements.map { $0.string ?? "" } == ["passphrase", "recovery"])
    #expect(root["items"] == nil)
  }

  @Test func pathsFollowTheOptionTheVariableAndXDG() throws {
    func vault(_ words: String..., environment: [String: String] = [:]) throws -> String? {
      try document(try home.seif(list: ["paths", "--json"] + words, environment: environment).output, "seif-paths")[
        "vault"]?.string
    }
    #expect(try vault() == home.path + "/.local/share/seif")
    #expect(try vault(environment: ["XDG_DATA_HOME": "/data"]) == "/data/seif")
    #expect(try vault(environment: ["SEIF_VAULT": "/v"]) == "/v")
    #expect(try vault("--vault", "/w", environment: ["SEIF_VAULT": "/v"]) == "/w")
  }

  @Test func aMissingVaultIs66BeforeAnyPassphrase() throws {
    for words in [["list"], ["code", "x"], ["status"], ["undo"], ["show", "x"]] {
      let result = try home.seif(list: words + ["--vault", home.file("none")])
      #expect(result.exitCode == 66)
      #expect(result.errors.hasPrefix("seif: there is no vault in"))
      #expect(result.errors.contains("seif init"))
    }
  }

  @Test func theRecoveryCodeOpensTheVaultInAnySpelling() throws {
    let sheet = try home.read("sheet-in-clear.txt")
    let code = try #require(sheet.split(separator: "\n").first { $0.hasPrefix("  ") }?.trimmed)
    for spelling in [code, code.lowercased(), code.split(separator: "-").joined(separator: " ")] {
      let result = try home.seif("list", "--recovery-code", passphrase: spelling)
      #expect(result.exitCode == 0, "\(result.errors)")
      #expect(result.output.contains("GitHub"))
    }
    let wrong = String(code.dropLast(4)) + (code.hasSuffix("AAAA") ? "BBBB" : "AAAA")
    #expect(try home.seif("list", "--recovery-code", passphrase: wrong).exitCode == 77)
    let malformed = try home.seif("list", "--recovery-code", passphrase: "ABCD-0000")
    #expect(malformed.exitCode == 65)
    #expect(!malformed.errors.contains("ABCD-0000"))
  }

  @Test func aWrongPassphraseIs77InTheSameWordsAsForAFile() throws {
    let result = try home.seif("list", passphrase: "not the passphrase")
    #expect(result.exitCode == 77)
    #expect(
      result.errors == """
        seif: Can't open the vault: the passphrase is wrong or the vault is damaged. The two can't be told apart.

        """)
  }
}

extension Substring {
  var trimmed: String { String(drop { $0 == " " }) }
}
