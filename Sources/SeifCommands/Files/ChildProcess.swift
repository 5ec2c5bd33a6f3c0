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

  /// Starts a program; nil where that fails.
  /// - Parameter blocked: signals that it doesn't get, since we answer them for both.
  package init?(_ path: String, _ arguments: [String], blocked: [Int32] = []) {
    var toChild: [Int32] = [-1, -1]
    var fromChild: [Int32] = [-1, -1]
    guard seif_pipe(&toChild) == 0 else { return nil }
    guard seif_pipe(&fromChild) == 0 else {
      toChild.forEach { close($0) }
      return nil
    }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var mask = sigset_t()
    sigemptyset(&mask)
    for number in blocked { sigaddset(&mask, number) }
    posix_spawnattr_setsigmask(&attributes, &mask)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var child: pid_t = 0
    let result = posix_spawn(&child, path, &actions, &attributes, &words, environ)
    close(toChild[0])
    close(fromChild[1])
    guard result == 0 else {
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

  /// Closes the pipes, waits for the end, and gives the exit status as a shell would (128 + signal).
  @discardableResult
  package func wait() -> Int32 {
    if isWaitedFor { return 0 }
    isWaitedFor = true
    closeInput()
    close(output)
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

  /// The first program of a name in the absolute folders of `PATH`.
  package static func find(_ name: String, _ environment: Environment) -> String? {
    for folder in (environment["PATH"] ?? "").split(separator: ":") where folder.hasPrefix("/") {
      let path = "\(folder)/\(name)"
      if access(path, X_OK) == 0 { return path }
    }
    return nil
  }
}
