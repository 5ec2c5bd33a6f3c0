import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import SeifVault
import Testing

@testable import SeifCommands

/// Backups that another machine made: found, offered, taken in, and noted. Two vaults of one home have one folder between
/// them; the second one is new.
@Suite struct AutomaticRestoreCommandTests {
  let agent: AgentHome
  let home: Home
  let folder: String
  let other: String

  init() throws {
    agent = try AgentHome()
    home = agent.home
    folder = try home.folder("backups")
    other = home.file("other")
  }

  /// A vault that has nothing in it.
  private func makeOther() throws {
    try Vault.create(
      at: VaultLocation(folder: other, stateFolder: home.file(".local/state/seif")),
      passphrase: SecretBytes(copying: SecretValue(utf8: Canary.vaultPassphrase)), recoveryCode: RecoveryCode.make(),
      cost: .forTests
    ).lock()
  }

  /// A backup of a vault; nil: of the first one.
  @discardableResult
  private func create(_ vault: String? = nil) throws -> String {
    let made = try home.seif(
      list: ["backup", "create", "--destination", folder, "--json"] + (vault.map { ["--vault", $0] } ?? []),
      passphrase: Canary.vaultPassphrase, newPassphrase: Canary.filePassphrase)
    try #require(made.exitCode == 0, "\(made.errors)")
    return try #require(document(made.output, "seif-backup")["name"]?.string)
  }

  @discardableResult
  private func add(_ vault: String? = nil, _ more: String..., code: Int32 = 0) throws -> Terminal.Result {
    let added = try home.seif(
      list: ["transport", "add", "folder", "nas", "--set", "path=\(folder)"] + more
        + (vault.map { ["--vault", $0] } ?? []),
      passphrase: Canary.vaultPassphrase, environment: agent.variables)
    try #require(added.exitCode == code, "\(added.errors)")
    return added
  }

  private func restore(_ words: String..., vault: String? = nil) throws -> Terminal.Result {
    try home.seif(
      list: ["backup", "restore", "--automatic"] + words + (vault.map { ["--vault", $0] } ?? []),
      passphrase: Canary.filePassphrase, vaultPassphrase: Canary.vaultPassphrase)
  }

  private func state(_ vault: String? = nil) throws -> JSONValue {
    let shown = try home.seif(
      list: ["backup", "automatic", "--json"] + (vault.map { ["--vault", $0] } ?? []),
      passphrase: Canary.vaultPassphrase)
    return try document(shown.output, "seif-backup-automatic")
  }

  private func count(_ vault: String? = nil) throws -> Int {
    let listed = try home.seif(
      list: ["list", "--json"] + (vault.map { ["--vault", $0] } ?? []), passphrase: Canary.vaultPassphrase)
    return try document(listed.output, "seif-list")["entries"]?.elements.count { _ in true } ?? -1
  }

  // MARK: - A new vault

  @Test func anEmptyVaultIsOfferedWhatLiesThere() throws {
    let name = try create()
    try makeOther()
    let terminal = try home.terminal(
      "transport", "add", "folder", "nas", "--set", "path=\(folder)", "--automatic-restore", "--vault", other,
      passphrase: Canary.vaultPassphrase)
    try terminal.expect("A backup that this vault hasn't lies there: seif backup restore --automatic")
    try terminal.expect("assphrase")
    try terminal.expect(echo: false)
    terminal.type(Canary.filePassphrase + "\n")
    try terminal.expect("The vault is empty. Restore it? [Y/n]")
    terminal.type("\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(try count(other) == 7)
    #expect(try state(other)["restored"]?["name"]?.string == name)
    // Once is enough.
    let again = try restore(vault: other)
    #expect(again.exitCode == 0 && again.errors.contains("Nothing new at nas: \(name) was restored"), "\(again.errors)")
  }

  @Test func whoSaysNoHasNothingRestoredAndIsAskedAgain() throws {
    try create()
    try makeOther()
    let added = try add(other, "--automatic-restore")
    #expect(added.errors.contains("seif backup restore --automatic"))
    #expect(try count(other) == 0)
    let asked = try restore(vault: other)
    #expect(asked.exitCode == ExitCode.usage.rawValue && asked.errors.contains("--yes"), "\(asked.errors)")
    let terminal = try home.terminal(
      list: ["backup", "restore", "--automatic", "--vault", other, "--vault-passphrase-file", passphraseFile()],
      passphrase: Canary.filePassphrase)
    try terminal.expect("The vault is empty. Restore it? [Y/n]")
    terminal.type("n\n")
    #expect(try home.check(terminal.finish()).exitCode == 130)
    #expect(try count(other) == 0 && state(other)["restored"] == nil)
    #expect(try restore("--dry-run", vault: other).exitCode == 0)
    #expect(try state(other)["restored"] == nil)
    let restored = try restore("--yes", "--json", vault: other)
    #expect(try document(restored.output, "seif-backup-restore")["new"]?.int64 == 7)
  }

  private func passphraseFile() throws -> String {
    let path = try home.write(Canary.vaultPassphrase + "\n", as: "vault-passphrase-in-clear.txt")
    chmod(path, 0o600)
    return path
  }

  @Test func aNewVaultTakesABackupInAsItIsMade() throws {
    try create()
    let terminal = try home.terminal(
      "init", "--vault", other, "--recovery-sheet", home.file("other-sheet-in-clear.txt"), "--unlock-ms", "500",
      "--restore-from", folder, passphrase: Canary.vaultPassphrase)
    try terminal.expect("Vault made")
    try terminal.expect("assphrase for")
    try terminal.expect(echo: false)
    terminal.type(Canary.filePassphrase + "\n")
    try terminal.expect("The vault is empty. Restore it? [Y/n]")
    terminal.type("y\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(try count(other) == 7)
  }

  @Test func whereNothingCanBeRestoredNoVaultIsMade() throws {
    let script = try home.seif(
      "init", "--vault", other, "--recovery-sheet", home.file("s-in-clear.txt"), "--restore-from", folder,
      newPassphrase: Canary.vaultPassphrase)
    #expect(script.exitCode == 64 && script.errors.contains("seif backup restore --destination"), "\(script.errors)")
    for (place, words) in [(folder, "no backup"), (home.file("nowhere"), "--automatic-restore")] {
      let terminal = try home.terminal(
        "init", "--vault", other, "--recovery-sheet", home.file("s-in-clear.txt"), "--restore-from", place,
        passphrase: Canary.vaultPassphrase)
      let result = try terminal.finish()
      #expect(result.exitCode == 66 && terminal.screen.contains(words), "\(terminal.screen)")
    }
    #expect(!home.exists("other") && !home.exists("s-in-clear.txt"))
  }

  // MARK: - A vault that has something

  @Test func aVaultThatIsntEmptyIsAskedWithANoForTheUsualAnswer() throws {
    try makeOther()
    let added = try home.seif(
      "add", "login", "--name", "From afar", "--vault", other, passphrase: Canary.vaultPassphrase, secret: "far-pass")
    #expect(added.exitCode == 0, "\(added.errors)")
    let name = try create(other)
    try add(nil, "--automatic-restore")
    let before = try count()
    let terminal = try home.terminal(
      list: ["backup", "restore", "--automatic", "--vault-passphrase-file", passphraseFile()],
      passphrase: Canary.filePassphrase)
    try terminal.expect("The vault has 7 entries, which stay as they are. Restore it? [y/N]")
    terminal.type("\n")
    #expect(try home.check(terminal.finish()).exitCode == 130)
    #expect(try count() == before)
    #expect(try restore("--yes").exitCode == 0)
    #expect(try count() == before + 1)
    // A backup of its own is nothing from elsewhere.
    try create()
    #expect(try restore().exitCode == 0)
    #expect(try state()["restored"]?["name"]?.string == name)
    // What is undone isn't offered again.
    #expect(try home.seif("undo", passphrase: Canary.vaultPassphrase).exitCode == 0)
    #expect(try count() == before && restore().exitCode == 0)
  }

  @Test func aPlaceThatWentBackIsAnAlarm() throws {
    try makeOther()
    let old = try create(other)
    try add(nil, "--automatic-restore")
    sleep(1)
    let new = try create(other)
    #expect(try restore("--yes").exitCode == 0)
    #expect(try state()["restored"]?["name"]?.string == new)
    unlink("\(folder)/\(new)")
    let refused = try restore("--yes")
    #expect(refused.exitCode == 2 && refused.errors.contains("\(old), is older than \(new)"), "\(refused.errors)")
    // By its name a person can still have it.
    let named = try home.seif(
      "backup", "restore", old, "--destination", "nas", passphrase: Canary.filePassphrase,
      vaultPassphrase: Canary.vaultPassphrase)
    #expect(named.exitCode == 0, "\(named.errors)")
  }

  @Test func onlyOneIsChosenAndNoFileChoosesOne() throws {
    try add(nil, "--automatic-restore")
    let second = try home.folder("second")
    #expect(
      try home.seif(
        "transport", "add", "folder", "shelf", "--set", "path=\(second)", passphrase: Canary.vaultPassphrase
      ).exitCode == 0)
    let chosen = try home.seif("backup", "automatic", "--destination", "shelf", passphrase: Canary.vaultPassphrase)
    #expect(chosen.exitCode == 0, "\(chosen.errors)")
    #expect(try state()["destination"]?.string == "shelf" && state()["on"]?.bool == true)
    #expect(try home.seif("backup", "automatic", "--off", passphrase: Canary.vaultPassphrase).exitCode == 0)
    #expect(try state()["on"]?.bool == false)
    #expect(
      try home.seif("backup", "automatic", "--destination", "nobody", passphrase: Canary.vaultPassphrase).exitCode
        == 66)
    #expect(
      try home.seif("backup", "automatic", "--destination", "shelf", passphrase: Canary.vaultPassphrase).exitCode == 0)
    try create()
    try makeOther()
    let restored = try home.seif(
      "backup", "restore", "--destination", folder, "--yes", "--vault", other, passphrase: Canary.filePassphrase,
      vaultPassphrase: Canary.vaultPassphrase)
    #expect(restored.exitCode == 0, "\(restored.errors)")
    #expect(
      try home.seif(
        "transport", "test", "shelf", "--yes", "--vault", other, passphrase: Canary.vaultPassphrase
      ).exitCode == 0)
    #expect(try state(other)["destination"] == nil)
    #expect(try state(other)["restored"] != nil)
  }

  // MARK: - The timer

  @Test func theTimerTellsOfEachOnceAndRestoresNothing() throws {
    try add(nil, "--automatic-restore")
    let scheduled = try home.seif(
      "backup", "schedule", "--destination", "nas", passphrase: Canary.vaultPassphrase, environment: agent.variables)
    #expect(scheduled.exitCode == 0, "\(scheduled.errors)")
    let tools = try home.folder("tools")
    let notify = try home.write("#!/bin/sh\nprintf '%s\\n' \"$*\" >>'\(home.file("told"))'\n", as: "tools/notify-send")
    chmod(notify, 0o755)
    ExecutableFile.settle(notify)
    let variables = agent.variables.merging(["PATH": "\(tools):/usr/bin:/bin"]) { $1 }
    func run(_ words: String...) throws -> [JSONValue] {
      let done = try home.seif(list: ["backup", "run", "--json"] + words, environment: variables)
      #expect(done.exitCode == 0, "\(done.output)\(done.errors)")
      return try document(done.output, "seif-snapshot")["destinations"]?.elements.filter {
        $0["foundElsewhere"]?.bool == true
      } ?? []
    }
    try makeOther()
    #expect(
      try home.seif(
        "add", "login", "--name", "From afar", "--vault", other, passphrase: Canary.vaultPassphrase, secret: "far-pass"
      ).exitCode == 0)
    let name = try create(other)
    // Nobody has the key, so nothing can be told apart from the vault's own.
    #expect(try run().isEmpty)
    try agent.unlock()
    let before = try count()
    for _ in 0..<2 { #expect(try run().first?["name"]?.string == name) }
    #expect(try home.read("told").split(separator: "\n").count == 1)
    #expect(try !home.read("told").contains("nas") && home.read("told").contains("seif backup restore --automatic"))
    #expect(try run("--if-changed").isEmpty)
    #expect(try count() == before)
    sleep(1)
    let second = try create(other)
    #expect(try run().first?["name"]?.string == second)
    #expect(try home.read("told").split(separator: "\n").count == 2)
    // The agent's vault is restored into like any other, and has the line with the entries.
    let terminal = try home.terminal(
      "backup", "restore", "--automatic", "--yes", passphrase: Canary.filePassphrase, environment: agent.variables)
    try terminal.expect("[yes/no]")
    terminal.type("yes\n")
    #expect(try home.check(terminal.finish()).exitCode == 0)
    #expect(try count() == before + 1)
    #expect(try state()["restored"]?["name"]?.string == second)
    #expect(try run().isEmpty)
    let status = try document(
      try home.seif("status", "--json", passphrase: Canary.vaultPassphrase).output, "seif-status")
    #expect(status["automaticRestore"]?["destination"]?.string == "nas")
    #expect(status["automaticRestore"]?["restored"]?["name"]?.string == second)
  }
}
