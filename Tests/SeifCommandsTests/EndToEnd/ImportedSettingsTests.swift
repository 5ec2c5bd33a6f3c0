import SeifCommandLine
import SeifBackups
import SeifBytes
import SeifRecords
import Testing

@testable import SeifCommands

/// What a file can do to the settings of a vault.
@Suite struct ImportedSettingsTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func seif(_ words: String...) throws -> Terminal.Result {
    try home.seif(
      list: words, passphrase: Canary.vaultPassphrase,
      newPassphrase: words.first == "backup" && words.dropFirst().first == "create" ? Canary.filePassphrase : nil)
  }

  /// Imports a login of neutral records.
  @discardableResult
  private func plant(_ title: String, tags: [String], fields: [(String, String)] = []) throws -> Terminal.Result {
    let tags = tags.map { "\"\($0)\"" }.joined(separator: ",")
    let fields = fields.map { #"{"name":"\#($0.0)","value":"\#($0.1)","isSecret":false}"# }.joined(separator: ",")
    let path = try home.write(
      """
      {"schema":"seif-records","version":1,"source":{"format":"test"},"accounts":[],"passwords":[
      {"title":"\(title)","username":"","password":"","urls":[],"tags":[\(tags)],"customFields":[\(fields)]}],
      "cards":[],"notes":[],"problems":[],"lost":[]}
      """, as: "planted-in-clear.json")
    let imported = try home.seif("import", path, vaultPassphrase: Canary.vaultPassphrase)
    #expect(imported.exitCode == 0, "\(imported.errors)")
    return imported
  }

  private func rule() throws -> String { try seif("backup", "rule").output }

  @Test(arguments: [false, true])
  func noRuleOfAFileTakesADestinationWithIt(hasField: Bool) throws {
    let folder = try home.folder("backups")
    #expect(try seif("transport", "add", "folder", "shelf", "--set", "path=\(folder)").exitCode == 0)
    try plant("shelf", tags: ["seif-backup-rule"], fields: hasField ? [("seif-backup-rule", "7d in 1 place")] : [])
    for words in [["--every", "24h"], ["--none"]] {
      let set = try home.seif(list: ["backup", "rule"] + words, passphrase: Canary.vaultPassphrase)
      #expect(set.exitCode == 0, "\(set.errors)")
    }
    #expect(try seif("transport", "list").output.contains("shelf"))
    let made = try seif("backup", "create", "--destination", "shelf")
    #expect(made.exitCode == 0, "\(made.errors)")
  }

  @Test(arguments: ["seif-transport", "seif-transport-imported", "seif-backup-rule", "seif-backup-rule-imported"])
  func noFileHidesALogin(tag: String) throws {
    try plant("Forum", tags: ["talk"])
    try plant("Forum", tags: [tag])
    try plant("Market", tags: [tag])
    let listed = try seif("list", "--kind", "login").output
    #expect(listed.contains("Forum") && listed.contains("Market"))
    // Nor does one with the field of a setting take the place of the login.
    try plant("Forum", tags: [tag], fields: [("seif-transport", "folder"), ("seif-backup-rule", "7d in 1 place")])
    #expect(try seif("list", "--kind", "login").output.contains("Forum"))
  }

  @Test func aDestinationTakesNothingFromAFile() throws {
    let folder = try home.folder("backups")
    #expect(try seif("transport", "add", "folder", "shelf", "--set", "path=\(folder)").exitCode == 0)
    try plant("shelf", tags: ["seif-transport"], fields: [("seif-transport", "folder"), ("path", "/elsewhere")])
    let listed = try document(seif("transport", "list", "--json").output, "seif-transport-list")["transports"]
    #expect(listed?.elements.map { $0["place"]?.string } == [folder])
    #expect(try seif("backup", "create", "--destination", "shelf").exitCode == 0)
  }

  @Test func aRuleOfAFileCountsWhenItsPersonHasLookedAtIt() throws {
    #expect(try seif("backup", "rule", "--every", "7d", "--places", "1").exitCode == 0)
    for _ in 0..<2 {
      try plant("Planted", tags: ["seif-backup-rule"], fields: [("seif-backup-rule", "3650d in 2 places, no drill")])
    }
    let shown = try seif("backup", "rule")
    #expect(shown.exitCode == 0 && shown.output == "7d in 1 place, drill 180d\n")
    #expect(shown.errors.contains("a rule came with a file, and doesn't count: 3650d in 2 places, no drill"))
    let status = try seif("status", "--json")
    #expect(try document(status.output, "seif-status")["ruleImported"]?.bool == true)
    #expect(try seif("status").output.contains("one came with a file and doesn't count until you look at it"))
    // It loosens nothing.
    #expect(try seif("backup", "rule", "--imported").output == "7d in 2 places, drill 180d\n")
    #expect(try seif("backup", "rule").errors.contains("came with a file") == false)
    let none = try seif("backup", "rule", "--imported")
    #expect(none.exitCode == ExitCode.badInput.rawValue && none.errors.contains("no rule came with a file"))
    #expect(try seif("backup", "rule", "--imported", "--none").exitCode == ExitCode.usage.rawValue)
  }

  @Test func whatAPersonSetsTakesThePlaceOfARuleOfAFile() throws {
    try plant("Planted", tags: ["seif-backup-rule"], fields: [("seif-backup-rule", "3650d in 1 place, no drill")])
    #expect(try rule() == "no rule\n")
    #expect(try seif("backup", "rule", "--places", "3").output == "24h in 3 places, drill 180d\n")
    let shown = try seif("backup", "rule")
    #expect(shown.output == "24h in 3 places, drill 180d\n" && !shown.errors.contains("came with a file"))
  }

  @Test func besideARuleThatCantBeReadNothingIsFilledIn() throws {
    try plant("Newer", tags: ["seif-backup-rule"], fields: [("seif-backup-rule", "when the moon is full")])
    // Not while it counts for nothing.
    #expect(try seif("backup", "rule").errors.contains("can't be read by this Seif"))
    #expect(try seif("status", "--json").exitCode == 0)
    #expect(try seif("edit", "Newer", "--tag", "seif-backup-rule").exitCode == 0)
    let shown = try seif("backup", "rule", "--json")
    #expect(shown.exitCode == ExitCode.checkFailed.rawValue)
    #expect(try document(shown.output, "seif-backup-rule")["readable"]?.bool == false)
    #expect(try seif("status").exitCode == ExitCode.checkFailed.rawValue)
    let part = try seif("backup", "rule", "--every", "24h")
    #expect(part.exitCode == ExitCode.badInput.rawValue && part.errors.contains("--every, --places and --drill"))
    #expect(try seif("backup", "rule", "--every", "24h", "--places", "2", "--drill", "90d").exitCode == 0)
    #expect(try rule() == "24h in 2 places, drill 90d\n")
  }

  @Test func ofSeveralRulesTheStrictestThatCanBeReadIsWhereAChangeStarts() {
    func login(_ text: String) -> Password {
      var login = Password(password: .empty)
      login.info.customFields = [CustomField(name: "seif-backup-rule", value: SecretValue(utf8: text))]
      return login
    }
    let found = BackupRuleItem.rule(in: [login("7d in 3 places"), login("soon"), login("24h in 1 place, no drill")])
    #expect(found == .unreadable(beside: .init("24h in 3 places, drill 180d")))
    #expect(BackupRuleItem.rule(in: [login("soon")]) == .unreadable(beside: nil))
  }

  @Test func aDestinationIsNoRuleWhateverItsTagsAre() {
    var login = Password(password: .empty)
    login.info.tags = ["seif-transport", "seif-backup-rule"]
    #expect(!BackupRuleItem.isRule(login))
    login.info.customFields = [CustomField(name: "seif-backup-rule", value: SecretValue(utf8: "7d in 1 place"))]
    #expect(BackupRuleItem.isRule(login))
    login.info.customFields.append(CustomField(name: "seif-transport", value: SecretValue(utf8: "folder")))
    #expect(!BackupRuleItem.isRule(login))
  }
}
