import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// Places that are gone, backups that a run left unproven, and passphrases of several files.
@Suite struct PlaceCareTests {
  let home: Home
  let folder: String

  init() throws {
    home = try Fixture.withVault()
    folder = try home.folder("backups")
  }

  private func seif(_ words: String...) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: Canary.vaultPassphrase)
  }

  @discardableResult
  private func create(_ place: String, file: String = Canary.filePassphrase) throws -> String {
    let made = try home.seif(
      "backup", "create", "--destination", place, "--json", passphrase: Canary.vaultPassphrase, newPassphrase: file)
    try #require(made.exitCode == 0, "\(made.errors)")
    return try #require(document(made.output, "seif-backup")["name"]?.string)
  }

  // MARK: - Given up

  @Test func aPlaceThatIsGoneForGoodIsGivenUp() throws {
    let shelf = try home.folder("shelf")
    let names = try [create(shelf), create(folder)]
    unlink("\(shelf)/\(names[0])")
    #expect(try seif("backup", "verify", "--destination", shelf).exitCode == 2)
    try FileManager.default.removeItem(atPath: shelf)
    let alarm = try seif("status")
    #expect(alarm.exitCode == 2 && alarm.output.contains("seif backup forget \(shelf)"), "\(alarm.output)")
    // Nobody is there to be asked.
    let asked = try seif("backup", "forget", shelf)
    #expect(asked.exitCode == 64 && asked.errors.contains("--yes"), "\(asked.errors)")
    #expect(asked.errors.contains("1 proven backup at \(shelf)"))
    let forgotten = try seif("backup", "forget", shelf, "--yes", "--json")
    #expect(forgotten.exitCode == 0, "\(forgotten.errors)")
    let root = try document(forgotten.output, "seif-backup-forget")
    #expect(root["destination"]?.string == shelf && root["givenUp"]?.elements.map { $0.string } == [names[0]])
    let after = try seif("status", "--json")
    #expect(after.exitCode == 0)
    let places = try document(after.output, "seif-status")["backups"]?.elements.map { $0["destination"]?.string }
    #expect(places == [folder])
    // The ledger still has it.
    let listed = try document(
      seif("backup", "list", "--ledger", "--destination", shelf, "--json").output, "seif-backup-list")
    let rows = try #require(listed["backups"]).elements
    #expect(rows.map { $0["name"]?.string } == [names[0]] && rows.map { $0["state"]?.string } == ["given up"])
    #expect(try seif("backup", "forget", shelf, "--yes").exitCode == 66)
    #expect(try seif("doctor").exitCode != 2)
  }

  @Test func aDestinationIsGivenUpByItsNameAndTheLastOneIsSaidToBe() throws {
    #expect(try seif("transport", "add", "folder", "nas", "--set", "path=\(folder)").exitCode == 0)
    try create("nas")
    let forgotten = try seif("backup", "forget", "nas", "--yes")
    #expect(forgotten.exitCode == 0 && forgotten.errors.contains("no backup of this vault counts"))
    // What is made there later counts as any other.
    let name = try create("nas")
    let status = try document(seif("status", "--json").output, "seif-status")
    #expect(status["backups"]?.elements.map { $0["name"]?.string } == [name])
  }

  // MARK: - Unproven

  /// A destination whose downloads wait as long as the file `slow` is there.
  private func addSlow() throws {
    let script = TestData.packageRoot.path + "/Examples/transports/folder.sh"
    let program = try home.write(
      """
      #!/bin/sh
      if [ "$2" = download ] && [ -e "$1/../slow" ]; then sleep 600; fi
      exec sh '\(script)' "$@"
      """, as: "slow.sh")
    chmod(program, 0o700)
    let added = try seif(
      "transport", "add", "external", "slow", "--set", "program=\(program)", "--set", "argument=\(folder)")
    try #require(added.exitCode == 0, "\(added.errors)")
  }

  /// A run that is ended between storing and proving; the name of what it left.
  private func interrupted() throws -> (name: String, result: Terminal.Result) {
    try home.write("", as: "slow")
    defer { unlink(home.file("slow")) }
    let before = Set(try home.names(in: "backups"))
    let secret = try home.write(Canary.filePassphrase, as: "new-passphrase-in-clear.txt")
    chmod(secret, 0o600)
    let terminal = try home.terminal(
      "backup", "create", "--destination", "slow", "--new-passphrase-file", secret, passphrase: Canary.vaultPassphrase,
      columns: 200)
    try terminal.expect("reading it back")
    terminal.type("\u{3}")
    let result = try home.check(terminal.finish())
    let name = try #require(try home.names(in: "backups").first { !before.contains($0) })
    return (name, result)
  }

  @Test func whatCtrlCLeavesIsSaidAndCanBeProven() throws {
    try addSlow()
    let (name, ended) = try interrupted()
    #expect(ended.exitCode == 130)
    #expect(ended.screen.contains("seif backup verify \(name) --open --destination slow"), "\(ended.screen)")
    #expect(ended.screen.contains("seif backup prune --unproven --destination slow"))
    #expect(!ended.screen.contains("Nothing is half done"))
    let closed = try seif("backup", "verify", name, "--destination", "slow")
    #expect(closed.exitCode == 2 && closed.errors.contains("--open"), "\(closed.errors)")
    let wrong = try home.seif(
      "backup", "verify", name, "--open", "--destination", "slow", passphrase: "not-this-one",
      vaultPassphrase: Canary.vaultPassphrase)
    #expect(wrong.exitCode == 77)
    let proven = try home.seif(
      "backup", "verify", name, "--open", "--destination", "slow", "--json", passphrase: Canary.filePassphrase,
      vaultPassphrase: Canary.vaultPassphrase)
    #expect(proven.exitCode == 0, "\(proven.errors)")
    let listed = try document(seif("backup", "list", "--destination", "slow", "--json").output, "seif-backup-list")
    #expect(listed["backups"]?.elements.map { $0["state"]?.string } == ["proven"])
  }

  @Test func whatCtrlCLeavesGoesByAPersonsWord() throws {
    try addSlow()
    let kept = try create("slow")
    let (name, _) = try interrupted()
    let asked = try seif("backup", "prune", "--destination", "slow", "--unproven")
    #expect(asked.exitCode == 64 && asked.output.contains(name), "\(asked.output)\(asked.errors)")
    let pruned = try seif("backup", "prune", "--destination", "slow", "--unproven", "--yes", "--json")
    #expect(pruned.exitCode == 0, "\(pruned.errors)")
    let root = try document(pruned.output, "seif-backup-prune")
    #expect(root["unproven"]?.elements.map { $0.string } == [name])
    #expect(root["removed"]?.elements.map { $0.string } == [name])
    #expect(try home.names(in: "backups") == [kept])
  }

  @Test func aFileThatTheLedgerDoesntKnowIsProvenWhereItHoldsWhatTheVaultHolds() throws {
    let name = try create(folder)
    let copy = try home.folder("copy")
    try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(copy)/\(name)")
    func verify() throws -> Terminal.Result {
      try home.seif(
        "backup", "verify", name, "--open", "--destination", copy, passphrase: Canary.filePassphrase,
        vaultPassphrase: Canary.vaultPassphrase)
    }
    let id = try home.seif("remove", "Keys", passphrase: Canary.vaultPassphrase)
    #expect(id.exitCode == 0)
    let older = try verify()
    #expect(older.exitCode == 2 && older.errors.contains("isn't what the vault holds now"), "\(older.errors)")
    #expect(try home.seif("undo", passphrase: Canary.vaultPassphrase).exitCode == 0)
    let same = try verify()
    #expect(same.exitCode == 0, "\(same.errors)")
    #expect(same.output.contains("proven from now on"))
  }

  // MARK: - Looking

  @Test func inspectPassesOverWhatIsNoBackupAndNamesWhatItTakes() throws {
    let name = try create(folder)
    try home.write("a picture", as: "backups/IMG-20990101-120000.jpg")
    try home.write("no backup", as: "backups/backup-20990101T000000Z-0.json")
    let shown = try home.seif("backup", "inspect", "--destination", folder)
    #expect(shown.exitCode == 0 && shown.output.hasPrefix("name       \(name)\n"), "\(shown.output)\(shown.errors)")
  }

  @Test func olderLossesStandInTheStatus() throws {
    let names = try [create(folder), create(folder)]
    unlink("\(folder)/\(names[0])")
    #expect(try seif("backup", "verify", "--all", "--destination", folder).exitCode == 2)
    let status = try seif("status")
    #expect(
      status.exitCode == 0 && status.output.contains("\(names[0]) was found missing or altered"), "\(status.output)")
    let root = try document(seif("status", "--json").output, "seif-status")["backups"]?.elements.first { _ in true }
    #expect(root?["olderFlagged"]?.elements.map { $0.string } == [names[0]])
  }

  @Test func aSnapshotTakesAPersonsWordAndARule() throws {
    for _ in 0..<4 {
      let made = try seif("backup", "create", "--snapshot", "--destination", folder)
      #expect(made.exitCode == 0, "\(made.errors)")
    }
    let last = try seif(
      "backup", "create", "--snapshot", "--destination", folder, "--accept-shrunk", "--accept-clock", "--keep-last",
      "3",
      "--keep-daily", "0", "--keep-weekly", "0", "--keep-monthly", "0")
    #expect(last.exitCode == 0, "\(last.errors)")
    #expect(try home.names(in: "backups").count == 3)
  }

  // MARK: - Passphrases of several files

  /// A new vault, whose ledger knows nothing.
  private func otherVault() throws -> String {
    let other = home.file("other-vault")
    let made = try home.seif(
      "init", "--vault", other, "--recovery-sheet", home.file("other-sheet-in-clear.txt"), "--unlock-ms", "500",
      newPassphrase: Canary.vaultPassphrase)
    try #require(made.exitCode == 0, "\(made.errors)")
    return other
  }

  private func restore(_ other: String) throws -> Terminal {
    let secret = try home.write(Canary.vaultPassphrase, as: "vault-passphrase-in-clear.txt")
    chmod(secret, 0o600)
    return try home.terminal(
      "backup", "restore", "--destination", folder, "--vault", other, "--vault-passphrase-file", secret, columns: 200)
  }

  @Test func onePassphraseIsTriedOnAllAndAnotherAskedForWhatIsLeft() throws {
    let ours = try create(folder)
    sleep(1)
    let theirs = try create(folder, file: "another-passphrase-of-another-vault")
    let terminal = try restore(otherVault())
    try terminal.expect("Passphrase for \(theirs)")
    terminal.type(Canary.filePassphrase + "\n")
    // It opened one; of the one whose name claims to be newer it is asked once more.
    try terminal.expect("\(theirs) doesn't open by that one")
    terminal.type("\n")
    try terminal.expect("Restore it?")
    terminal.type("y\n")
    let restored = try home.check(terminal.finish())
    #expect(restored.exitCode == 1 && restored.screen.contains("\(ours): made"), "\(restored.screen)")
  }

  @Test func aMistypedPassphraseIsAskedForOnceForAll() throws {
    try create(folder)
    sleep(1)
    let newest = try create(folder)
    let terminal = try restore(otherVault())
    try terminal.expect("Passphrase for \(newest)")
    terminal.type("mistyped\n")
    try terminal.expect("Can't open")
    try terminal.expect("Passphrase for \(newest)")
    terminal.type(Canary.filePassphrase + "\n")
    try terminal.expect("Restore it?")
    terminal.type("y\n")
    let restored = try home.check(terminal.finish())
    #expect(restored.exitCode == 0 && restored.screen.contains("\(newest): made"), "\(restored.screen)")
  }

  // MARK: - Settings

  @Test func whatIsGivenIsLookedAtBeforeAnybodyIsAsked() throws {
    let added = try home.seif("transport", "add", "webdav", "nas", "--set", "url=nas.example/dav")
    #expect(added.exitCode == 65 && added.errors.contains("url: it has no scheme"), "\(added.errors)")
    let bucket = try home.seif(
      "transport", "add", "s3", "cloud", "--set", "endpoint=https://s3.example", "--set", "bucket=UPPER CASE")
    #expect(bucket.exitCode == 65 && bucket.errors.contains("bucket: "), "\(bucket.errors)")
    let host = try home.seif("transport", "add", "sftp", "host", "--set", "host=-oProxyCommand=x")
    #expect(host.exitCode == 65 && host.errors.contains("host isn't the name of one"), "\(host.errors)")
  }

  @Test func anAnswerIsLookedAtWhenItIsGiven() throws {
    let terminal = try home.terminal(
      "transport", "add", "s3", "cloud", passphrase: Canary.vaultPassphrase, columns: 200)
    try terminal.expect("address of the server")
    terminal.type("s3.example\n")
    try terminal.expect("That can't be used: endpoint: it has no scheme.")
    terminal.type("http://127.0.0.1:9\n")
    try terminal.expect("name of the bucket")
    terminal.type("No Such Bucket\n")
    try terminal.expect("That can't be used: bucket: ")
    terminal.type("\u{3}")
    #expect(try home.check(terminal.finish()).exitCode == 130)
  }

  @Test func aFolderOfARelativePathIsKeptWhole() throws {
    let added = try home.run(
      Home.program, "transport", "add", "folder", "shelf", "--set", "path=backups", "--passphrase-fd", "0",
      input: Canary.vaultPassphrase)
    #expect(added.exitCode == 0, "\(added.errors)")
    #expect(added.errors.contains("path is kept as its whole path: \(folder)"), "\(added.errors)")
    let listed = try document(seif("transport", "list", "--json").output, "seif-transport-list")
    #expect(listed["transports"]?.elements.map { $0["place"]?.string } == [folder])
  }

  @Test func aProxysPasswordIsNoArgumentAndAProxyIsForNetworksAlone() throws {
    let url = ["--set", "url=http://nas.invalid/", "--set", "allow-http=yes", "--untested"]
    let inAddress = try home.seif(
      list: ["transport", "add", "webdav", "nas", "--proxy", "http://ana:word@p.example:1"] + url)
    #expect(inAddress.exitCode == 65 && !inAddress.errors.contains("word@"), "\(inAddress.errors)")
    let local = try seif("transport", "add", "folder", "shelf", "--set", "path=\(folder)", "--proxy", "none")
    #expect(local.exitCode == 64, "\(local.errors)")
    let added = try home.seif(
      list: ["transport", "add", "webdav", "nas", "--proxy", "http://127.0.0.1:9", "--set", "proxy-user=ana"] + url
        + ["--proxy-password-fd", "0"], passphrase: Canary.vaultPassphrase, input: "a-word-for-the-proxy\n")
    #expect(added.exitCode == 0, "\(added.errors)")
    // Nobody listens there: so it is asked, and not what the variables say.
    let tested = try home.seif("transport", "test", "nas", passphrase: Canary.vaultPassphrase)
    #expect(tested.exitCode == 69, "\(tested.errors)")
  }
}
