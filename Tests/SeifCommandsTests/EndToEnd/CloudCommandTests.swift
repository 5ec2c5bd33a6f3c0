import SeifCommandLine
import SeifBytes
import SeifTestSupport
import SeifTransportTesting
import Testing

@testable import SeifCommands

/// `transport add` for Google Drive and Dropbox, with a test in the place of the person and the browser.
@Suite(.serialized) struct CloudCommandTests {
  let home: Home
  let standIn: CloudStandIn

  init() throws {
    home = try Fixture.withVault()
    standIn = try CloudStandIn()
  }

  private func seif(_ words: String..., newPassphrase: String? = nil) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: Canary.vaultPassphrase, newPassphrase: newPassphrase)
  }

  private func addDrive(_ more: String...) throws -> Terminal {
    try home.terminal(
      list: [
        "transport", "add", "google-drive", "drive", "--set", "client-id=seif-tests", "--set", "ca-file=", "--set",
        "api=\(standIn.url)", "--set", "accounts=\(standIn.url)", "--set", "tokens=\(standIn.url)",
      ] + more, passphrase: Canary.vaultPassphrase, secret: CloudStandIn.clientSecret)
  }

  private func addDropbox() throws -> Terminal {
    try home.terminal(
      list: [
        "transport", "add", "dropbox", "box", "--set", "app-key=seif-tests", "--set", "ca-file=", "--set", "folder=",
        "--set", "api=\(standIn.url)", "--set", "content=\(standIn.url)", "--set", "accounts=\(standIn.url)",
      ], passphrase: Canary.vaultPassphrase)
  }

  /// The address that is shown, once its last word stands there.
  private func address(_ terminal: Terminal, last word: String) throws -> String {
    try terminal.expect(word)
    let screen = terminal.screen
    let start = try #require(screen.firstRange(of: standIn.url)).lowerBound
    return String(screen[start...].prefix { !$0.isWhitespace && !$0.isNewline })
  }

  /// Neither what was said nor what was written shows a token.
  private func checkForTokens(_ results: Terminal.Result...) throws {
    let tokens = try standIn.control().tokens + [CloudStandIn.clientSecret]
    #expect(tokens.count > 1)
    for token in tokens {
      for result in results { #expect(!(result.output + result.errors + result.screen).contains(token)) }
      #expect(try home.run("grep", "-rlF", token, ".").exitCode == 1)
    }
  }

  private func backup(to name: String) throws -> Terminal.Result {
    try seif("backup", "create", "--destination", name, newPassphrase: Canary.filePassphrase)
  }

  @Test func driveIsAllowedInABrowserThatComesBack() throws {
    let terminal = try addDrive()
    let page = try CloudStandIn.browse(address(terminal, last: "prompt=consent"))
    #expect(page.status == 200)
    #expect(page.body == "Seif has the answer. This window can be closed.\n")
    let added = try home.check(terminal.finish())
    #expect(added.exitCode == 0, "\(added.screen)")
    #expect(added.screen.contains("Backups can go to drive."))
    // Found out by looking, not refused by the place: names get random digits.
    let made = try backup(to: "drive")
    #expect(made.exitCode == 0, "\(made.errors)")
    let listed = try seif("backup", "list", "--destination", "drive", "--json")
    let rows = try #require(document(listed.output, "seif-backup-list")["backups"]).elements
    #expect(rows.map { $0["state"]?.string } == ["proven"])
    #expect(rows.map { $0["name"]?.string?.split(separator: "-").count } == [5])
    let place = try document(seif("transport", "list", "--json").output, "seif-transport-list")["transports"]
    #expect(place?.elements.map { $0["place"]?.string } == ["Google Drive of seif-tests@example.com"])
    try checkForTokens(added, made, listed)
  }

  @Test func driveIsAllowedOnAnotherMachine() throws {
    try standIn.control(#"{"set":{"device":["authorization_pending","allow"]}}"#)
    let terminal = try addDrive("--device")
    try terminal.expect("https://www.google.example/device")
    try terminal.expect("GQVQ-JKEC")
    try terminal.expect("Waiting for that, up to 30 minutes; ctrl-C ends it.")
    let added = try home.check(terminal.finish())
    #expect(added.exitCode == 0, "\(added.screen)")
    try checkForTokens(added)
  }

  @Test func whatIsNotAllowedIsNotKept() throws {
    try standIn.control(#"{"set":{"deny":true}}"#)
    let terminal = try addDrive()
    #expect(try CloudStandIn.browse(address(terminal, last: "prompt=consent")).body.hasPrefix("It wasn't allowed"))
    let refused = try home.check(terminal.finish())
    #expect(refused.exitCode == ExitCode.refused.rawValue)
    #expect(refused.screen.contains("access_denied") && !refused.screen.contains("stays valid"))
    let listed = try document(seif("transport", "list", "--json").output, "seif-transport-list")
    #expect(listed["transports"].map { Array($0.elements).isEmpty } == true)
  }

  @Test func dropboxIsAllowedByACodeThatIsTyped() throws {
    let terminal = try addDropbox()
    let code = try CloudStandIn.browse(address(terminal, last: "token_access_type=offline")).body
    try terminal.expect("The code that it shows then")
    try terminal.expect(echo: false)
    terminal.type(code + "\n")
    let added = try home.check(terminal.finish())
    #expect(added.exitCode == 0, "\(added.screen)")
    let made = try backup(to: "box")
    #expect(made.exitCode == 0, "\(made.errors)")
    let listed = try seif("backup", "list", "--destination", "box", "--json")
    let rows = try #require(document(listed.output, "seif-backup-list")["backups"]).elements
    #expect(rows.map { $0["state"]?.string } == ["proven"])
    #expect(!added.screen.contains(code))
    try checkForTokens(added, made, listed)
  }

  @Test func aPermissionThatIsReplacedEachTimeIsKept() throws {
    try standIn.control(#"{"set":{"rotate":true}}"#)
    let terminal = try addDrive()
    _ = try CloudStandIn.browse(address(terminal, last: "prompt=consent"))
    #expect(try home.check(terminal.finish()).exitCode == 0)
    for _ in 0..<3 {
      let made = try backup(to: "drive")
      #expect(made.exitCode == 0, "\(made.errors)")
    }
    // Those that only look keep it too.
    let looks = [["backup", "inspect"], ["backup", "list"], ["backup", "verify"]]
    for words in looks {
      let looked = try home.seif(list: words + ["--destination", "drive"], passphrase: Canary.vaultPassphrase)
      #expect(looked.exitCode == 0, "\(words): \(looked.errors)")
    }
    let planned = try home.seif(
      "backup", "restore", "--destination", "drive", "--dry-run", passphrase: Canary.filePassphrase,
      vaultPassphrase: Canary.vaultPassphrase)
    #expect([0, 1].contains(planned.exitCode), "\(planned.errors)")
    #expect(try backup(to: "drive").exitCode == 0)
  }

  @Test(arguments: [#"{"set":{"about":"nobody"}}"#, #"{"set":{"hash":"wrong"}}"#])
  func whatWasAllowedAndIsNotKeptIsTakenBack(change: String) throws {
    try standIn.control(change)
    let terminal = try addDrive()
    _ = try CloudStandIn.browse(address(terminal, last: "prompt=consent"))
    let failed = try home.check(terminal.finish())
    #expect(failed.exitCode == ExitCode.protocolBroken.rawValue, "\(failed.screen)")
    #expect(failed.screen.contains("was taken back at Google Drive"), "\(failed.screen)")
    #expect(try standIn.control().tokens.isEmpty)
  }

  @Test func aRemovedDestinationsPermissionIsTakenBack() throws {
    for keeps in [false, true] {
      let terminal = try addDropbox()
      let code = try CloudStandIn.browse(address(terminal, last: "token_access_type=offline")).body
      try terminal.expect("The code that it shows then")
      try terminal.expect(echo: false)
      terminal.type(code + "\n")
      #expect(try home.check(terminal.finish()).exitCode == 0)
      let removed =
        try keeps ? seif("transport", "remove", "box", "--keep-permission") : seif("transport", "remove", "box")
      #expect(removed.exitCode == 0, "\(removed.errors)")
      #expect(removed.errors.contains("was taken back at Dropbox") == !keeps, "\(removed.errors)")
      #expect(try standIn.control().tokens.isEmpty == !keeps)
    }
  }

  @Test func whatCouldntBeTakenBackIsSaid() throws {
    let terminal = try addDrive()
    _ = try CloudStandIn.browse(address(terminal, last: "prompt=consent"))
    #expect(try home.check(terminal.finish()).exitCode == 0)
    try standIn.control(#"{"script":[{"match":"POST /revoke","status":503,"times":9}]}"#)
    let removed = try seif("transport", "remove", "drive")
    #expect(removed.exitCode == 0 && removed.errors.contains("may stay valid at Google Drive"), "\(removed.errors)")
  }

  @Test func dropboxWithoutATerminalIsRefusedBeforeAnAddressIsShownOrTakesACodeFromADescriptor() throws {
    let words = [
      "transport", "add", "dropbox", "box", "--set", "app-key=seif-tests", "--set", "api=\(standIn.url)", "--set",
      "content=\(standIn.url)", "--set", "accounts=\(standIn.url)",
    ]
    let refused = try home.seif(list: words, passphrase: Canary.vaultPassphrase)
    #expect(refused.exitCode == 77 && refused.errors.contains("--code-fd"), "\(refused.errors)")
    #expect(!refused.errors.contains(standIn.url))
    // A program that can't be the person's types something else.
    let wrong = try home.seif(
      list: words + ["--code-fd", "0"], passphrase: Canary.vaultPassphrase, input: "not-a-code\n")
    #expect(wrong.exitCode == 77 && wrong.errors.contains("\(standIn.url)/oauth2/authorize"), "\(wrong.errors)")
    let folder = try home.folder("backups")
    #expect(try seif("transport", "add", "folder", "x", "--set", "path=\(folder)", "--code-fd", "0").exitCode == 64)
  }

  @Test(arguments: [#"{"set":{"about":"nobody"}}"#, #"{"set":{"hash":"wrong"}}"#])
  func whatWasAllowedAndIsNotKeptIsSaidToStayValid(change: String) throws {
    try standIn.control(change)
    try standIn.control(#"{"script":[{"match":"POST /revoke","status":503,"times":9}]}"#)
    let terminal = try addDrive()
    _ = try CloudStandIn.browse(address(terminal, last: "prompt=consent"))
    let failed = try home.check(terminal.finish())
    #expect(failed.exitCode == ExitCode.protocolBroken.rawValue, "\(failed.screen)")
    #expect(failed.screen.contains("stays valid at Google Drive"), "\(failed.screen)")
    #expect(!(try seif("transport", "list").output.contains("drive")))
  }

  @Test func anAccountWithoutAnAddressHasItsIdentifier() throws {
    try standIn.control(#"{"set":{"about":"anonymous"}}"#)
    let terminal = try addDrive()
    _ = try CloudStandIn.browse(address(terminal, last: "prompt=consent"))
    #expect(try home.check(terminal.finish()).exitCode == 0)
    #expect(try seif("transport", "list").output.contains("Google Drive of 0123456789"))
  }

  @Test func twoFilesOfOneNameAreNoBackup() throws {
    let terminal = try addDrive()
    _ = try CloudStandIn.browse(address(terminal, last: "prompt=consent"))
    #expect(try home.check(terminal.finish()).exitCode == 0)
    try standIn.control(#"{"set":{"twice":true}}"#)
    let made = try backup(to: "drive")
    #expect(made.exitCode == ExitCode.protocolBroken.rawValue, "\(made.errors)")
    #expect(made.errors.contains("stands for several files"))
  }

  @Test func onlyWhatIsAllowedByABrowserHasAnotherMachine() throws {
    let folder = try home.folder("backups")
    let added = try seif("transport", "add", "folder", "shelf", "--set", "path=\(folder)", "--device")
    #expect(added.exitCode == ExitCode.usage.rawValue)
    #expect(added.errors.contains("--device means nothing there"))
  }
}
