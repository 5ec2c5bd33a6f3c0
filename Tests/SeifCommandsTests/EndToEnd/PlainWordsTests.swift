import SeifCommandLine
import SeifBytes
import Testing

@testable import SeifCommands

/// What a newcomer reads: nothing broken, damaged or coloured by mistake.
@Suite struct PlainWordsTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  @Test func aColouredSignReachesTheTerminalWhole() throws {
    let terminal = try home.terminal("status", passphrase: Canary.vaultPassphrase)
    let screen = try home.check(terminal.finish()).screen
    #expect(!screen.contains("\u{FFFD}") && !screen.contains("\u{FFFD}[33m"), "\(screen)")
    #expect(screen.contains("\u{1B}[33m!\u{1B}[0m none is proven"), "\(screen)")
  }

  @Test func aNoteOfSeveralLinesIsShownLineByLine() throws {
    let added = try home.seif(
      "add", "note", "--name", "Steps", "--text-file", "-", passphrase: Canary.vaultPassphrase,
      input: "first\r\nsecond\u{7}\n\nlast\n")
    #expect(added.exitCode == 0, "\(added.errors)")
    let shown = try home.seif("show", "Steps", "--reveal", passphrase: Canary.vaultPassphrase)
    #expect(shown.output.contains("text:\n  first\n  second\u{FFFD}\n\n  last\n"), "\(shown.output)")
  }

  @Test func whatIsMissingIsListed() throws {
    let kind = try home.seif("keys", "add")
    #expect(kind.exitCode == 64)
    #expect(kind.errors.contains("passphrase, recovery, fido2, tpm2, keyring"), "\(kind.errors)")
    #expect(try home.seif().errors.contains("Start here: seif open FILE"))
    let restore = try home.seif("restore")
    #expect(restore.exitCode == 64 && restore.errors.contains("seif import FILE"), "\(restore.errors)")
  }

  @Test func twoPassphrasesAreToldApartEverywhere() throws {
    let other = "another phrase of many plain words 12"
    let added = try home.seif(
      "keys", "add", "passphrase", "--unlock-ms", "500", passphrase: Canary.vaultPassphrase,
      newPassphrase: other)
    #expect(added.exitCode == 0, "\(added.errors)")
    let ids = try #require(try document(home.seif("keys", "list", "--json").output, "seif-keys")["waysIn"]).elements
      .filter { $0["kind"]?.string == "passphrase" }.map { String(($0["id"]?.string ?? "").prefix(8)) }
    #expect(ids.count == 2 && ids.allSatisfy { $0.count == 8 })
    let status = try home.seif("status", "--locked").output
    let list = try home.seif("keys", "list").output
    // The second one is given for the first: that is said, with both names.
    let tested = try home.seif("keys", "test", passphrase: other)
    for id in ids {
      #expect(status.contains("passphrase (\(id), made "), "\(status)")
      #expect(list.contains(id), "\(list)")
      #expect(tested.output.contains("passphrase \(id), made "), "\(tested.output)")
    }
    #expect(tested.output.contains("is another of them: \(ids[1])."), "\(tested.output)")
  }
}
