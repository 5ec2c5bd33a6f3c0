internal import CSeif
internal import Glibc

/// How a program is started beside this process: what its descriptors are, and its signals at their defaults, since ours
/// are waited for by a thread that it doesn't have.
package final class Spawn {
  /// Which signals come to the program as if nobody had set anything for them.
  package enum Defaults { case pipe, all }

  /// Why a program wasn't started: the number of a system error.
  package struct Failure: Error { package let code: Int32 }

  private var actions = posix_spawn_file_actions_t()
  private var attributes = posix_spawnattr_t()
  private var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF

  /// - Parameter blocked: signals that the program doesn't get, since we answer them for both.
  package init(blocked: [Int32] = [], defaults: Defaults = .pipe) {
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    var mask = sigset_t()
    sigemptyset(&mask)
    for number in blocked { sigaddset(&mask, number) }
    posix_spawnattr_setsigmask(&attributes, &mask)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    if defaults == .all { sigfillset(&signals) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
  }

  deinit {
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }

  /// Gives the program a descriptor of ours under a number.
  package func hand(_ descriptor: Int32, as number: Int32) {
    posix_spawn_file_actions_adddup2(&actions, descriptor, number)
  }

  /// Opens a file for the program under a number.
  package func open(_ path: String, _ flags: Int32, as number: Int32) {
    posix_spawn_file_actions_addopen(&actions, number, path, flags, 0)
  }

  /// Gives it a session of its own.
  package func startSession() {
    flags |= 0x80  // POSIX_SPAWN_SETSID, for which Glibc wants _GNU_SOURCE
  }

  /// Starts it in a folder.
  package func work(in folder: String) { _ = seif_spawn_in(&actions, folder) }

  /// Closes for it whatever has this number or a higher one, and takes it to the root folder.
  /// - Returns: whether the system can.
  package func closeOthers(from number: Int32) -> Bool { seif_spawn_apart(&actions, number) == 0 }

  /// Starts it.
  /// - Parameter words: its arguments, its own name first.
  package func start(
    _ path: String, _ words: [String],
    environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
  ) throws(Failure) -> Int32 {
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var child: pid_t = 0
    let code = Self.withWords(words) { posix_spawn(&child, path, &actions, &attributes, $0, environment) }
    guard code == 0 else { throw Failure(code: code) }
    return child
  }

  /// Arguments as C takes them.
  package static func withWords<Result>(
    _ words: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { fatalError("internal error: no words") }
      return body(start)
    }
  }
}
