import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// What the agent asks for before it gives something out, and whom.
@Suite struct AgentConsentTests {
  let world: AgentHome

  init() throws { world = try AgentHome() }

  @Test func withoutAWayToAskSecretsAndExportsAreRefused() throws {
    try world.unlock()
    let out = world.home.file("out-in-clear.json")
    for words in [["show", "Forge", "--reveal"], ["export", "--to", "json", "--plain", "--yes", "-o", out]] {
      let result = try world.home.seif(list: words, environment: world.variables)
      #expect(result.exitCode == 77, "\(words)")
      #expect(result.output == "")
      #expect(result.errors.contains("--passphrase-fd"))
    }
    #expect(!world.home.exists("out-in-clear.json"))
  }

  @Test func theTerminalOfTheAskerIsAskedAndNamesIt() throws {
    try world.unlock()
    let refused = try world.terminal("show", "Forge", "--reveal")
    try refused.expect("[yes/no]")
    #expect(
      refused.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("process \(refused.child)"))
    refused.type("no\n")
    let no = try refused.finish()
    #expect(no.exitCode == 77 && no.output == "")
    let allowed = try world.terminal("show", "Forge", "--reveal")
    try allowed.expect("[yes/no]")
    allowed.type("yes\n")
    #expect(try allowed.finish().output.contains(Canary.password))
    // Once an unlock; a security code each time.
    #expect(try world.seif("show", "Forge", "--reveal", reveals: true).output.contains(Canary.password))
    #expect(try world.seif("show", "Everyday", "--reveal", reveals: true).exitCode == 77)
  }

  @Test func aQuestionIsBrokenAtWordsAndASlipIsAskedForOnceMore() throws {
    try world.unlock()
    let narrow = try world.home.terminal("show", "Forge", "--reveal", environment: world.variables, columns: 40)
    try narrow.expect("[yes/no]")
    let lines = narrow.screen.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("Type") }
    #expect(lines.count > 2)
    // A path is a word, and stays whole.
    #expect(lines.allSatisfy { $0.count < 40 || !$0.trimmed.contains(" ") }, "\(lines)")
    narrow.type("yse\n")
    try narrow.expect("That is neither yes nor no.")
    try narrow.expect("[yes/no]")
    narrow.type("yes\n")
    #expect(try narrow.finish().screen.contains(Canary.password))
    try world.seif("lock")
    try world.unlock()
    let no = try world.terminal("show", "Forge", "--reveal")
    for _ in 0..<2 {
      try no.expect("[yes/no]")
      no.type("what\n")
    }
    #expect(try no.finish().exitCode == 77)
  }

  @Test func theSecurityCodeOfEachCardIsAskedForByItsName() throws {
    let added = try world.home.seif(
      "add", "card", "--name", "Second", passphrase: Canary.vaultPassphrase, secret: "4111111111111111")
    #expect(added.exitCode == 0)
    try world.unlock()
    let asked = try world.terminal("show", "Everyday", "--reveal")
    // Its words may stand on two lines.
    try asked.expect("wants to see")
    try asked.expect("[yes/no]")
    asked.type("yes\n")
    try asked.expect("the card \"Everyday plastic\"")
    try asked.expect("[yes/no]")
    asked.type("no\n")
    #expect(try asked.finish().exitCode == 77)
  }

  @Test func anExportTakesThePassphraseAtTheTerminal() throws {
    try world.unlock()
    let out = world.home.file("out-in-clear.json")
    let words = ["export", "--to", "json", "--plain", "--yes", "-o", out]
    let wrong = try Terminal(words, program: Home.program, environment: world.home.variables(world.variables))
    for _ in 0..<3 {
      try wrong.expect("Passphrase or recovery code of the vault")
      try wrong.expect(echo: false)
      wrong.type("not it\n")
    }
    #expect(try world.home.check(wrong.finish()).exitCode == 77)
    let right = try Terminal(words, program: Home.program, environment: world.home.variables(world.variables))
    try right.expect("Passphrase or recovery code of the vault")
    try right.expect(echo: false)
    right.type(Canary.vaultPassphrase + "\n")
    #expect(try world.home.check(right.finish()).exitCode == 0)
    #expect(try world.home.read("out-in-clear.json").contains(Canary.password))
  }

  @Test(arguments: [("OK", 0), ("ERR 83886194 Not confirmed <Pinentry>", 77), ("ERR 83886142 Timeout", 77)])
  func aPinentryIsAskedWhereThereIsOne(answer: String, exitCode: Int32) throws {
    let script = """
      #!/bin/sh
      echo "OK Pleased to meet you"
      while read -r command rest; do
        case $command in
          SETDESC) printf '%s\\n' "$rest" >> "$0.desc"; echo OK ;;
          CONFIRM) echo "\(answer)" ;;
          BYE) echo OK; exit 0 ;;
          *) echo OK ;;
        esac
      done
      """
    let pinentry = try world.home.write(script, as: "pinentry")
    ExecutableFile.settle(pinentry)
    try world.unlock(environment: ["SEIF_PINENTRY": pinentry])
    let result = try world.seif("show", "Forge", "--reveal", reveals: true)
    #expect(result.exitCode == exitCode, "\(result.errors)")
    #expect(result.output.contains(Canary.password) == (exitCode == 0))
    let question = try world.home.read("pinentry.desc")
    #expect(question.contains("wants to see passwords of") && question.contains("process "))
  }

  /// Any program of the person can end the window, and answer itself on a terminal that it made.
  @Test(arguments: [
    "SETDESC) kill -9 $$ ;;", "CONFIRM) kill -TERM $$ ;;", "CONFIRM) exit 0 ;;",
  ]) func aPinentryThatIsEndedIsNoReasonToAskOnATerminal(way: String) throws {
    let script = """
      #!/bin/sh
      echo "OK Pleased to meet you"
      while read -r command rest; do
        case $command in
          \(way)
          *) echo OK ;;
        esac
      done
      """
    let pinentry = try world.home.write(script, as: "pinentry")
    ExecutableFile.settle(pinentry)
    try world.unlock(environment: ["SEIF_PINENTRY": pinentry])
    let result = try world.terminal("show", "Forge", "--reveal").finish()
    #expect(result.exitCode == 77 && !result.output.contains("[yes/no]"))
  }

  @Test func onATerminalTheKeyOfADocumentVaultTakesThePassphrase() throws {
    let records = """
      {"schema":"seif-records","version":1,"source":{"format":"test"},"documents":[
      {"id":"6f1c2b7e-5a0d-4a8e-9b1f-2d3c4e5f6a7b","kind":"local",
      "masterKey":"Q0FOQVJZLTEzLWtleS1vZi0zMi1ieXRlcy1pbi1hbGw="}],"problems":[],"lost":[]}
      """
    let file = try world.home.write(records, as: "documents-in-clear.json")
    #expect(try world.home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase).exitCode == 0)
    try world.unlock()
    let asked = try world.terminal("show", "6f1c2b7e", "--reveal")
    try asked.expect("Passphrase or recovery code of the vault")
    asked.type("yes\n")
    try asked.expect("Passphrase or recovery code of the vault")
    asked.type("\n")
    #expect(try asked.finish().exitCode == 77)
  }
}
