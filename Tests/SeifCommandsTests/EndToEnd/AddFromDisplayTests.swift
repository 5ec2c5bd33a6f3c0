import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// Codes from the clipboard and from the screen.
@Suite(.serialized) struct AddFromDisplayTests {
  private static let text = "otpauth://totp/Nimbus:ana@example.com?secret=\(Canary.timedSeed)&issuer=Nimbus"
  private static let other = "otpauth://hotp/Quay:bo?secret=\(Canary.countedSeed)&issuer=Quay&counter=7"
  /// Pictures hold seeds, so they lie outside of the homes that are searched.
  private static let pictures: Result<String, any Error> = Result {
    let folder = try TemporaryFolder.make("copied")
    atexit {
      if let folder = try? AddFromDisplayTests.pictures.get() { try? FileManager.default.removeItem(atPath: folder) }
    }
    // Uncompressed and over a megabyte, a picture comes in pieces.
    let script = """
      import pathlib, sys
      sys.path.insert(0, sys.argv[1])
      import pictures
      folder, squares = pathlib.Path(sys.argv[2]), pictures.matrix(sys.argv[3])
      plain = pictures.picture(squares)
      whole = pictures.png(plain)
      (folder / "plain.png").write_bytes(whole)
      (folder / "cut.png").write_bytes(whole[:len(whole) // 2])
      (folder / "photo.jpg").write_bytes(pictures.jpeg(plain))
      (folder / "stored.png").write_bytes(pictures.png(pictures.picture(squares, scale=24), level=0))
      assert (folder / "stored.png").stat().st_size > 1 << 20
      """
    let result = try Terminal(
      ["-c", script, TestData.packageRoot.path + "/Tests", folder, text], program: "/usr/bin/python3",
      hasTerminal: false
    ).finish()
    guard result.exitCode == 0 else { throw Terminal.Failure(what: result.errors) }
    return folder
  }

  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func add(_ words: String..., environment: [String: String]) throws -> Terminal.Result {
    try home.seif(list: ["add"] + words, passphrase: Canary.vaultPassphrase, environment: environment)
  }

  private func isThere(_ name: String) throws -> Bool {
    try home.seif("list", passphrase: Canary.vaultPassphrase).output.contains(name)
  }

  /// Copies bytes under a format as another program does.
  private func copy(_ format: String, _ file: String? = nil, text: String = "", on server: XServer) throws {
    let script = "printf %s \"$2\" | cat \"${3:--}\" | xclip -i -selection clipboard -t \"$1\" >/dev/null 2>&1"
    let words = ["sh", "-c", script, "sh", format, text] + (file.map { [$0] } ?? [])
    let result = try Terminal(
      ["-C", home.path] + words, program: "/usr/bin/env", hasTerminal: false,
      environment: home.variables(server.environment)
    ).finish()
    #expect(result.exitCode == 0, "\(result.errors)")
  }

  // MARK: - X11

  @Test func aCopiedKeyURIIsListedBeforeItIsAdded() throws {
    let server = try XServer()
    try copy("UTF8_STRING", text: " \(Self.text)\n\nhttps://example.org\n\(Self.other)\n", on: server)
    let unasked = try add("--clipboard", environment: server.environment)
    #expect(unasked.exitCode == 64)
    #expect(unasked.errors.contains("Give --yes.") && unasked.errors.contains("  Nimbus, ana@example.com\n"))
    #expect(try !isThere("Nimbus"))
    let terminal = try home.terminal(
      "add", "--clipboard", passphrase: Canary.vaultPassphrase, environment: server.environment, columns: 200)
    try terminal.expect("a code of the clipboard isn't a Key URI")
    try terminal.expect("Add Nimbus, ana@example.com? [y/N] ")
    terminal.type("y\n")
    try terminal.expect("Add Quay, bo? [y/N] ")
    terminal.type("n\n")
    let result = try home.check(terminal.finish())
    #expect(result.exitCode == 1 && !result.screen.contains("example.org"))
    #expect(try isThere("Nimbus") && !isThere("Quay"))
  }

  @Test(arguments: [("plain.png", "image/png"), ("stored.png", "image/png"), ("photo.jpg", "image/jpeg")])
  func aCopiedPictureGivesItsCodesAlsoALargeOneInPieces(name: String, format: String) throws {
    let server = try XServer()
    try copy(format, Self.pictures.get() + "/" + name, on: server)
    let result = try add("--clipboard", "--yes", "--json", environment: server.environment)
    #expect(result.exitCode == 0, "\(result.errors)")
    let names = try document(result.output, "seif-add-qr")["entries"]?.elements.map { $0["name"]?.string ?? "" }
    #expect(names == ["Nimbus"])
    let code = try home.seif("code", "Nimbus", "--at", Fixture.moment, passphrase: Canary.vaultPassphrase)
    #expect(code.output == "756364\n")
  }

  @Test func whatIsNoCodeIsRefusedByName() throws {
    let server = try XServer()
    let empty = try add("--clipboard", "--yes", environment: server.environment)
    #expect(empty.exitCode == 66 && empty.errors.contains("nothing is copied"))
    try copy("UTF8_STRING", text: "not a code", on: server)
    let words = try add("--clipboard", "--yes", environment: server.environment)
    #expect(words.exitCode == 65 && words.errors.contains("nothing of the clipboard is a Key URI"))
    #expect(!words.errors.contains("not a code"))
    try copy("image/png", Self.pictures.get() + "/cut.png", on: server)
    #expect(try add("--clipboard", "--yes", environment: server.environment).exitCode == 65)
    try copy("UTF8_STRING", text: String(repeating: "x", count: 70_000), on: server)
    #expect(try add("--clipboard", "--yes", environment: server.environment).errors.contains("too large"))
    #expect(try add("--clipboard", "--yes", environment: [:]).exitCode == 69)
    #expect(try add("--clipboard", "--yes", environment: ["DISPLAY": "localhost:10"]).exitCode == 69)
    for words in [["--clipboard", "--screen"], ["--clipboard", "--name", "x"], ["note", "--screen"]] {
      #expect(try home.seif(list: ["add"] + words).exitCode == 64, "\(words)")
    }
  }

  @Test func theCodesOfAnX11ScreenAreAdded() throws {
    // The pixels hold a seed.
    let folder = try Self.pictures.get()
    let server = try XServer(depth: 24, folder: folder)
    let nothing = try add("--screen", "--yes", environment: server.environment)
    #expect(nothing.exitCode == 65 && nothing.errors.contains("there is no QR code in the screen"))
    let drawn = try Terminal(
      [ClipboardTools.folder + "/screen.py", folder + "/Xvfb_screen0", Self.text], program: "/usr/bin/python3",
      hasTerminal: false
    ).finish()
    #expect(drawn.exitCode == 0, "\(drawn.errors)")
    let terminal = try home.terminal(
      "add", "--screen", passphrase: Canary.vaultPassphrase, environment: server.environment)
    try terminal.expect("Add Nimbus, ana@example.com? [y/N] ")
    terminal.type("y\n")
    #expect(try home.check(terminal.finish()).exitCode == 0)
    let code = try home.seif("code", "Nimbus", "--at", Fixture.moment, passphrase: Canary.vaultPassphrase)
    #expect(code.output == "756364\n")
  }

  @Test func aScreenWithoutColoursOrOfWaylandIsSaid() throws {
    let server = try XServer(depth: 8)
    let palette = try add("--screen", "--yes", environment: server.environment)
    #expect(palette.exitCode == 69 && palette.errors.contains("pixels can't be read"))
    let wayland = try add(
      "--screen", "--yes",
      environment: server.environment.merging(["WAYLAND_DISPLAY": "wayland-1", "XDG_RUNTIME_DIR": home.path]) { $1 })
    #expect(wayland.exitCode == 69)
    #expect(wayland.errors.contains("shows its screen to no program") && wayland.errors.contains("--clipboard"))
  }

  // MARK: - Wayland

  @Test(.enabled(if: WaylandDesktop.isInstalled, "sway and wl-clipboard aren't installed"))
  func onWaylandTextAndPicturesAreTakenToo() throws {
    let desktop = try WaylandDesktop()
    let empty = try add("--clipboard", "--yes", environment: desktop.environment)
    #expect(empty.exitCode == 66, "\(empty.errors)")
    let owner = try Helper(
      ["sh", "-c", "exec wl-copy --foreground --type image/png < \"$1\"", "sh", Self.pictures.get() + "/stored.png"],
      environment: desktop.environment)
    #expect(try becomes { try add("--clipboard", "--yes", environment: desktop.environment).exitCode == 0 })
    #expect(try isThere("Nimbus"))
    let text = try Helper(
      ["sh", "-c", "printf %s \"$1\" | wl-copy --foreground", "sh", Self.other], environment: desktop.environment)
    #expect(
      try becomes {
        let added = try add("--clipboard", "--yes", environment: desktop.environment)
        return added.exitCode == 0 && added.errors.contains("Quay")
      })
    owner.stop()
    text.stop()
  }
}
