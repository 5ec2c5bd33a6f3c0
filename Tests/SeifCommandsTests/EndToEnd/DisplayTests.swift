import SeifCommandLine
import SeifBytes
import Testing

@testable import SeifCommands

/// Names from files, and terminals of every kind.
@Suite struct DisplayTests {
  /// Names that would move the cursor, turn the reading order, break a line or fill the screen.
  static let names: [(text: String, shown: String)] =
    [
      ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"), ("c\nd", "c\u{FFFD}d"), ("e\u{202E}f", "e\u{FFFD}f"),
      ("\u{2066}g\u{2069}", "\u{FFFD}g\u{FFFD}"), ("h\u{9B}31mi", "h\u{FFFD}31mi"), ("j\u{7F}k", "j\u{FFFD}k"),
    ] + harmless.map { ($0, $0) }
  static let harmless = [
    "\u{5E9}\u{5DC}\u{5D5}\u{5DD}", "\u{1F468}\u{200D}\u{1F469}", "example (file)", "DNS:Edit/nas.example",
    "$(touch pwned)", "a\"b'c", "`id`", "#x", "-rf", "", String(repeating: "n", count: 10_000),
  ]

  private func records(_ home: Home) throws -> String {
    let accounts = Self.names.map { name in
      var text = JSONWriter()
      text.string(name.text)
      let quoted = text.finish().exposedText() ?? ""
      return "{\"type\":\"totp\",\"issuer\":\(quoted),\"account\":\(quoted),\"secret\":\"\(Canary.steamSeed)\"}"
    }
    return try home.write(
      "{\"schema\":\"seif-records\",\"version\":1,\"accounts\":[\(accounts.joined(separator: ","))]}",
      as: "names-in-clear.json")
  }

  /// At 60 columns: what is longer than a line goes on in the next, at a word.
  @Test func whatIsShownBreaksAtWordsOnATerminal() throws {
    let home = try Fixture.withVault()
    let phone = home.file("phone.authbackup")
    for (words, passphrase) in [
      (["help", "doctor"], nil), (["inspect", phone], nil), (["verify", "--no-passphrase", phone], nil),
      (["status"], Canary.vaultPassphrase), (["doctor"], Canary.vaultPassphrase),
    ] as [([String], String?)] {
      let wide = try home.seif(list: words, passphrase: passphrase)
      let terminal = try home.terminal(list: words, passphrase: passphrase, columns: 60)
      let narrow = try home.check(terminal.finish()).screen.replacing("\r\n", with: "\n")
      let lines = narrow.split(separator: "\n")
      for line in lines where CellWidth.of(line) > 60 {
        // A path, or a command.
        #expect(line.contains("/") || CommandWords.units(of: String(line)).count < 4, "\(words): \(line)")
      }
      #expect(lines.count > wide.output.split(separator: "\n").count, "\(words)")
    }
  }

  @Test func namesAreCleanedInTables() throws {
    let home = try Home()
    let result = try home.seif("open", records(home))
    #expect(result.exitCode == 0)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == Self.names.count)
    for (line, name) in zip(lines, Self.names) {
      #expect(line.hasPrefix("code   " + name.shown), "\(name.shown.prefix(20))")
    }
    #expect(!result.output.unicodeScalars.contains { $0 != "\n" && Display.isHarmful($0) })
  }

  @Test(arguments: ["xterm", "dumb"])
  func namesAreCleanedAndShortenedOnATerminal(type: String) throws {
    let home = try Home()
    let terminal = try home.terminal(
      "open", records(home), environment: ["TERM": type, "NO_COLOR": "1"], columns: 80)
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    let harmful = result.screen.unicodeScalars.filter { $0 != "\n" && $0 != "\r" && Display.isHarmful($0) }
    #expect(harmful.isEmpty)
    for line in result.screen.split(separator: "\r\n").prefix(Self.names.count) { #expect(CellWidth.of(line) <= 80) }
  }

  @Test func theVaultFindsEachNameAsItIs() throws {
    let home = try Fixture.withVault()
    let imported = try home.seif("import", records(home), vaultPassphrase: Canary.vaultPassphrase)
    #expect(imported.exitCode == 0, "\(imported.errors)")
    let listed = try home.seif("list", "--json", passphrase: Canary.vaultPassphrase)
    let names = try document(listed.output, "seif-list")["entries"]?.elements.map { $0["name"]?.string ?? "?" } ?? []
    #expect(Array(names.suffix(Self.names.count)) == Self.names.map(\.text))
    for name in ["example (file)", "DNS:Edit/nas.example", "$(touch pwned)", "a\"b'c", "`id`", "#x"] {
      let result = try home.seif("code", name, "--at", Fixture.moment, passphrase: Canary.vaultPassphrase)
      #expect(result.output == "146400\n", "\(name)")
    }
    let dashed = try home.seif("code", "--at", Fixture.moment, "--passphrase-fd", "3", "--", "-rf")
    #expect(dashed.exitCode == 64)
    #expect(try home.names().contains("pwned") == false)
  }

  @Test func aFileNameIsCleanedInMessages() throws {
    let home = try Home()
    let file = try home.write("<html>", as: "evil\u{1B}[31m\u{202E}name")
    let result = try home.seif("open", file)
    #expect(result.exitCode == 65)
    #expect(!result.errors.unicodeScalars.contains { $0 != "\n" && Display.isHarmful($0) })
  }

  // MARK: - Terminals

  private func screen(_ environment: [String: String]) throws -> String {
    let home = try Fixture.withFiles()
    let terminal = try home.terminal(
      "open", home.file("phone.authbackup"), "--at", Fixture.moment, passphrase: Canary.filePassphrase,
      environment: environment)
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    return result.screen
  }

  @Test func coloursAreOnlyForTerminalsThatHaveThem() throws {
    #expect(try screen([:]).contains("\u{1B}[1mNAME"))
    for plain in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
      let screen = try screen(plain)
      #expect(!screen.contains("\u{1B}"), "\(plain)")
      #expect(screen.contains("NAME"))
    }
  }

  @Test func withoutUTF8SignsAreWords() throws {
    for language in ["C", "POSIX"] {
      let screen = try screen(["LANG": language])
      #expect(screen.contains("******"))
      #expect(!screen.contains("•"))
    }
    #expect(try screen(["LANG": "tr_TR.UTF-8"]).contains("••••••"))
  }

  @Test func forListenersEachFieldIsALine() throws {
    let screen = try screen(["ACCESSIBLE": "1"])
    #expect(screen.contains("name: GitHub\r\naccount: ana@example.com\r\ncode: 756 364\r\nleft: 15 s\r\n"), "\(screen)")
  }

  @Test func namesInOtherLanguagesAreWholeInEveryLocale() throws {
    let home = try Home()
    let note = "{\"title\":\"școală \u{5E9}\u{5DC} 学校\",\"text\":\"t\"}"
    let text = "{\"schema\":\"seif-records\",\"version\":1,\"notes\":[\(note)]}"
    let file = try home.write(text, as: "note-in-clear.json")
    for language in ["C", "tr_TR.UTF-8", "C.UTF-8"] {
      let result = try home.seif("open", file, environment: ["LANG": language, "LC_ALL": language])
      #expect(result.output.hasPrefix("note   școală \u{5E9}\u{5DC} 学校"), "\(language)")
    }
  }

  @Test func quietSaysOnlyWhatFailedOrWasLost() throws {
    let home = try Fixture.withFiles()
    let result = try home.seif("open", home.file("phone.authbackup"), "--quiet", passphrase: Canary.filePassphrase)
    #expect(result.exitCode == 0)
    #expect(result.errors == "")
  }
}
