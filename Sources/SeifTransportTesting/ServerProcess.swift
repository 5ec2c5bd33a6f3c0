internal import CSeif
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A server that a test starts, with a folder of its own; it ends, and the folder goes, with the value that holds it.
///
/// Where a program is missing or doesn't start, the test that needs it fails: none is passed over.
public final class ServerProcess {
  /// Why a server isn't there.
  public struct Failure: Error, CustomStringConvertible {
    public var description: String
    public init(_ description: String) { self.description = description }
  }

  /// Its own folder, 0700.
  public let folder: String
  /// The port of 127.0.0.1 on which it listens.
  public let port: UInt16
  private let process: pid_t
  private let hasEnded = Atomic(false)

  /// Starts a program and waits until it listens, at most 30 seconds.
  ///
  /// - Parameters:
  ///   - program: its path, or its name on PATH.
  ///   - variables: added to the environment of the test's process.
  ///   - prepare: makes its files, given its folder and port, and gives its arguments.
  public init(
    _ program: String, variables: [String: String] = [:],
    prepare: (_ folder: String, _ port: UInt16) throws -> [String]
  ) throws {
    let name = program.split(separator: "/").last.map(String.init) ?? program
    folder =
      FileManager.default.temporaryDirectory.appending(path: "seif-\(name)-\(UInt64.random(in: 0 ... .max))").path
    mkdir(folder, 0o700)
    for _ in 0..<5 {
      let port = try Self.freePort()
      let words = [program] + (try prepare(folder, port))
      let child = try Self.start(program, words, variables, log: folder + "/server.log")
      for _ in 0..<1_000 where waitpid(child, nil, WNOHANG) == 0 {
        if Self.isListening(port) {
          process = child
          self.port = port
          return
        }
        usleep(30_000)
      }
      kill(-child, SIGKILL)
      waitpid(child, nil, 0)
    }
    let log = (try? String(contentsOfFile: folder + "/server.log", encoding: .utf8)) ?? ""
    try? FileManager.default.removeItem(atPath: folder)
    throw Failure("\(program) doesn't start: \(log.suffix(2_000))")
  }

  deinit {
    end()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Ends it, as a loss of power would.
  public func end() {
    // Once: afterwards the number can be another's.
    guard hasEnded.exchange(true, ordering: .relaxed) == false else { return }
    kill(-process, SIGKILL)
    waitpid(process, nil, 0)
  }

  /// What it has written to its outputs.
  public var log: String { (try? String(contentsOfFile: folder + "/server.log", encoding: .utf8)) ?? "" }

  /// The program of a package in the tests' Python: `rclone`, `moto_server`.
  public static func pythonProgram(_ name: String) -> String {
    let python = getenv("SEIF_PYTHON").map { String(cString: $0) } ?? "python3"
    guard let slash = python.utf8.lastIndex(of: 0x2F) else { return name }
    return python[...slash] + name
  }

  // A port that the kernel gives out; another program can take it before the server does, so a start is tried again.
  private static func freePort() throws -> UInt16 {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    guard bound else { throw Failure("no port is free") }
    return UInt16(bigEndian: address.sin_port)
  }

  private static func start(
    _ program: String, _ words: [String], _ variables: [String: String], log: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    _ = seif_spawn_apart(&actions, 3)
    // A group of its own, so that what it starts ends with it; no signal blocked.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
    var environment: [String] = ProcessInfo.processInfo.environment.merging(variables) { $1 }.map { "\($0)=\($1)" }
    environment.sort()
    var arguments = words.map { strdup($0) } + [nil]
    var pairs = environment.map { strdup($0) } + [nil]
    defer { (arguments + pairs).forEach { free($0) } }
    var child: pid_t = 0
    let result = posix_spawnp(&child, program, &actions, &attributes, &arguments, &pairs)
    guard result == 0 else { throw Failure("\(program) can't be started (\(String(cString: strerror(result))))") }
    return child
  }

  // Read, not tried: a connection that says nothing is an event for some servers.
  private static func isListening(_ port: UInt16) -> Bool {
    ["/proc/net/tcp", "/proc/net/tcp6"].contains { table in
      let text = (try? String(contentsOfFile: table, encoding: .utf8)) ?? ""
      let end =
        ":" + String(repeating: "0", count: 4 - String(port, radix: 16).count)
        + String(port, radix: 16, uppercase: true)
      return text.split(separator: "\n").contains { line in
        let fields = line.split(separator: " ")
        return fields.count > 3 && fields[1].hasSuffix(end) && fields[3] == "0A"
      }
    }
  }
}
