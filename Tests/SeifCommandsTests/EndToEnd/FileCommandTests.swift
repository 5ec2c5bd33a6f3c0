import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// `inspect`, `verify`, `convert`, `formats`: files without a vault.
@Suite struct FileCommandTests {
  let home: Home

  init() throws { home = try Fixture.withFiles() }

  private var phone: String { home.file("phone.authbackup") }
  private var clear: String { home.file("records-in-clear.json") }

  // MARK: - inspect

  @Test func inspectSaysTheOutsideWithoutAPassphrase() throws {
    let result = try home.seif("inspect", phone)
    #expect(result.exitCode == 0)
    #expect(result.errors == "")
    for line in ["format     AuthBackup 2", "opening    Argon2id", "in clear   ", "one guess  about "] {
      #expect(result.output.contains(line), "\(line)")
    }
    let root = try document(try home.seif("inspect", phone, "--json").output, "seif-inspect")
    #expect(root["format"]?.string == "authbackup")
    #expect(root["formatVersion"]?.int64 == 2)
    #expect(root["sealed"]?.bool == true)
    #expect(root["millisecondsPerGuess"]?.int64 ?? 0 > 0)
  }

  @Test func inspectSaysWhatIsReadableOfAFileInClear() throws {
    let result = try home.seif("inspect", clear)
    #expect(result.exitCode == 0)
    #expect(result.output.contains("everything"))
    #expect(!result.output.contains("one guess"))
  }

  @Test func inspectRefusesWhatIsNoBackup() throws {
    #expect(try home.seif("inspect", home.write("{}", as: "empty.json")).exitCode == 65)
    #expect(try home.seif("inspect", home.file("none")).exitCode == 66)
  }

  // MARK: - verify

  @Test func verifyAcceptsWhatSeifWrites() throws {
    let result = try home.seif("verify", phone, passphrase: Canary.filePassphrase)
    #expect(result.exitCode == 0)
    #expect(result.errors.hasPrefix("✓ "))
    #expect(!result.output.contains("✗"))
    let root = try document(
      try home.seif("verify", phone, "--json", passphrase: Canary.filePassphrase).output, "seif-verify")
    #expect(root["ok"]?.bool == true)
    #expect(root["findings"]?.elements.allSatisfy { $0["outcome"]?.string == "ok" } == true)
  }

  @Test func verifyWithoutThePassphraseSaysWhatWasntChecked() throws {
    let root = try document(try home.seif("verify", phone, "--no-passphrase", "--json").output, "seif-verify")
    #expect(root["findings"]?.elements.contains { $0["outcome"]?.string == "not-checked" } == true)
  }

  @Test func verifyAnswersNoWith2() throws {
    let text = try home.read("phone.authbackup")
    let extra = try home.write(String(text.dropLast(2)) + ",\"hint\":\"\"}\n", as: "extra.authbackup")
    let result = try home.seif("verify", extra, passphrase: Canary.filePassphrase)
    #expect(result.exitCode == 2)
    #expect(result.output.contains("✗ "))
    let opened = try home.seif("open", extra, passphrase: Canary.filePassphrase)
    #expect(opened.exitCode == 0)
    let root = try document(
      try home.seif("verify", extra, "--json", passphrase: Canary.filePassphrase).output, "seif-verify")
    #expect(root["ok"]?.bool == false)
    let wrong = try home.seif("verify", phone, passphrase: "not the passphrase")
    #expect(wrong.exitCode == 2)
    #expect(wrong.output.contains("✗ "))
  }

  /// A typing mistake mustn't pass for a damaged backup.
  @Test func aMistypedPassphraseOfVerifyIsAskedForAgain() throws {
    let terminal = try home.terminal("verify", phone)
    for typed in ["not the passphrase", Canary.filePassphrase] {
      try terminal.expect("Passphrase for ")
      try terminal.expect(echo: false)
      terminal.type(typed + "\n")
      if typed != Canary.filePassphrase { try terminal.expect("can't be told apart") }
    }
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    #expect(!result.screen.contains("✗"))
  }

  // MARK: - convert

  @Test func whatIsWrittenIsPrivateAndComplete() throws {
    let out = home.file("out-in-clear.json")
    let result = try home.seif("convert", phone, "--to", "json", "-o", out, passphrase: Canary.filePassphrase)
    #expect(result.exitCode == 0)
    #expect(result.output == "")
    #expect(home.mode("out-in-clear.json") == 0o600)
    #expect(result.errors.contains("7 of 7 entries written to \(out)"))
    #expect(result.errors.contains("anyone who has that file can read it"))
    let root = try document(try home.read("out-in-clear.json"), "seif-records")
    #expect(root["accounts"]?.elements.map { $0["secret"]?.string ?? "" }.first == Canary.timedSeed)
    #expect(root["secrets"] == nil)
  }

  @Test func anExistingFileNeedsForce() throws {
    let out = try home.write("mine", as: "out-in-clear.json")
    let refused = try home.seif("convert", phone, "--to", "json", "-o", out, passphrase: Canary.filePassphrase)
    #expect(refused.exitCode == 73)
    #expect(refused.errors.contains("exists"))
    #expect(refused.errors.contains("--force"))
    #expect(try home.read("out-in-clear.json") == "mine")
    let forced = try home.seif(
      "convert", phone, "--to", "json", "-o", out, "--force", passphrase: Canary.filePassphrase)
    #expect(forced.exitCode == 0)
    #expect(try home.read("out-in-clear.json").hasPrefix("{"))
    let nowhere = try home.seif(
      "convert", phone, "--to", "json", "-o", home.file("no/such/file"), passphrase: Canary.filePassphrase)
    #expect(nowhere.exitCode == 73)
  }

  @Test func whatTheTargetCantHoldIsNamedAndStrictRefuses() throws {
    let out = home.file("codes-in-clear.txt")
    let result = try home.seif("convert", phone, "--to", "uri-list", "-o", out, passphrase: Canary.filePassphrase)
    #expect(result.exitCode == 1)
    #expect(
      result.errors.hasPrefix(
        """
        uri-list can't hold:
        ! 1 login left out
            Example Forge, ana
        ! 1 card left out
            Everyday plastic, ANA EXAMPLE
        ! 1 note left out
            Keys
        ! parts of 3 codes left out
            GitHub, ana@example.com: the date it was made, the favourite mark, tags
            GitLab, ana: the date it was made
            Acme, user: tags

        """), "\(result.errors)")
    #expect(result.errors.contains("4 of 7 entries written"))
    #expect(result.errors.hasSuffix("Keep \(phone) until you've checked.\n"))
    let strict = try home.seif(
      "convert", phone, "--to", "uri-list", "--strict", "-o", home.file("strict-in-clear.txt"),
      passphrase: Canary.filePassphrase)
    #expect(strict.exitCode == 65)
    #expect(!home.exists("strict-in-clear.txt"))
  }

  @Test func standardInputAndOutputDoForFiles() throws {
    let result = try home.seif(
      "convert", "-", "--to", "uri-list", "-o", "-", passphrase: Canary.filePassphrase,
      input: try home.read("phone.authbackup"), reveals: true)
    #expect(result.exitCode == 1)
    #expect(result.output.hasPrefix("otpauth://totp/GitHub:ana%40example.com?secret=\(Canary.timedSeed)"))
    #expect(result.output.split(separator: "\n").count == 4)
  }

  @Test func aNewPassphraseIsHeldToTheRules() throws {
    for (given, words) in [("short", "at least 12 characters"), ("password1234", "guessed within a day")] {
      let result = try home.seif(
        "convert", phone, "--to", "authbackup", "-o", home.file("new.authbackup"), passphrase: Canary.filePassphrase,
        newPassphrase: given)
      #expect(result.exitCode == 64)
      #expect(result.errors.contains(words))
      #expect(!home.exists("new.authbackup"))
    }
    let weak = try home.seif(
      "convert", phone, "--to", "authbackup", "--weak", "-o", home.file("new.authbackup"),
      passphrase: Canary.filePassphrase, newPassphrase: "password1234")
    #expect(weak.exitCode == 0)
  }

  @Test(arguments: ["authbackup", "vault2fa", "twofac"])
  func eachSealedFormatOpensAgain(format: String) throws {
    let out = home.file("again.\(format)")
    let made = try home.seif(
      "convert", phone, "--to", format, "-o", out, passphrase: Canary.filePassphrase,
      newPassphrase: Canary.vaultPassphrase)
    #expect(made.exitCode == 0 || made.exitCode == 1)
    let opened = try home.seif("open", out, "--at", Fixture.moment, passphrase: Canary.vaultPassphrase)
    #expect(opened.exitCode == 0, "\(opened.errors)")
    #expect(opened.output.contains("756364"))
    #expect(try home.seif("open", out, passphrase: Canary.filePassphrase).exitCode == 77)
  }

  @Test func convertWithoutAnOutputOrWithAnUnknownFormatIs64() throws {
    #expect(try home.seif("convert", phone, "--to", "json").exitCode == 64)
    let result = try home.seif("convert", phone, "--to", "authbackpu", "-o", "x")
    #expect(result.exitCode == 64)
    #expect(result.errors.contains("Did you mean authbackup?"))
  }

  /// Needs the right to mount a small disk; without it a device that is always full stands in.
  @Test func aFullDiskIs74AndLeavesNoHalfFile() throws {
    let notes = (0..<30).map { "{\"title\":\"n\($0)\",\"text\":\"\(String(repeating: "text ", count: 8000))\"}" }
    let all = "{\"schema\":\"seif-records\",\"version\":1,\"notes\":[\(notes.joined(separator: ","))]}"
    try home.write(all, as: "notes-in-clear.json")
    let script = """
      mkdir small && mount -t tmpfs -o size=1m none small || exit 99
      "$0" convert notes-in-clear.json --to json -o small/out.json
      echo "code $?" >&2
      ls -A small
      """
    let mount = try home.run("unshare", "-m", "sh", "-c", script, Home.program)
    if mount.exitCode != 99, !mount.errors.contains("unshare") {
      #expect(mount.errors.contains("code 74"), "\(mount.errors)")
      #expect(mount.errors.contains("the disk is full. Nothing was left there."), "\(mount.errors)")
      #expect(mount.output == "")
    }
    let shell = try home.run("sh", "-c", "\"$0\" formats > /dev/full; echo \"code $?\" >&2", Home.program)
    #expect(shell.errors.contains("code 74"))
  }

  // MARK: - formats

  @Test func formatsListsWhatIsReadAndWritten() throws {
    let result = try home.seif("formats")
    #expect(result.exitCode == 0)
    #expect(result.output.contains("authbackup  v1, v2"))
    let root = try document(try home.seif("formats", "--json").output, "seif-formats")
    #expect(
      root["formats"]?.elements.map { $0["id"]?.string ?? "" }
        == ["authbackup", "vault2fa", "twofac", "uri-list", "json", "seifvault"])
    // Every format that is said to be written is one that convert takes, but for the vault's own.
    for format in root["formats"]?.elements.map({ $0["id"]?.string ?? "" }) ?? [] where format != "seifvault" {
      #expect(try home.seif("convert", "none", "--to", format, "-o", "x").exitCode == 66, "\(format)")
    }
  }
}
