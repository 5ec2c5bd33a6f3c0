internal import FoundationEssentials
internal import Glibc

/// A TPM in software (swtpm) with a state of its own, on two ports of this machine.
public final class SoftwareTPM {
  /// As tpm2-tss takes it.
  public let address: String
  private let folder: String
  private let process: pid_t

  static let program = "/usr/bin/swtpm"
  /// Whether there is one on this machine.
  public static var isInstalled: Bool { access(program, X_OK) == 0 }

  /// It couldn't be started or told something.
  public struct Failure: Error { let what: String }

  /// Starts it with an empty state.
  public init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "seif-tpm-\(UInt64.random(in: 0 ... .max))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for _ in 0..<20 {
      let port = UInt16.random(in: 20_000...30_000) & ~1
      let child = try Self.start(port, folder)
      for _ in 0..<100 where waitpid(child, nil, WNOHANG) == 0 {
        usleep(30_000)
        if Self.isListening(port) {
          process = child
          address = "swtpm:host=127.0.0.1,port=\(port)"
          return
        }
      }
      // The port was taken.
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    throw Failure(what: "swtpm doesn't start")
  }

  deinit {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static func start(_ port: UInt16, _ folder: String) throws -> pid_t {
    let words = [
      program, "socket", "--tpm2", "--tpmstate", "dir=\(folder)", "--server", "type=tcp,port=\(port)", "--ctrl",
      "type=tcp,port=\(port + 1)", "--flags", "not-need-init,startup-clear",
    ]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var child: pid_t = 0
    let result = posix_spawn(&child, program, &actions, nil, &arguments, environ)
    guard result == 0 else { throw Failure(what: "swtpm doesn't start: \(result)") }
    return child
  }

  /// Read, not tried: swtpm ends with its first connection.
  private static func isListening(_ port: UInt16) -> Bool {
    guard let table = try? String(decoding: Data(contentsOf: URL(filePath: "/proc/net/tcp")), as: UTF8.self) else {
      return false
    }
    let place = "0100007F:" + String(port, radix: 16, uppercase: true)
    return table.split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      return fields.count > 3 && fields[1] == place && fields[3] == "0A"
    }
  }

  /// Runs a program of tpm2-tools against it.
  public func tool(_ words: String...) throws {
    let full: [String] = ["/usr/bin/" + words[0]] + words.dropFirst()
    var arguments = full.map { strdup($0) } + [nil]
    let pairs: [String] = ["PATH=/usr/bin:/bin", "TPM2TOOLS_TCTI=\(address)"]
    var variables = pairs.map { strdup($0) } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var child: pid_t = 0
    guard posix_spawn(&child, "/usr/bin/" + words[0], nil, nil, &arguments, &variables) == 0 else {
      throw Failure(what: words[0])
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    guard status == 0 else { throw Failure(what: "\(words): \(status)") }
  }
}
