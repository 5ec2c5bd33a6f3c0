import Glibc

/// What a program printed, and how it ended.
struct ChildResult {
  var output: String
  /// The exit code; 128 and the signal's number for one that was killed.
  var status: Int32
}

enum ChildError: Error {
  case notStarted(String, Int32)
}

/// Runs a program found on PATH and takes in its standard output; its standard error goes where the tests' goes.
func run(_ arguments: [String]) throws -> ChildResult {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0 else { throw ChildError.notStarted(arguments[0], errno) }
  // Else a child of another test would keep the pipe open.
  ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
  defer { close(ends[0]) }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1)

  var vector = arguments.map { strdup($0) }
  vector.append(nil)
  defer { vector.forEach { free($0) } }
  var child: pid_t = 0
  let failure = posix_spawnp(&child, arguments[0], &actions, nil, vector, environ)
  close(ends[1])
  guard failure == 0 else { throw ChildError.notStarted(arguments[0], failure) }

  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(ends[0], &buffer, buffer.count)
    if count < 0, errno == EINTR { continue }
    if count <= 0 { break }
    bytes += buffer[..<count]
  }
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0, errno == EINTR {}
  let signal = status & 0x7F
  return ChildResult(
    output: String(decoding: bytes, as: UTF8.self), status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
}
