import SeifCommandLine
import FoundationEssentials
import SeifBackups
import SeifBytes
import SeifRecords
import SeifTestSupport
import SeifTransports
import Testing

@testable import SeifCommands

/// `transport add`, `list`, `test` and `remove`, and backups at a destination by its name.
@Suite struct TransportCommandTests {
  let home: Home
  let folder: String

  init() throws {
    home = try Fixture.withVault()
    folder = try home.folder("backups")
  }

  private func seif(_ words: String..., newPassphrase: String? = nil) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: Canary.vaultPassphrase, newPassphrase: newPassphrase)
  }

  private func add(_ name: String = "shelf") throws -> Terminal.Result {
    try seif("transport", "add", "folder", name, "--set", "path=\(folder)", "--json")
  }

  @Test func aDestinationIsTriedOutAndKept() throws {
    let added = try add()
    #expect(added.exitCode == 0, "\(added.errors)")
    let root = try document(added.output, "seif-transport-add")
    #expect(root["refusesOverwriting"]?.bool == true)
    #expect(root["rules"].map { Array($0.elements).count } == TransportConformance.checks(.short).count)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)

    let listed = try document(seif("transport", "list", "--json").output, "seif-transport-list")
    let row = try #require(listed["transports"]?.elements.first { _ in true })
    #expect(row["name"]?.string == "shelf")
    #expect(row["kind"]?.string == "folder")
    #expect(row["place"]?.string == folder)
  }

  @Test func backupsGoToItByItsNameAndAreTheSameByItsPath() throws {
    #expect(try add().exitCode == 0)
    let made = try seif("backup", "create", "--destination", "shelf", newPassphrase: Canary.filePassphrase)
    #expect(made.exitCode == 0, "\(made.errors)")
    let byName = try seif("backup", "list", "--destination", "shelf", "--json").output
    let byPath = try seif("backup", "list", "--destination", folder, "--json").output
    #expect(byName == byPath)
    let backups = try #require(document(byName, "seif-backup-list")["backups"])
    #expect(backups.elements.map { $0["state"]?.string } == ["proven"])
  }

  @Test func whatTheVaultKnowsGoesBeforeAFolderOfThatName() throws {
    #expect(try add().exitCode == 0)
    _ = try home.folder("shelf")
    let made = try seif("backup", "create", "--destination", "shelf", newPassphrase: Canary.filePassphrase)
    #expect(made.exitCode == 0, "\(made.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.file("shelf")).isEmpty)
  }

  @Test func aPlaceThatCantBeUsedIsntKept() throws {
    let added = try seif("transport", "add", "folder", "lost", "--set", "path=\(home.file("nowhere"))")
    #expect(added.exitCode == ExitCode.notFound.rawValue)
    #expect(added.errors.contains("lost can't be used"))
    let listed = try document(seif("transport", "list", "--json").output, "seif-transport-list")
    #expect(listed["transports"].map { Array($0.elements).isEmpty } == true)
  }

  @Test func testingSaysWhichRulesHold() throws {
    #expect(try add().exitCode == 0)
    for name in ["shelf", folder] {
      let tested = try seif("transport", "test", name, "--json")
      #expect(tested.exitCode == 0, "\(tested.errors)")
      let rules = try #require(document(tested.output, "seif-transport-test")["rules"])
      let holds = rules.elements.map { $0["holds"]?.bool }
      #expect(holds.count > 5 && holds.allSatisfy { $0 == true })
    }
  }

  @Test func eachRuleIsSaidOnce() throws {
    #expect(try add().exitCode == 0)
    for name in ["shelf", folder] {
      let tested = try seif("transport", "test", name)
      let lines = (tested.output + tested.errors).split(separator: "\n")
      for check in TransportConformance.checks(.short) {
        #expect(lines.count { $0.contains(check.rule) } == 1, "\(check.rule)")
      }
    }
  }

  @Test func aSingleFileIsNoPlaceForATrial() throws {
    let tested = try seif("transport", "test", "file:" + folder + "/single.authbackup")
    #expect(tested.exitCode == ExitCode.usage.rawValue)
    #expect(tested.errors.contains("holds a single file"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
  }

  @Test func aNameThatIsNearlyOneIsGuessed() throws {
    #expect(try add().exitCode == 0)
    for words in [
      ["backup", "list", "--destination", "shlef"], ["transport", "test", "shlef"], ["transport", "remove", "shlef"],
    ] {
      let result = try home.seif(list: words, passphrase: Canary.vaultPassphrase)
      #expect(result.exitCode == ExitCode.notFound.rawValue)
      #expect(result.errors.contains("Did you mean shelf?"), "\(result.errors)")
    }
  }

  @Test func aPersonIsAskedForWhatMayBeLeftOutAndOnceMoreForWhatCantBeUsed() throws {
    let script = TestData.packageRoot.path + "/Examples/transports/folder.sh"
    let terminal = try home.terminal("transport", "add", "external", "shelf", passphrase: Canary.vaultPassphrase)
    func answer(_ question: String, _ text: String) throws {
      try terminal.expect(question)
      terminal.type(text + "\n")
    }
    try answer("Which program (its whole path): ", "folder.sh")
    try terminal.expect("That can't be used: program isn't a whole path.")
    try answer("Which program (its whole path): ", script)
    try answer("What is it given first (empty: nothing): ", folder)
    try answer("[300]: ", "soon")
    try terminal.expect("That can't be used: timeout isn't a number")
    try answer("[300]: ", "20")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0, "\(result.screen)")
    #expect(result.screen.contains("Backups can go to shelf."))
  }

  @Test func whatWasntTriedOutIsSaidToBeKeptAlone() throws {
    let added = try seif("transport", "add", "folder", "lost", "--set", "path=\(home.file("nowhere"))", "--untested")
    #expect(added.exitCode == 0, "\(added.errors)")
    #expect(added.errors.contains("lost is kept, and wasn't tried out."))
  }

  @Test func aForgottenDestinationLeavesItsBackups() throws {
    #expect(try add().exitCode == 0)
    #expect(
      try seif("backup", "create", "--destination", "shelf", newPassphrase: Canary.filePassphrase).exitCode == 0)
    #expect(try seif("transport", "remove", "shelf").exitCode == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    let gone = try seif("backup", "list", "--destination", "shelf")
    #expect(gone.exitCode == ExitCode.notFound.rawValue)
    #expect(gone.errors.contains("the vault knows no destination shelf"))
  }

  @Test func wrongUseIsSaid() throws {
    func refused(_ words: String...) throws -> String {
      let result = try home.seif(list: ["transport", "add"] + words, passphrase: Canary.vaultPassphrase)
      #expect(result.exitCode == ExitCode.usage.rawValue, "\(words): \(result.errors)")
      return result.errors
    }
    #expect(try refused("floder", "x", "--set", "path=/tmp").contains("Did you mean folder?"))
    #expect(try refused("folder", "x", "--set", "paht=/tmp").contains("folder has no setting paht"))
    #expect(try refused("folder", "a/b", "--set", "path=/tmp").contains("NAME has up to 64 letters"))
    #expect(try refused("folder", "-x").contains("-x"))
    #expect(try refused("folder", "x", "--set", "path").contains("FIELD=VALUE"))
    #expect(try refused("folder", "x").contains("--set path=VALUE"))
    #expect(try add().exitCode == 0)
    #expect(try add().exitCode == ExitCode.cannotCreate.rawValue)
  }

  @Test func seifBecomesTheProgramWithTheNetworkOnlyForWhatMayNeedIt() {
    for words in [
      ["transport", "list"], ["backup", "create", "--destination", "nas"], ["backup", "list", "--destination=nas"],
      ["backup", "create", "--json", "--destination", "nas"], ["login", "https://a.example"], ["logout"],
      ["docs", "ls", "--docs", "https://a.example"], ["docs", "ls", "--docs=http://localhost:8420"],
    ] { #expect(NetworkProgram.mayNeed(words), "\(words)") }
    for words in [
      ["code", "transport"], ["backup", "create", "--destination", "/mnt/disk"], ["backup", "list"],
      ["backup", "list", "--destination", "./nas"], ["backup", "list", "--destination=file:nas"],
      ["transport", "add", "--help"], ["run", "--", "transport"], [], ["docs", "ls"],
      ["docs", "ls", "--docs", "https"],
    ] { #expect(!NetworkProgram.mayNeed(words), "\(words)") }
    #expect(NetworkProgram.mayNeed(["docs", "ls"], docs: "https://a.example"))
    #expect(!NetworkProgram.mayNeed(["docs", "ls"], docs: "/home/a"))
  }
}

/// `seif-net` beside `seif`.
@Suite struct NetworkProgramTests {
  @Test func onlyItLoadsTheLibraryOfTheNetwork() throws {
    func libraries(_ program: String) throws -> String {
      try Terminal([program], program: "/usr/bin/ldd", hasTerminal: false).finish().output
    }
    #expect(try !libraries(Home.program).contains("libcurl"))
    #expect(try libraries(Home.program + "-net").contains("libcurl"))
    // Nor is it named in it, to be loaded later.
    let bytes = try Data(contentsOf: URL(filePath: Home.program))
    #expect(Array(bytes).firstRange(of: Array("libcurl".utf8)) == nil)
  }

  @Test func itSpeaksToTheAgentOfTheSeifBesideIt() throws {
    let home = try AgentHome()
    let agent = try home.unlock()
    let listed = try home.seif("transport", "list", "--json")
    #expect(listed.exitCode == 0, "\(listed.errors)")
    #expect(!listed.errors.contains("another Seif"))
    #expect(try home.process() == agent)
    #expect(try home.openCount() == 1)
  }
}

/// Destinations that come with a file.
@Suite struct ImportedDestinationTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func seif(_ words: String...) throws -> Terminal.Result {
    try home.seif(
      list: words, passphrase: Canary.vaultPassphrase,
      newPassphrase: words.first == "backup" ? Canary.filePassphrase : nil)
  }

  /// Neutral records that plant one.
  private func plant(_ fields: String) throws -> String {
    try home.write(
      """
      {"schema":"seif-records","version":1,"source":{"format":"test"},"accounts":[],"passwords":[
      {"title":"shelf","username":"","password":"","urls":[],"tags":["seif-transport"],"customFields":[
      {"name":"seif-transport","value":"external","isSecret":false},\(fields)]}],
      "cards":[],"notes":[],"problems":[],"lost":[]}
      """, as: "planted-in-clear.json")
  }

  private func program() throws -> String {
    let path = try home.write("#!/bin/sh\ntouch \(home.file("ran"))\nexit 1\n", as: "planted.sh")
    ExecutableFile.settle(path)
    return path
  }

  @Test func itIsNeitherUsedNorRunUntilAPersonHasLookedAtIt() throws {
    let fields = "{\"name\":\"program\",\"value\":\"\(try program())\",\"isSecret\":false}"
    #expect(
      try home.seif(
        "import", plant(fields), vaultPassphrase: Canary.vaultPassphrase
      ).exitCode == 0)
    let made = try seif("backup", "create", "--destination", "shelf")
    #expect(made.exitCode == ExitCode.badInput.rawValue, "\(made.errors)")
    #expect(made.errors.contains("isn't used until you have looked at it"))
    let tested = try seif("transport", "test", "shelf")
    #expect(tested.exitCode == ExitCode.usage.rawValue, "\(tested.errors)")
    #expect(tested.errors.contains("planted.sh"))
    #expect(!home.exists("ran"))
    let listed = try document(seif("transport", "list", "--json").output, "seif-transport-list")
    #expect(listed["transports"]?.elements.map { $0["imported"]?.bool } == [true])
    // With the person's word it is tried.
    #expect(try seif("transport", "test", "shelf", "--yes").exitCode != 0)
    #expect(home.exists("ran"))
  }

  @Test func itChangesNoneThatIsThere() throws {
    let script = TestData.packageRoot.path + "/Examples/transports/folder.sh"
    let added = try seif(
      "transport", "add", "external", "shelf", "--set", "program=\(script)", "--set",
      "argument=\(try home.folder("backups"))")
    #expect(added.exitCode == 0, "\(added.errors)")
    let fields = "{\"name\":\"program\",\"value\":\"\(try program())\",\"isSecret\":false}"
    _ = try home.seif("import", plant(fields), vaultPassphrase: Canary.vaultPassphrase)
    _ = try seif("backup", "create", "--destination", "shelf")
    #expect(!home.exists("ran"))
  }

  @Test func thePlaceInTheLedgerIsKeptBesideTheSettingsAndIsNone() {
    let settings = TransportSettings(name: "nas", kind: "webdav", values: ["url": "https://nas.example/"])
    let fields = [TransportField("url", "?")]
    var login = TransportItem.entry(settings, fields: fields, place: "webdav:a", now: Timestamp(seconds: 0))
    #expect(TransportItem.place(login) == "webdav:a")
    #expect(TransportItem.settings(login)?.values == ["url": "https://nas.example/"])
    login = TransportItem.noting(true, place: "webdav:b", in: login)
    #expect(TransportItem.place(login) == "webdav:b")
    #expect(TransportItem.settings(login)?.createsConditionally == true)
    #expect(TransportItem.noting(true, place: "webdav:b", in: login) == login)
  }

  @Test func aSettingThatStandsTwiceIsNone() {
    let fields = [TransportField("url", "?"), TransportField("user", "?", preset: ""), TransportField("ca-file", "?")]
    let settings = TransportSettings(
      name: "nas", kind: "webdav", values: ["url": "https://nas.example/", "ca-file": ""])
    let login = TransportItem.entry(settings, fields: fields, now: Timestamp(seconds: 0))
    #expect(TransportItem.settings(login)?.values["url"] == "https://nas.example/")
    for name in ["url", "user", "password", "ca-file", "seif-transport", "refuses-overwriting"] {
      var merged = login
      merged.info.customFields.append(
        CustomField(name: name, value: SecretValue(utf8: "x"), isSecret: name == "password"))
      #expect(TransportItem.settings(merged) == nil, "\(name)")
    }
  }
}
