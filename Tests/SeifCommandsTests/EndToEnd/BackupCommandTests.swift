import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// `backup create` and `backup list`: a backup counts once it has come back and opened.
@Suite struct BackupCommandTests {
  let home: Home
  let folder: String

  init() throws {
    home = try Fixture.withVault()
    folder = try home.folder("backups")
  }

  private func create(_ words: String..., to destination: String? = nil) throws -> Terminal.Result {
    try home.seif(
      list: ["backup", "create", "--destination", destination ?? folder] + words, passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.filePassphrase)
  }

  /// In this process, where the clock can stand.
  private func create(
    at seconds: Int64, _ words: String..., template: String? = nil, pageDigest: String? = nil
  ) throws -> (code: ExitCode, output: String, errors: String) {
    let world = try World(
      environment: home.variables(), clock: .fixed(at: seconds), sharedFile: template, pageDigest: pageDigest)
    let vault = try home.write(Canary.vaultPassphrase, as: "vault-in-clear.txt")
    let new = try home.write(Canary.filePassphrase, as: "new-in-clear.txt")
    for path in [vault, new] { chmod(path, 0o600) }
    let code = Program.run(
      [
        "backup", "create", "--destination", folder, "--passphrase-file", vault, "--new-passphrase-file", new,
      ] + words, world.context)
    return (code, world.output, world.errors)
  }

  @Test func aSelfOpeningBackupIsProvenAndReadLikeAnyOther() throws {
    let block = #"<script type="application/json" id="seif-backup"></script>"#
    let page = "<!doctype html>\n\(block)\n"
    let template = try home.write(page, as: "template.html")
    let digest = try OtherDigest.hex(Array(page.utf8))
    let made = try create(at: 1_789_038_058, "--self-opening", template: template, pageDigest: digest)
    #expect(made.code == .done, "\(made.errors)")
    let name = "seif-backup-20260910T110058Z-0.html"
    #expect(made.output.contains(name))
    #expect(try list().contains { $0.contains(name) && $0.contains("proven") })
    let path = folder + "/" + name
    let opened = try home.seif("open", path, "--at", Fixture.moment, passphrase: Canary.filePassphrase)
    #expect(opened.output.hasPrefix("code   GitHub  ana@example.com  756364"))
    #expect(try home.seif("verify", path, passphrase: Canary.filePassphrase).exitCode == 0)
    let inspected = try home.seif("inspect", path)
    #expect(inspected.output.contains("a page that opens it in a browser"))
    #expect(inspected.output.contains("The page isn't sealed"))
    for command in [["backup", "restore"], ["drill"]] {
      let result = try home.seif(
        list: command + ["--destination", folder], passphrase: Canary.filePassphrase,
        vaultPassphrase: Canary.vaultPassphrase)
      #expect(result.exitCode == 0, "\(result.errors)")
    }
  }

  @Test func withoutItsPageNoSelfOpeningBackupIsBegun() throws {
    for template in [nil, try home.write("<!doctype html>", as: "other.html")] {
      let made = try create(at: 1_789_038_058, "--self-opening", template: template)
      #expect(made.code == .unavailable)
      #expect(made.errors.contains("make build && make install"))
    }
    #expect(try home.names(in: "backups").isEmpty)
  }

  @Test func aPageThatIsntThisBuildsHoldsNoBackup() throws {
    let block = #"<script type="application/json" id="seif-backup"></script>"#
    let other = try home.write("<!doctype html>\n\(block)\n<script>tell()</script>\n", as: "other.html")
    let own = try OtherDigest.hex(Array("<!doctype html>\n\(block)\n".utf8))
    for digest in [own, nil] {
      let made = try create(at: 1_789_038_058, "--self-opening", template: other, pageDigest: digest)
      #expect(made.code == .unavailable)
      #expect(made.errors.contains("isn't the page for self-opening backups that belongs to this seif"))
    }
    #expect(try home.names(in: "backups").isEmpty)
  }

  private func list() throws -> [String] {
    let result = try home.seif(
      "backup", "list", "--destination", folder, passphrase: Canary.vaultPassphrase)
    #expect(result.exitCode == 0 || result.exitCode == 2, "\(result.errors)")
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test func aBackupIsProvenAndOpensWithoutTheVault() throws {
    let result = try create("--json")
    #expect(result.exitCode == 0, "\(result.errors)")
    let root = try document(result.output, "seif-backup")
    let name = try #require(root["name"]?.string)
    #expect(root["proven"]?.bool == true)
    #expect(root["counts"]?["accounts"]?.int64 == 4)
    #expect(try home.names(in: "backups") == [name])
    #expect(home.mode("backups/\(name)") == 0o600)
    #expect(try OtherDigest.hex(home.bytes("backups/\(name)")) == root["sha256"]?.string)
    let opened = try home.seif(
      "open", folder + "/" + name, "--at", Fixture.moment, passphrase: Canary.filePassphrase)
    #expect(opened.exitCode == 0)
    #expect(opened.output.hasPrefix("code   GitHub  ana@example.com  756364"))
    let status = try document(
      try home.seif("status", "--json", passphrase: Canary.vaultPassphrase).output, "seif-status")
    #expect(status["backups"]?.elements.map { $0["name"]?.string } == [name])
    #expect(status["backups"]?.elements.map { $0["changedSince"]?.bool } == [false])
    let text = try create()
    #expect(text.output.hasPrefix("proven  seif-backup-"))
    #expect(text.output.hasSuffix("fetched again and opened ✓ 7 entries\n"))
  }

  @Test func aBackupThatNoLongerHoldsTheVaultIsNoComfort() throws {
    #expect(try create("--quiet").exitCode == 0)
    func status() throws -> String { try home.seif("status", passphrase: Canary.vaultPassphrase).output }
    #expect(!(try status().contains("changed since")))
    #expect(try home.seif("remove", "GitHub", passphrase: Canary.vaultPassphrase).exitCode == 0)
    #expect(try status().contains("last proven just now, the vault has changed since"))
  }

  @Test func threeBackupsInOneSecondAreThreeFiles() throws {
    for sequence in 0..<3 {
      let result = try create(at: 1_789_038_058)
      #expect(result.code == .done, "\(result.errors)")
      #expect(result.output.contains("seif-backup-20260910T110058Z-\(sequence).authbackup"))
    }
    #expect(try home.names(in: "backups") == (0..<3).map { "seif-backup-20260910T110058Z-\($0).authbackup" })
  }

  @Test func whatIsAlteredOrMissingShows() throws {
    for _ in 0..<2 { #expect(try create().exitCode == 0) }
    let names = try home.names(in: "backups")
    #expect(try list().allSatisfy { $0.contains("proven just now") })
    var bytes = try home.bytes("backups/\(names[0])")
    bytes.append(0x20)
    try home.write(bytes, as: "backups/\(names[0])")
    unlink(folder + "/" + names[1])
    try home.write("", as: "backups/seif-backup-20270101T000000Z-0.authbackup")
    let listed = try home.seif("backup", "list", "--destination", folder, passphrase: Canary.vaultPassphrase)
    #expect(listed.exitCode == 2)
    let lines = listed.output.split(separator: "\n")
    #expect(lines.contains { $0.contains(names[0]) && $0.contains("altered") }, "\(listed.output)")
    #expect(lines.contains { $0.contains(names[1]) && $0.contains("missing") }, "\(listed.output)")
    #expect(lines.contains { $0.contains("20270101") && $0.contains("unknown") }, "\(listed.output)")
    let json = try home.seif(
      "backup", "list", "--destination", folder, "--json", passphrase: Canary.vaultPassphrase)
    _ = try document(json.output, "seif-backup-list")
    let again = try create()
    #expect(again.exitCode == 2)
    #expect(again.errors.contains("! \(names[0]) was proven here and is altered"), "\(again.errors)")
    #expect(again.errors.contains("! \(names[1]) was proven here and is gone"), "\(again.errors)")
    #expect(again.errors.contains("! old backups were left alone: 2 proven backups"), "\(again.errors)")
    #expect(again.errors.contains("1 other file there is left alone."))
    // It was an alarm once; the list goes on showing it.
    #expect(try create().exitCode == 0)
    #expect(try list().filter { $0.contains("altered") || $0.contains("missing") }.count == 2)
  }

  /// Of an old folder of another program nothing is ever deleted, whatever its names claim (empty and half files too).
  @Test func strangersInTheFolderAreLeft() throws {
    let good = try home.bytes("phone.authbackup")
    try home.write(good, as: "backups/twofac-backup-1767225000000-1.json")
    try home.write("", as: "backups/twofac-backup-1767225600000-1.json")
    try home.write(Array(good.prefix(good.count / 2)), as: "backups/twofac-backup-1767226000000-1.json")
    #expect(try create().exitCode == 0)
    #expect(try home.names(in: "backups").filter { $0.hasPrefix("twofac") }.count == 3)
  }

  @Test func aFolderThatIsntThereIs66() throws {
    #expect(try create(to: home.file("none")).exitCode == 66)
    #expect(try create(to: home.write("a file", as: "file")).exitCode == 66)
    #expect(try home.seif("backup", "create").exitCode == 64)
  }

  @Test(arguments: ["/proc", "file:/proc/backup"])
  func aPlaceThatTakesNoFileIsRefusedBeforeAPassphraseIsAskedFor(destination: String) throws {
    // Whoever isn't root may not; root isn't able to.
    let result = try home.seif("backup", "create", "--destination", destination)
    #expect([73, 74].contains(result.exitCode), "\(result.errors)")
    #expect(result.errors.hasPrefix("seif: no backup was made: "))
    #expect(!result.errors.contains("sealing"))
  }

  @Test func oneFileIsADestinationToo() throws {
    let result = try create(to: "file:" + home.file("single.authbackup"))
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(try home.seif("open", home.file("single.authbackup"), passphrase: Canary.filePassphrase).exitCode == 0)
    let again = try create(to: "file:" + home.file("single.authbackup"))
    #expect(again.exitCode == 73)
    #expect(again.errors.contains("no backup was made: \(home.file("single.authbackup")) exists already."))
  }

  @Test func oneFileThatIsTakenIsRefusedBeforeAPassphraseIsAskedFor() throws {
    // However the file is named, the vault knows it by one name.
    let path = home.file("backups/../single.authbackup")
    #expect(try create(to: "file:" + path).exitCode == 0)
    let again = try home.seif("backup", "create", "--destination", "file:" + home.file("single.authbackup"))
    #expect(again.exitCode == 73, "\(again.errors)")
    #expect(again.errors.contains("\(home.file("single.authbackup")) exists already"), "\(again.errors)")
    let listed = try home.seif(
      "backup", "list", "--destination", "file:" + path, passphrase: Canary.vaultPassphrase)
    #expect(listed.exitCode == 0)
    #expect(listed.output.contains("proven just now"), "\(listed.output)")
  }

  @Test func ofTenBackupsTheOnlyGoodOneStays() throws {
    for minute in Int64(0)..<10 { #expect(try create(at: 1_789_038_058 + 60 * minute).code == .done) }
    let names = try home.names(in: "backups")
    for name in names.dropFirst() {
      var bytes = try home.bytes("backups/\(name)")
      bytes[bytes.count / 2] ^= 1
      try home.write(bytes, as: "backups/\(name)")
    }
    let result = try create(at: 1_789_038_058 + 3600)
    #expect(result.code == .checkFailed, "\(result.errors)")
    #expect(try home.names(in: "backups").first == names[0])
    let status = try document(
      try home.seif("status", "--json", passphrase: Canary.vaultPassphrase).output, "seif-status")
    let newest = try #require(try home.names(in: "backups").last)
    #expect(status["backups"]?.elements.map { $0["name"]?.string } == [newest])
  }

  @Test func aVaultThatWasTamperedWithIsBackedUpAndNothingGoes() throws {
    for minute in Int64(0)..<11 {
      let result = try create(at: 1_789_038_058 + 60 * minute)
      #expect(result.code == .done, "\(result.errors)")
      if minute == 9 {
        // One change less than were sealed together.
        _ = try home.run("cp", home.file(".local/share/seif/vault.db"), home.file("older.db"))
      }
    }
    let names = try home.names(in: "backups")
    _ = try home.run("cp", home.file("older.db"), home.file(".local/share/seif/vault.db"))
    let result = try create(at: 1_789_038_058 + 3600)
    #expect(result.code == .checkFailed, "\(result.errors)")
    #expect(result.errors.contains("old backups were left alone: the vault isn't as it was last written"))
    #expect(result.output.contains("proven  "))
    #expect(try home.names(in: "backups").count == names.count + 1)
  }

  @Test func retentionKeepsTenAndTakesTheOldest() throws {
    // Twelve in one hour: the rule keeps the ten newest, and the oldest of the day isn't one of a day of its own.
    for minute in Int64(0)..<12 {
      let result = try create(at: 1_789_038_058 + 60 * minute)
      #expect(result.code == .done, "\(result.errors)")
    }
    let names = try home.names(in: "backups")
    #expect(names.count == 10)
    #expect(names.first == "seif-backup-20260910T110258Z-0.authbackup")
    #expect(try list().count == 10)
  }

  @Test func aWeakPassphraseForABackupIsRefusedBeforeAnythingIsStored() throws {
    let result = try home.seif(
      "backup", "create", "--destination", folder, passphrase: Canary.vaultPassphrase, newPassphrase: "password1234")
    #expect(result.exitCode == 64)
    #expect(try home.names(in: "backups") == [])
  }

  @Test func controlCWhileSealingLeavesNothingHalfDone() throws {
    let terminal = try Terminal(
      ["backup", "create", "--destination", folder, "--passphrase-fd", "3", "--new-passphrase-fd", "4"],
      program: Home.program,
      descriptors: [3: Array((Canary.vaultPassphrase + "\n").utf8), 4: Array((Canary.filePassphrase + "\n").utf8)],
      environment: home.variables())
    try terminal.expect("sealing")
    terminal.type("\u{3}")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 130)
    #expect(result.screen.hasSuffix("seif: interrupted. Nothing is half done.\r\n"))
    for name in try home.names(in: "backups") {
      // It may have been stored before the key was seen; then it is whole.
      #expect(try home.seif("open", folder + "/" + name, passphrase: Canary.filePassphrase).exitCode == 0)
    }
    let status = try home.seif("status", passphrase: Canary.vaultPassphrase)
    #expect(status.exitCode == 0)
    #expect(status.output.contains("4 codes"))
  }
}

/// SHA-256 by another program than ours.
enum OtherDigest {
  static func hex(_ bytes: [UInt8]) throws -> String {
    let home = try Home()
    let file = try home.write(bytes, as: "in-clear")
    let result = try home.run("sha256sum", file)
    return String(result.output.prefix(64))
  }
}
