import SeifCommandLine
import CSeif
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// `seif add --qr` with good and hostile pictures, and `seif qr`, read back by another reader.
@Suite struct PictureTests {
  private static let texts = [
    "otpauth://totp/Nimbus:ana@example.com?secret=\(Canary.timedSeed)&issuer=Nimbus",
    "otpauth://hotp/Quay:bo?secret=\(Canary.countedSeed)&issuer=Quay&counter=7",
    "otpauth-migration://offline?data=CjEKCkhlbGxvId6tvu8", "https://example.org/",
  ]

  /// Where all pictures lie; it goes with the process. They hold seeds, so it is outside of the homes that are searched.
  private static let root: String = {
    guard let made = try? TemporaryFolder.make("pictures") else { return "/nonexistent" }
    atexit { try? FileManager.default.removeItem(atPath: PictureTests.root) }
    return made
  }()

  private static let folder: Result<String, any Error> = Result {
    let script = TestData.packageRoot.path + "/Tests/pictures.py"
    let made = try Terminal([script, root] + texts, program: "/usr/bin/python3", hasTerminal: false).finish()
    guard made.exitCode == 0 else { throw Terminal.Failure(what: made.errors) }
    return root
  }

  private static func names(_ list: String) throws -> [String] {
    try TemporaryFolder.text(of: try folder.get() + "/" + list).split(separator: "\n").map(String.init)
  }

  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func add(_ name: String, _ more: String..., input: String = "") throws -> Terminal.Result {
    let path = name == "-" ? "-" : try Self.folder.get() + "/" + name
    return try home.seif(list: ["add", "--qr", path] + more, passphrase: Canary.vaultPassphrase, input: input)
  }

  // MARK: - Reading

  @Test func everyGoodPictureGivesItsCode() throws {
    let names = try Self.names("good").filter { !$0.hasPrefix("several") }
    #expect(names.count > 12)
    for name in names {
      let home = try Fixture.withVault()
      let result = try home.seif(
        "add", "--qr", try Self.folder.get() + "/" + name, "--yes", "--tag", "new", passphrase: Canary.vaultPassphrase)
      #expect(result.exitCode == 0, "\(name): \(result.errors)")
      #expect(result.errors == "✓ Added Nimbus, ana@example.com.\n", "\(name)")
      let code = try home.seif("code", "Nimbus", "--at", Fixture.moment, passphrase: Canary.vaultPassphrase)
      let same = try home.seif("code", "GitHub", "--at", Fixture.moment, passphrase: Canary.vaultPassphrase)
      #expect(code.output == same.output)
    }
  }

  @Test func ofSeveralCodesEachIsAskedFor() throws {
    let terminal = try home.terminal(
      "add", "--qr", try Self.folder.get() + "/several.png", passphrase: Canary.vaultPassphrase, columns: 200)
    var asked: [String] = []
    for _ in 0..<2 {
      try terminal.expect("Add ")
      try terminal.expect("? [y/N] ")
      let isQuay = terminal.screen.hasSuffix("Add Quay, bo? [y/N] ")
      asked.append(isQuay ? "Quay" : "Nimbus")
      terminal.type(isQuay ? "y\n" : "n\n")
    }
    let result = try home.check(try terminal.finish())
    #expect(asked.sorted() == ["Nimbus", "Quay"])
    // The two others are named, without what they hold.
    #expect(result.exitCode == 1)
    #expect(result.screen.contains("isn't a Key URI that Seif can use"))
    #expect(result.screen.contains("Google Authenticator's transfers"))
    #expect(!result.screen.contains("example.org"))
    let listed = try home.seif("list", passphrase: Canary.vaultPassphrase).output
    #expect(listed.contains("Quay") && !listed.contains("Nimbus"))
  }

  @Test func darkOnLightAndLightOnDarkInOnePictureAreBothFound() throws {
    let result = try add("several-mixed.png", "--yes", "--json")
    #expect(result.exitCode == 0)
    let names = try document(result.output, "seif-add-qr")["entries"]?.elements.map { $0["name"]?.string ?? "" }
    #expect(names?.sorted() == ["Nimbus", "Quay"])
  }

  @Test func withoutATerminalNothingIsAddedUnasked() throws {
    let result = try add("several-mixed.png")
    #expect(result.exitCode == 64)
    #expect(result.errors.contains("Give --yes.\n"))
    #expect(result.errors.contains("  Nimbus, ana@example.com\n"))
    #expect(try !home.seif("list", passphrase: Canary.vaultPassphrase).output.contains("Nimbus"))
    #expect(try add("plain.png", "--name", "x", "--yes").exitCode == 64)
    #expect(try home.seif("add", "note", "--qr", "x.png").exitCode == 64)
    #expect(try home.seif("add", "--yes").exitCode == 64)
    #expect(try home.seif("add").exitCode == 64)
  }

  // MARK: - Hostile pictures

  @Test func hostilePicturesAreRefusedAndTakeNothingAlong() throws {
    let names = try Self.names("hostile")
    #expect(names.count > 12)
    for name in names {
      let started = Clock.monotonicMilliseconds()
      let result = try add(name, "--yes")
      #expect(result.exitCode == 65, "\(name): \(result.errors)")
      #expect(!result.errors.contains("brought down"), "\(name)")
      #expect(Clock.monotonicMilliseconds() - started < 30_000, "\(name)")
    }
    #expect(try add("huge.png", "--yes").errors.contains("more pixels than are read"))
    #expect(try add("missing.png", "--yes").exitCode == 66)
  }

  @Test func aPictureThatBringsItsReaderDownIsOnlyRefused() throws {
    // As if a library had been taken over: any call outside of the list ends the process.
    let result = try home.run(
      "sh", "-c", "printf '\\200\\0\\0\\0\\0\\0\\0\\0' | \(Home.program) --read-picture; echo $?")
    #expect(result.output == "65\n")
  }

  @Test func thePictureIsReadByAProcessThatCanOpenNothing() throws {
    let trace = home.file("trace-in-clear")
    let picture = try Self.folder.get() + "/plain.png"
    try home.write(Canary.vaultPassphrase + "\n", as: "pass-in-clear")
    let result = try home.run(
      "strace", "-f", "-s", "64", "-o", trace, Home.program, "add", "--qr", picture, "--yes", "--passphrase-file",
      home.file("pass-in-clear"), descriptors: [9: "behind a descriptor"])
    #expect(result.exitCode == 0, "\(result.errors)")
    let lines = try home.read("trace-in-clear").split(separator: "\n")
    let filter = try #require(
      lines.firstIndex { $0.contains("seccomp(SECCOMP_SET_MODE_FILTER") && $0.hasSuffix(" = 0") })
    let reader = try #require(lines[filter].split(separator: " ").first)
    let before = lines[..<filter].filter { $0.hasPrefix(reader) }
    let after = lines[filter...].dropFirst().filter { $0.hasPrefix(reader) }
    #expect(before.contains { $0.contains("close_range(3, ") })
    #expect(before.contains { $0.contains("RLIMIT_NOFILE, {rlim_cur=0, rlim_max=0}") })
    #expect(!before.contains { $0.contains("read(0,") })
    #expect(after.contains { $0.contains("read(0,") || $0.contains("read resumed") })
    for line in after where line.contains("open") || line.contains("stat(") {
      #expect(line.contains("EACCES"), "\(line)")
    }
    #expect(!after.contains { line in ["socket(", "connect(", "execve(", "clone"].contains { line.contains($0) } })
  }

  // MARK: - Writing

  /// What ZBar's own program reads in a picture.
  private func read(_ name: String) throws -> String {
    try home.run("zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", home.file(name)).output
  }

  @Test func aWrittenPictureIsReadByAnotherProgramAndByUs() throws {
    let path = home.file("qr.png")
    let written = try home.seif("qr", "GitLab", "--yes", "-o", path, passphrase: Canary.vaultPassphrase)
    #expect(written.exitCode == 0, "\(written.errors)")
    #expect(home.mode("qr.png") == 0o600)
    #expect(
      try read("qr.png")
        == "otpauth://totp/GitLab:ana?secret=\(Canary.timedSeed)&issuer=GitLab&algorithm=SHA256&digits=8&period=60\n")
    #expect(try home.seif("qr", "GitLab", "--yes", "-o", path, passphrase: Canary.vaultPassphrase).exitCode == 73)
    let added = try home.seif("add", "--qr", path, "--yes", passphrase: Canary.vaultPassphrase)
    #expect(added.errors == "✓ Added GitLab, ana.\n")
  }

  @Test func anSVGAndATerminalShowTheSameSquares() throws {
    let svg = home.file("qr.svg")
    #expect(try home.seif("qr", "GitLab", "--yes", "-o", svg, passphrase: Canary.vaultPassphrase).exitCode == 0)
    #expect(home.mode("qr.svg") == 0o600)
    let text = try home.seif("qr", "GitLab", "--yes", "--light", passphrase: Canary.vaultPassphrase, reveals: true)
    let dark = try home.seif("qr", "GitLab", "--yes", passphrase: Canary.vaultPassphrase, reveals: true)
    let drawn = Self.squares(text.output)
    #expect(drawn.count >= 29 && drawn.allSatisfy { $0.count == drawn[0].count })
    // The line with the last row has half a line below it.
    let side = drawn[0].count
    #expect(Self.squares(dark.output).prefix(side).map { $0.map { !$0 } } == Array(drawn.prefix(side)))
    #expect(Self.squares(svg: try home.read("qr.svg"), side: side) == Array(drawn.prefix(side)))
  }

  /// Rows of drawn squares in half blocks.
  private static func squares(_ text: String) -> [[Bool]] {
    text.split(separator: "\n").flatMap { line in
      [line.map { $0 == "█" || $0 == "▀" }, line.map { $0 == "█" || $0 == "▄" }]
    }
  }

  private static func squares(svg: String, side: Int) -> [[Bool]] {
    var rows = [[Bool]](repeating: [Bool](repeating: false, count: side), count: side)
    for part in svg.split(separator: "M").dropFirst() {
      let numbers = part.split { !$0.isNumber }.compactMap { Int($0) }
      for column in numbers[0]..<numbers[0] + numbers[2] { rows[numbers[1]][column] = true }
    }
    return rows
  }

  @Test func onATerminalItAsksShowsAndLeavesNothing() throws {
    let terminal = try home.terminal("qr", "GitHub", passphrase: Canary.vaultPassphrase, columns: 120)
    try terminal.expect("Type show to go on: ")
    terminal.type("show\n")
    try terminal.expect("\u{1B}[?1049h")
    try terminal.expect("Enter ends this.")
    terminal.type("\n")
    try terminal.expect("\u{1B}[?1049l")
    #expect(try home.check(try terminal.finish()).exitCode == 0)
    let refused = try home.terminal("qr", "GitHub", passphrase: Canary.vaultPassphrase, columns: 120)
    try refused.expect("Type show to go on: ")
    refused.type("y\n")
    try refused.expect("Type show to go on: ")
    refused.type("\n")
    let result = try home.check(try refused.finish())
    #expect(result.exitCode == 130)
    #expect(!result.screen.contains("█") && !result.screen.contains("▀"))
  }

  @Test func withoutConsentOrACodeNothingIsShown() throws {
    #expect(try home.seif("qr", "GitHub", passphrase: Canary.vaultPassphrase).exitCode == 64)
    #expect(try home.seif("qr", "Keys", "--yes", passphrase: Canary.vaultPassphrase).exitCode == 66)
    #expect(try home.seif("qr", "GitHub", "-o", "x.gif").exitCode == 64)
    let narrow = try home.terminal("qr", "GitHub", "--yes", passphrase: Canary.vaultPassphrase, columns: 30)
    let result = try home.check(try narrow.finish())
    #expect(result.exitCode == 64)
    #expect(!result.screen.contains("█") && !result.screen.contains("▀"))
  }
}
