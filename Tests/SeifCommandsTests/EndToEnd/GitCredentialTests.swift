import SeifCommandLine
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// `seif git-credential`, with git itself and with hostile descriptions.
@Suite struct GitCredentialTests {
  let home: Home

  init() throws {
    home = try Fixture.withVault()
    try home.write(Canary.vaultPassphrase + "\n", as: "pass-in-clear")
    _ = try home.run("chmod", "600", home.file("pass-in-clear"))
  }

  private func add(_ name: String, _ account: String, _ url: String, _ password: String = Canary.password) throws {
    let added = try home.seif(
      "add", "login", "--name", name, "--account", account, "--url", url, passphrase: Canary.vaultPassphrase,
      secret: password)
    try #require(added.exitCode == 0, "\(added.errors)")
  }

  private func ask(_ operation: String, _ description: String, reveals: Bool = true) throws -> Terminal.Result {
    try home.seif(
      "git-credential", operation, passphrase: Canary.vaultPassphrase, input: description, reveals: reveals)
  }

  private func password(_ description: String) throws -> String? {
    let answer = try ask("get", description)
    #expect(answer.exitCode == 0)
    return answer.output.split(separator: "\n").last { $0.hasPrefix("password=") }.map { String($0.dropFirst(9)) }
  }

  // MARK: - git itself

  private func git(_ words: String..., input: String) throws -> Terminal.Result {
    let helper = "!\(Home.program) git-credential --passphrase-file \(home.file("pass-in-clear"))"
    return try home.run(
      "sh", "-c", "exec git -c credential.helper= -c credential.helper=\"$HELPER\" \"$@\"", "git", words[0], words[1],
      input: input, environment: ["HELPER": helper, "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"])
  }

  @Test func gitGetsTheLoginOfTheHost() throws {
    let result = try git("credential", "fill", input: "protocol=https\nhost=forge.example.org\n\n")
    #expect(result.exitCode == 0)
    #expect(result.output == "protocol=https\nhost=forge.example.org\nusername=ana\npassword=\(Canary.password)\n")
  }

  @Test func gitGoesOnWhereThereIsNoLoginAndAfterStoreAndErase() throws {
    let none = try git("credential", "fill", input: "protocol=https\nhost=elsewhere.example.org\n\n")
    #expect(none.exitCode == 128)
    #expect(none.errors.contains("terminal prompts disabled"))
    let login = "protocol=https\nhost=forge.example.org\nusername=ana\npassword=another-one\n\n"
    for operation in ["approve", "reject"] {
      let result = try git("credential", operation, input: login)
      #expect(result.exitCode == 0)
      #expect(result.errors == "")
    }
    #expect(try password("protocol=https\nhost=forge.example.org\n") == Canary.password)
  }

  // MARK: - Matching

  @Test func protocolHostAndPortAreMatchedExactly() throws {
    try add("Port", "ana", "https://port.example.org:8443/x")
    #expect(try password("protocol=https\nhost=forge.example.org\n") != nil)
    #expect(try password("protocol=https\nhost=FORGE.example.org:443\n") != nil)
    #expect(try password("protocol=https\nhost=port.example.org:8443\n") != nil)
    for other in [
      "protocol=http\nhost=forge.example.org", "protocol=https\nhost=example.org",
      "protocol=https\nhost=a.forge.example.org", "protocol=https\nhost=forge.example.org.evil.test",
      "protocol=https\nhost=forge.example.org:8443", "protocol=https\nhost=port.example.org",
      "protocol=https\nhost=forge.example.org\nusername=bob", "protocol=ssh\nhost=forge.example.org",
    ] { #expect(try password(other + "\n\n") == nil, "\(other)") }
  }

  @Test func aPathPicksItsLoginAndElseThatOfTheHost() throws {
    try add("Team", "team", "https://forge.example.org/team/app.git", Canary.newPassword)
    #expect(try password("protocol=https\nhost=forge.example.org\npath=team/app.git\n") == Canary.newPassword)
    #expect(try password("protocol=https\nhost=forge.example.org\npath=other/app.git\n") == Canary.password)
    // Without a path both are logins of the host.
    let both = try ask("get", "protocol=https\nhost=forge.example.org\n\n")
    #expect(both.output == "")
    #expect(both.errors.hasPrefix("2 logins fit https://forge.example.org:"))
    #expect(try password("protocol=https\nhost=forge.example.org\nusername=team\n") == Canary.newPassword)
  }

  @Test(arguments: [
    "host=forge.example.org\n", "protocol=https\n", "protocol=https\nhost=\n", "protocol=https\nhost\n",
    "protocol=https\nhost=forge.example.org\nhost=evil.test\n", "protocol=https\nhost=a\r\n",
    "protocol=https\nhost=a\0b\n",
    "protocol=https\nhost=a b\n", "protocol=https\nhost=a:0\n", "protocol=https\nhost=a:99999\n",
    "protocol=https\nhost=u@forge.example.org\n", "=x\nprotocol=https\nhost=forge.example.org\n",
  ])
  func whatGitWouldNeverSendIsRefusedBeforeTheVaultIsOpened(_ description: String) throws {
    // Without a passphrase: opening would be 77.
    let result = try home.seif("git-credential", "get", input: description)
    #expect(result.exitCode == 65)
    #expect(result.output == "")
    #expect(!result.errors.contains("evil"))
  }

  @Test func unknownKeysAndOperationsArePassedOver() throws {
    #expect(
      try password("capability[]=authtype\nprotocol=https\nwwwauth[]=Basic\nhost=forge.example.org\nnew=1\n") != nil)
    let unknown = try home.seif("git-credential", "capability", input: "anything")
    #expect(unknown.exitCode == 0)
    #expect(unknown.output + unknown.errors == "")
  }

  @Test func addressesOfEntriesAreTakenApartAsWritten() {
    #expect(WebAddress("https://Example.org:443/a/b/?q#f") == WebAddress("example.org/a/b"))
    #expect(WebAddress("https://user:pw@example.org")?.host == "example.org")
    #expect(WebAddress("https://example.org@evil.test/")?.host == "evil.test")
    #expect(WebAddress("https://evil.test\\@example.org") == nil)
    #expect(WebAddress("https://[::1]:8443/x")?.port == 8443)
    for none in ["", "https://", "https://a:b", "https://a b", "://a", "https://[::1"] {
      #expect(WebAddress(none) == nil, "\(none)")
    }
  }

  // MARK: - store and erase at a terminal

  private func atTerminal(_ operation: String, _ description: String) throws -> Terminal {
    try Terminal(
      ["git-credential", operation, "--passphrase-file", home.file("pass-in-clear")], program: Home.program,
      input: Array(description.utf8), output: .pipe, environment: home.variables(), columns: 200)
  }

  @Test func storeAsksAndKeepsWhatWasThere() throws {
    let new = "protocol=https\nhost=new.example.org\nusername=ana\npassword=\(Canary.newPassword)\n\n"
    let refused = try atTerminal("store", new)
    try refused.expect("Keep the login ana for https://new.example.org? [y/N]")
    refused.type("\n")
    #expect(try home.check(try refused.finish()).exitCode == 0)
    #expect(try password("protocol=https\nhost=new.example.org\n") == nil)
    let agreed = try atTerminal("store", new)
    try agreed.expect("[y/N]")
    agreed.type("y\n")
    #expect(try home.check(try agreed.finish()).exitCode == 0)
    #expect(try password("protocol=https\nhost=new.example.org\n") == Canary.newPassword)
    // The same once more needs no question.
    #expect(try home.check(try atTerminal("store", new).finish()).screen == "")
    let changed = try atTerminal(
      "store", "protocol=https\nhost=forge.example.org\nusername=ana\npassword=\(Canary.newPassword)\n\n")
    try changed.expect("Replace the password of Example Forge, ana")
    changed.type("y\n")
    #expect(try home.check(try changed.finish()).exitCode == 0)
    #expect(try password("protocol=https\nhost=forge.example.org\n") == Canary.newPassword)
    let shown = try home.seif("show", "Example Forge", passphrase: Canary.vaultPassphrase)
    #expect(shown.output.contains("passwords before: 1"))
  }

  @Test func eraseAsksAndPutsOnlyTheRefusedLoginIntoTheBin() throws {
    let other = try atTerminal("erase", "protocol=https\nhost=forge.example.org\nusername=ana\npassword=old\n\n")
    #expect(try home.check(try other.finish()).screen == "")
    let same = try atTerminal(
      "erase", "protocol=https\nhost=forge.example.org\nusername=ana\npassword=\(Canary.password)\n\n")
    try same.expect("https://forge.example.org refused Example Forge, ana. Put it into the bin? [y/N]")
    same.type("y\n")
    #expect(try home.check(try same.finish()).exitCode == 0)
    #expect(try password("protocol=https\nhost=forge.example.org\n") == nil)
    #expect(try home.seif("bin", "list", passphrase: Canary.vaultPassphrase).output.contains("Example Forge"))
  }
}
