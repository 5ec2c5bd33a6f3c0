import SeifCommandLine
import SeifBytes
import Testing

@testable import SeifCommands

/// The passwords that a login had before.
@Suite struct HistoryTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func run(_ words: String..., secret: String? = nil, reveals: Bool = false) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: Canary.vaultPassphrase, secret: secret, reveals: reveals)
  }

  private func passwords() throws -> [String] {
    let root = try document(try run("history", "Forge", "--reveal", "--json", reveals: true).output, "seif-history")
    return try #require(root["passwords"]).elements.map { $0["password"]?.string ?? "" }
  }

  private func change(to secret: String) throws {
    let changed = try run("edit", "Forge", secret: secret)
    #expect(changed.exitCode == 0, "\(changed.errors)")
  }

  @Test func theLastTenAreListedNewestFirstAndMasked() throws {
    let none = try run("history", "Forge")
    #expect(none.exitCode == 0 && none.output == "")
    #expect(none.errors.contains("has had no other password here"))
    try change(to: Canary.newPassword)
    let listed = try run("history", "Forge")
    #expect(listed.output.split(separator: "\n").count == 1)
    #expect(listed.output.contains("••") || listed.output.contains("**"), "\(listed.output)")
    #expect(!listed.output.contains(Canary.password))
    let masked = try document(try run("history", "Forge", "--json").output, "seif-history")
    let row = try #require(masked["passwords"]?.elements.first { _ in true })
    #expect(row["number"]?.int64 == 1 && row["replacedAt"]?.string != nil && row["password"] == nil)
    #expect(masked["entry"]?["name"]?.string == "Example Forge")
    #expect(try passwords() == [Canary.password])
    for number in 1...11 { try change(to: "\(Canary.newPassword)\(number)") }
    let all = try passwords()
    #expect(all.count == 10)
    #expect(all.first == Canary.newPassword + "10" && all.last == Canary.newPassword + "1")
  }

  @Test func oneIsPutBackAndTheOtherJoinsTheList() throws {
    try change(to: Canary.newPassword)
    try change(to: Canary.newPassword + "2")
    let restored = try run("history", "Forge", "--restore", "2", "--json")
    #expect(restored.exitCode == 0, "\(restored.errors)")
    #expect(try document(restored.output, "seif-edit")["changed"]?.bool == true)
    #expect(try passwords() == [Canary.newPassword + "2", Canary.newPassword])
    #expect(try run("show", "Forge", "--reveal", reveals: true).output.contains("password: \(Canary.password)\n"))
    #expect(try run("undo").exitCode == 0)
    #expect(try passwords() == [Canary.newPassword, Canary.password])
    #expect(try run("undo").exitCode == 0)
    // The password of the change that was taken back is still there.
    #expect(try passwords() == [Canary.newPassword + "2", Canary.password])
  }

  @Test func aCodeOfTheSameNameIsNoChoice() throws {
    let added = try run("add", "code", "--name", "Forge", secret: Canary.timedSeed)
    #expect(added.exitCode == 0, "\(added.errors)")
    let listed = try run("history", "Forge")
    #expect(listed.exitCode == 0 && listed.errors.contains("has had no other password here"), "\(listed.errors)")
  }

  @Test func whatIsntThereIsSaid() throws {
    try change(to: Canary.newPassword)
    #expect(try run("history", "Forge", "--restore", "2").firstError.contains("the oldest is 1"))
    #expect(try run("history", "GitHub").exitCode == 66)
    for words in [["--restore", "0"], ["--copy", "11"], ["--copy", "1", "--restore", "1"], ["--for", "3"]] {
      #expect(try home.seif(list: ["history", "Forge"] + words).exitCode == 64, "\(words)")
    }
  }

  @Test func oneIsCopied() throws {
    try change(to: Canary.newPassword)
    let server = try XServer()
    let copied = try home.seif(
      "history", "Forge", "--copy", "1", "--for", "2", "--json", passphrase: Canary.vaultPassphrase,
      environment: server.environment)
    #expect(copied.exitCode == 0, "\(copied.errors)")
    #expect(try document(copied.output, "seif-copied")["field"]?.string == "history:1")
    let pasted = try home.run(
      "xclip", "-o", "-selection", "clipboard", "-t", "UTF8_STRING", environment: server.environment)
    #expect(pasted.output == Canary.password)
  }

  @Test func theAgentGivesOneOutOnlyAfterAYes() throws {
    try change(to: Canary.newPassword)
    let world = try AgentHome(home)
    try world.unlock()
    #expect(try world.seif("history", "Forge").output.split(separator: "\n").count == 1)
    for words in [["--reveal"], ["--restore", "1"]] {
      #expect(try home.seif(list: ["history", "Forge"] + words, environment: world.variables).exitCode == 77)
    }
    let asked = try world.terminal("history", "Forge", "--restore", "1")
    try asked.expect("[yes/no]")
    asked.type("yes\n")
    #expect(try home.check(asked.finish()).exitCode == 0)
    #expect(try passwords() == [Canary.newPassword])
    #expect(try run("show", "Forge", "--reveal", reveals: true).output.contains("password: \(Canary.password)\n"))
  }
}
