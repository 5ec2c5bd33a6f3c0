import SeifCommandLine
import FoundationEssentials
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// From one backup file to a code, and back.
@Suite struct WholeWayTests {
  @Test func everySecretOfTheseTestsIsLookedFor() throws {
    let listed = try TemporaryFolder.text(of: TestData.packageRoot.path + "/Tests/canaries.txt")
    #expect(listed.split(separator: "\n").map(String.init) == Canary.lines)
  }

  /// What `scripts/canary` must find, so that what it doesn't find means something.
  @Test func theSearchForSecretsFindsThemInEveryEncoding() throws {
    let home = try Home()
    let script = """
      import base64, sys
      secret = sys.stdin.read().encode()
      forms = {"UTF-8": b"x" + secret, "UTF-16": (b"y" + secret).decode().encode("utf-16-le"),
               "hex": secret.hex().encode(), "base64": base64.b64encode(b"ab" + secret),
               "base32": base64.b32encode(b"abc" + secret)}
      for name, data in forms.items(): open(name + ".found", "wb").write(data)
      open("in-clear", "wb").write(secret)
      """
    let made = try home.run("python3", "-c", script, input: Canary.password)
    #expect(made.exitCode == 0, "\(made.errors)")
    let found = try Canary.search(home.path)
    #expect(found.status == 1)
    for name in ["UTF-8", "UTF-16", "hex", "base64", "base32"] {
      #expect(found.output.contains("\(name).found: secret 3 in \(name)\n"), "\(found.output)")
    }
    #expect(found.output.split(separator: "\n").count == 5)
    for name in ["UTF-8", "UTF-16", "hex", "base64", "base32"] { remove(home.file("\(name).found")) }
  }

  @Test func oneFileGivesCodesThenAVaultThenAProvenBackup() throws {
    let home = try Home()
    let file = Fixture.sample("phone.authbackup")
    let passphrase = Fixture.samplePassphrase
    let codes = try home.seif("open", file, "--at", Fixture.moment, passphrase: passphrase)
    #expect(codes.exitCode == 0)
    let words = codes.output.split(separator: "\n").first?.split(separator: " ")
    let code = try #require(words?.first { $0.allSatisfy(\.isNumber) })

    let made = try home.seif(
      "init", "--recovery-sheet", home.file("sheet-in-clear.txt"), "--unlock-ms", "500",
      newPassphrase: Canary.vaultPassphrase)
    #expect(made.exitCode == 0, "\(made.errors)")
    let imported = try home.seif("import", file, passphrase: passphrase, vaultPassphrase: Canary.vaultPassphrase)
    #expect(imported.errors == "+ 9 new   = 0 already here   ~ 0 differ\n")
    let again = try home.seif(
      "code", "Example Mail:ana@example.com", "--at", Fixture.moment, passphrase: Canary.vaultPassphrase)
    #expect(again.output == code + "\n" || again.exitCode == 66, "\(again.errors)")

    let folder = try home.folder("backups")
    let backup = try home.seif(
      "backup", "create", "--destination", folder, passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.filePassphrase)
    #expect(backup.exitCode == 0, "\(backup.errors)")
    let name = try #require(try home.names(in: "backups").first)
    let opened = try home.seif(
      "open", folder + "/" + name, "--at", Fixture.moment, passphrase: Canary.filePassphrase)
    #expect(opened.output == codes.output)
    #expect(try home.seif("verify", folder + "/" + name, passphrase: Canary.filePassphrase).exitCode == 0)

    let python = try home.run(
      Home.python, TestData.packageRoot.path + "/docs/openers/authbackup_v2.py", folder + "/" + name,
      input: Canary.filePassphrase + "\n")
    #expect(python.exitCode == 0, "\(python.errors)")
    let body = try JSONDocument(parsing: SecretValue(utf8: python.output), policy: .strict).root
    #expect(body["accounts"]?.elements.map { $0["issuer"]?.string }.first == "Example Mail")
    #expect(body["cards"]?.elements.map { $0["number"]?.string }.count == 1)
  }

  /// Every field of every kind: file → vault → backup → neutral JSON, compared with the body that the vector states.
  @Test func everyFieldOfEveryKindSurvives() throws {
    let vector = try #require(
      try TestData.vectors("authbackup-v2-whole.json").root.elements.first { $0["name"]?.string == "everything" })
    let passphrase = try #require(vector["passphrase"]?.string)
    let home = try Fixture.withVault()
    // The vault of the fixture goes: this one has to be equal and no more.
    for _ in 0..<1 { #expect(try home.seif("undo", passphrase: Canary.vaultPassphrase).exitCode == 0) }
    let file = try home.write(vector["file"]?.string ?? "", as: "everything.authbackup")
    let imported = try home.seif(
      "import", file, passphrase: passphrase, vaultPassphrase: Canary.vaultPassphrase)
    #expect(imported.exitCode == 0, "\(imported.errors)")
    let folder = try home.folder("backups")
    let backup = try home.seif(
      "backup", "create", "--destination", folder, passphrase: Canary.vaultPassphrase,
      newPassphrase: Canary.filePassphrase)
    #expect(backup.exitCode == 0, "\(backup.errors)")
    let name = try #require(try home.names(in: "backups").first)
    let out = home.file("back-in-clear.json")
    let converted = try home.seif(
      "convert", folder + "/" + name, "--to", "json", "-o", out, passphrase: Canary.filePassphrase)
    // Document vaults' keys aren't in neutral records: named, and looked at in the body below.
    #expect(converted.exitCode == 1, "\(converted.errors)")
    let came = try document(try home.read("back-in-clear.json"), "seif-records")
    #expect(came["lost"]?.elements.map { $0["kind"]?.string ?? "" } == ["documents", "documents"])
    let body = try JSONDocument(
      parsing: SecretValue(try Base16.decode(vector["plaintextHex"]?.string ?? "")), policy: .strict
    ).root
    let expected = [
      "accounts": (body["accounts"]?.elements.map { $0 } ?? []) + (body["otherAccounts"]?.elements.map { $0 } ?? []),
      "passwords": body["passwords"]?.elements.map { $0 } ?? [], "cards": body["cards"]?.elements.map { $0 } ?? [],
      "notes": body["notes"]?.elements.map { $0 } ?? [],
    ]
    for (kind, entries) in expected {
      let got = came[kind]?.elements.map { $0 } ?? []
      #expect(got.count == entries.count, "\(kind)")
      for (left, right) in zip(got, entries) { compare(left, right, kind) }
    }
    let python = try home.run(
      Home.python, TestData.packageRoot.path + "/docs/openers/authbackup_v2.py", folder + "/" + name,
      input: Canary.filePassphrase + "\n")
    let back = try JSONDocument(parsing: SecretValue(utf8: python.output), policy: .strict).root
    #expect(back["documents"]?.canonical == body["documents"]?.canonical)
    #expect(back["seif"]?["sequence"]?.int64 == 1)
  }

  private func compare(_ got: JSONValue, _ expected: JSONValue, _ kind: String) {
    for (key, value) in expected.members {
      let name = key.text
      // Empty and false may be left out.
      let isEmpty = ["", "false"].contains(value.string ?? value.bool.map { "\($0)" } ?? "?")
      guard let other = got[name] else {
        #expect(isEmpty, "\(kind): \(name) is lost")
        continue
      }
      #expect(other.canonical == value.canonical, "\(kind): \(name)")
    }
    for (key, _) in got.members { #expect(expected[key.text] != nil, "\(kind): \(key.text) came up") }
  }
}

private func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
