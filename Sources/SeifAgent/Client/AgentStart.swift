internal import CSeif
internal import Glibc
internal import SeifProcesses

/// Starts an agent for who asks first.
package enum AgentStart {
  /// Starts this program as the agent, in a session of its own, with nothing of ours open, and waits until it listens.
  ///
  /// - Returns: whether somebody listens.
  package static func start(arguments: [String], folder path: String) -> Bool {
    guard let child = spawn(["seif"] + arguments) else { return false }
    let deadline = Deadline(in: 10_000)
    var hasEnded = false
    while !deadline.isOver {
      if let folder = try? RuntimeFolder(path, making: false), let socket = try? folder.connect() {
        close(socket)
        return true
      }
      // It ends at once where another one runs, which is then the one to find, or where it can't be the agent.
      if waitpid(child, nil, WNOHANG) == child { hasEnded = true } else if hasEnded { return false }
      usleep(10_000)
    }
    return false
  }

  private static func spawn(_ words: [String]) -> pid_t? {
    let spawn = Spawn(defaults: .all)
    spawn.open("/dev/null", O_RDWR, as: 0)
    spawn.hand(0, as: 1)
    spawn.hand(0, as: 2)
    guard spawn.closeOthers(from: 3) else { return nil }
    spawn.startSession()
    return try? spawn.start(SeifProgram.path, words)
  }
}
