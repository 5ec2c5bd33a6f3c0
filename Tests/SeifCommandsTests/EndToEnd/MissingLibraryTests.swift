import SeifCommandLine
import SeifBytes
import SeifTestSupport
import Testing

/// A library that isn't installed is said with the name of its package, and the program ends in order: exit 69, not a
/// trap.
///
/// It is taken away by a file of its name that is no library, in a folder that the loader looks into first.
@Suite struct MissingLibraryTests {
  /// A home with a vault, from whose programs a library is hidden.
  private func hidden(_ library: String) throws -> (home: Home, environment: [String: String]) {
    let home = try Fixture.withVault()
    let folder = try home.folder("no-library")
    try home.write("", as: "no-library/\(library)")
    return (home, ["LD_LIBRARY_PATH": folder])
  }

  @Test(arguments: [
    ("libcrypto.so.3", "libssl3"), ("libsqlite3.so.0", "libsqlite3-0"), ("libsodium.so.23", "libsodium23"),
  ])
  func aVaultIsNotOpenedWithoutOne(_ library: String, _ package: String) throws {
    let (home, environment) = try hidden(library)
    let result = try home.seif("list", passphrase: Canary.vaultPassphrase, environment: environment)
    #expect(result.exitCode == 69)
    #expect(result.output == "")
    #expect(result.errors == "seif: the library \(library) isn't installed; on Debian: apt install \(package).\n")
    #expect(try home.seif("list", passphrase: Canary.vaultPassphrase).exitCode == 0)
    // With --json it is a document too, as any failure.
    let asked = try home.seif("list", "--json", passphrase: Canary.vaultPassphrase, environment: environment)
    #expect(asked.exitCode == 69 && asked.errors == result.errors)
    let error = try #require(try document(asked.output, "seif-error")["error"])
    #expect(error["code"]?.string == "unavailable" && error["exit"]?.int64 == 69)
    #expect(result.errors == "seif: \(error["what"]?.string ?? "?").\n")
  }

  @Test func aWordForAnotherProgramAsksForNoDocument() throws {
    let (home, environment) = try hidden("libcrypto.so.3")
    let reference = "A=seif://GitHub/code"
    let words = ["run", "--passphrase-file", try home.write(Canary.vaultPassphrase, as: "phrase-in-clear")]
    for (end, isDocument) in [(["--", "/bin/true", "--json"], false), (["--json"], true)] {
      let result = try home.seif(list: words + end, environment: environment.merging(["A": reference]) { $1 })
      #expect(result.output.isEmpty != isDocument, "\(end)")
    }
  }

  @Test(arguments: [("libsodium.so.23", "libsodium23", 1), ("libargon2.so.1", "libargon2-1", 2)])
  func aBackupIsNotOpenedWithoutOne(_ library: String, _ package: String, lanes: Int) throws {
    let (home, environment) = try hidden(library)
    let text = try home.read("phone.authbackup")
    let cost = "\"lanes\": 1"
    try #require(text.contains(cost))
    let file = try home.write(text.replacing(cost, with: "\"lanes\": \(lanes)"), as: "lanes.authbackup")
    let result = try home.seif("open", file, passphrase: Canary.filePassphrase, environment: environment)
    #expect(result.exitCode == 69)
    #expect(result.output == "")
    #expect(result.errors.contains(library))
    #expect(result.errors.contains("apt install \(package)"))
  }

  @Test func whatNeedsNoLibraryStillWorks() throws {
    let (home, environment) = try hidden("libcrypto.so.3")
    #expect(try home.seif("--version", environment: environment).exitCode == 0)
    #expect(try home.seif("help", "list", environment: environment).exitCode == 0)
    #expect(try home.seif("formats", environment: environment).exitCode == 0)
  }
}
