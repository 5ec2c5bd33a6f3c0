import FoundationEssentials
import SeifBytes
import SeifOTP
import SeifRecords
import SeifSQL
import SeifTestSupport
import Testing

@testable import SeifVault

@Suite struct FileTests {
  /// The vault with every kind, a change, a removal and a ledger's line, still open so that its log is there too.
  private func filled(_ place: TestVault) throws -> Vault {
    let vault = try place.create()
    try vault.apply(Sample.changes(try Sample.full()))
    let ids = try vault.summaries().map(\.id)
    try vault.replace(ids[0], with: try Sample.totp("Canary Bank", "canary.user", seed: "CanarySeedOf20Bytes!"))
    try vault.remove([ids[3]])
    try vault.appendToLedger(LedgerTests.entry(1))
    return vault
  }

  @Test func noNameNoSeedAndNoSecretStandsInTheFile() throws {
    let place = try TestVault()
    let vault = try filled(place)
    // EXPOSE: canaries of this test.
    let canaries = [
      "Canary Bank", "canary.user", "CanarySeedOf20Bytes!", "Issuer 1", "va@example.com", "ANA EXAMPLE", "Blue card",
      "4111111111111111", "a secret text", "otpauth", "JBSWY3DPEHPK3PXP", "MFRGGZDFMZTWQ2LK", "https://example.com",
      "zwei W", "aNewKey", "widgets", "docs.example.com", "seif-backup-1", "old one",
      TestVault.passphrase, "accounts", "sortIndex",
    ]
    let script = """
      import base64, os, sys
      folder, *words = sys.stdin.read().split("\\n")
      data = b"".join(open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder)))
      assert b"SQLite format 3" in data and len(data) > 50_000
      for word in words:
          raw = word.encode()
          forms = [raw, word.encode("utf-16-le"), word.encode("utf-16-be"), raw.hex().encode(),
                   raw.hex().upper().encode(), base64.b32encode(raw).rstrip(b"=")]
          # The characters that hold nothing but the word, wherever it stands in a longer text.
          forms += [base64.b64encode(bytes(shift) + raw)[(8 * shift + 5) // 6:8 * (shift + len(raw)) // 6]
                    for shift in range(3)]
          for form in forms:
              assert len(form) > 3
              if form in data or form.lower() in data.lower() and len(form) > 8:
                  print(word)
      """
    let input = ([place.location.folder] + canaries).joined(separator: "\n")
    #expect(try Python.lines(script, input: Array(input.utf8)) == [])
    vault.lock()
    #expect(try Python.lines(script, input: Array(input.utf8)) == [])
  }

  @Test func thePageOfTheFormatSaysWhatTheFileHas() throws {
    let place = try TestVault()
    try place.create().lock()
    let script = """
      import re, sqlite3, sys
      page, file = sys.stdin.read().split("\\n")
      db = sqlite3.connect(file)
      tables, name = {}, None
      for line in open(page, encoding="utf-8"):
          if line.startswith("#"):
              found = re.match(r"### Table `([a-z_]+)`$", line)
              name = found and found[1]
          row = re.match(r"\\| `([a-z_]+)` \\| (clear|sealed) \\| ([A-Z]+) \\| .+ \\|$", line)
          if name and row:
              tables.setdefault(name, []).append((row[1], row[3]))
              print(name, row[1], row[2])
      found = {t: [(c[1], c[2]) for c in db.execute(f"PRAGMA table_info({t})")]
               for t, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
      assert tables == found, (tables, found)
      assert all("STRICT" in sql for sql, in db.execute("SELECT sql FROM sqlite_schema WHERE type = 'table'"))
      """
    let page = TestData.packageRoot.appending(path: "docs/formats/vault.md").path
    let lines = try Python.lines(script, input: Array((page + "\n" + place.location.file).utf8))
    let sealed = lines.map { $0.split(separator: " ") }.filter { $0[2] == "sealed" }.map { "\($0[0]).\($0[1])" }
    let ours = Vault.sealedColumns.flatMap { table, columns in columns.map { "\(table).\($0)" } }
    #expect(sealed.sorted() == (ours + ["accumulator.state", "way_in.wrapped_key"]).sorted())
  }

  @Test func theColumnsOfEachTableStandInTheOrderOfTheirNames() {
    for table in VaultSchemaVersion.first.tables { #expect(table.columns == table.columns.sorted()) }
    let names = VaultSchemaVersion.first.tables.map(\.name) + ["accumulator"]
    #expect(Set(names) == Set(VaultSchemaVersion.first.definitions.keys))
  }

  @Test(arguments: [false, true])
  func theOpenerInPythonReadsEveryEntry(whileOpen: Bool) throws {
    let place = try TestVault()
    let code = RecoveryCode.make()
    let vault = try Vault.create(
      at: place.location, passphrase: TestVault.secret("geheim \u{E9}"), recoveryCode: code, cost: .forTests)
    let records = try Sample.full()
    try vault.apply(Sample.changes(records))
    if !whileOpen { vault.lock() }
    let script = """
      import subprocess, sys
      opener, file, word, code = sys.stdin.read().split("\\n")
      first, second = (subprocess.run([sys.executable, opener, file, *option], input=text.encode(),
                                      capture_output=True, check=True).stdout
                       for text, option in ((word, ()), (code.lower(), ("--recovery",))))
      assert first == second
      wrong = subprocess.run([sys.executable, opener, file], input=b"wrong", capture_output=True)
      assert wrong.returncode == 1 and not wrong.stdout
      sys.stdout.buffer.write(first)
      """
    let opener = TestData.packageRoot.appending(path: "docs/openers/vault.py").path
    // EXPOSE: a code of this test. The passphrase is typed in its decomposed form.
    let input = [opener, place.location.file, "geheim e\u{301}", try #require(code.grouped.exposedText())]
    let output = try Python.run(script, input: Array(input.joined(separator: "\n").utf8))
    let document = try JSONDocument(parsing: SecretValue(output), policy: .strict)
    var read = Records()
    var problems: [EntryProblem] = []
    for kind in RecordKind.allCases {
      if let list = document.root[kind.rawValue] {
        EntryDecoding.decode(kind, from: list, into: &read, problems: &problems)
      }
    }
    var expected = records
    expected.unusable = []
    expected.opaque = []
    #expect(read == expected)
  }

  @Test func theOpenerInPythonTakesNoMoreThanThePageAllowsAndNoPlantedRow() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.add([try Sample.totp("A")])
    vault.lock()
    // The first costs are those of the vault itself, which open it; a planted row in front of its own is passed over.
    let script = """
      import json, sqlite3, subprocess, sys
      opener, file, word = sys.stdin.read().split("\\n")
      def opened(**costs):
          db = sqlite3.connect(file)
          text, = db.execute("SELECT parameters FROM way_in WHERE kind = 'passphrase'").fetchone()
          changed = json.dumps(json.loads(text) | costs, sort_keys=True, separators=(",", ":"))
          db.execute("UPDATE way_in SET parameters = ? WHERE kind = 'passphrase'", (changed,))
          db.commit()
          db.close()
          done = subprocess.run([sys.executable, opener, file], input=word.encode(), capture_output=True)
          return "opened" if done.returncode == 0 else "cost" if b"AssertionError: cost" in done.stderr else "no"
      db = sqlite3.connect(file)
      db.execute("INSERT INTO vault (rowid, id, revision, generation, created_at) VALUES (-1, zeroblob(16), 1, 1, 0)")
      db.commit()
      db.close()
      usual = {"lanes": 1, "memoryKiB": 8192, "passes": 1}
      assert opened(**usual) == "opened"
      for costs in ({"lanes": 2}, {"lanes": 0}, {"memoryKiB": 8191}, {"memoryKiB": 1048577}, {"passes": 0},
                    {"passes": 65}, {"memoryKiB": 786433, "passes": 4}, {"memoryKiB": 1048576, "passes": 4}):
          assert opened(**usual | costs) == "cost", costs
      assert opened(**usual | {"passes": 64}) == "no"
      """
    let opener = TestData.packageRoot.appending(path: "docs/openers/vault.py").path
    _ = try Python.run(
      script, input: Array([opener, place.location.file, TestVault.passphrase].joined(separator: "\n").utf8))
  }

  @Test func aFullDiskIsSaidAndLeavesTheVaultAsItWas() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.add([try Sample.totp("A")])
    let before = try vault.records()
    // SQLite's own limit stands for the disk's: it fails at the same place, with the same code.
    try vault.opened().connection.execute("PRAGMA max_page_count = 1")
    let note = Note(text: SecretValue(utf8: String(repeating: "x", count: 65_536)))
    #expect(throws: VaultError(.full)) { try vault.add([.note(note)]) }
    #expect(try vault.records() == before)
    #expect(try vault.verify() == [])
    vault.lock()
    let again = try place.open()
    #expect(try again.records() == before)
    #expect(try again.verify() == [])
  }
}
