import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import SeifVault
import Testing

@testable import SeifDevices

/// A Secret Service of one test: gnome-keyring on a bus of its own, spoken to by the real `secret-tool`.
final class PrivateKeyring {
  let tool: String
  private let folder: String
  private let process: pid_t
  private static let programs = ["dbus-run-session", "gnome-keyring-daemon", "secret-tool"].map { "/usr/bin/" + $0 }
  static var isInstalled: Bool { programs.allSatisfy { access($0, X_OK) == 0 } }

  init() throws {
    folder =
      FileManager.default.temporaryDirectory.appending(path: "seif-keyring-\(UInt64.random(in: 0 ... .max))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // Unlocked with a password of the test's own, then kept until the folder's file goes.
    let session = """
      export HOME='\(folder)' XDG_RUNTIME_DIR='\(folder)' XDG_DATA_HOME='\(folder)/data'
      printf 'keyring-test' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
      printf '%s' "$DBUS_SESSION_BUS_ADDRESS" > '\(folder)/address.part'
      mv '\(folder)/address.part' '\(folder)/address'
      while [ -e '\(folder)/address' ]; do sleep 0.1; done
      """
    process = try Self.start(["/usr/bin/dbus-run-session", "--", "/bin/sh", "-c", session])
    for _ in 0..<100 where access(folder + "/address", F_OK) != 0 { usleep(100_000) }
    let address = try String(decoding: Data(contentsOf: URL(filePath: folder + "/address")), as: UTF8.self)
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

  var arguments: String {
    (try? String(decoding: Data(contentsOf: URL(filePath: folder + "/arguments")), as: UTF8.self)) ?? ""
  }

  private static func start(_ words: [String]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var child: pid_t = 0
    try #require(posix_spawn(&child, words[0], &actions, nil, &arguments, environ) == 0)
    return child
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
