import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// What the doctor says of the machine, and what it mends from a backup.
@Suite struct DoctorTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func run(_ words: String..., environment: [String: String] = [:]) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: Canary.vaultPassphrase, environment: environment)
  }

  /// The doctor with a backup, whose passphrase is the file's.
  private func repair(_ words: String...) throws -> Terminal.Result {
    try home.seif(
      list: ["doctor", "--from", home.file("whole.authbackup")] + words, passphrase: Canary.filePassphrase,
      vaultPassphrase: Canary.vaultPassphrase)
  }

  private func state(_ id: String, in text: String) throws -> [String?] {
    let checks = array(try document(text, "seif-doctor")["checks"])
    return checks.filter { $0["id"]?.string == id }.map { $0["state"]?.string }
  }

  private func array(_ value: JSONValue?) -> [JSONValue] { value.map { Array($0.elements) } ?? [] }

  // MARK: - The machine

  @Test func everyCheckIsNamedWithItsStateAndItsCure() throws {
    let root = try document(try run("doctor", "--json").output, "seif-doctor")
    let checks = array(root["checks"])
    let ids = checks.compactMap { $0["id"]?.string }
    for id in [
      "clock", "file-modes", "file-system", "left-over", "recovery-sheet", "agent", "core-dumps",
      "locked-memory", "swap", "backup", "vault",
    ] {
      #expect(ids.contains(id), "\(id)")
    }
    for check in checks {
      let state = check["state"]?.string ?? ""
      #expect(["ok", "warn", "fail"].contains(state))
      #expect((check["cure"] == nil) == (state == "ok"))
    }
    #expect(root["ok"]?.bool == true)
    // The fixture leaves its sheet in the home folder.
    let shown = try run("doctor").output
    #expect(shown.contains("! recovery sheet \(home.file("sheet-in-clear.txt")) shows a recovery code"))
    #expect(shown.contains("\n  cure: Print it, keep the paper, remove the file.\n"))
    #expect(!(try run("doctor", "--quiet").output.contains("✓")))
  }

  @Test func withoutAPassphraseTheMachineIsLookedAtAlone() throws {
    let result = try home.seif("doctor", "--locked", "--json")
    #expect(result.exitCode == 0, "\(result.errors)")
    let root = try document(result.output, "seif-doctor")
    #expect(root["faults"] == nil)
    #expect(!array(root["checks"]).contains { $0["id"]?.string == "vault" })
    #expect(try home.seif("doctor", "--locked", "--vault", home.file("nowhere")).exitCode == 0)
    #expect(try home.seif("doctor", "--locked", "--set-aside").exitCode == 64)
    #expect(try home.seif("doctor", "--dry-run").exitCode == 64)
    #expect(try home.seif("doctor", "--vault", home.file("nowhere")).exitCode == 66)
  }

  @Test func aVaultThatOthersCanReadIsAFaultAndAWarningIsNone() throws {
    chmod(home.file(".local/share/seif"), 0o755)
    let warned = try home.seif("doctor", "--locked", "--json")
    #expect(warned.exitCode == 0)
    #expect(try state("file-modes", in: warned.output) == ["warn"])
    chmod(home.file(".local/share/seif/vault.db"), 0o644)
    let failed = try home.seif("doctor", "--locked", "--json")
    #expect(failed.exitCode == 2)
    #expect(try state("file-modes", in: failed.output) == ["warn", "fail"])
  }

  @Test func aTimeServerIsAskedOnlyWhenNamed() throws {
    let server = try FakeTimeServer { FakeTimeServer.answer($0, ahead: 3600) }
    #expect(try state("clock-server", in: try home.seif("doctor", "--locked", "--json").output) == [])
    let asked = try home.seif("doctor", "--locked", "--against", "127.0.0.1:\(server.port)")
    #expect(asked.exitCode == 2)
    #expect(asked.output.contains("✗ clock server   60 min off, says 127.0.0.1: codes are refused\n"))
    #expect(try home.seif("doctor", "--against", "a:b").exitCode == 64)
  }

  // MARK: - From a backup

  private static let damaging = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    rows = [p for p, in db.execute("select position from item order by position")]
    db.execute("update item set detail=zeroblob(length(detail)) where position=?", (rows[0],))
    db.execute("update item set detail=zeroblob(length(detail)) where position=?", (rows[-1],))
    db.execute("update secret set value=zeroblob(length(value)) where position=2")
    db.commit()
    """

  private func damage() throws {
    let damaged = try home.run("python3", "-c", Self.damaging, home.file(".local/share/seif/vault.db"))
    try #require(damaged.exitCode == 0, "\(damaged.errors)")
  }

  /// All entries in clear with their identifiers, by identifier.
  private func contents() throws -> [String] {
    let shown = try run("list", "--json")
    let listed = try JSONDocument(parsing: SecretValue(utf8: shown.output), policy: .strict).root["entries"]
    let ids = array(listed).compactMap { $0["id"]?.string }
    return try ids.sorted().map { id in
      let entry = try home.seif("show", id, "--reveal", "--json", passphrase: Canary.vaultPassphrase, reveals: true)
      return entry.output.split(separator: "\n").filter { !$0.contains("updatedAt") && !$0.contains("\"code\"") }
        .joined(separator: "\n")
    }
  }

  private func makeBackup() throws {
    let folder = try home.folder("backups")
    let made = try home.seif(
      "backup", "create", "--destination", folder, passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.filePassphrase)
    try #require(made.exitCode == 0, "\(made.errors)")
    let name = try #require(try home.names(in: "backups").first { $0.hasSuffix(".authbackup") })
    try FileManager.default.copyItem(atPath: folder + "/" + name, toPath: home.file("whole.authbackup"))
  }

  @Test func whatDoesNotOpenIsPutBackFromABackupAndTheRestIsNotTouched() throws {
    try makeBackup()
    let before = try contents()
    #expect(try run("edit", "Example Forge", "--name", "Forge renamed").exitCode == 0)
    try damage()
    let planned = try repair("--dry-run")
    #expect(planned.exitCode == 2, "\(planned.errors)")
    #expect(planned.errors.contains("entries open and stay as they are, 3 don't."))
    #expect(planned.errors.contains("+ GitHub, ana@example.com: as it was in the backup"))
    #expect(planned.errors.contains("Nothing written."))
    let bytes = try home.bytes(".local/share/seif/vault.db")
    // Nobody is there to agree.
    #expect(try repair().exitCode == 64)
    #expect(try home.bytes(".local/share/seif/vault.db") == bytes)
    let done = try repair("--yes", "--json", "--accept-contents")
    #expect(done.exitCode == 0, "\(done.errors)\(done.output)")
    let plan = try document(done.output, "seif-doctor")["repair"]
    #expect(plan?["done"]?.bool == true)
    #expect(array(plan?["rows"]).map { $0["outcome"]?.string } == ["put-back", "put-back", "put-back"])
    let after = try contents()
    #expect(after.map { $0.replacing("Forge renamed", with: "Example Forge") } == before)
    #expect(after != before)
    #expect(try run("doctor").exitCode == 0)
  }

  @Test func aRepairIsOneStepOfUndoAndCanBeMadeAgain() throws {
    try makeBackup()
    let before = try contents()
    try damage()
    #expect(try repair("--yes").exitCode == 2)
    #expect(try contents() == before)
    #expect(try run("undo").exitCode == 0)
    #expect(try run("list").exitCode == 0)
    #expect(try run("show", "Keys").exitCode != 0)
    let again = try repair("--yes", "--json")
    let rows = array(try document(again.output, "seif-doctor")["repair"]?["rows"])
    #expect(rows.map { $0["outcome"]?.string } == ["from-bin", "from-bin", "from-bin"])
    #expect(try contents() == before)
  }

  @Test func whatABackupDoesNotHaveIsNamedAndStays() throws {
    try makeBackup()
    let later = try home.seif(
      "add", "login", "--name", "Later", passphrase: Canary.vaultPassphrase, secret: Canary.password)
    #expect(later.exitCode == 0)
    try damage()
    let result = try repair("--yes")
    #expect(result.exitCode == 2)
    #expect(result.errors.contains("- Later: isn't in this backup"))
    #expect(result.errors.contains("2 put back."))
    let none = try repair("--yes")
    #expect(none.errors.contains("- Later"))
    #expect(!none.errors.contains("put back."))
  }

  @Test func whereAllOpensNothingIsPutBack() throws {
    try makeBackup()
    let before = try contents()
    let result = try repair("--yes")
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(result.errors.contains("there is nothing to put back"))
    #expect(try contents() == before)
  }
}
