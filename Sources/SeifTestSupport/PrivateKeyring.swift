internal import FoundationEssentials
internal import Glibc

/// A Secret Service of one test: gnome-keyring on a bus of its own, spoken to by the real `secret-tool`.
public final class PrivateKeyring {
  /// A `secret-tool` that speaks to it.
  public let tool: String
  /// Where its bus is.
  public let address: String
  /// Where `tool` lies.
  public let folder: String
  private let process: pid_t
  private static let programs = ["dbus-run-session", "gnome-keyring-daemon", "secret-tool", "dbus-send"].map {
    "/usr/bin/" + $0
  }
  /// Whether there is one on this machine.
  public static var isInstalled: Bool { programs.allSatisfy { access($0, X_OK) == 0 } }

  /// It couldn't be started or told something.
  public struct Failure: Error { let what: String }

  /// Starts one that is unlocked.
  ///
  /// - Parameter isEmpty: a bus alone, on which nobody offers the service.
  public init(isEmpty: Bool = false) throws {
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
      # A locked one waits for a prompt that nobody shows.
      limit=20
      if [ -e '\(folder)/locked' ]; then limit=2; fi
      DBUS_SESSION_BUS_ADDRESS='\(address)' XDG_RUNTIME_DIR='\(folder)' exec timeout "$limit" /usr/bin/secret-tool "$@"
      """
    try Data(script.utf8).write(to: URL(filePath: tool))
    ExecutableFile.settle(tool)
  }

  deinit {
    unlink(folder + "/address")
    waitpid(process, nil, 0)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Locks what it holds, as when its owner does; nobody is there to open it again.
  public func lock() throws {
    _ = FileManager.default.createFile(atPath: folder + "/locked", contents: nil)
    try call(
      "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.Lock",
      "array:objpath:/org/freedesktop/secrets/collection/login")
  }

  /// Calls a method of the service as any program of the session could.
  public func call(_ path: String, _ words: String...) throws {
    let child = try Self.start(
      ["/usr/bin/dbus-send", "--bus=\(address)", "--print-reply", "--dest=org.freedesktop.secrets", path] + words)
    var status: Int32 = 0
    guard waitpid(child, &status, 0) == child, status == 0 else { throw Failure(what: "the keyring refuses a call") }
  }

  /// The arguments that `tool` was given so far.
  public var arguments: String {
    (try? String(decoding: Data(contentsOf: URL(filePath: folder + "/arguments")), as: UTF8.self)) ?? ""
  }

  private static func start(_ words: [String]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    // A thread of a test may have signals blocked, and a program would never hear of its end.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var child: pid_t = 0
    guard posix_spawn(&child, words[0], &actions, &attributes, &arguments, environ) == 0 else {
      throw Failure(what: "\(words[0]) doesn't start")
    }
    return child
  }
}
