internal import CSeif
internal import Glibc

/// A program started with pipes to its stdin and stdout. It gets our signals unblocked and at their defaults.
package final class ChildProcess {
  package let identifier: Int32
  /// Writes to its stdin.
  package let input: Int32
  /// Reads from its stdout.
  package let output: Int32
  private var isWaitedFor = false
  private var isInputClosed = false
  private var isOutputClosed = false

  /// Starts a program; nil where that fails.
  /// - Parameters:
  ///   - blocked: signals that it doesn't get, since we answer them for both.
  ///   - showsErrors: off where its messages would be taken for ours.
  package init?(_ path: String, _ arguments: [String], blocked: [Int32] = [], showsErrors: Bool = true) {
    var toChild: [Int32] = [-1, -1]
    var fromChild: [Int32] = [-1, -1]
    guard seif_pipe(&toChild) == 0 else { return nil }
    guard seif_pipe(&fromChild) == 0 else {
      toChild.forEach { close($0) }
      return nil
    }

    let spawn = Spawn(blocked: blocked)
    spawn.hand(toChild[0], as: 0)
    spawn.hand(fromChild[1], as: 1)
    if !showsErrors { spawn.open("/dev/null", O_WRONLY, as: 2) }
    let child = try? spawn.start(path, [path] + arguments)
    close(toChild[0])
    close(fromChild[1])
    guard let child else {
      close(toChild[1])
      close(fromChild[0])
      return nil
    }
    identifier = child
    input = toChild[1]
    output = fromChild[0]
  }

  /// Says that nothing more comes on its stdin.
  package func closeInput() {
    if !isInputClosed { close(input) }
    isInputClosed = true
  }

  /// Reads no more of its stdout.
  package func closeOutput() {
    if !isOutputClosed { close(output) }
    isOutputClosed = true
  }

  /// Closes the pipes, waits for the end, and gives the exit status as a shell would (128 + signal).
  @discardableResult
  package func wait() -> Int32 {
    if isWaitedFor { return 0 }
    isWaitedFor = true
    closeInput()
    closeOutput()
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }

  /// Whether it has ended, or does within so many milliseconds; `wait` still gives its status.
  package func hasExited(within milliseconds: Int) -> Bool {
    for _ in 0...milliseconds / 20 {
      var info = siginfo_t()
      if waitid(P_PID, id_t(identifier), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo == SIGCHLD {
        return true
      }
      usleep(20_000)
    }
    return false
  }

  deinit { wait() }

  /// The first program of a name in the absolute folders of a `PATH`.
  package static func find(_ name: String, path: String?) -> String? {
    for folder in (path ?? "").split(separator: ":") where folder.hasPrefix("/") {
      let path = "\(folder)/\(name)"
      if access(path, X_OK) == 0 { return path }
    }
    return nil
  }
}
