import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifTestSupport
import Testing

@testable import SeifCommands

/// References, logins for git and QR codes from a vault that is open in the agent: no passphrase, and its consent.
@Suite struct ReferenceAgentTests {
  let world: AgentHome

  init() throws { world = try AgentHome() }

  private func run(_ text: String, _ variables: [String: String]) throws -> Terminal.Result {
    try world.seif("run", "--", "/bin/sh", "-c", text, environment: variables)
  }

  /// A pinentry that says yes and notes each question.
  private func agreeing() throws -> String {
    let script = """
      #!/bin/sh
      echo "OK Pleased to meet you"
      while read -r command rest; do
        case $command in
          SETDESC) printf '%s\\n' "$rest" >> "$0.desc" ;;
        esac
        echo OK
        [ "$command" != BYE ] || exit 0
      done
      """
    let path = try world.home.write(script, as: "pinentry")
    ExecutableFile.settle(path)
    return path
  }

  @Test func whatIsNoSecretAndCodesNeedNoConsent() throws {
    try world.unlock()
    let result = try run(
      "echo \"$U\"; printf %s \"$C\" | wc -c",
      ["U": "seif://Example%20Forge/username", "C": "seif://GitHub:ana@example.com/code"])
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(result.output == "ana\n6\n")
  }

  @Test func aSecretThatNobodyAllowsStartsNothingAndMovesNoCounter() throws {
    try world.unlock()
    let result = try run("echo started", ["P": "seif://Example%20Forge/password", "C": "seif://Acme/code"])
    #expect(result.exitCode == 77)
    #expect(result.output == "")
    let untouched = try Home(copying: Fixture.vault.get())
    #expect(
      try world.seif("code", "Acme").output
        == untouched.seif("code", "Acme", passphrase: Canary.vaultPassphrase).output)
  }

  @Test func withConsentEveryWayGivesTheSecretAndNoneAStandIn() throws {
    let pinentry = try agreeing()
    try world.unlock(environment: ["SEIF_PINENTRY": pinentry])
    let digest = try world.home.run("sha256sum", input: Canary.password).output
    let result = try run("printf %s \"$P\" | sha256sum; echo \"<$P>\"", ["P": "seif://Example%20Forge/password"])
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(result.output == digest + "<****>\n")
    let seed = try run("printf %s \"$S\" | sha256sum", ["S": "seif://GitLab/secret"])
    #expect(try world.home.run("sha256sum", input: Canary.timedSeed).output == seed.output)
    let git = try world.home.seif(
      "git-credential", "get", input: "protocol=https\nhost=forge.example.org\n", environment: world.variables,
      reveals: true)
    #expect(git.output == "username=ana\npassword=\(Canary.password)\n")
    let picture = world.home.file("qr.png")
    #expect(try world.seif("qr", "GitLab", "--yes", "-o", picture).exitCode == 0)
    let read = try world.home.run("zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", picture).output
    #expect(read.contains("secret=\(Canary.timedSeed)&"))
    let added = try world.seif("add", "--qr", picture, "--yes")
    #expect(added.errors == "✓ Added GitLab, ana.\n")
    #expect(try world.home.read("pinentry.desc").contains("process "))
  }
}
