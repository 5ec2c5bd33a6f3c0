import SeifCommandLine
import SeifBytes
import Testing

@testable import SeifCommands

/// With `--json` a failure is a document too, whatever the command.
@Suite struct ErrorDocumentTests {
  private func failure(_ result: Terminal.Result) throws -> JSONValue {
    let error = try #require(try document(result.output, "seif-error")["error"])
    #expect(error["exit"]?.int64 == result.exitCode.map(Int64.init))
    // A person reads the same on stderr.
    #expect(result.errors.hasPrefix("seif: \(error["what"]?.string ?? "?")"), "\(result.errors)")
    return error
  }

  @Test func everyCommandThatFailsGivesOne() throws {
    let home = try Home()
    for command in CommandTable.all where command.options.contains(OutputOptions.json) {
      let words = command.name.split(separator: " ").map(String.init)
      let result = try home.seif(list: words + ["--no-such-option", "--json"])
      #expect(result.exitCode == 64)
      #expect(try failure(result)["code"]?.string == "usage", "\(command.name)")
    }
    #expect(try failure(home.seif("frobnicate", "--json"))["next"]?.string == "Try: seif help")
  }

  @Test func itHasTheReasonAndWhatToDo() throws {
    let home = try Fixture.withVault()
    let missing = try home.seif("open", home.file("none"), "--json")
    #expect(try failure(missing)["code"]?.string == "not-found")
    let wrong = try failure(home.seif("list", "--json", passphrase: "not the passphrase"))
    #expect(wrong["code"]?.string == "refused")
    #expect(wrong["next"]?.string == "The two can't be told apart.")
    let several = try failure(home.seif("show", "git", "--json", passphrase: Canary.vaultPassphrase))
    #expect(several["details"]?.elements.map { $0.string ?? "" }.count == 2)
    let strict = try home.seif(
      "convert", home.file("phone.authbackup"), "--to", "uri-list", "--strict", "--json", "-o", home.file("x"),
      passphrase: Canary.filePassphrase)
    #expect(try document(strict.output, "seif-error")["error"]?["details"]?.elements.map { $0 }.count ?? 0 > 5)
  }

  @Test func withoutItNothingIsOnStandardOutput() throws {
    let home = try Home()
    #expect(try home.seif("open", home.file("none")).output == "")
    #expect(try home.seif("open", home.file("none"), "--", "--json").output == "")
  }

  /// An answer that was checked and is no isn't a failure: there is one document, the command's own.
  @Test func aCheckWhoseAnswerIsNoGivesItsOwnDocument() throws {
    let home = try Fixture.withFiles()
    let result = try home.seif("verify", home.file("phone.authbackup"), "--json", passphrase: "not the passphrase")
    #expect(result.exitCode == 2)
    #expect(try document(result.output, "seif-verify")["ok"]?.bool == false)
  }

  @Test func convertAndExportNameEveryLossInTheirs() throws {
    let home = try Fixture.withVault()
    let converted = try home.seif(
      "convert", home.file("phone.authbackup"), "--to", "uri-list", "--json", "-o", home.file("a-in-clear.txt"),
      passphrase: Canary.filePassphrase)
    let exported = try home.seif(
      "export", "--to", "uri-list", "--plain", "--yes", "--json", "-o", home.file("b-in-clear.txt"),
      passphrase: Canary.vaultPassphrase)
    for (result, schema) in [(converted, "seif-convert"), (exported, "seif-export")] {
      #expect(result.exitCode == 1)
      let root = try document(result.output, schema)
      #expect(root["entries"]?.int64 == 7)
      #expect(root["written"]?.int64 == 4)
      let lost = root["lost"]?.elements.map { $0 } ?? []
      #expect(lost.contains { $0["kind"]?.string == "cards" && $0["name"]?.string == "Everyday plastic" })
      #expect(
        lost.filter { $0["name"]?.string == "GitHub" }.map { $0["field"]?.string } == [
          "createdAt", "isFavorite", "tags",
        ])
    }
    let both = try home.seif("export", "--to", "authbackup", "--yes", "--json", "-o", "-")
    #expect(both.exitCode == 64)
  }
}
