import SeifCommandLine
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// What a person at a terminal is asked, and what a slip costs: one more question.
@Suite struct PromptTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func run(
    _ words: String..., secret: String? = nil, reveals: Bool = false
  ) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: Canary.vaultPassphrase, secret: secret, reveals: reveals)
  }

  private func entry(_ query: String, _ list: String) throws -> JSONValue? {
    let shown = try run("show", query, "--json", "--reveal", reveals: true)
    return try document(shown.output, "seif-records")[list]?.elements.map { $0 }.first
  }

  /// Waits for each text, and answers those that are questions.
  private func answer(_ terminal: Terminal, _ answers: [(question: String, typed: String?)]) throws {
    for (question, typed) in answers {
      try terminal.expect(question)
      if let typed { terminal.type(typed + "\n") }
    }
  }

  // MARK: - add

  @Test func anAnswerThatCantBeUsedIsAskedForAgain() throws {
    let terminal = try home.terminal("add", "card", passphrase: Canary.vaultPassphrase)
    try answer(
      terminal,
      [
        ("Name of the card: ", ""), ("Something has to stand here.", nil), ("Name of the card: ", "Third"),
        ("Card number (not shown): ", ""), ("a card needs its number", nil), ("Card number", "4111 1111 1111 1111"),
        ("Expires (YYYY-MM)", "04/29"), ("Write them as 2029-04.", nil),
      ])
    terminal.type("\u{3}")
    #expect(try terminal.finish().exitCode == 130)
    let result = try home.terminal("add", "code", passphrase: Canary.vaultPassphrase)
    try answer(
      result,
      [
        ("Key URI or secret (not shown): ", "not base32!"), ("neither a Key URI", nil),
        ("Key URI or secret", Canary.timedSeed),
        ("Name: ", "Typed"), ("Account", ""),
      ])
    #expect(try home.check(result.finish()).exitCode == 0)
    #expect(try run("code", "Typed", "--at", Fixture.moment).output == "756364\n")
  }

  @Test func aLoginIsAskedForItsAddressToo() throws {
    let terminal = try home.terminal("add", "login", passphrase: Canary.vaultPassphrase)
    try answer(
      terminal,
      [
        ("Name: ", "Shop"), ("User name (Enter leaves it out): ", "bea"),
        ("Password (not shown; Enter alone makes one up): ", "secret word"), ("that password is weak", nil),
        ("The same again (not shown): ", "other word"), ("The two differ.", nil),
        ("Password (not shown; Enter alone makes one up): ", "secret word"),
        ("The same again (not shown): ", "secret word"),
        ("Address, such as https://example.org (Enter leaves it out): ", "https://shop.example"),
      ])
    #expect(try home.check(terminal.finish()).exitCode == 0)
    #expect(try entry("Shop", "passwords")?["urls"]?.elements.map { $0.string ?? "" } == ["https://shop.example"])
    // An option has said it already.
    let said = try home.terminal(
      "add", "login", "--name", "Other", "--account", "x", "--url", "https://o.example",
      passphrase: Canary.vaultPassphrase)
    try answer(said, [("Password (not shown; Enter alone makes one up): ", ""), ("was made up", nil)])
    let result = try home.check(said.finish())
    #expect(result.exitCode == 0)
    #expect((result.screen + result.errors).contains("Next: seif copy "))
    let made = try entry("Other", "passwords")?["password"]?.string ?? ""
    #expect(made.utf8.count == LoginPassword.length)
    let edited = try home.terminal("edit", "Other", "--secret", passphrase: Canary.vaultPassphrase)
    try answer(edited, [("New password (not shown; Enter alone makes one up): ", "")])
    #expect(try home.check(edited.finish()).exitCode == 0)
    let next = try entry("Other", "passwords")?["password"]?.string ?? ""
    #expect(next.utf8.count == LoginPassword.length && next != made)
  }

  /// Enter or a yes copies it, a no leaves the hint; the entry is there in any case.
  @Test(arguments: ["", "n", "\u{3}"]) func aPasswordThatWasMadeUpIsOfferedForTheClipboard(answer: String) throws {
    let server = try XServer()
    let terminal = try home.terminal(
      "add", "login", "--name", "Other", "--account", "x", "--url", "https://o.example",
      passphrase: Canary.vaultPassphrase, environment: server.environment)
    try self.answer(
      terminal,
      [("Password (not shown; Enter alone makes one up): ", ""), ("Copy the password, for 30 s? [Y/n] ", nil)])
    terminal.type(answer == "\u{3}" ? answer : answer + "\n")
    let result = try home.check(terminal.finish())
    let said = result.screen + result.errors
    let made = try entry("Other", "passwords")?["password"]?.string ?? ""
    #expect(made.utf8.count == LoginPassword.length)
    let pasted = try home.run(
      "xclip", "-o", "-selection", "clipboard", "-t", "UTF8_STRING", environment: server.environment)
    #expect((pasted.output == made) == (answer == ""))
    #expect(said.contains("Copied. Cleared in 30 s.") == (answer == ""), "\(said)")
    #expect(said.contains("Added Other") || answer == "\u{3}")
    if answer == "n" { #expect(result.exitCode == 0 && said.contains("Next: seif copy ")) }
  }

  @Test func whatWasTypedOrHasNoDisplayIsNotOffered() throws {
    let server = try XServer()
    let typed = try home.terminal(
      "add", "login", "--name", "Other", "--account", "x", "--url", "https://o.example",
      passphrase: Canary.vaultPassphrase, environment: server.environment)
    try answer(
      typed,
      [
        ("Password (not shown; Enter alone makes one up): ", "Longer-than-most-8271-words"),
        ("The same again (not shown): ", "Longer-than-most-8271-words"),
      ])
    let result = try home.check(typed.finish())
    #expect(result.exitCode == 0 && !result.screen.contains("Copy the password"))
    for more in [[:], ["DISPLAY": ""]] {
      let without = try home.terminal(
        "add", "login", "--name", "Next", "--account", "x", "--url", "https://o.example",
        passphrase: Canary.vaultPassphrase, environment: more)
      try answer(without, [("Password (not shown; Enter alone makes one up): ", "")])
      let said = try home.check(without.finish())
      #expect(said.exitCode == 0 && !said.screen.contains("Copy the password"))
    }
    // One that can't be copied is in the vault all the same.
    let broken = try home.terminal(
      "add", "login", "--name", "Third", "--account", "x", "--url", "https://o.example",
      passphrase: Canary.vaultPassphrase, environment: ["DISPLAY": ":4321"])
    try answer(broken, [("Password (not shown; Enter alone makes one up): ", ""), ("Copy the password", "y")])
    let said = try home.check(broken.finish())
    #expect(said.exitCode == 0, "\(said.screen)")
    #expect((said.screen + said.errors).contains("not copied: the display can't be reached"))
    #expect(try entry("Third", "passwords") != nil)
  }

  @Test func aWrongDateEndsNothing() throws {
    let terminal = try home.terminal("add", "card", "--name", "Third", passphrase: Canary.vaultPassphrase)
    try answer(
      terminal,
      [
        ("Card number (not shown): ", "4111 1111 1111 1111"), ("Expires (YYYY-MM)", "04/29"),
        ("Expires (YYYY-MM)", "2029-13"), ("Expires (YYYY-MM)", "2029-04"), ("Name on the card", "ANA"), ("CVC", ""),
      ])
    #expect(try home.check(terminal.finish()).exitCode == 0)
    #expect(try entry("Third", "cards")?["expiry"]?.string == "2029-04")
    #expect(try entry("Third", "cards")?["holder"]?.string == "ANA")
    // A script isn't asked.
    let refused = try run("add", "card", "--name", "No", "--expiry", "2029-13", secret: "4111111111111111")
    #expect(refused.exitCode == 64)
  }

  @Test func aNoteHasSeveralLines() throws {
    let text = Canary.note
    for (name, end) in [("Dot", ".\n"), ("End", "\u{4}")] {
      let terminal = try home.terminal("add", "note", "--name", name, passphrase: Canary.vaultPassphrase)
      try terminal.expect("ends it:")
      try terminal.expect(echo: false)
      terminal.type("\(text)\n\n..\nlast\n\(end)")
      // Nothing of it is shown.
      #expect(try home.check(terminal.finish()).exitCode == 0)
      #expect(terminal.echoes)
      #expect(try entry(name, "notes")?["text"]?.string == "\(text)\n\n..\nlast")
    }
    let piped = try home.seif(
      "add", "note", "--name", "Piped", "--text-file", "-", passphrase: Canary.vaultPassphrase, input: "a\nb\n")
    #expect(piped.exitCode == 0)
    #expect(try entry("Piped", "notes")?["text"]?.string == "a\nb\n")
  }

  // MARK: - edit

  @Test func editAsksForEachFieldOfALogin() throws {
    let terminal = try home.terminal("edit", "Example Forge", passphrase: Canary.vaultPassphrase)
    try answer(
      terminal,
      [
        ("Name [Example Forge]: ", ""), ("User name [ana]: ", "ana2"), ("Password (not shown; Enter keeps it): ", "-"),
        ("Something has to stand here.", nil), ("Password", ""), ("one-time code", "nonsense"),
        ("that isn't a Key URI", nil), ("one-time code", ""),
        ("Addresses, a space between [https://forge.example.org]: ", "https://a.example https://b.example"),
        ("Tags, a comma between []: ", "one, two words"), ("Favourite [yes]: ", "perhaps"), ("Favourite [yes]: ", "n"),
        ("Notes (not shown; Enter keeps it, - clears it): ", "remember"),
      ])
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    let login = try #require(try entry("Example Forge", "passwords"))
    #expect(login["username"]?.string == "ana2")
    #expect(login["password"]?.string == Canary.password)
    #expect(login["urls"]?.elements.map { $0.string ?? "" } == ["https://a.example", "https://b.example"])
    #expect(login["tags"]?.elements.map { $0.string ?? "" } == ["one", "two words"])
    #expect(login["isFavorite"]?.bool == false)
    #expect(login["notes"]?.string == "remember")
  }

  @Test func enterKeepsAllAndADashClears() throws {
    let keeping = try home.terminal("edit", "Everyday", passphrase: Canary.vaultPassphrase)
    for question in ["Name of", "Card number", "Expires", "Name on", "CVC", "Addresses", "Tags", "Favourite", "Notes"] {
      try keeping.expect(question)
      keeping.type("\n")
    }
    #expect(try home.check(keeping.finish()).screen.hasSuffix("Nothing changed.\r\n"))
    let clearing = try home.terminal("edit", "Everyday", passphrase: Canary.vaultPassphrase)
    try answer(
      clearing,
      [
        ("Name of the card [Everyday plastic]: ", ""), ("Card number", ""), ("Expires (YYYY-MM) [2029-04]: ", "-"),
        ("Name on the card [ANA EXAMPLE]: ", "-"), ("CVC", "-"), ("Addresses", ""), ("Tags", ""), ("Favourite", ""),
        ("Notes", ""),
      ])
    #expect(try home.check(clearing.finish()).exitCode == 0)
    let card = try #require(try entry("Everyday", "cards"))
    #expect(card["holder"]?.string ?? "" == "")
    #expect(card["expiry"] == nil)
    #expect(card["cvc"] == nil)
    #expect(card["number"]?.string == Canary.cardNumber)
  }

  @Test func aNewSeedIsTriedBeforeItIsTaken() throws {
    let terminal = try home.terminal("edit", "GitLab", passphrase: Canary.vaultPassphrase)
    try answer(
      terminal,
      [
        ("Name [GitLab]: ", ""), ("Account [ana]: ", ""), ("Key URI or secret", "!!"),
        ("neither a Key URI", nil), ("Key URI or secret", Canary.steamSeed), ("Addresses", ""), ("Tags", ""),
        ("Favourite", ""), ("Notes", ""),
      ])
    #expect(try home.check(terminal.finish()).exitCode == 0)
    #expect(try entry("GitLab", "accounts")?["secret"]?.string == Canary.steamSeed)
    #expect(try entry("GitLab", "accounts")?["digits"]?.int64 == 8)
  }

  // MARK: - export

  @Test func anExportHasAWordTypedThatSaysHowMuchGoesWhere() throws {
    let out = home.file("out-in-clear.txt")
    let terminal = try home.terminal(
      "export", "--to", "uri-list", "--plain", "-o", out, passphrase: Canary.vaultPassphrase, columns: 200)
    // Of what is in the vault only what is written counts.
    try terminal.expect("4 codes, with every secret, will be written to \(out). Anyone")
    try terminal.expect("Type export to go on: ")
    #expect(!home.exists("out-in-clear.txt"))
    terminal.type("export\n")
    #expect(try home.check(terminal.finish()).exitCode == 1)
    #expect(home.exists("out-in-clear.txt"))
  }

  @Test func aMistypedWordIsAskedForOnceMore() throws {
    let terminal = try home.terminal(
      "export", "--to", "uri-list", "--plain", "-o", home.file("a-in-clear.txt"), passphrase: Canary.vaultPassphrase)
    try answer(
      terminal,
      [("Type export to go on: ", "exprot"), ("That isn't export.", nil), ("Type export to go on: ", "export")])
    #expect(try home.check(terminal.finish()).exitCode == 1)
    #expect(home.exists("a-in-clear.txt"))
  }

  @Test func aConversionIntoClearTextHasTheSameWordTypedOnATerminal() throws {
    let (phone, out) = (home.file("phone.authbackup"), home.file("b-in-clear.txt"))
    let terminal = try home.terminal(
      "convert", phone, "--to", "uri-list", "-o", out, passphrase: Canary.filePassphrase, columns: 200)
    try answer(terminal, [("Anyone who gets that file can read it.", nil), ("Type export to go on: ", "")])
    #expect(try home.check(terminal.finish()).exitCode == 130)
    #expect(!home.exists("b-in-clear.txt"))
    let again = try home.terminal(
      "convert", phone, "--to", "uri-list", "-o", out, "--yes", passphrase: Canary.filePassphrase)
    #expect(try home.check(again.finish()).exitCode == 1)
    #expect(home.exists("b-in-clear.txt"))
  }

  @Test func afterAnUndoTheNextStepOfAnImportIsTheBin() throws {
    #expect(try run("remove", "Acme").exitCode == 0)
    let file = try home.write(
      """
      {"schema":"seif-records","version":1,"source":{"format":"test"},"accounts":[
      {"type":"hotp","issuer":"Acme","account":"user","secret":"\(Canary.countedSeed)","counter":0}],
      "problems":[],"lost":[]}
      """, as: "acme-in-clear.json")
    let terminal = try home.terminal("import", file, columns: 200)
    try answer(terminal, [("Passphrase for the vault: ", Canary.vaultPassphrase)])
    let result = try home.check(terminal.finish())
    #expect(result.screen.contains("Next: seif import \(file) --from-bin"), "\(result.screen)")
  }

  @Test func withoutATerminalAnExportNeedsYesWhateverTheFormat() throws {
    for format in ["authbackup", "vault2fa", "json"] {
      let result = try home.seif(
        "export", "--to", format, "--plain", "-o", home.file("out"), passphrase: Canary.vaultPassphrase,
        newPassphrase: Canary.filePassphrase)
      #expect(result.exitCode == 64)
      #expect(result.errors.contains("Give --yes."))
      #expect(!home.exists("out"))
    }
  }

  // MARK: - typed ahead

  @Test func aPassphraseTypedAheadIsNeverShown() throws {
    let out = home.file("out-in-clear.txt")
    let terminal = try home.terminal("export", "--to", "uri-list", "--plain", "-o", out)
    try terminal.expect("Passphrase for the vault: ")
    terminal.type(Canary.vaultPassphrase + "\n")
    // While the key is derived somebody types what they think comes next.
    try terminal.expect("\r\n")
    #expect(!terminal.echoes)
    terminal.type(Canary.filePassphrase + "\nexport\n")
    try terminal.expect("Type export to go on: ")
    try terminal.expect(echo: true)
    // None of it was an answer to a question that wasn't there yet.
    terminal.type("no\n")
    try terminal.expect("Once more, or Enter alone to stop.")
    try terminal.expect("Type export to go on: ")
    terminal.type("still no\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 130)
    #expect(terminal.echoes)
    #expect(!home.exists("out-in-clear.txt"))
  }

  @Test func echoIsBackAfterASignalBetweenTwoQuestions() throws {
    let terminal = try home.terminal("export", "--to", "uri-list", "--plain", "-o", home.file("x"))
    try terminal.expect("Passphrase for the vault: ")
    terminal.type(Canary.vaultPassphrase + "\n")
    try terminal.expect("Type export")
    try terminal.expect(echo: true)
    terminal.signal(SIGTSTP)
    try terminal.expectStopped()
    #expect(terminal.echoes)
    terminal.signal(SIGCONT)
    terminal.signal(SIGINT)
    #expect(try terminal.finish().exitCode == 130)
    #expect(terminal.echoes)
  }
}
