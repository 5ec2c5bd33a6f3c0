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
  // The same once more, for what posix_spawn has no word for.
  private var mask = sigset_t()
  private var signals = sigset_t()
  private var steps: [(path: String?, flags: Int32, descriptor: Int32, number: Int32)] = []
  private var folder: String?
  private var endsWithThread = false

  /// - Parameter blocked: signals that the program doesn't get, since we answer them for both.
  package init(blocked: [Int32] = [], defaults: Defaults = .pipe) {
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    sigemptyset(&mask)
    for number in blocked { sigaddset(&mask, number) }
    posix_spawnattr_setsigmask(&attributes, &mask)
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
    steps.append((nil, 0, descriptor, number))
  }

  /// Opens a file for the program under a number.
  package func open(_ path: String, _ flags: Int32, as number: Int32) {
    posix_spawn_file_actions_addopen(&actions, number, path, flags, 0)
    steps.append((path, flags, -1, number))
  }

  /// Gives it a session of its own.
  package func startSession() { flags |= Self.newSession }
  private static let newSession: Int32 = 0x80  // POSIX_SPAWN_SETSID, for which Glibc wants _GNU_SOURCE

  /// Starts it in a folder.
  package func work(in folder: String) {
    _ = seif_spawn_in(&actions, folder)
    self.folder = folder
  }

  /// Has the kernel kill it, but not what it starts, when the *thread* that starts it ends, also by SIGKILL: so that has to
  /// be one that lives as long as it is meant to, such as the main thread.
  ///
  /// It isn't for a program that is started with rights that this process doesn't have, for which the kernel forgets it, and
  /// it doesn't go with `closeOthers`.
  package func endWithThisThread() { endsWithThread = true }

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
    let code = Self.withWords(words) { words in
      if endsWithThread { return startTied(&child, path, words, environment) }
      return posix_spawn(&child, path, &actions, &attributes, words, environment)
    }
    guard code == 0 else { throw Failure(code: code) }
    return child
  }

  private func startTied(
    _ child: inout pid_t, _ path: String, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    _ environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  ) -> Int32 {
    // Nothing may be allocated in the new process, so all of it is made before.
    var table: [seif_spawn_step] = []
    for step in steps {
      let path = step.path.map { UnsafePointer<CChar>(strdup($0)) } ?? nil
      table.append(seif_spawn_step(path: path, flags: step.flags, descriptor: step.descriptor, number: step.number))
    }
    defer { table.forEach { free(UnsafeMutablePointer(mutating: $0.path)) } }
    return Self.withWords([]) { none in
      let leads: Int32 = flags & Self.newSession == 0 ? 0 : 1
      return seif_spawn_tied(
        &child, path, words, environment ?? none, folder, table, Int32(clamping: table.count), leads, &mask, &signals)
    }
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
