import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// A vault that this machine's TPM opens; the TPM is one in software.
@Suite(.enabled(if: SoftwareTPM.isInstalled, "swtpm isn't installed"))
struct TPMCommandTests {
  let home: Home
  private let tpm: SoftwareTPM

  init() throws {
    home = try Fixture.withVault()
    tpm = try SoftwareTPM()
  }

  private func seif(
    _ words: String..., on other: SoftwareTPM? = nil, passphrase: String? = nil
  ) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: passphrase, environment: ["SEIF_TCTI": (other ?? tpm).address])
  }

  @Test func itOpensTheVaultWithoutAQuestionAndOnlyHere() throws {
    let added = try seif("keys", "add", "tpm2", passphrase: Canary.vaultPassphrase)
    #expect(added.exitCode == 0, "\(added.errors)")
    #expect(added.errors.contains("Added and proven: this machine, started as it was (PCR 7), and nothing else."))
    let opened = try seif("code", "GitHub", "--at", Fixture.moment)
    #expect(opened.exitCode == 0, "\(opened.errors)")
    #expect(opened.output == "756364\n")
    #expect(opened.errors == "")
    #expect(try seif("status").output.contains("protection  this machine's TPM alone, passphrase, recovery code\n"))
    // What takes everything out of the vault, or changes what opens it, wants the person.
    #expect(try seif("export", "--to", "json", "--plain", "--yes", "-o", home.file("out-in-clear.json")).exitCode == 77)
    #expect(try seif("keys", "add", "tpm2").exitCode == 77)
    #expect(try seif("keys", "remove", "recovery", "--yes").exitCode == 77)
    let other = try SoftwareTPM()
    let elsewhere = try seif("list", on: other, passphrase: Canary.vaultPassphrase)
    #expect(elsewhere.exitCode == 0)
    let refused = try seif("list", on: other)
    #expect(refused.exitCode == 77)
    #expect(refused.errors.contains("another machine"))
    #expect(!refused.errors.contains("WARNING:esys"))
    #expect(try seif("list", "--with", "tpm2", on: other).exitCode == 69)
    let tried = try seif("keys", "test").output.split(separator: "\n")
    // Sign and kind; a short identifier follows.
    #expect(
      tried.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        == ["! passphrase", "! recovery", "✓ tpm2"])
    #expect(tried.map { $0.hasSuffix(": not presented") } == [true, true, false])
  }

  @Test func aPINIsAskedForAndTheTriesLeftAreSaid() throws {
    let added = try seif(
      "keys", "add", "tpm2", "--pin-file", try home.write("4711\n", as: "pin"), passphrase: Canary.vaultPassphrase)
    #expect(added.exitCode == 0, "\(added.errors)")
    // With a PIN it isn't tried without being asked for.
    #expect(try seif("list").exitCode == 77)
    #expect(try seif("list", "--with", "tpm2", passphrase: "4711").exitCode == 0)
    let wrong = try seif("list", "--with", "tpm2", passphrase: "4712")
    #expect(wrong.exitCode == 77)
    #expect(wrong.errors.contains("tries are left"))
  }

  /// The agent asks the TPM that it was started with, and no other that a command names.
  @Test func itOpensTheVaultInTheAgent() throws {
    let world = try AgentHome(home)
    func seif(_ words: String..., on tpm: SoftwareTPM, pin: String? = nil) throws -> Terminal.Result {
      try home.seif(
        list: words, passphrase: pin, environment: world.variables.merging(["SEIF_TCTI": tpm.address]) { $1 })
    }
    let none = try seif("unlock", "--with", "tpm2", on: tpm)
    #expect(none.exitCode == 66)
    let added = try self.seif(
      "keys", "add", "tpm2", "--pin-file", try home.write("4711\n", as: "pin"), passphrase: Canary.vaultPassphrase)
    #expect(added.exitCode == 0, "\(added.errors)")
    let wrong = try seif("unlock", "--with", "tpm2", on: tpm, pin: "4712")
    #expect(wrong.exitCode == 77)
    #expect(wrong.errors.contains("tries are left"))
    try world.process()
    #expect(try world.openCount() == 0)
    let other = try SoftwareTPM()
    let unlocked = try seif("unlock", "--with", "tpm2", on: other, pin: "4711")
    #expect(unlocked.exitCode == 0, "\(unlocked.errors)")
    #expect(try world.openCount() == 1)
    #expect(try world.seif("code", "GitHub", "--at", Fixture.moment).output == "756364\n")
    // What leaves the vault still wants what a person knows.
    let export = try world.seif("export", "--to", "json", "--plain", "--yes", "-o", home.file("out-in-clear.json"))
    #expect(export.exitCode == 77)
  }

  /// What the doctor says of the TPM, by its state.
  private func doctor() throws -> [(state: String?, what: String)] {
    let result = try seif("doctor", "--locked", "--json")
    return try document(result.output, "seif-doctor")["checks"]?.elements.filter { $0["id"]?.string == "tpm" }
      .map { ($0["state"]?.string, $0["what"]?.string ?? "") } ?? []
  }

  @Test func theDoctorTellsOfItAndTriesWhatItSealed() throws {
    let before = try doctor()
    #expect(before.map(\.state) == ["ok"])
    #expect(before.first?.what.hasPrefix("you may use it; 0 of ") == true)
    #expect(try seif("keys", "add", "tpm2", passphrase: Canary.vaultPassphrase).exitCode == 0)
    let sealed = try doctor()
    #expect(sealed.map(\.state) == ["ok", "ok"])
    #expect(sealed.last?.what == "the vault's key comes out without a question")
    try tpm.tool("tpm2_pcrextend", "7:sha256=" + String(repeating: "ab", count: 32))
    let changed = try doctor()
    #expect(changed.map(\.state) == ["ok", "warn"])
    #expect(changed.last?.what.hasPrefix("this machine didn't start as it did") == true)
  }

  @Test func itStaysThroughARotationAndGoesWhenItIsRemoved() throws {
    #expect(try seif("keys", "add", "tpm2", passphrase: Canary.vaultPassphrase).exitCode == 0)
    let rotated = try seif(
      "keys", "rotate", "--recovery-sheet", home.file("new-in-clear.txt"), passphrase: Canary.vaultPassphrase)
    #expect(rotated.exitCode == 0, "\(rotated.errors)")
    #expect(try seif("list").exitCode == 0)
    #expect(try seif("keys", "remove", "tpm2", "--yes", passphrase: Canary.vaultPassphrase).exitCode == 0)
    #expect(try seif("list").exitCode == 77)
  }
}
