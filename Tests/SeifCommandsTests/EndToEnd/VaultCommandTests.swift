import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// The commands of the vault, each on a copy of one vault.
@Suite struct VaultCommandTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func run(
    _ words: String..., secret: String? = nil, input: String = "", reveals: Bool = false
  ) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: Canary.vaultPassphrase, secret: secret, input: input, reveals: reveals)
  }

  private func names(_ words: String...) throws -> [String] {
    let result = try home.seif(list: ["list", "--json"] + words, passphrase: Canary.vaultPassphrase)
    #expect(result.exitCode == 0, "\(result.errors)")
    return try document(result.output, "seif-list")["entries"]?.elements.map { $0["name"]?.string ?? "" } ?? []
  }

  // MARK: - list

  @Test func listShowsNamesAndNoSecret() throws {
    let result = try run("list")
    #expect(result.exitCode == 0)
    #expect(
      result.output == """
        code   GitHub            ana@example.com  work        ★
        code   GitLab            ana
        code   Acme              user             work, bank
        code   Steam             steamy
        login  Example Forge     ana                          ★
        card   Everyday plastic  ANA EXAMPLE
        note   Keys

        """)
  }

  @Test func listFiltersAndSorts() throws {
    #expect(try names("--kind", "code") == ["GitHub", "GitLab", "Acme", "Steam"])
    #expect(try names("--kind", "login") == ["Example Forge"])
    #expect(try names("--tag", "work") == ["GitHub", "Acme"])
    #expect(try names("--tag", "WORK", "--tag", "bank") == ["Acme"])
    #expect(try names("--favorite") == ["GitHub", "Example Forge"])
    #expect(try names("git") == ["GitHub", "GitLab"])
    #expect(try names("--kind", "code", "--sort", "name") == ["Acme", "GitHub", "GitLab", "Steam"])
    #expect(try names("--kind", "code", "--sort", "account") == ["GitLab", "GitHub", "Steam", "Acme"])
    #expect(try names("--kind", "code", "--sort", "created").suffix(2) == ["GitLab", "GitHub"])
    let none = try run("list", "nothing like it")
    #expect(none.exitCode == 0)
    #expect(none.output == "")
    #expect(none.errors == "Nothing in the vault fits.\n")
    #expect(try run("list", "--kind", "cods").exitCode == 64)
  }

  @Test func theOrderIsTheSameInEveryLocale() throws {
    let outputs = try ["C", "C.UTF-8", "tr_TR.UTF-8", "ar_EG.UTF-8"].map { language in
      try home.seif(
        "list", "--sort", "name", passphrase: Canary.vaultPassphrase,
        environment: ["LANG": language, "LC_ALL": language]
      ).output
    }
    #expect(Set(outputs).count == 1)
    // In Turkish a capital I isn't the capital of i: a search must not depend on it.
    let found = try home.seif(
      "list", "GITHUB", passphrase: Canary.vaultPassphrase, environment: ["LANG": "tr_TR.UTF-8"])
    #expect(found.output.contains("GitHub"))
  }

  // MARK: - show

  @Test func showMasksUntilAsked() throws {
    let masked = try run("show", "Example Forge")
    #expect(masked.exitCode == 0)
    #expect(masked.output.contains("password: ••••••\n"))
    #expect(masked.output.contains("address: https://forge.example.org\n"))
    let shown = try run("show", "Example Forge", "--reveal", reveals: true)
    #expect(shown.output.contains("password: \(Canary.password)\n"))
    let json = try document(try run("show", "Example Forge", "--json").output, "seif-records")
    #expect(json["passwords"]?.elements.map { $0["password"] == nil } == [true])
    let revealed = try run("show", "Everyday", "--json", "--reveal", reveals: true)
    #expect(try document(revealed.output, "seif-records")["cards"]?.elements.map { $0["cvc"]?.string } == ["123"])
    #expect(try run("show", "nobody").exitCode == 66)
  }

  // MARK: - code

  @Test func codeInAPipeIsTheCodeAndALineEnd() throws {
    let result = try run("code", "GitHub", "--at", Fixture.moment)
    #expect(result.exitCode == 0)
    #expect(result.output == "756364\n")
    #expect(result.errors == "")
    #expect(try run("code", "GitHub", "--at", Fixture.moment, "--next").output == "777229\n")
    #expect(try run("code", "Steam", "--at", Fixture.moment).output == "D7WCT\n")
    let json = try document(try run("code", "GitHub", "--json", "--at", Fixture.moment).output, "seif-code")
    #expect(json["code"]?.string == "756364")
    #expect(json["secondsLeft"]?.int64 == 15)
  }

  @Test func codeOnATerminalHasGroupsAndTheSecondsLeft() throws {
    let terminal = try home.terminal("code", "gitlab", "--at", Fixture.moment, environment: ["NO_COLOR": "1"])
    try terminal.expect("Passphrase for the vault: ")
    terminal.type(Canary.vaultPassphrase + "\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    #expect(result.screen.hasSuffix("\r\nGitLab, ana\r\n38 081 842   45 s left\r\n"), "\(result.screen)")
  }

  @Test func codesForAScriptWithThePassphraseTypedByAPerson() throws {
    let terminal = try home.terminal("code", "GitHub", "--at", Fixture.moment, output: .pipe)
    try terminal.expect("Passphrase for the vault: ")
    terminal.type(Canary.vaultPassphrase + "\n")
    let result = try home.check(terminal.finish())
    #expect(result.output == "756364\n")
    #expect(!result.screen.contains("756"))
  }

  @Test func codesForAScriptWithThePassphraseFromAPipe() throws {
    let shell = "printf '%s\\n' \"$1\" | \"$0\" code --passphrase-fd 0 GitHub --at \(Fixture.moment) | cat"
    let result = try home.run("sh", "-c", shell, Home.program, Canary.vaultPassphrase)
    #expect(result.output == "756364\n")
    #expect(result.errors == "")
    let unasked = "printf '%s\\n' \"$1\" | { \"$0\" code GitHub; echo \"code $?\" >&2; } | cat"
    let refused = try home.run("sh", "-c", unasked, Home.program, Canary.vaultPassphrase)
    #expect(refused.output == "")
    #expect(refused.errors.hasPrefix("seif: a passphrase is needed"))
    #expect(refused.errors.hasSuffix("code 77\n"))
  }

  @Test func aQueryThatFitsSeveralLists66AndAPersonChooses() throws {
    let result = try run("code", "git")
    #expect(result.exitCode == 66)
    #expect(result.output == "")
    let lines = result.errors.split(separator: "\n")
    #expect(lines.first == "seif: \"git\" fits 2 items. Say which:")
    #expect(lines.dropFirst() == ["  code  GitHub  ana@example.com", "  code  GitLab  ana"])
    #expect(try run("code", "GitLab:ana", "--at", Fixture.moment).output == "38081842\n")
    let terminal = try home.terminal("code", "git", "--at", Fixture.moment, passphrase: Canary.vaultPassphrase)
    try terminal.expect("Number")
    terminal.type("2\n")
    #expect(try home.check(terminal.finish()).screen.contains("38 081 842"))
  }

  @Test func anExactNameComesBeforeABeginningAndThatBeforeAPart() throws {
    #expect(try run("add", "code", "--name", "Git", secret: Canary.steamSeed).exitCode == 0)
    #expect(try run("show", "git").output.hasPrefix("issuer: Git\n"))
    #expect(try run("show", "gith").output.hasPrefix("issuer: GitHub\n"))
    #expect(try run("show", "lab").output.hasPrefix("issuer: GitLab\n"))
  }

  @Test func aCounterMovesBeforeItsCodeIsShownAndIsExported() throws {
    #expect(try run("edit", "Acme", "--account", "me").exitCode == 0)
    let codes = try (0..<3).map { _ in try run("code", "Acme").output }
    #expect(codes == ["097083\n", "899129\n", "257155\n"])
    let out = home.file("exported-in-clear.txt")
    let exported = try run("export", "--to", "uri-list", "--plain", "--yes", "-o", out)
    #expect(exported.exitCode == 1)
    let line = try home.read("exported-in-clear.txt").split(separator: "\n").first { $0.hasPrefix("otpauth://hotp/") }
    #expect(line?.contains("counter=3") == true)
    // Undoing never gives a used code again.
    #expect(try run("undo").exitCode == 0)
    #expect(try run("show", "Acme").output.contains("account: user\n"))
    #expect(try run("code", "Acme").output == "520934\n")
  }

  // MARK: - add

  @Test func aCodeIsAddedFromAURIOrABareSecret() throws {
    let uri = "otpauth://totp/New%20Place:bob?secret=\(Canary.timedSeed)&issuer=New%20Place&digits=8"
    let added = try run("add", "code", secret: uri)
    #expect(added.exitCode == 0)
    #expect(added.errors == "✓ Added New Place, bob.\n")
    let bare = try run("add", "code", "--name", "Bare", "--account", "b", secret: Canary.timedSeed.lowercased())
    #expect(bare.exitCode == 0)
    #expect(try run("code", "Bare", "--at", Fixture.moment).output == "756364\n")
    let wrong = try run("add", "code", "--name", "No", secret: "not base32 at all!")
    #expect(wrong.exitCode == 65)
    #expect(!wrong.errors.contains("not base32 at all!"))
    let json = try run("add", "code", "--name", "J", "--json", secret: Canary.timedSeed)
    let id = try document(json.output, "seif-add")["id"]?.string ?? ""
    #expect(try run("show", id).output.hasPrefix("issuer: J\n"))
  }

  @Test func aBareSecretNeedsANameAndAPersonIsAskedForIt() throws {
    let refused = try run("add", "code", secret: Canary.timedSeed)
    #expect(refused.exitCode == 64)
    #expect(refused.errors.contains("--name"))
    let terminal = try home.terminal("add", "code", passphrase: Canary.vaultPassphrase)
    try terminal.expect("Key URI or secret (not shown): ")
    terminal.type(Canary.timedSeed + "\n")
    try terminal.expect("Name: ")
    terminal.type("Typed\n")
    try terminal.expect("Account (Enter leaves it out): ")
    terminal.type("\n")
    #expect(try home.check(terminal.finish()).exitCode == 0)
    #expect(try run("code", "Typed", "--at", Fixture.moment).output == "756364\n")
  }

  @Test func anEntryWithoutANameIsSeenAndAnEmptyQueryFitsNothing() throws {
    let added = try run("add", "code", secret: "otpauth://totp/?secret=\(Canary.timedSeed)&digits=8")
    #expect(added.exitCode == 0)
    #expect(added.errors == "✓ Added (no name).\n")
    #expect(try run("list").output.hasSuffix("code   (no name)\n"))
    for words in [["show", ""], ["code", ""], ["remove", ""], ["edit", "", "--favorite"]] {
      let result = try home.seif(list: words, passphrase: Canary.vaultPassphrase)
      #expect(result.exitCode == 64)
      #expect(result.errors.hasPrefix("seif: the query is empty."), "\(words) \(result.errors)")
    }
  }

  @Test func refusedDigitsAreNamedWithoutTheSecret() throws {
    for digits in ["-1", "0", "11", "6x", "99999999999999999999"] {
      let uri = "otpauth://totp/X:u?secret=\(Canary.timedSeed)&digits=\(digits)"
      let result = try run("add", "code", secret: uri)
      #expect(result.exitCode == 65)
      #expect(result.errors.contains("digits"), "\(result.errors)")
    }
    #expect(try !names().contains("X"))
  }

  @Test func aCardAsksItsNumberExpiryNameAndLastItsCVC() throws {
    let terminal = try home.terminal("add", "card", passphrase: Canary.vaultPassphrase)
    try terminal.expect("Name of the card: ")
    terminal.type("Second\n")
    try terminal.expect("Card number (not shown): ")
    #expect(!terminal.echoes)
    terminal.type("4111 1111 1111 1112\n")
    try terminal.expect("the number's check digit doesn't fit")
    try terminal.expect("Expires (YYYY-MM)")
    terminal.type("2030-11\n")
    try terminal.expect("Name on the card")
    terminal.type("ANA\n")
    try terminal.expect("CVC (not shown; Enter leaves it out): ")
    terminal.type("\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    let shown = try run("show", "Second", "--json", "--reveal", reveals: true)
    let card = try document(shown.output, "seif-records")["cards"]?.elements.map { $0 }.first
    #expect(card?["number"]?.string == "4111111111111112")
    #expect(card?["expiry"]?.string == "2030-11")
    #expect(card?["cvc"] == nil)
  }

  @Test func loginsAndNotesAreAdded() throws {
    #expect(
      try run(
        "add", "login", "--name", "Shop", "--account", "ana", "--url", "https://shop.example", "--tag", "x",
        secret: Canary.newPassword
      ).exitCode == 0)
    #expect(try run("show", "Shop", "--reveal", reveals: true).output.contains("password: \(Canary.newPassword)\n"))
    let text = try home.write("two\nlines\n", as: "text.txt")
    #expect(try run("add", "note", "--name", "Lines", "--text-file", text).exitCode == 0)
    #expect(try run("add", "card", "--name", "None", "--expiry", "2029-13", secret: "4111111111111111").exitCode == 64)
    #expect(try run("add", "cat").exitCode == 64)
    let mute = try run("add", "login", "--account", "a", secret: "x")
    #expect(mute.exitCode == 64)
    #expect(mute.errors.contains("--name"))
  }

  // MARK: - edit, remove, undo

  @Test func editChangesWhatIsSaidAndKeepsTheOldPassword() throws {
    #expect(try run("edit", "Example Forge", "--account", "ana2", "--no-favorite").exitCode == 0)
    #expect(try run("edit", "Example Forge", secret: Canary.newPassword).exitCode == 0)
    let shown = try run("show", "Example Forge", "--json", "--reveal", reveals: true)
    let login = try #require(try document(shown.output, "seif-records")["passwords"]?.elements.map { $0 }.first)
    #expect(login["username"]?.string == "ana2")
    #expect(login["password"]?.string == Canary.newPassword)
    #expect(login["history"]?.elements.map { $0["password"]?.string } == [Canary.password])
    #expect(try names("--favorite") == ["GitHub"])
    #expect(try run("edit", "Example Forge").exitCode == 64)
    #expect(try run("edit", "Example Forge", "--account", "ana2").errors == "Nothing changed.\n")
  }

  @Test func removedEntriesComeBackByUndoOneChangeAtATime() throws {
    let removed = try run("remove", "GitLab")
    #expect(removed.exitCode == 0, "\(removed.errors)")
    #expect(removed.errors.contains("in the bin for 30 days"))
    #expect(try names("git") == ["GitHub"])
    #expect(try run("undo").exitCode == 0)
    #expect(try names("git") == ["GitHub", "GitLab"])
    // The import before it comes back as a whole.
    #expect(try run("undo").exitCode == 0)
    #expect(try names() == [])
    let nothing = try run("undo")
    #expect(nothing.exitCode == 66)
    #expect(try run("list").errors == "The vault is empty, but for its bin: 7 entries lie there.\n")
  }

  @Test func aSecretThatWasCopiedInPartIsSaidToBeShort() throws {
    for (text, isShort) in [("GEZDGNBVGY3TQOI", true), ("GEZDGNBVGY3TQOJQ", false)] {
      let file = try home.write(text + "\n", as: "seed-in-clear")
      let added = try run("add", "code", "--name", "Short \(isShort)", "--secret-file", file)
      #expect(added.exitCode == 0, "\(added.errors)")
      #expect(added.errors.contains("very short") == isShort)
    }
  }
}
