import FoundationEssentials
import Glibc
import SeifBytes
import SeifProcesses
import SeifTestSupport
import SeifVault
import Testing

@testable import SeifDevices

/// A Secret Service of one test: gnome-keyring on a bus of its own, spoken to by the real `secret-tool`.
final class PrivateKeyring {
  let tool: String
  /// Of its bus.
  let address: String
  private let folder: String
  private let process: pid_t
  private static let programs = ["dbus-run-session", "gnome-keyring-daemon", "secret-tool"].map { "/usr/bin/" + $0 }
  static var isInstalled: Bool { programs.allSatisfy { access($0, X_OK) == 0 } }

  /// - Parameter isEmpty: a bus alone, on which nobody offers the service.
  init(isEmpty: Bool = false) throws {
    folder =
      FileManager.default.temporaryDirectory.appending(path: "seif-keyring-\(UInt64.random(in: 0 ... .max))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // Unlocked with a password of the test's own, then kept until the folder's file goes.
    let session = """
      export HOME='\(folder)' XDG_RUNTIME_DIR='\(folder)' XDG_DATA_HOME='\(folder)/data'
      \(isEmpty ? "" : "printf 'keyring-test' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1")
      printf '%s' "$DBUS_SESSION_BUS_ADDRESS" > '\(folder)/address.part'
      mv '\(folder)/address.part' '\(folder)/address'
      while [ -e '\(folder)/address' ]; do sleep 0.1; done
      """
    process = try Self.start(["/usr/bin/dbus-run-session", "--", "/bin/sh", "-c", session])
    for _ in 0..<100 where access(folder + "/address", F_OK) != 0 { usleep(100_000) }
    address = try String(decoding: Data(contentsOf: URL(filePath: folder + "/address")), as: UTF8.self)
    tool = folder + "/secret-tool"
    // Its arguments are written down, to look for what mustn't be in them.
    let script = """
      #!/bin/sh
      printf '%s\\n' "$@" >> '\(folder)/arguments'
      DBUS_SESSION_BUS_ADDRESS='\(address)' XDG_RUNTIME_DIR='\(folder)' exec timeout 20 /usr/bin/secret-tool "$@"
      """
    try Data(script.utf8).write(to: URL(filePath: tool))
    ExecutableFile.settle(tool)
  }

  deinit {
    unlink(folder + "/address")
    waitpid(process, nil, 0)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Calls a method of the service as any program of the session could.
  func call(_ path: String, _ words: String...) throws {
    let sent = HelperProgram.run(
      "/usr/bin/dbus-send", ["--bus=\(address)", "--print-reply", "--dest=org.freedesktop.secrets", path] + words,
      input: SecretBytes(copying: SecretValue.empty))
    try #require(sent?.status == 0)
  }

  var arguments: String {
    (try? String(decoding: Data(contentsOf: URL(filePath: folder + "/arguments")), as: UTF8.self)) ?? ""
  }

  private static func start(_ words: [String]) throws -> pid_t {
    let spawn = Spawn()
    for descriptor: Int32 in 0...2 { spawn.open("/dev/null", O_RDWR, as: descriptor) }
    return try spawn.start(words[0], words)
  }
}

@Suite(
  .enabled(if: PrivateKeyring.isInstalled, "gnome-keyring, secret-tool or dbus isn't installed"),
  .timeLimit(.minutes(3)))
struct KeyringTests {
  @Test func itConformsAndNoKeyStandsInArguments() throws {
    let (keyring, other) = (try PrivateKeyring(), try PrivateKeyring())
    try WayInConformance.check(
      { KeyringProvider(program: keyring.tool) }, wrong: { KeyringProvider(program: other.tool) },
      refusals: [VaultError(.deviceMissing)])
    let arguments = keyring.arguments
    #expect(arguments.contains("store\n") && arguments.contains("lookup\n") && arguments.contains("clear\n"))
    // A key in base64 has 44 characters and ends so.
    #expect(!arguments.split(separator: "\n").contains { $0.utf8.count == 44 && $0.hasSuffix("=") })
  }

  @Test func whatIsErasedOpensNoMore() throws {
    let keyring = try PrivateKeyring()
    let place = try Place()
    let vault = try place.create()
    let provider = KeyringProvider(program: keyring.tool)
    let new = try vault.makeWayIn(provider)
    try vault.addWayIn(new)
    vault.lock()
    try place.open(with: provider)
    try provider.erase(new.wayIn, vaultID: vault.id)
    #expect(throws: VaultError(.deviceMissing)) { try place.open(with: provider) }
  }

  @Test func withoutTheProgramOrAnAnswerItSaysWhatIsMissing() throws {
    let place = try Place()
    let vault = try place.create()
    for program in ["/nonexistent/secret-tool", "/bin/false"] {
      #expect(throws: VaultError(.deviceMissing)) { try vault.makeWayIn(KeyringProvider(program: program)) }
    }
  }
}
