internal import CSeif
internal import Glibc

/// A socket that systemd listens on and hands over, sd_listen_fds(3).
package enum SocketActivation {
  /// The first descriptor that is handed over.
  private static let first: Int32 = 3

  /// The listening socket, or nil if this process was started without.
  ///
  /// - Parameters:
  ///   - process: the variable `LISTEN_PID`: another process's sockets aren't ours.
  ///   - count: the variable `LISTEN_FDS`.
  /// - Throws: `badMessage` for more than one descriptor, or one that isn't a listening socket of this machine.
  package static func listener(process: String?, count: String?) throws(AgentRefusal) -> Int32? {
    guard let process, let count, Int32(process) == getpid(), let number = Int32(count), number > 0 else { return nil }
    guard number == 1, seif_is_listening_unix_socket(first) == 1 else {
      throw AgentRefusal(.badMessage, "the socket that was handed over")
    }
    _ = seif_fcntl_setfd(first, FD_CLOEXEC)
    _ = seif_fcntl_setfl(first, O_NONBLOCK)
    return first
  }
}
