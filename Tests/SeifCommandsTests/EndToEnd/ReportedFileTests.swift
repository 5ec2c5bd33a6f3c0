import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// What went wrong in other programs, reported by their users, with files of the same kind: it goes right here.
@Suite struct ReportedFileTests {
  let home: Home

  init() throws { home = try Home() }

  private static func reported(_ id: String) throws -> JSONValue? {
    guard let shared = TestData.shared else { return nil }
    let cases = try TestData.json(shared.appending(path: "cases/reports.json")).root.elements
    return try #require(cases.first { $0["id"]?.string == id })["input"]
  }

  private func write(_ value: JSONValue?, as name: String) throws -> String {
    let value = try #require(value)
    return try home.write(value.canonical.exposedText() ?? "", as: name)
  }

  private func open(_ file: String, passphraseHex: String) throws -> Terminal.Result {
    let bytes = try Base16.decode(passphraseHex)
    return try Terminal(
      ["open", file, "--passphrase-fd", "3"], program: Home.program, hasTerminal: false, descriptors: [3: bytes],
      environment: home.variables()
    ).finish()
  }

  @Test func composedAndDecomposedPassphrasesOpenTheSameFile() throws {
    guard let input = try Self.reported("s-backup-01") else { return }
    let file = try write(input["file"], as: "accents.authbackup")
    for form in ["passphrase_as_nfc_hex", "passphrase_as_nfd_hex"] {
      let result = try open(file, passphraseHex: input[form]?.string ?? "")
      // It opens; its one entry, a bare URI, isn't one of this format, and is named.
      #expect(result.exitCode == 1, "\(form): \(result.errors)")
      #expect(result.errors.contains("accounts 1: can't be used"))
    }
  }

  @Test func newFilesAreSealedUnderTheComposedForm() throws {
    let records = try home.write(
      "{\"schema\":\"seif-records\",\"version\":1,\"notes\":[{\"title\":\"a\",\"text\":\"b\"}]}",
      as: "note-in-clear.json")
    let decomposed = "ca\u{306} si\u{326} cana\u{306} cu ceai"
    let made = try home.seif(
      "convert", records, "--to", "authbackup", "-o", home.file("a.authbackup"), newPassphrase: decomposed)
    #expect(made.exitCode == 0, "\(made.errors)")
    // The opener tries the bytes as they came first, so that this shows the composed form and nothing else.
    let opener = TestData.packageRoot.path + "/docs/openers/authbackup_v2.py"
    let script = """
      import importlib.util, sys, unicodedata
      spec = importlib.util.spec_from_file_location("opener", sys.argv[1])
      opener = importlib.util.module_from_spec(spec); spec.loader.exec_module(opener)
      raw = open(sys.argv[2], "rb").read()
      opener.open_backup(raw, unicodedata.normalize("NFC", sys.stdin.read()).encode())
      """
    let result = try home.run(
      Home.python, "-c", script, opener, home.file("a.authbackup"), input: decomposed)
    #expect(result.exitCode == 0, "\(result.errors)")
  }

  @Test func exactlyOneLineEndIsTakenOffAPassphrase() throws {
    guard let input = try Self.reported("s-backup-02") else { return }
    let file = try write(input["file"], as: "vault2fa-backup.json")
    for variant in input["stdin_variants_hex"]?.elements.map({ $0.string ?? "" }) ?? [] {
      #expect(try open(file, passphraseHex: variant).exitCode == 0)
    }
    let wrong = try (input["stdin_wrong_hex"]?.elements.map { $0.string ?? "" } ?? []).map {
      try open(file, passphraseHex: $0).exitCode
    }
    #expect(wrong == [77, 64])
  }

  @Test func hostileCostsAreRefusedWithTheirFieldAndWithoutAPassphrase() throws {
    guard let input = try Self.reported("s-backup-03") else { return }
    let fields = ["memoryKiB", "passes", "lanes", "memoryKiB", "memoryKiB", "memoryKiB", "passes", "memoryKiB"]
    let files = input["files"]?.elements.map { $0 } ?? []
    #expect(files.count == fields.count)
    for (index, (value, field)) in zip(files, fields).enumerated() {
      let file = try write(value, as: "hostile-\(index).authbackup")
      // 400 MB of address space: an allocation of what the file asks for would fail in another way.
      let result = try home.run(
        "sh", "-c", "ulimit -v 4000000; exec \"$0\" open \"$1\"", Home.program, file)
      #expect(result.exitCode == 65, "\(index): \(result.errors)")
      #expect(result.errors.contains(field), "\(index): \(result.errors)")
      #expect(!result.errors.contains("passphrase"), "\(index): \(result.errors)")
    }
  }

  @Test func anEditedHeaderDoesntOpen() throws {
    guard let input = try Self.reported("s-backup-04") else { return }
    let good = try write(input["good"], as: "good.authbackup")
    let edited = try write(input["rounds_edited"], as: "edited.authbackup")
    let passphrase = try #require(input["passphrase"]?.string)
    // It opens; its one entry, a bare URI, isn't one of this format, and is named.
    let opened = try home.seif("open", good, passphrase: passphrase)
    #expect(opened.exitCode == 1)
    #expect(opened.errors.contains("accounts 1: can't be used"))
    let result = try home.seif("open", edited, passphrase: passphrase)
    #expect(result.exitCode == 77)
    #expect(result.errors.hasPrefix("seif: Can't open \(edited): the passphrase is wrong or the file is damaged."))
  }

  @Test func whatIsCutOffIsToldApartFromAWrongPassphrase() throws {
    guard let input = try Self.reported("s-backup-05") else { return }
    let passphrase = try #require(input["passphrase"]?.string)
    let full = try home.write(input["full"]?.string ?? "", as: "full.json")
    #expect(try home.seif("open", full, passphrase: passphrase).exitCode == 0)
    #expect(try home.seif("open", full, passphrase: input["wrong_passphrase"]?.string ?? "").exitCode == 77)
    for name in ["cut_at_60_percent", "empty", "only_brace", "null", "html"] {
      let file = try home.write(input[name]?.string ?? "?", as: "\(name).json")
      let result = try home.seif("open", file)
      #expect(result.exitCode == 65, "\(name): \(result.errors)")
      #expect(!result.errors.contains("passphrase"), "\(name): \(result.errors)")
    }
  }

  /// Key URIs as other programs write them, through the program: fields and code.
  @Test func reportedURIsGiveTheirFieldsAndCode() throws {
    guard let shared = TestData.shared else { return }
    var seen = 0
    var lines: [String] = []
    var expected: [JSONValue] = []
    for item in try TestData.json(shared.appending(path: "cases/reports.json")).root.elements
    where item["kind"]?.string == "uri" && item["input_kind"]?.string == "otpauth-uri" {
      guard let fields = item["expect"]?["fields"], let uri = item["input"]?.string else { continue }
      lines.append(uri)
      expected.append(fields)
    }
    let file = try home.write(lines.joined(separator: "\n") + "\n", as: "uris-in-clear.txt")
    let result = try home.seif("open", file, "--json", "--reveal", "--at", "1767225615", reveals: true)
    #expect(result.exitCode == 0, "\(result.errors)")
    let accounts = try document(result.output, "seif-records")["accounts"]?.elements.map { $0 } ?? []
    #expect(accounts.count == expected.count)
    for (account, fields) in zip(accounts, expected) {
      seen += 1
      for key in ["type", "issuer", "account", "algorithm"] {
        #expect(account[key]?.string == fields[key]?.string, "\(key)")
      }
      #expect(account["secret"]?.string == fields["secret_base32"]?.string)
      #expect(account["digits"]?.int64 == fields["digits"]?.int64)
      #expect(account["period"]?.int64 == fields["period"]?.int64)
      #expect(account["code"]?.string == fields["code_at_1767225615"]?.string)
    }
    #expect(seen >= 8)
  }
}
