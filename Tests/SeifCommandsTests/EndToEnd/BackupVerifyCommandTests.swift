import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// `backup inspect`, `backup verify` and `backup prune`.
@Suite struct BackupVerifyCommandTests {
  let home: Home
  let folder: String
  private static let start: Int64 = 1_900_000_000

  init() throws {
    home = try Fixture.withVault()
    folder = try home.folder("backups")
  }

  /// In this process, where the clock can stand.
  private func create(_ count: Int) throws -> [String] {
    for minute in 0..<count {
      let world = try World(
        environment: home.variables(), clock: .fixed(at: Self.start + 60 * Int64(minute)))
      var words = ["backup", "create", "--destination", folder]
      for (option, secret) in [
        ("--passphrase-file", Canary.vaultPassphrase), ("--new-passphrase-file", Canary.filePassphrase),
      ] {
        let path = try home.write(secret, as: "\(option.dropFirst(2))-in-clear.txt")
        chmod(path, 0o600)
        words += [option, path]
      }
      try #require(Program.run(words, world.context) == .done, "\(world.errors)")
    }
    return try home.names(in: "backups")
  }

  private func prune(
    after seconds: Int64 = 3600, _ words: String...
  ) throws -> (code: ExitCode, output: String, errors: String) {
    let world = try World(environment: home.variables(), clock: .fixed(at: Self.start + seconds))
    let path = try home.write(Canary.vaultPassphrase, as: "passphrase-file-in-clear.txt")
    chmod(path, 0o600)
    let code = Program.run(
      ["backup", "prune", "--destination", folder, "--passphrase-file", path] + words, world.context)
    return (code, world.output, world.errors)
  }

  private func verify(_ words: String...) throws -> Terminal.Result {
    try home.seif(list: ["backup", "verify", "--destination", folder] + words, passphrase: Canary.vaultPassphrase)
  }

  /// With the backups' passphrase too.
  private func opening(_ words: String..., file: String = Canary.filePassphrase) throws -> Terminal.Result {
    try home.seif(
      list: ["backup", "verify", "--open", "--destination", folder] + words, passphrase: file,
      vaultPassphrase: Canary.vaultPassphrase)
  }

  // MARK: - inspect

  @Test func theOutsideOfAFileNeedsNoPassphrase() throws {
    let names = try create(2)
    let newest = try home.seif("backup", "inspect", "--destination", folder, "--json")
    #expect(newest.exitCode == 0, "\(newest.errors)")
    let root = try document(newest.output, "seif-backup-inspect")
    #expect(root["name"]?.string == names[1] && root["proven"]?.bool == false)
    #expect(root["format"]?.string == "authbackup" && root["formatVersion"]?.int64 == 2)
    let named = try home.seif("backup", "inspect", names[0], "--destination", folder)
    let file = try home.seif("inspect", "\(folder)/\(names[0])")
    func lasting(_ text: String) -> [Substring] {
      text.split(separator: "\n").filter { !$0.hasPrefix("one guess") && !$0.hasPrefix("name ") }
    }
    #expect(named.output.hasPrefix("name       \(names[0])\n"))
    #expect(lasting(named.output) == lasting(file.output) && !file.output.isEmpty)
    let none = try home.seif("backup", "inspect", "none", "--destination", folder)
    #expect(none.exitCode == 66 && none.errors.hasPrefix("seif: there is no none at \(folder)."), "\(none.errors)")
  }

  @Test func byItsNameADestinationsNewestProvenIsShown() throws {
    let names = try create(2)
    let added = try home.seif(
      "transport", "add", "folder", "shelf", "--set", "path=\(folder)", passphrase: Canary.vaultPassphrase)
    #expect(added.exitCode == 0, "\(added.errors)")
    // A name can claim what it likes.
    try home.write("{}", as: "backups/seif-backup-20990101T000000Z-0.authbackup")
    let shown = try home.seif(
      "backup", "inspect", "--destination", "shelf", "--json", passphrase: Canary.vaultPassphrase)
    let root = try document(shown.output, "seif-backup-inspect")
    #expect(root["name"]?.string == names[1] && root["proven"]?.bool == true)
  }

  // MARK: - verify

  @Test func whatIsAsItWasProvenIsFound() throws {
    let names = try create(3)
    let one = try document(verify("--json").output, "seif-backup-verify")
    #expect(one["backups"]?.elements.map { $0["name"]?.string } == [names[2]])
    let all = try verify("--all", "--json")
    #expect(all.exitCode == 0, "\(all.errors)")
    let root = try document(all.output, "seif-backup-verify")
    #expect(root["backups"]?.elements.map { $0["state"]?.string } == ["intact", "intact", "intact"])
    let named = try verify(names[0])
    #expect(named.output.hasPrefix("✓ \(names[0]) is as it was proven"))
    #expect(try verify("none").exitCode == 66)
    #expect(try verify("none", "--all").exitCode == 64)
  }

  @Test func whatIsFoundIsNotedAndOpeningEndsTheAlarm() throws {
    let names = try create(3)
    let good = try home.bytes("backups/\(names[2])")
    var bytes = good
    bytes[bytes.count / 2] ^= 1
    try home.write(bytes, as: "backups/\(names[2])")
    unlink("\(folder)/\(names[0])")
    let found = try verify("--all")
    #expect(found.exitCode == 2)
    #expect(found.output.contains("✗ \(names[2]) was proven here and is altered"))
    #expect(found.output.contains("✗ \(names[0]) was proven here and is gone"))
    #expect(found.output.contains("✓ \(names[1]) is as it was proven"))
    func status() throws -> Terminal.Result {
      try home.seif("status", "--json", passphrase: Canary.vaultPassphrase)
    }
    #expect(try status().exitCode == 2)
    try home.write(good, as: "backups/\(names[2])")
    let back = try verify()
    #expect(back.exitCode == 0 && back.errors.contains("was noted as altered before: --open ends that"))
    #expect(try status().exitCode == 2)
    let opened = try opening("--json")
    #expect(opened.exitCode == 0, "\(opened.errors)")
    let rows = try document(opened.output, "seif-backup-verify")["backups"]
    #expect(rows?.elements.map { $0["opened"]?.string } == ["opens"])
    #expect(try status().exitCode == 0)
  }

  @Test func aWrongPassphraseIsNoFindingOfTheFiles() throws {
    _ = try create(1)
    let wrong = try opening(file: "wrong-horse-battery")
    #expect(wrong.exitCode == 77)
    #expect(try home.seif("status", passphrase: Canary.vaultPassphrase).exitCode == 0)
  }

  @Test func allAreComparedThoughThePassphraseOpensNone() throws {
    let names = try create(3)
    var bytes = try home.bytes("backups/\(names[0])")
    bytes[bytes.count / 2] ^= 1
    try home.write(bytes, as: "backups/\(names[0])")
    let found = try opening("--all", "--json", file: "wrong-horse-battery")
    #expect(found.exitCode == 2)
    let rows = try #require(try document(found.output, "seif-backup-verify")["backups"]).elements
    #expect(rows.map { $0["name"]?.string } == names.reversed())
    #expect(rows.map { $0["opened"]?.string } == ["closed", "closed", nil])
    #expect(rows.map { $0["state"]?.string } == ["intact", "intact", "altered"])
  }

  @Test func besideTheAgentItIsComparedAndNotNoted() throws {
    let agent = try AgentHome()
    let folder = try agent.home.folder("backups")
    let made = try agent.home.seif(
      "backup", "create", "--destination", folder, passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.filePassphrase)
    #expect(made.exitCode == 0, "\(made.errors)")
    _ = try agent.unlock()
    #expect(try agent.seif("backup", "verify", "--destination", folder).exitCode == 0)
    for name in try agent.home.names(in: "backups") { unlink("\(folder)/\(name)") }
    let found = try agent.seif("backup", "verify", "--destination", folder, "--json")
    #expect(found.exitCode == 2)
    #expect(try document(found.output, "seif-backup-verify")["noted"]?.bool == false)
    #expect(found.errors.contains("isn't noted in the vault's ledger"))
    #expect(try agent.seif("backup", "rule", "--every", "24h").output == "24h in 2 places, drill 180d\n")
    #expect(try agent.seif("status").exitCode == 2)
  }

  @Test func besideTheAgentWhatIsFoundIsNotedWhereAPersonOpensTheVault() throws {
    let agent = try AgentHome()
    let folder = try agent.home.folder("backups")
    let made = try agent.home.seif(
      "backup", "create", "--destination", folder, passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.filePassphrase)
    #expect(made.exitCode == 0, "\(made.errors)")
    _ = try agent.unlock()
    let name = try #require(try agent.home.names(in: "backups").first)
    unlink("\(folder)/\(name)")
    let terminal = try agent.terminal("backup", "verify", "--destination", folder)
    try terminal.expect("Passphrase for the vault")
    try terminal.expect(echo: false)
    terminal.type(Canary.vaultPassphrase + "\n")
    let found = try terminal.finish()
    #expect(found.exitCode == 2 && !found.screen.contains("isn't noted"), "\(found.screen)")
    let status = try agent.seif("status")
    #expect(status.exitCode == 2 && status.output.contains("\(name) was proven here and is gone"), "\(status.output)")
  }

  // MARK: - prune

  @Test func aDryRunSaysWhatGoesAndWhyTheRestStays() throws {
    let names = try create(5)
    let rule = ["--keep-last", "2", "--keep-daily", "0", "--keep-weekly", "0", "--keep-monthly", "0"]
    let planned = try prune(rule[0], rule[1], rule[2], rule[3], rule[4], rule[5], rule[6], rule[7], "--dry-run")
    #expect(planned.code == .done, "\(planned.errors)")
    #expect(try home.names(in: "backups") == names)
    let lines = planned.output.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("goes") }.count == 2, "\(planned.output)")
    #expect(lines.contains { $0.contains(names[2]) && $0.contains("three always stay") })
    #expect(lines.contains { $0.contains(names[4]) && $0.contains("among the newest") })
    let asked = try prune(rule[0], rule[1], rule[2], rule[3], rule[4], rule[5], rule[6], rule[7])
    #expect(asked.code == .usage && asked.errors.contains("--yes"))
    let done = try prune(rule[0], rule[1], rule[2], rule[3], rule[4], rule[5], rule[6], rule[7], "--yes", "--json")
    #expect(done.code == .done, "\(done.errors)")
    let root = try document(done.output, "seif-backup-prune")
    #expect(root["removed"]?.elements.map { $0.string } == Array(names.prefix(2)))
    #expect(root["kept"]?.elements.map { $0["reason"]?.string } == ["last", "last", "always"])
    #expect(try home.names(in: "backups") == Array(names.suffix(3)))
    // What the rule removed is no alarm.
    #expect(try verify("--all").exitCode == 0)
  }

  @Test func nothingGoesWhereOneIsLost() throws {
    let names = try create(5)
    unlink("\(folder)/\(names[1])")
    let refused = try prune("--keep-last", "1", "--keep-daily", "0", "--yes")
    #expect(refused.code == .checkFailed)
    #expect(refused.errors.contains("\(names[1]) was proven here and is gone"))
    #expect(refused.errors.contains("old backups are left alone"))
    #expect(try home.names(in: "backups").count == 4)
    // Not a day later either, until a person lets go of it.
    let later = try prune(after: 86_400, "--keep-last", "1", "--keep-daily", "0", "--yes")
    #expect(later.code == .checkFailed && later.errors.contains("seif backup prune --accept-lost"), "\(later.errors)")
    #expect(try home.names(in: "backups").count == 4)
    let rule = ["--keep-daily", "0", "--keep-weekly", "0", "--keep-monthly", "0", "--yes"]
    let done = try prune(
      after: 86_401, "--accept-lost", "--json", rule[0], rule[1], rule[2], rule[3], rule[4], rule[5], rule[6])
    #expect(done.code == .done, "\(done.errors)")
    #expect(try document(done.output, "seif-backup-prune")["letGo"]?.elements.map { $0.string } == [names[1]])
    let quiet = try prune(
      after: 86_402, "--keep-last", "1", rule[0], rule[1], rule[2], rule[3], rule[4], rule[5], rule[6])
    #expect(quiet.code == .done, "\(quiet.errors)")
    #expect(try home.names(in: "backups") == Array(names.suffix(3)))
  }

  @Test func whatChangesBetweenTheQuestionAndTheYesKeepsAll() throws {
    let names = try create(5)
    let rule = ["--keep-last", "1", "--keep-daily", "0", "--keep-weekly", "0", "--keep-monthly", "0"]
    // The clock of the machine stands before that of the tests.
    let words = ["backup", "prune", "--destination", folder, "--accept-clock"] + rule
    let terminal = try home.terminal(list: words, passphrase: Canary.vaultPassphrase, columns: 200)
    try terminal.expect("Remove these 2? [y/N] ")
    let other = try home.write("somebody else's", as: "other")
    #expect(rename(other, "\(folder)/\(names[0])") == 0)
    terminal.type("y\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 2 && result.screen.contains("since you were asked something has changed"))
    #expect(try home.names(in: "backups") == names)
  }

  @Test func theClockDecidesToo() throws {
    _ = try create(5)
    #expect(try prune(after: 10, "--keep-last", "1", "--yes").code == .checkFailed)
    #expect(try prune(after: 40 * 86_400, "--keep-last", "1", "--yes").code == .checkFailed)
    #expect(try home.names(in: "backups").count == 5)
    // A person's word holds from then on.
    #expect(try prune(after: 10, "--accept-clock", "--yes").code == .done)
    #expect(try prune(after: 11, "--yes").code == .done)
    #expect(try prune(after: 9, "--yes").code == .checkFailed)
  }

  @Test func createTakesTheSameRule() throws {
    _ = try create(4)
    let world = try World(environment: home.variables(), clock: .fixed(at: Self.start + 3600))
    let code = Program.run(
      [
        "backup", "create", "--destination", folder, "--passphrase-file", home.file("passphrase-file-in-clear.txt"),
        "--new-passphrase-file", home.file("new-passphrase-file-in-clear.txt"), "--keep-last", "1", "--keep-daily", "0",
        "--keep-weekly", "0", "--keep-monthly", "0",
      ], world.context)
    #expect(code == .done, "\(world.errors)")
    #expect(try home.names(in: "backups").count == 3)
  }
}
