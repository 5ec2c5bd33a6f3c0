import SeifCommandLine
import SeifBytes
import Testing

@testable import SeifCommands

/// What the commands of the vault say of what they did and found, and what they don't show.
@Suite struct TellingTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func run(
    _ words: String..., secret: String? = nil, reveals: Bool = false
  ) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: Canary.vaultPassphrase, secret: secret, reveals: reveals)
  }

  // MARK: - undo

  @Test func undoNamesWhatItUndid() throws {
    _ = try run("remove", "GitLab", "Keys")
    #expect(
      try run("undo").errors == """
        ✓ The last change is undone.
        + GitLab, ana: back from the bin
        + Keys: back from the bin

        """)
    _ = try run("edit", "Example Forge", secret: Canary.newPassword)
    #expect(try run("undo").errors == "✓ The last change is undone.\n~ Example Forge, ana: as it was before\n")
    _ = try run("add", "code", "--name", "New", secret: Canary.timedSeed)
    #expect(try run("undo").errors == "✓ The last change is undone.\n- New: in the bin\n")
    #expect(try run("undo", "--quiet").errors == "")
    #expect(try run("remove", "New").exitCode == 66)
    #expect(try run("bin", "restore", "GitHub").errors == "✓ GitHub, ana@example.com is back.\n")
    #expect(try run("remove", "GitHub").errors == "✓ GitHub, ana@example.com is in the bin for 30 days.\n")
  }

  @Test func aDryRunOfUndoNamesWhatWouldGoAndWritesNothing() throws {
    _ = try run("remove", "GitLab", "Keys")
    for _ in 1...2 {
      #expect(
        try run("undo", "--dry-run").errors == """
          The last change was made just now. `seif undo` takes it back:
          + GitLab, ana: removed; comes back from the bin
          + Keys: removed; comes back from the bin

          """)
    }
    #expect(try run("undo", "--dry-run", "--quiet").errors == "")
    _ = try run("undo")
    _ = try run("edit", "Example Forge", secret: Canary.newPassword)
    #expect(try run("undo", "--dry-run").errors.contains("~ Example Forge, ana: edited; becomes what it was before\n"))
    _ = try run("add", "code", "--name", "New", secret: Canary.timedSeed)
    #expect(try run("undo", "--dry-run").errors.contains("- New: added; goes into the bin\n"))
    _ = try run("remove", "New")
    _ = try run("bin", "restore", "New")
    // The agent says the same.
    let agent = try AgentHome(home)
    try agent.unlock()
    let told = try agent.seif("undo", "--dry-run")
    #expect(told.exitCode == 0 && told.errors.contains("- New: brought back; goes into the bin again\n"))
    #expect(try run("undo", "--dry-run").errors == told.errors)
  }

  @Test func theWayBackFromTheBinIsNamed() throws {
    #expect(try home.seif("help", "undo").output.contains("--from-bin"))
    _ = try run("remove", "GitHub")
    let result = try home.seif(
      "import", home.file("phone.authbackup"), passphrase: Canary.filePassphrase,
      vaultPassphrase: Canary.vaultPassphrase)
    #expect(result.errors.contains("- 1 in the bin (--from-bin brings them back)"))
    let terminal = try home.terminal("import", home.file("phone.authbackup"), "--dry-run")
    try terminal.expect("Passphrase for the vault: ")
    terminal.type(Canary.vaultPassphrase + "\n")
    try terminal.expect("Passphrase for \(home.file("phone.authbackup")): ")
    terminal.type(Canary.filePassphrase + "\n")
    #expect(try home.check(terminal.finish()).screen.hasSuffix("phone.authbackup --from-bin\r\n"))
  }

  @Test func theBinFitsATerminalAndItsIdentifiersBringEntriesBack() throws {
    _ = try run("remove", "GitHub")
    let terminal = try home.terminal("bin", "list", passphrase: Canary.vaultPassphrase, columns: 60)
    let line = try home.check(terminal.finish()).screen.split(separator: "\r\n").last ?? ""
    let cells = line.split(separator: "  ")
    #expect(cells.dropLast() == ["code", "GitHub", "ana@example.com", "just now"])
    let id = String(cells.last ?? "")
    #expect(id.count == 8)
    #expect(try run("bin", "restore", id).exitCode == 0)
  }

  // MARK: - queries

  @Test func entriesOfOneNameAreToldApartByTheBeginningOfTheirIdentifiers() throws {
    for seed in [Canary.timedSeed, Canary.steamSeed] {
      #expect(try run("add", "code", "--name", "Twin", "--account", "t", secret: seed).exitCode == 0)
    }
    #expect(try run("add", "login", "--name", "Twin", "--account", "t", secret: Canary.newPassword).exitCode == 0)
    let result = try run("show", "Twin")
    #expect(result.exitCode == 66)
    let lines = result.errors.split(separator: "\n").dropFirst().map(String.init)
    #expect(lines.count == 3)
    #expect(Set(lines).count == 3)
    #expect(lines.last == "  login  Twin  t")
    let ids = lines.prefix(2).map { String($0.split(separator: "  ").last ?? "") }
    #expect(ids.allSatisfy { $0.count >= 8 })
    let codes = try ids.map { try run("code", $0, "--at", Fixture.moment) }
    #expect(codes.allSatisfy { $0.exitCode == 0 })
    #expect(codes.first?.output == "756364\n")
    #expect(codes.last?.output != codes.first?.output)
    // Seven digits are a part of a name and nothing else.
    #expect(try run("show", String(ids[0].prefix(7))).exitCode == 66)
  }

  // MARK: - secrets where they weren't expected

  @Test func passwordsInAddressesAndFieldsThatLookSecretAreMasked() throws {
    let file = try home.write(
      """
      {"schema":"seif-records","version":1,"passwords":[{"title":"Deploy","username":"ana","password":"\(Canary.password)",
      "urls":["https://ana:\(Canary.newPassword)@git.example","https://x.example/?token=\(Canary.timedSeed)"],
      "customFields":[{"name":"API token","value":"\(Canary.steamSeed)","isSecret":false},
      {"name":"Extra","value":"\(Canary.countedSeed)","isSecret":false},
      {"name":"Branch","value":"Cluj","isSecret":false}]}]}
      """, as: "deploy-in-clear.json")
    let imported = try home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase)
    #expect(imported.exitCode == 0, "\(imported.errors)")
    // `Home` looks for the secrets in all of these.
    let shown = try run("show", "Deploy").output
    #expect(shown.contains("address: https://ana:••••••@git.example\n"))
    #expect(shown.contains("address: https://x.example/?token=••••••\n"))
    #expect(shown.contains("API token: ••••••\n"))
    #expect(shown.contains("Extra: ••••••\n"))
    #expect(shown.contains("Branch: Cluj\n"))
    for words in [["show", "Deploy", "--json"], ["list", "--json"]] {
      let result = try home.seif(list: words, passphrase: Canary.vaultPassphrase)
      #expect(result.output.contains("https://ana:******@git.example"))
    }
    #expect(try home.seif("open", file, "--json").output.contains("?token=******"))
    let all = try run("show", "Deploy", "--reveal", reveals: true).output
    for secret in [Canary.newPassword, Canary.timedSeed, Canary.steamSeed, Canary.countedSeed] {
      #expect(all.contains(secret))
    }
  }
}
