import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifClipboard
import SeifTestSupport
import Testing

@testable import SeifCommands

/// What is copied to an X display: how long it stays, who gets it, what holds it meanwhile.
@Suite(.serialized) struct ClipboardTests {
  let home: Home
  let server: XServer

  init() throws {
    home = try Fixture.withVault()
    server = try XServer()
  }

  private func copy(_ words: String..., environment: [String: String] = [:]) throws -> Terminal.Result {
    try home.seif(
      list: words, passphrase: Canary.vaultPassphrase, environment: server.environment.merging(environment) { $1 })
  }

  /// What a program that pastes gets: the text, or nil where nobody offers any.
  private func paste(_ format: String = "UTF8_STRING", from selection: String = "clipboard") throws -> String? {
    let result = try home.run(
      "xclip", "-o", "-selection", selection, "-t", format, environment: server.environment)
    return result.exitCode == 0 ? result.output : nil
  }

  private func put(_ text: String) throws {
    let result = try home.run(
      "sh", "-c", "printf %s \"$1\" | xclip -i -selection clipboard >/dev/null 2>&1", "sh", text,
      environment: server.environment)
    #expect(result.exitCode == 0)
  }

  private func isGone() throws -> Bool { try becomes { try paste() == nil } }

  @Test func whatIsCopiedIsPastedAndThenTakenAway() throws {
    let result = try copy("copy", "forge", "--for", "2")
    #expect(result.exitCode == 0)
    #expect(result.output == "")
    #expect(result.errors == "Copied. Cleared in 2 s.\n")
    // The command has ended, and what it copied is there.
    #expect(try paste() == Canary.password)
    #expect(try paste("STRING") == Canary.password)
    #expect(try paste("text/plain;charset=utf-8") == Canary.password)
    #expect(try paste(from: "primary") == nil)
    #expect(try isGone())
  }

  @Test func whatWasCopiedSinceIsLeftAlone() throws {
    #expect(try copy("copy", "forge", "--for", "2").exitCode == 0)
    try put("my text")
    #expect(try becomes { try owners() == [] })
    #expect(try paste() == "my text")
  }

  @Test func aSecondCopyTakesThePlaceOfTheFirst() throws {
    #expect(try copy("copy", "forge", "--for", "60").exitCode == 0)
    #expect(try copy("copy", "plastic", "--for", "1").exitCode == 0)
    #expect(try paste() == Canary.cardNumber)
    #expect(try becomes { try owners() == [] })
    #expect(try paste() == nil)
  }

  @Test func itIsMarkedAsASecret() throws {
    #expect(try copy("copy", "forge", "--for", "2", "--primary").exitCode == 0)
    #expect(try paste("x-kde-passwordManagerHint") == "secret")
    let formats = try paste("TARGETS")?.split(separator: "\n") ?? []
    #expect(formats.contains("x-kde-passwordManagerHint") && formats.contains("TIMESTAMP"))
    #expect(try paste("image/png") == nil)
    #expect(try paste(from: "primary") == Canary.password)
    #expect(try isGone())
    #expect(try paste(from: "primary") == nil)
  }

  @Test func aManagerThatHeedsTheMarkKeepsNothing() throws {
    let manager = try manager("heed")
    try put("a shopping list")
    #expect(becomes { (try? home.read("kept")) == "a shopping list" })
    #expect(try copy("copy", "forge", "--for", "2").exitCode == 0)
    #expect(try becomes { try paste() != Canary.password })
    #expect(try home.read("kept") == "a shopping list")
    manager.stop()
  }

  /// What no program can prevent, as the page about the clipboard says.
  @Test func aManagerThatIgnoresTheMarkKeepsItAndOffersItAgain() throws {
    let manager = try manager("ignore", keeping: "kept-in-clear")
    #expect(try copy("copy", "forge", "--for", "2").exitCode == 0)
    #expect(becomes { (try? home.read("kept-in-clear")) == Canary.password })
    #expect(try becomes { try owners() == [] })
    #expect(try becomes { try paste() == Canary.password })
    manager.stop()
  }

  private func manager(_ kind: String, keeping file: String = "kept") throws -> Helper {
    let helper = try Helper(
      ["/usr/bin/python3", ClipboardTools.folder + "/manager.py", kind, home.file(file)],
      environment: server.environment)
    #expect(try helper.line() == "ready")
    return helper
  }

  /// The processes that own a clipboard of this test's display.
  private func owners() throws -> [Int32] {
    let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
    return numbers.filter { number in
      (try? TemporaryFolder.text(of: "/proc/\(number)/cmdline")) == "seif\0clipboard-owner\0"
        && (try? TemporaryFolder.text(of: "/proc/\(number)/environ"))?.contains("DISPLAY=\(server.display)\0") ?? false
    }
  }

  @Test func theOwnerHoldsNothingButTheSecret() throws {
    let result = try copy("copy", "forge", "--for", "20", environment: ["SEIF_MARK": "of the caller"])
    #expect(result.exitCode == 0)
    let owner = try #require(try owners().first)
    defer { kill(owner, SIGKILL) }
    let variables = try TemporaryFolder.text(of: "/proc/\(owner)/environ").split(separator: "\0")
    let known: Set<Substring> = ["DISPLAY", "HOME", "PATH"]
    #expect(Set(variables.map { $0.prefix { $0 != "=" } }) == known)
    // Standard input, output and errors lead nowhere, the third is the display; no passphrase's descriptor.
    let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(owner)/fd").sorted().map {
      try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(owner)/fd/\($0)")
    }
    #expect(links.count == 4 && links.prefix(3).allSatisfy { $0 == "/dev/null" } && links[3].hasPrefix("socket:"))
    let limits = try TemporaryFolder.text(of: "/proc/\(owner)/limits").split(separator: "\n")
    let core = limits.first { $0.hasPrefix("Max core file size") }?.split(separator: " ").suffix(3)
    #expect(core.map(Array.init) == ["0", "0", "bytes"])
    let locked = try TemporaryFolder.text(of: "/proc/\(owner)/status").split(separator: "\n")
      .first { $0.hasPrefix("VmLck:") }
    #expect(locked.map { !$0.hasSuffix(" 0 kB") } ?? false)
    #expect(getsid(owner) == owner)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(owner)/cwd") == "/")
  }

  @Test func jsonNamesWhatWasCopiedAndNotItsValue() throws {
    let result = try copy("copy", "plastic", "cvc", "--for", "1", "--json")
    let root = try document(result.output, "seif-copied")
    #expect(root["name"]?.string == "Everyday plastic")
    #expect(root["field"]?.string == "cvc")
    #expect(root["through"]?.string == "x11")
    #expect(root["clearedAfterSeconds"]?.int64 == 1)
    #expect(root["markedSecret"]?.bool == true)
    #expect(!result.output.contains("\"123\""))
    #expect(try paste() == "123")
  }

  @Test func fieldsGoByTheirNames() throws {
    for (words, value) in [
      (["forge"], Canary.password), (["forge", "USER"], "ana"), (["forge", "url"], "https://forge.example.org"),
      (["plastic"], Canary.cardNumber), (["plastic", "expiry"], "2029-04"), (["plastic", "holder"], "ANA EXAMPLE"),
      (["Keys"], Canary.note), (["GitHub", "account"], "ana@example.com"),
    ] {
      #expect(
        try home.seif(
          list: ["copy"] + words + ["--for", "1", "--quiet"], passphrase: Canary.vaultPassphrase,
          environment: server.environment
        ).errors == "", "\(words)")
      #expect(try paste() == value, "\(words)")
    }
    let unknown = try copy("copy", "forge", "colour")
    #expect(unknown.exitCode == 66)
    #expect(unknown.errors.hasPrefix("seif: it has no field \"colour\". It has:\n  password\n  user\n"))
  }

  @Test func codesAreCopiedAndCountersMove() throws {
    #expect(try copy("copy", "GitHub", "--at", Fixture.moment, "--for", "1").exitCode == 0)
    #expect(try paste() == "756364")
    let copied = try copy("code", "GitHub", "--copy", "--at", Fixture.moment, "--for", "1")
    #expect(copied.output == "")
    #expect(try paste() == "756364")
    #expect(try copy("copy", "Acme", "--for", "1").exitCode == 0)
    let first = try paste()
    #expect(try copy("code", "Acme", "--copy", "--for", "1").exitCode == 0)
    let second = try paste()
    #expect(first != nil && second != nil && first != second)
  }

  @Test func whatIsNotASCIIIsNotOfferedAsLatin1() throws {
    let text = "șapte coline 学校 \u{1F468}"
    let note = "{\"title\":\"signs\",\"text\":\"\(text)\"}"
    let file = try home.write(
      "{\"schema\":\"seif-records\",\"version\":1,\"notes\":[\(note)]}", as: "note-in-clear.json")
    #expect(try home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase).exitCode == 0)
    #expect(try copy("copy", "signs", "--for", "1").exitCode == 0)
    #expect(try paste() == text)
    #expect(try paste("TARGETS")?.split(separator: "\n").contains("STRING") == false)
  }

  @Test func sizesAreBounded() throws {
    for (count, code) in [(Clipboard.byteLimit, 0), (Clipboard.byteLimit + 1, 65)] as [(Int, Int32)] {
      let note = "{\"title\":\"long \(count)\",\"text\":\"\(String(repeating: "n", count: count))\"}"
      let file = try home.write(
        "{\"schema\":\"seif-records\",\"version\":1,\"notes\":[\(note)]}", as: "long-in-clear.json")
      #expect(try home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase).exitCode == 0)
      let result = try copy("copy", "long \(count)", "--for", "2")
      #expect(result.exitCode == code)
      if code == 0 { #expect(try paste()?.utf8.count == count) }
    }
  }

  @Test func withoutADisplayItSaysWhatIsMissing() throws {
    let none = try copy("copy", "forge", environment: ["DISPLAY": ""])
    #expect(none.exitCode == 69)
    #expect(none.errors.contains("neither DISPLAY nor WAYLAND_DISPLAY"))
    for elsewhere in ["localhost:10.0", "10.0.0.1:0", "host/unix:0"] {
      let result = try copy("copy", "forge", environment: ["DISPLAY": elsewhere])
      #expect(result.exitCode == 69, "\(elsewhere)")
      #expect(result.errors.contains("another machine"), "\(elsewhere)")
    }
    let gone = try copy("copy", "forge", environment: ["DISPLAY": ":65000"])
    #expect(gone.exitCode == 69)
    #expect(gone.errors.contains("can't be reached"))
  }

  @Test func timesAndOptionsAreBounded() throws {
    for words in [["--for", "0"], ["--for", "601"], ["--osc52", "--for", "3"], ["--osc52", "--primary"]] {
      #expect(
        try home.seif(list: ["copy", "forge"] + words, passphrase: Canary.vaultPassphrase).exitCode == 64, "\(words)")
    }
    #expect(try copy("code", "GitHub", "--for", "3").exitCode == 64)
  }

  @Test func theTerminalCopiesOnlyWhenAsked() throws {
    let terminal = try home.terminal("copy", "GitHub", "account", "--osc52", passphrase: Canary.vaultPassphrase)
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 0)
    #expect(result.screen.contains("\u{1B}]52;c;YW5hQGV4YW1wbGUuY29t\u{1B}\\"))
    #expect(result.screen.contains("Seif can't clear it."))
    let nowhere = try copy("copy", "forge", "--osc52")
    #expect(nowhere.exitCode == 69)
    let silent = try home.terminal(
      "copy", "forge", "--for", "1", passphrase: Canary.vaultPassphrase, environment: server.environment)
    #expect(try home.check(silent.finish()).screen.contains("]52;") == false)
  }

  @Test func theOwnersWordIsNoCommand() throws {
    let result = try home.check(home.terminal("clipboard-owner", output: .terminal).finish())
    #expect(result.exitCode == 64)
    #expect(result.screen.contains("there is no command"))
    // And what isn't the owner's message is taken for none.
    let piped = try home.seif("clipboard-owner", input: "SEIFCLIP and no more")
    #expect(piped.exitCode == 1)
  }
}
