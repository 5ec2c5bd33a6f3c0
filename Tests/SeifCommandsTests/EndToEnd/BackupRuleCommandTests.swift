import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBackups
import SeifBytes
import SeifRecords
import Testing

@testable import SeifCommands

/// `backup rule`, and what `status` says by it.
@Suite struct BackupRuleCommandTests {
  let home: Home
  let folder: String
  // Long after the entries were written, by the clock that they were written by.
  private static let start: Int64 = 1_900_000_000

  init() throws {
    home = try Fixture.withVault()
    folder = try home.folder("backups")
  }

  private func seif(_ words: String...) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: Canary.vaultPassphrase)
  }

  /// In this process, where the clock can stand.
  private func run(
    after seconds: Int64, _ words: String...
  ) throws -> (code: ExitCode, output: String, errors: String) {
    let world = try World(environment: home.variables(), clock: .fixed(at: Self.start + seconds))
    var given = words
    for (option, secret) in [
      ("--passphrase-file", Canary.vaultPassphrase), ("--new-passphrase-file", Canary.filePassphrase),
    ] where option == "--passphrase-file" || words.contains("create") {
      let path = try home.write(secret, as: "\(option.dropFirst(2))-in-clear.txt")
      chmod(path, 0o600)
      given += [option, path]
    }
    let code = Program.run(given, world.context)
    return (code, world.output, world.errors)
  }

  private func create(after seconds: Int64, to destination: String? = nil) throws {
    let made = try run(after: seconds, "backup", "create", "--destination", destination ?? folder)
    try #require(made.code == .done, "\(made.errors)")
  }

  private func status(after seconds: Int64) throws -> (code: ExitCode, text: String, root: JSONValue) {
    let text = try run(after: seconds, "status")
    let json = try run(after: seconds, "status", "--json")
    #expect(text.code == json.code)
    return (text.code, text.output, try document(json.output, "seif-status"))
  }

  @Test func itIsShownSetChangedAndTakenAway() throws {
    #expect(try seif("backup", "rule").output == "no rule\n")
    #expect(try seif("backup", "rule", "--every", "7d", "--places", "1").output == "7d in 1 place, drill 180d\n")
    #expect(try seif("backup", "rule", "--drill", "none").output == "7d in 1 place, no drill\n")
    #expect(try seif("backup", "rule").output == "7d in 1 place, no drill\n")
    let root = try document(seif("backup", "rule", "--json").output, "seif-backup-rule")
    #expect(root["rule"]?["everySeconds"]?.int64 == 7 * 86_400 && root["rule"]?["drillSeconds"] == nil)
    // One entry, however often it is changed.
    let listed = try document(seif("list", "--tag", "seif-backup-rule", "--json").output, "seif-list")
    #expect(listed["entries"].map { Array($0.elements).count } == 1)
    #expect(try seif("backup", "rule", "--none").output == "no rule\n")
    #expect(try seif("backup", "rule").output == "no rule\n")
    for words in [["--every", "5m"], ["--places", "0"], ["--drill", "soon"], ["--none", "--places", "1"]] {
      let refused = try home.seif(list: ["backup", "rule"] + words, passphrase: Canary.vaultPassphrase)
      #expect(refused.exitCode == ExitCode.usage.rawValue, "\(words)")
    }
  }

  @Test func withoutARuleAnOldBackupIsNoFault() throws {
    try create(after: 0)
    let found = try status(after: 900 * 86_400)
    #expect(found.code == .done)
    #expect(found.text.contains("last proven 900 d ago"))
    #expect(found.text.contains("never opened by a person"))
    #expect(found.text.contains("none says how old the last backup may be"))
    #expect(found.root["rule"] == nil && found.root["ruleKept"] == nil)
  }

  @Test func aRuleIsKeptUntilTheIntervalIsOver() throws {
    #expect(try seif("backup", "rule", "--every", "24h", "--places", "1").exitCode == 0)
    try create(after: 0)
    let kept = try status(after: 86_400)
    #expect(kept.code == .done && kept.root["ruleKept"]?.bool == true)
    #expect(kept.text.contains("24h in 1 place, drill 180d: kept"))
    let broken = try status(after: 86_401)
    #expect(broken.code == .checkFailed && broken.root["ruleKept"]?.bool == false)
    #expect(broken.text.contains("0 of 1 place has a proof that new, though the vault hasn't changed"))
    let behind = try status(after: -1)
    #expect(behind.code == .checkFailed && behind.text.contains("the clock stands before a time that is in the ledger"))
    let never = try status(after: 181 * 86_400)
    #expect(never.text.contains("no person has ever opened a backup"))
  }

  @Test func placesAreNamedAsTheirPersonNamedThem() throws {
    #expect(try seif("transport", "add", "folder", "shelf", "--set", "path=\(folder)").exitCode == 0)
    #expect(try seif("backup", "rule", "--places", "2").exitCode == 0)
    try create(after: 0, to: "shelf")
    let one = try status(after: 60)
    #expect(one.code == .checkFailed)
    #expect(one.text.contains("1 of 2 places has a proof that new"))
    #expect(one.text.contains("(shelf)"))
    let backup = try #require(one.root["backups"]?.elements.first { _ in true })
    #expect(backup["destinationName"]?.string == "shelf" && backup["destination"]?.string == folder)
    #expect(backup["keepsRule"]?.bool == true)
    let other = try home.folder("other")
    try create(after: 70, to: other)
    let two = try status(after: 80)
    #expect(two.code == .done, "\(two.text)")
    #expect(two.text.contains("(\(other))"))
  }

  @Test(arguments: ["missing", "altered"])
  func aNewestThatIsLostIsAFaultWithoutARuleToo(state: String) throws {
    try create(after: 0)
    try create(after: 60)
    let newest = try #require(try home.names(in: "backups").last)
    if state == "missing" { unlink("\(folder)/\(newest)") } else { try home.write("else", as: "backups/\(newest)") }
    #expect(try status(after: 70).code == .done)
    let verified = try run(after: 80, "backup", "verify", "--destination", folder)
    #expect(verified.code == .checkFailed, "\(verified.errors)")
    let found = try status(after: 90)
    #expect(found.code == .checkFailed)
    #expect(found.text.contains("\(newest) was proven here and is \(state == "missing" ? "gone" : "altered")"))
    let backup = try #require(found.root["backups"]?.elements.first { _ in true })
    #expect(backup["flag"]?.string == state && backup["flagged"]?.string == newest)
    #expect(backup["name"]?.string != newest)
    // A new one ends it.
    try create(after: 100)
    #expect(try status(after: 110).code == .done)
  }

  @Test func aDrillOfAPersonIsShownByItsAge() throws {
    try create(after: 0)
    let drilled = try home.seif(
      "drill", "--destination", folder, passphrase: Canary.filePassphrase, vaultPassphrase: Canary.vaultPassphrase)
    #expect(drilled.exitCode == 0, "\(drilled.errors)")
    // By a script: no person has shown to know the passphrase.
    let found = try status(after: 900 * 86_400)
    #expect(found.text.contains("never opened by a person"))
    let backup = try #require(found.root["backups"]?.elements.first { _ in true })
    #expect(backup["lastDrilledAt"] == nil)
  }

  @Test func whyNothingWasRemovedIsSaid() throws {
    try create(after: 0)
    try create(after: 31 * 86_400)
    let found = try status(after: 31 * 86_400 + 10)
    #expect(found.code == .done)
    #expect(found.text.contains("the last backup let no old one go: the clock stands more than 30 days after"))
    let backup = try #require(found.root["backups"]?.elements.first { _ in true })
    #expect(backup["retention"]?.string?.contains("30 days") == true)
  }

  @Test func theRuleTravelsInBackupsAndTheStricterOfTwoCounts() throws {
    #expect(try seif("backup", "rule", "--every", "24h", "--places", "3", "--drill", "90d").exitCode == 0)
    try create(after: 0)
    #expect(try seif("backup", "rule", "--none").exitCode == 0)
    #expect(try seif("backup", "rule", "--every", "7d", "--places", "1", "--drill", "none").exitCode == 0)
    let name = try #require(try home.names(in: "backups").first)
    let imported = try home.seif(
      "import", "\(folder)/\(name)", "--from-bin", passphrase: Canary.filePassphrase,
      vaultPassphrase: Canary.vaultPassphrase)
    #expect([0, 1].contains(imported.exitCode), "\(imported.errors)")
    // The person's own comes back from the bin, so it counts again.
    #expect(try seif("backup", "rule").output == "24h in 3 places, drill 90d\n")
  }
}

/// Settings are entries so that backups carry them; to a person they are no logins.
@Suite struct SettingEntryTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func seif(_ words: String...) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: Canary.vaultPassphrase)
  }

  @Test func theyAreNoLoginsInListsCountsAndAudits() throws {
    let before = try (seif("list").output, seif("status", "--json").output, seif("audit", "--json").output)
    let folder = try home.folder("backups")
    #expect(try seif("transport", "add", "folder", "shelf", "--set", "path=\(folder)").exitCode == 0)
    #expect(try seif("backup", "rule", "--every", "24h").exitCode == 0)
    #expect(try seif("list").output == before.0)
    #expect(try seif("list", "--kind", "login", "shelf").output == "")
    func items(_ text: String) throws -> Int64? { try document(text, "seif-status")["items"]?["login"]?.int64 }
    #expect(try items(seif("status", "--json").output) == items(before.1))
    func logins(_ text: String) throws -> Int64? { try document(text, "seif-audit")["logins"]?.int64 }
    #expect(try logins(seif("audit", "--json").output) == logins(before.2))
    // By its tag each is there, and so it is in what leaves the vault.
    #expect(try seif("list", "--tag", "seif-transport").output.contains("shelf"))
    #expect(try seif("list", "--tag", "Seif-Backup-Rule").output.contains("Rule for backups"))
    #expect(try seif("transport", "list").output.contains("shelf"))
    let made = try home.seif(
      "export", "--to", "authbackup", "--yes", "-o", home.file("all.authbackup"), passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.filePassphrase)
    #expect([0, 1].contains(made.exitCode), "\(made.errors)")
    let opened = try home.seif("open", home.file("all.authbackup"), "--json", passphrase: Canary.filePassphrase)
    #expect(opened.output.contains("shelf") && opened.output.contains("Rule for backups"))
    // But for a file that anyone can read.
    let clear = home.file("all-in-clear.json")
    let plain = try home.seif(
      "export", "--to", "json", "--plain", "--yes", "--json", "-o", clear, passphrase: Canary.vaultPassphrase)
    #expect(plain.exitCode == 0, "\(plain.errors)")
    #expect(plain.errors.contains("2 settings of Seif left out"))
    #expect(try document(plain.output, "seif-export")["settingsLeftOut"]?.int64 == 2)
    let text = String(decoding: try home.bytes("all-in-clear.json"), as: UTF8.self)
    #expect(text.contains("GitHub") && !text.contains("shelf") && !text.contains("Rule for backups"))
  }

  @Test func anEmptyVaultWithADestinationIsCalledEmpty() throws {
    let other = home.file("other")
    #expect(
      try home.seif(
        "init", "--vault", other, "--recovery-sheet", home.file("other-sheet-in-clear.txt"), "--unlock-ms", "500",
        newPassphrase: Canary.vaultPassphrase
      ).exitCode == 0)
    #expect(try seif("backup", "rule", "--vault", other, "--every", "24h").exitCode == 0)
    let listed = try seif("list", "--vault", other)
    #expect(listed.output == "" && listed.errors.contains("The vault is empty."))
  }
}
