import SeifCommandLine
import SeifBytes
import Testing

@testable import SeifCommands

/// What was removed from the vault, met again in a file.
@Suite struct ImportBinTests {
  private func importing(_ home: Home, _ options: String...) throws -> (Terminal.Result, JSONValue) {
    let result = try home.seif(
      list: ["import", home.file("phone.authbackup"), "--json"] + options, passphrase: Canary.filePassphrase,
      vaultPassphrase: Canary.vaultPassphrase)
    #expect(result.exitCode == 0)
    return (result, try document(result.output, "seif-import"))
  }

  private func code(_ home: Home) throws -> String {
    try home.seif("code", "Acme", passphrase: Canary.vaultPassphrase).output
  }

  /// An account whose counter moved on, removed: the older file must not make its codes from before again.
  @Test func whatLiesInTheBinComesBackOnlyWhenChosenAndWithItsCounter() throws {
    let home = try Fixture.withVault()
    let first = try code(home)
    let second = try code(home)
    #expect(try home.seif("remove", "Acme", passphrase: Canary.vaultPassphrase).exitCode == 0)
    let (_, skipped) = try importing(home)
    #expect(["new", "same", "inBin", "restored"].map { skipped[$0]?.int64 } == [0, 6, 1, 0])
    #expect(skipped["items"]?.elements.filter { $0["outcome"]?.string == "in-bin" }.count == 1)
    #expect(try code(home) == "")
    let (_, restored) = try importing(home, "--from-bin")
    #expect(["new", "same", "inBin", "restored"].map { restored[$0]?.int64 } == [0, 6, 0, 1])
    let third = try code(home)
    #expect(![first, second, ""].contains(third))
    let (_, again) = try importing(home, "--from-bin")
    #expect(again["same"]?.int64 == 7)
  }
}
