import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// What is copied on a Wayland desktop: with the data-control protocol, and without it.
@Suite(.serialized, .enabled(if: WaylandDesktop.isInstalled, "sway and wl-clipboard aren't installed"))
struct WaylandClipboardTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func copy(_ words: String..., environment: [String: String]) throws -> Terminal.Result {
    try home.seif(list: ["copy"] + words, passphrase: Canary.vaultPassphrase, environment: environment)
  }

  private func paste(_ words: String..., on desktop: WaylandDesktop) throws -> String? {
    let result = try home.run(
      "sh", "-c", "exec wl-paste --no-newline \"$@\"", "sh", words.joined(separator: "="),
      environment: desktop.environment)
    return result.exitCode == 0 ? result.output : nil
  }

  @Test func whatIsCopiedIsMarkedPastedAndTakenAway() throws {
    let desktop = try WaylandDesktop()
    let result = try copy("forge", "--for", "3", "--primary", "--json", environment: desktop.environment)
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(try document(result.output, "seif-copied")["through"]?.string == "wayland")
    let care = try home.seif("doctor", passphrase: Canary.vaultPassphrase, environment: desktop.environment)
    #expect(care.output.contains("✓ clipboard      by wayland, marked as a secret\n"))
    #expect(try paste("--type", "text/plain;charset=utf-8", on: desktop) == Canary.password)
    #expect(try paste("--type", "x-kde-passwordManagerHint", on: desktop) == "secret")
    #expect(try paste("--primary", on: desktop) == Canary.password)
    #expect(try becomes { try paste("--list-types", on: desktop) == nil })
    #expect(try becomes { try paste("--primary", on: desktop) == nil })
  }

  @Test func whatWasCopiedSinceIsLeftAlone() throws {
    let desktop = try WaylandDesktop()
    #expect(try copy("forge", "--for", "2", environment: desktop.environment).exitCode == 0)
    let other = try Helper(["sh", "-c", "printf 'my text' | wl-copy --foreground"], environment: desktop.environment)
    #expect(try becomes { try paste("--type", "text/plain", on: desktop) == "my text" })
    // Our time is over.
    sleep(3)
    #expect(try paste("--type", "text/plain", on: desktop) == "my text")
    other.stop()
  }

  /// A desktop that lists a seat and no data-control protocol.
  private func compositor() throws -> (helper: Helper, environment: [String: String]) {
    let helper = try Helper([
      "/usr/bin/python3", ClipboardTools.folder + "/compositor.py", home.file("wayland-9"),
    ])
    #expect(try helper.line() == "ready")
    return (helper, ["XDG_RUNTIME_DIR": home.path, "WAYLAND_DISPLAY": "wayland-9"])
  }

  @Test func withoutDataControlItSaysSoOrUsesTheXDisplayBesideIt() throws {
    let compositor = try compositor()
    let result = try copy("forge", environment: compositor.environment)
    #expect(result.exitCode == 69)
    #expect(result.errors.contains("only to programs with a window") && result.errors.contains("--wl-copy"))
    let care = try home.seif("doctor", passphrase: Canary.vaultPassphrase, environment: compositor.environment)
    #expect(care.output.contains("! clipboard      this desktop lacks the data-control protocol\n"))
    #expect(care.output.contains("can't mark it as a secret"))
    #expect(care.exitCode == 0)
    let server = try XServer()
    let both = compositor.environment.merging(server.environment) { $1 }
    let copied = try copy("forge", "--for", "1", "--json", environment: both)
    #expect(try document(copied.output, "seif-copied")["through"]?.string == "x11")
    compositor.helper.stop()
  }

  @Test func wlCopyIsUsedWhenAllowedAndClearedByItself() throws {
    let compositor = try compositor()
    let tools = try home.folder("tools")
    try FileManager.default.copyItem(atPath: ClipboardTools.folder + "/wl-copy", toPath: tools + "/wl-copy")
    let environment = compositor.environment.merging(["PATH": tools + ":/usr/bin:/bin"]) { $1 }
    func copied(_ mark: String) throws -> Terminal.Result {
      let result = try copy("forge", "--wl-copy", "--for", "1", "--json", environment: environment)
      #expect(result.exitCode == 0, "\(result.errors)")
      let calls = ["--help", "--foreground --type text/plain;charset=utf-8\(mark)", "--clear"]
      #expect(try becomes { try home.read("tools/calls") == calls.joined(separator: "\n") + "\n" })
      let digest = try home.run("sha256sum", input: Canary.password).output
      #expect(try digest.hasPrefix(home.read("tools/digest").dropLast()))
      try FileManager.default.removeItem(atPath: tools + "/calls")
      return result
    }
    let unmarked = try copied("")
    #expect(try document(unmarked.output, "seif-copied")["markedSecret"]?.bool == false)
    #expect(unmarked.errors.contains("a clipboard manager may keep it"))
    try home.write("", as: "tools/knows-the-mark")
    let marked = try copied(" --sensitive")
    #expect(try document(marked.output, "seif-copied")["markedSecret"]?.bool == true)
    let missing = try copy(
      "forge", "--wl-copy", environment: compositor.environment.merging(["PATH": home.path]) { $1 })
    #expect(missing.exitCode == 69)
    #expect(missing.errors.contains("wl-copy isn't installed"))
    compositor.helper.stop()
  }

  /// As at log-out: a `wl-copy` would outlive its owner with the value.
  @Test func anOwnerThatIsToldToEndClearsBothSelectionsFirst() throws {
    let compositor = try compositor()
    let tools = try home.folder("tools")
    try FileManager.default.copyItem(atPath: ClipboardTools.folder + "/wl-copy", toPath: tools + "/wl-copy")
    let environment = compositor.environment.merging(["PATH": tools + ":/usr/bin:/bin"]) { $1 }
    let result = try copy("forge", "--wl-copy", "--primary", "--for", "60", environment: environment)
    #expect(result.exitCode == 0, "\(result.errors)")
    let copies = try ["owner", "owner--primary"].map { name in
      try #require(Int32(try home.read("tools/" + name).filter { $0 != "\n" }))
    }
    let status = try String(contentsOf: URL(filePath: "/proc/\(copies[0])/stat"), encoding: .utf8)
    let owner = try #require(status.split(separator: ")").last?.split(separator: " ").dropFirst().first)
    kill(try #require(Int32(owner)), SIGTERM)
    #expect(
      try becomes {
        let calls = try home.read("tools/calls").split(separator: "\n")
        return calls.contains("--clear") && calls.contains("--clear --primary")
      })
    for copy in copies { #expect(becomes { kill(copy, 0) != 0 }) }
    compositor.helper.stop()
  }
}
