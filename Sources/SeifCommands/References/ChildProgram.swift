internal import CSeif
internal import Glibc
internal import Synchronization

/// The program that `seif run` starts: where it is, its words, its variables, what it gets over descriptors.
struct ChildProgram {
  let path: String
  let words: [String]
  let environment: EnvironmentBlock
  let handed: HandedSecrets

  /// Where a program is: a path as it stands, else the first of its name in the absolute folders of `PATH`.
  /// - Throws: exit 66 where there is none.
  static func find(_ name: String, _ environment: Environment) throws(CommandFailure) -> String {
    if name.utf8.contains(UInt8(ascii: "/")) {
      if access(name, X_OK) == 0 { return name }
    } else if let found = ChildProcess.find(name, environment) {
      return found
    }
    throw CommandFailure(.notFound, "there is no program \(name)", hint: "Nothing was started.")
  }

  /// Puts the program in the place of this process: nobody looks at what it writes. Returns only where that fails.
  func replaceThisProcess() -> CommandFailure {
    prepare()
    for end in handed.ends { dup2(end.descriptor, end.number) }
    var none = sigset_t()
    sigemptyset(&none)
    signal(SIGPIPE, SIG_DFL)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    _ = withWords { words in environment.withPointers { execve(path, words, $0) } }
    return Self.failure(path, errno)
  }

  /// Starts the program beside this process.
  /// - Parameters:
  ///   - terminal: the name of a terminal that becomes its own, in a session of its own.
  ///   - streams: descriptors here for its 0, 1 and 2; what isn't named is inherited.
  func start(terminal: String?, streams: [Int32: Int32]) throws(CommandFailure) -> pid_t {
    prepare()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    if let terminal {
      // The first terminal that a new session opens becomes its controlling one.
      posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      if streams[2] == nil { posix_spawn_file_actions_adddup2(&actions, 0, 2) }
    }
    for (number, descriptor) in streams { posix_spawn_file_actions_adddup2(&actions, descriptor, number) }
    for end in handed.ends { posix_spawn_file_actions_adddup2(&actions, end.descriptor, end.number) }

    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    if terminal != nil { flags |= 0x80 /* POSIX_SPAWN_SETSID, for which Glibc wants _GNU_SOURCE */ }
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var child: pid_t = 0
    let result = withWords { words in
      environment.withPointers { posix_spawn(&child, path, &actions, &attributes, words, $0) }
    }
    _ = umask(0o077)
    guard result == 0 else { throw Self.failure(path, result) }
    return child
  }

  /// It gets the caller's mask for new files, and no descriptor but 0, 1, 2 and what it is handed.
  private func prepare() {
    seif_close_others_on_exec()
    _ = umask(Hardening.callersUmask.withLock { $0 })
  }

  private func withWords<R>(_ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R) -> R {
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { fatalError("internal error: no words") }
      return body(start)
    }
  }

  private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
    switch code {
    case ENOEXEC: CommandFailure(.badInput, "\(path) is no program", hint: "A script begins with #! and a program.")
    case E2BIG: CommandFailure(.badInput, "the arguments and variables are larger than the system takes")
    default: CommandFailure(.notFound, "\(path) can't be started: \(Descriptor.words(for: code))")
    }
  }
}
