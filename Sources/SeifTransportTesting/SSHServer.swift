internal import FoundationEssentials
internal import Glibc
internal import SeifTestSupport

/// An sshd of the test's own user on a port of this machine, with keys of its own and a configuration for `ssh -F`.
public final class SSHServer {
  /// How it is asked for: the `Host` of the configuration.
  public static let host = "seif-test"

  /// For `ssh -F`.
  public let configFile: String
  /// A folder for backups, 0700.
  public let backups: String
  private let server: ServerProcess

  /// Starts it.
  ///
  /// - Parameters:
  ///   - subsystem: what serves SFTP.
  ///   - knownKey: which host key the client knows.
  ///   - isAllowed: whether the client's key is.
  public init(
    subsystem: String = "internal-sftp", knownKey: KnownKey = .right, isAllowed: Bool = true
  ) throws {
    // Where sshd runs as root, it wants this folder to be there.
    mkdir("/run/sshd", 0o755)
    server = try ServerProcess("/usr/sbin/sshd") { folder, port in
      try Self.makeKeys(folder)
      mkdir(folder + "/backups", 0o700)
      func text(_ name: String) throws -> String { try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) }
      func write(_ name: String, _ text: String) throws {
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, 0o600)
      }
      try write("authorized_keys", isAllowed ? text("client.pub") : "")
      let key = try text(knownKey == .right ? "host.pub" : "other.pub").split(separator: " ").prefix(2)
      try write("known_hosts", knownKey == .none ? "" : "[127.0.0.1]:\(port) \(key.joined(separator: " "))\n")
      try write("server_config", Self.serverConfiguration(folder, port, subsystem))
      try write("client_config", Self.clientConfiguration(folder, port))
      return ["-D", "-e", "-f", folder + "/server_config"]
    }
    configFile = server.folder + "/client_config"
    backups = server.folder + "/backups"
  }

  /// Which host key the client knows.
  public enum KnownKey: Sendable { case right, wrong, none }

  /// The port of 127.0.0.1 on which it listens.
  public var port: UInt16 { server.port }

  /// What sshd has written.
  public var log: String { server.log }

  /// Ends the server itself; connections stay.
  public func end() { server.end() }

  /// Cuts every connection, as a network does.
  /// - Returns: how many there were.
  @discardableResult
  public func cut() -> Int {
    let listeners = Self.processes { $0.words.contains(self.server.folder + "/server_config") }
    var doomed = Self.processes { process in listeners.contains { $0.number == process.parent } }
    let count = doomed.count
    // What they started first, so that none of them can say goodbye.
    doomed = Self.processes { process in doomed.contains { $0.number == process.parent } } + doomed
    for process in doomed { kill(process.number, SIGKILL) }
    return count
  }

  private struct Process {
    var number: pid_t
    var parent: pid_t
    var words: String
  }

  private static func processes(where isMeant: (Process) -> Bool) -> [Process] {
    let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
    return numbers.compactMap { number in
      guard let status = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
        let words = try? String(contentsOfFile: "/proc/\(number)/cmdline", encoding: .utf8)
      else { return nil }
      // The name in brackets may hold anything; the state and the parent follow the last one.
      let fields = status.split(separator: ")").last?.split(separator: " ") ?? []
      guard fields.count > 1, let parent = pid_t(fields[1]) else { return nil }
      let process = Process(number: number, parent: parent, words: words)
      return isMeant(process) ? process : nil
    }
  }

  private static func makeKeys(_ folder: String) throws {
    // A second start in the same folder has them.
    guard access(folder + "/host", F_OK) != 0 else { return }
    _ = try Python.run(
      """
      run = __import__("subprocess").run
      for name in "host", "client", "other":
          run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "\(folder)/" + name], check=True)
      """)
  }

  private static func serverConfiguration(_ folder: String, _ port: UInt16, _ subsystem: String) -> String {
    """
    ListenAddress 127.0.0.1:\(port)
    HostKey \(folder)/host
    AuthorizedKeysFile \(folder)/authorized_keys
    AuthenticationMethods publickey
    PermitRootLogin prohibit-password
    StrictModes no
    UsePAM no
    PidFile none
    MaxStartups 50
    Subsystem sftp \(subsystem)

    """
  }

  private static func clientConfiguration(_ folder: String, _ port: UInt16) -> String {
    """
    Host \(host)
      HostName 127.0.0.1
      Port \(port)
      IdentityFile \(folder)/client
      IdentitiesOnly yes
      IdentityAgent none
      UserKnownHostsFile \(folder)/known_hosts
      GlobalKnownHostsFile none

    """
  }
}
