internal import CSeif
internal import Glibc

/// The folder of the agent's socket: `$XDG_RUNTIME_DIR/seif`, the user's alone, looked at before each use.
package final class RuntimeFolder {
  package static let socketName = "agent.sock"
  package static let lockName = "agent.lock"

  private let descriptor: Int32
  /// Its path.
  package let path: String

  /// The path of the folder, from the variable `XDG_RUNTIME_DIR`; nil where that is none.
  package static func path(runtimeFolder: String?) -> String? {
    guard let runtimeFolder, runtimeFolder.hasPrefix("/") else { return nil }
    return runtimeFolder + (runtimeFolder.hasSuffix("/") ? "seif" : "/seif")
  }

  /// Opens the folder.
  ///
  /// - Parameter making: whether it is made, 0700, where it isn't there.
  /// - Throws: `gone` where it isn't there or can't be opened, `unsafeFolder` where it is a link, or another user's, or open
  ///   to others.
  package init(_ path: String, making: Bool) throws(AgentRefusal) {
    if making, mkdir(path, 0o700) != 0, errno != EEXIST { throw AgentRefusal(.gone, path) }
    let opened = seif_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
    guard opened >= 0 else {
      throw AgentRefusal([ENOTDIR, ELOOP].contains(errno) ? .unsafeFolder : .gone, path)
    }
    var status = stat()
    guard fstat(opened, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      close(opened)
      throw AgentRefusal(.unsafeFolder, path)
    }
    descriptor = opened
    self.path = path
  }

  deinit { close(descriptor) }

  /// The socket by way of the open folder: of any length, and in no other folder whatever happens to the path.
  private var socketPath: String { "/proc/self/fd/\(descriptor)/\(Self.socketName)" }

  /// Connects to the agent.
  ///
  /// - Throws: `gone` where nobody listens, `stranger` where another user does.
  package func connect() throws(AgentRefusal) -> Int32 {
    let socket = seif_unix_socket()
    guard socket >= 0 else { throw AgentRefusal(.gone) }
    guard seif_connect(socket, socketPath) == 0 else {
      close(socket)
      throw AgentRefusal(.gone)
    }
    var (process, user): (Int32, UInt32) = (0, 0)
    guard seif_peer(socket, &process, &user) == 0, user == geteuid() else {
      close(socket)
      throw AgentRefusal(.stranger)
    }
    return socket
  }

  /// Listens. The lock keeps a second agent from taking the socket away; it is held until the process ends.
  ///
  /// - Parameter patience: how long another agent is waited for that is about to end.
  /// - Throws: `full` where another agent runs, `gone` where the socket can't be made.
  package func listen(patience: Int64) throws(AgentRefusal) -> Int32 {
    let lock = seif_openat(descriptor, Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw AgentRefusal(.gone, "the lock") }
    let deadline = Deadline(in: patience)
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      guard !deadline.isOver else {
        close(lock)
        throw AgentRefusal(.full)
      }
      usleep(20_000)
    }
    // Of an agent that was killed.
    unlinkat(descriptor, Self.socketName, 0)
    let socket = seif_unix_socket()
    guard socket >= 0, seif_bind_and_listen(socket, socketPath, 128) == 0 else {
      if socket >= 0 { close(socket) }
      close(lock)
      throw AgentRefusal(.gone, "the socket")
    }
    _ = seif_fcntl_setfl(socket, O_NONBLOCK)
    return socket
  }

  /// Which file has the socket's name now; nil for none.
  package var socketIdentity: UInt64? {
    var status = stat()
    return fstatat(descriptor, Self.socketName, &status, AT_SYMLINK_NOFOLLOW) == 0 ? UInt64(status.st_ino) : nil
  }

  /// Whether the folder still has its path.
  package var isInPlace: Bool {
    var (here, there) = (stat(), stat())
    return fstat(descriptor, &here) == 0 && lstat(path, &there) == 0 && here.st_ino == there.st_ino
      && here.st_dev == there.st_dev
  }

  package func removeSocket() { unlinkat(descriptor, Self.socketName, 0) }
}
