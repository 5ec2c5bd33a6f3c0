internal import CSeif
internal import Glibc

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
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    guard seif_spawn_apart(&actions, 3) == 0 else { return nil }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var defaults = sigset_t()
    sigfillset(&defaults)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    let setSession: Int32 = 0x80  // POSIX_SPAWN_SETSID, for which Glibc wants _GNU_SOURCE
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | setSession))
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    var child: pid_t = 0
    return posix_spawn(&child, program, &actions, &attributes, &pointers, environ) == 0 ? child : nil
  }

  /// This program by its path, or, where another has taken its place, by the kernel's own way to it.
  private static var program: String {
    let own = "/proc/self/exe"
    var (here, there) = (stat(), stat())
    guard let path = ProcFile.link(own), stat(own, &here) == 0, stat(path, &there) == 0, here.st_ino == there.st_ino,
      here.st_dev == there.st_dev
    else { return own }
    return path
  }
}
