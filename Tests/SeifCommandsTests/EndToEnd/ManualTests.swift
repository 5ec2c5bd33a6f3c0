import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// The manual's pages, and the examples in them and in the help.
@Suite struct ManualTests {
  @Test func everyPageRendersWithoutAWarning() throws {
    let home = try Home()
    _ = try home.folder("man")
    for name in ManPage.names(CommandTable.all) {
      let page = try home.seif("man-page", name)
      #expect(page.exitCode == 0)
      let file = try home.write(page.output, as: "man/\(name).1")
      let lint = try home.run("mandoc", "-T", "lint", "-W", "warning", file)
      #expect(lint.output + lint.errors == "", "\(name)")
      let groff = try home.run("groff", "-ww", "-man", "-T", "utf8", "-K", "utf8", file)
      #expect(groff.errors == "", "\(name)")
      let shown = try home.run(
        "man", "--warnings", "-l", file, environment: ["MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"])
      #expect(shown.exitCode == 0)
      #expect(shown.errors == "", "\(name)")
      #expect(shown.output.hasPrefix(name.uppercased() + "(1)"), "\(name)")
    }
  }

  @Test func aPageHasTheWholeHelpOfItsCommand() throws {
    let home = try Home()
    for command in CommandTable.all {
      let name = "seif-" + command.name.split(separator: " ").joined(separator: "-")
      let file = try home.write(try ManPage.text([name], CommandTable.all), as: "page.1")
      let shown = try home.run(
        "man", "-l", file, environment: ["MANWIDTH": "2000", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"])
      func words(_ text: String) -> [Substring] { text.split { $0.isWhitespace || $0 == "." } }
      let page = Set(words(shown.output).map { $0.lowercased() })
      for word in words(Help.page(command)) where word != "Options:" && word != "Examples:" {
        // Other dashes and quotes than in the help would make a line that can't be copied.
        #expect(page.contains(word.lowercased()), "\(name): \(word)")
      }
    }
    let overview = try ManPage.text([], CommandTable.all)
    for name in ManPage.names(CommandTable.all).dropFirst() {
      #expect(overview.contains(name.split(separator: "-").joined(separator: "\\-")))
    }
    #expect(try home.seif("man-page", "nothing").exitCode == 66)
  }

  @Test func everyCommandHasAnExampleAndEveryExampleACommand() {
    #expect(Set(Examples.byCommand.keys) == Set(CommandTable.all.map { $0.name }))
    for command in CommandTable.all {
      #expect(Examples.of(command).contains { $0.line.contains("seif \(command.name)") }, "\(command.name)")
    }
  }

  // MARK: - Running the examples

  /// What has to have happened before.
  private static let preparations = [
    "undo": "seif remove gitlab", "bin restore": "seif remove gitlab", "docs undo": "seif docs rm contract.pdf",
    "serve user list": serverWithAna, "serve user disable": serverWithAna, "serve user reset": serverWithAna,
    "serve user quota": serverWithAna, "serve user remove": serverWithAna, "serve backup": serverWithAna,
    "serve check": serverWithAna,
  ]
  private static let serverWithAna =
    "seif serve user add ana --origin https://docs.example.org && printf 'https://docs.example.org\\n'"
    + " >\"${XDG_DATA_HOME:-$HOME/.local/share}/seif-server/origin\""

  /// A document vault with something in it, made once for all commands that need one.
  private static let documents =
    "seif docs init --kit kit.txt && sed -n 's/^Recovery code: //p' kit.txt >code.txt && chmod 600 code.txt"
    + " && seif docs put contract.pdf && seif docs mkdir Old"

  /// A home with the files that the examples name, and a pinentry that knows the passphrases.
  private func world() throws -> (home: Home, environment: [String: String]) {
    let home = try Fixture.withStrongVault()
    _ = try home.folder("backups")
    let tools = try home.folder("tools")
    try FileManager.default.createSymbolicLink(atPath: tools + "/seif", withDestinationPath: Home.program)
    let uri = "otpauth://totp/Forge:ana?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Forge"
    try home.write(uri + "\n", as: "uri.txt")
    try home.write("%PDF-1.7\n", as: "contract.pdf")
    let account =
      "{\"type\":\"totp\",\"issuer\":\"Old\",\"account\":\"\",\"secret\":\"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\"}"
    try home.write("{\"schema\":\"seif-records\",\"version\":1,\"accounts\":[\(account)]}", as: "old.json")
    try home.write(
      """
      #!/bin/sh
      echo 'OK ready'
      while read -r line; do
        case $line in
          SETDESC*New*|SETDESC*Again*) answer='\(Canary.filePassphrase)' ;;
          SETDESC*vault*) answer='\(Canary.vaultPassphrase)' ;;
          SETDESC*) answer='\(Canary.filePassphrase)' ;;
          GETPIN) echo "D $answer" ;;
        esac
        echo OK
        [ "$line" != BYE ] || exit 0
      done

      """, as: "pinentry-in-clear")
    ExecutableFile.settle(home.file("pinentry-in-clear"))
    chmod(home.file("uri.txt"), 0o600)
    chmod(try home.folder("run"), 0o700)
    return (
      home,
      [
        "PATH": "\(tools):/usr/bin:/bin", "SEIF_PINENTRY": home.file("pinentry-in-clear"), "LANG": "C.UTF-8",
        "XDG_RUNTIME_DIR": home.file("run"),
      ]
    )
  }

  @Test func everyExampleRunsAsItStands() throws {
    let server = try XServer()
    let withDocuments = try world()
    let made = try withDocuments.home.run("sh", "-c", Self.documents, environment: withDocuments.environment)
    #expect(made.exitCode == 0, "\(made.errors)")
    for command in CommandTable.all {
      for example in Examples.of(command) {
        let needsDocuments = command.name.hasPrefix("docs ") && command.name != "docs init"
        let (home, environment) =
          needsDocuments
          ? (try Home(copying: withDocuments.home), withDocuments.environment) : try world()
        let agent = try AgentHome(home)
        let all = environment.merging(server.environment) { $1 }.merging(agent.variables) { $1 }
        if let first = Self.preparations[command.name] {
          #expect(try home.run("sh", "-c", first, environment: all).exitCode == 0, "\(first)")
        }
        // Tests wait for a word for two minutes, and this one says its last only.
        let isSilent = command.name == LeakTestCommand.name
        let isServing = command.name == "serve"
        let line =
          isServing
          ? "timeout 2 \(example.line)"
          : isSilent ? example.line + " & while kill -0 $!; do echo; sleep 1; done; wait $!" : example.line
        let result = try home.run("bash", "-c", line, environment: all)
        if let expected = example.exitCode?.rawValue {
          #expect(result.exitCode == expected, "\(example.line): \(result.errors)")
        }
        // An agent that an example started is known now, and goes with its home.
        if try agent.process() > 1 { #expect(["unlock", "agent"].contains(command.name)) }
      }
    }
  }
}
