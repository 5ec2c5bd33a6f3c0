import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// `backup restore` and `drill`.
@Suite struct RestoreCommandTests {
  let home: Home
  let folder: String

  init() throws {
    home = try Fixture.withVault()
    folder = try home.folder("backups")
  }

  private func create() throws -> String {
    let made = try home.seif(
      "backup", "create", "--destination", folder, "--json", passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.filePassphrase)
    try #require(made.exitCode == 0, "\(made.errors)")
    return try #require(document(made.output, "seif-backup")["name"]?.string)
  }

  /// With the passphrases of the file and of the vault.
  private func seif(
    _ words: String..., file: String = Canary.filePassphrase, environment: [String: String] = [:]
  ) throws -> Terminal.Result {
    try home.seif(
      list: words + ["--destination", folder], passphrase: file, vaultPassphrase: Canary.vaultPassphrase,
      environment: environment)
  }

  private func kinds() throws -> [String] {
    let listed = try home.seif(
      "backup", "list", "--destination", folder, "--json", passphrase: Canary.vaultPassphrase)
    return try document(listed.output, "seif-backup-list")["backups"]?.elements.compactMap { $0["state"]?.string } ?? []
  }

  @Test func whatIsThereIsPassedOverAndWhatWasRemovedComesBackWhenChosen() throws {
    let name = try create()
    #expect(try home.seif("remove", "Keys", passphrase: Canary.vaultPassphrase).exitCode == 0)
    let first = try seif("backup", "restore", "--json")
    #expect(first.exitCode == 0, "\(first.errors)")
    let root = try document(first.output, "seif-backup-restore")
    #expect(root["name"]?.string == name)
    #expect(root["proven"]?.bool == true)
    #expect(root["new"]?.int64 == 0 && root["same"]?.int64 == 6 && root["inBin"]?.int64 == 1)
    let second = try document(seif("backup", "restore", "--from-bin", "--json").output, "seif-backup-restore")
    #expect(second["restored"]?.int64 == 1)
    #expect(try home.seif("show", "Keys", passphrase: Canary.vaultPassphrase).exitCode == 0)
  }

  @Test func aDryRunChangesNothing() throws {
    _ = try create()
    #expect(try home.seif("remove", "Keys", passphrase: Canary.vaultPassphrase).exitCode == 0)
    let planned = try document(
      seif("backup", "restore", "--from-bin", "--dry-run", "--json").output, "seif-backup-restore")
    #expect(planned["restored"]?.int64 == 1)
    #expect(try home.seif("show", "Keys", passphrase: Canary.vaultPassphrase).exitCode != 0)
  }

  @Test func aCounterNeverGoesBack() throws {
    _ = try create()
    let first = try home.seif("code", "Acme", passphrase: Canary.vaultPassphrase).output
    let restored = try seif("backup", "restore")
    #expect(restored.exitCode == 0)
    #expect(restored.errors.contains("7 already here"))
    #expect(try home.seif("code", "Acme", passphrase: Canary.vaultPassphrase).output != first)
  }

  @Test func aNewVaultHasNoProofAndAsks() throws {
    _ = try create()
    let other = home.file("other-vault")
    let made = try home.seif(
      "init", "--vault", other, "--recovery-sheet", home.file("other-sheet-in-clear.txt"), "--unlock-ms", "500",
      newPassphrase: Canary.vaultPassphrase)
    #expect(made.exitCode == 0, "\(made.errors)")
    let asked = try seif("backup", "restore", "--vault", other)
    #expect(asked.exitCode == ExitCode.usage.rawValue)
    #expect(asked.errors.contains("an old file can pass as the newest") && asked.errors.contains("--yes"))
    let listed = try home.seif("list", "--vault", other, "--json", passphrase: Canary.vaultPassphrase)
    #expect(!listed.output.contains("GitHub"))

    let restored = try seif("backup", "restore", "--vault", other, "--yes", "--json")
    #expect(restored.exitCode == 0, "\(restored.errors)")
    #expect(try document(restored.output, "seif-backup-restore")["new"]?.int64 == 7)
    #expect(try document(restored.output, "seif-backup-restore")["proven"]?.bool == false)
  }

  @Test func namesThatClaimToBeNewerAndDontOpenAreNamed() throws {
    let good = try home.seif(
      "convert", home.file("phone.authbackup"), "--to", "vault2fa", "-o",
      "\(folder)/twofac-backup-1767225000000-1.json",
      passphrase: Canary.filePassphrase, newPassphrase: Canary.filePassphrase)
    #expect(good.exitCode == 1, "\(good.errors)")
    let bytes = try Data(contentsOf: URL(filePath: "\(folder)/twofac-backup-1767225000000-1.json"))
    try Data().write(to: URL(filePath: "\(folder)/twofac-backup-1767225600000-1.json"))
    try bytes.prefix(bytes.count / 2).write(to: URL(filePath: "\(folder)/twofac-backup-1767226000000-1.json"))
    let restored = try seif("backup", "restore", "--yes", "--json")
    #expect(restored.exitCode == 1, "\(restored.errors)")
    #expect(
      try document(restored.output, "seif-backup-restore")["name"]?.string == "twofac-backup-1767225000000-1.json")
    #expect(restored.errors.contains("twofac-backup-1767225600000-1.json"))
    #expect(restored.errors.contains("twofac-backup-1767226000000-1.json"))
  }

  @Test func anOlderOneInPlaceOfTheNewestIsAnAlarmAndAsks() throws {
    let first = try create()
    #expect(try home.seif("remove", "Keys", passphrase: Canary.vaultPassphrase).exitCode == 0)
    let second = try create()
    unlink("\(folder)/\(second)")
    try FileManager.default.copyItem(atPath: "\(folder)/\(first)", toPath: "\(folder)/\(second)")
    let asked = try seif("backup", "restore", "--from-bin")
    #expect(asked.exitCode == ExitCode.usage.rawValue)
    #expect(asked.errors.contains("\(second) was proven here and is altered"))
    #expect(asked.errors.contains("older than what was proven there"))
    let named = try seif("backup", "restore", first, "--from-bin", "--json")
    #expect(named.exitCode == 0, "\(named.errors)")
    #expect(try document(named.output, "seif-backup-restore")["restored"]?.int64 == 1)
  }

  @Test func whatDoesntOpenChangesNothing() throws {
    _ = try create()
    let wrong = try seif("backup", "restore", file: "not the passphrase")
    #expect(wrong.exitCode == ExitCode.refused.rawValue)
    let missing = try seif("backup", "restore", "seif-backup-20200101T000000Z-0.authbackup")
    #expect(missing.exitCode == ExitCode.notFound.rawValue)
  }

  // MARK: - Drill

  @Test func aDrillByAScriptProvesAgainAndLeavesNothing() throws {
    let name = try create()
    // A folder of its own: what others rehearse beside it is none of its business.
    let rehearsals = try home.folder("run")
    #expect(chmod(rehearsals, 0o700) == 0)
    let drilled = try seif("drill", "--json", environment: ["XDG_RUNTIME_DIR": rehearsals])
    #expect(drilled.exitCode == 0, "\(drilled.errors)")
    let root = try document(drilled.output, "seif-drill")
    #expect(root["name"]?.string == name)
    #expect(root["restores"]?.bool == true)
    #expect(root["noted"]?.string == "proven")
    #expect(root["entries"]?.int64 == 7)
    #expect(try FileManager.default.contentsOfDirectory(atPath: rehearsals).isEmpty)
    #expect(try kinds() == ["proven"])
  }

  @Test func aDrillByAPersonIsNotedAsOne() throws {
    _ = try create()
    let terminal = try Terminal(
      ["drill", "--destination", folder, "--json"], program: Home.program, environment: home.variables())
    try terminal.expect("Passphrase for")
    terminal.type(Canary.vaultPassphrase + "\r")
    try terminal.expect("Passphrase for seif-backup-")
    terminal.type(Canary.filePassphrase + "\r")
    let result = try terminal.finish()
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(try document(result.output, "seif-drill")["noted"]?.string == "drilled")
    let status = try home.seif("status", "--json", passphrase: Canary.vaultPassphrase)
    let backup = try document(status.output, "seif-status")["backups"]?.elements.first { _ in true }
    #expect(backup?["lastDrilledAt"]?.string != nil)
    let shown = try home.seif("status", passphrase: Canary.vaultPassphrase).output
    #expect(shown.contains("; opened by a person "), "\(shown)")
  }

  @Test func besideTheAgentItIsSaidWhyThePassphraseIsAskedForAgain() throws {
    _ = try create()
    let agent = try AgentHome(home)
    try agent.unlock()
    for words in [["drill"], ["backup", "prune"], ["backup", "create"]] {
      let asked = try home.seif(list: words + ["--destination", folder], environment: agent.variables)
      #expect(asked.exitCode == ExitCode.refused.rawValue, "\(words): \(asked.errors)")
      #expect(asked.errors.hasPrefix("The agent takes no command's word for a proof"), "\(asked.errors)")
    }
  }

  @Test func aDrillOfAnOlderOneIsAnAlarmAndMakesItNoNewer() throws {
    let first = try create()
    let second = try create()
    #expect(try seif("drill", first, "--json").exitCode == 0)
    unlink("\(folder)/\(second)")
    let drilled = try seif("drill", "--json")
    #expect(drilled.exitCode == ExitCode.checkFailed.rawValue)
    #expect(try document(drilled.output, "seif-drill")["newest"]?.bool == false)
    let asked = try seif("backup", "restore")
    #expect(asked.exitCode == ExitCode.usage.rawValue)
    #expect(asked.errors.contains("\(second) was proven here and is gone"))
  }

  @Test func aFileThatWasNeverProvenIsRehearsedAndNotNoted() throws {
    try FileManager.default.copyItem(atPath: home.file("phone.authbackup"), toPath: "\(folder)/phone.authbackup")
    let drilled = try seif("drill", "--json")
    #expect(drilled.exitCode == 0, "\(drilled.errors)")
    let root = try document(drilled.output, "seif-drill")
    #expect(root["restores"]?.bool == true && root["proven"]?.bool == false)
    #expect(root["noted"] == nil)
    #expect(drilled.errors.contains("isn't noted"))
  }

  @Test func aDrillWithAnotherPassphraseIsRefused() throws {
    _ = try create()
    let drilled = try seif("drill", file: "not the passphrase")
    #expect(drilled.exitCode == ExitCode.refused.rawValue)
    #expect(try kinds() == ["proven"])
  }
}
