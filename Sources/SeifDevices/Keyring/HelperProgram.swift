internal import CSeif
internal import Glibc
internal import SeifBytes

/// A program run to its end, with its input and output in pipes. Its messages are dropped: they aren't ours.
enum HelperProgram {
  static let outputLimit = 4096
  /// A keyring may ask its owner for a password, who may have gone.
  static let millisecondsToWait: Int32 = 120_000

  /// - Returns: its exit status and what it wrote, at most 4 KiB; nil where it can't be started.
  static func run(
    _ path: String, _ arguments: [String], input: borrowing SecretBytes
  ) -> (status: Int32, output: HelperOutput)? {
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
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    // Our own signals are waited for by a thread of ours, which the program doesn't have.
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var child: pid_t = 0
    let started = posix_spawn(&child, path, &actions, &attributes, &words, environ)
    close(toChild[0])
    close(fromChild[1])
    defer { close(fromChild[0]) }
    guard started == 0 else {
      close(toChild[1])
      return nil
    }
    // Less than a pipe holds, so that nobody waits for the other. A program that is gone gets nothing.
    input.withBytes { send($0, to: toChild[1]) }
    close(toChild[1])
    let output = SecretBytes(byteCount: outputLimit) { buffer in
      var count = 0
      while count < buffer.count {
        var poller = pollfd(fd: fromChild[0], events: Int16(POLLIN), revents: 0)
        let ready = poll(&poller, 1, millisecondsToWait)
        if ready == 0 { kill(child, SIGKILL) }
        if ready < 0, errno == EINTR { continue }
        let got = read(fromChild[0], buffer.baseAddress?.advanced(by: count), buffer.count - count)
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { break }
        count += got
      }
      return count
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    return (code, HelperOutput(output))
  }

  /// Writes without the signal that a pipe without a reader raises, whatever the process has set for it.
  private static func send(_ bytes: RawSpan, to descriptor: Int32) {
    var pipe = sigset_t()
    var before = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EPIPE {
      var now = timespec()
      sigtimedwait(&pipe, nil, &now)
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}

/// What a program wrote, in locked memory.
final class HelperOutput {
  let bytes: SecretBytes
  init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
}
