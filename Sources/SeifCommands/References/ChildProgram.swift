internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifProcesses
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
    } else if let found = ChildProcess.find(name, path: environment["PATH"]) {
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
    _ = Spawn.withWords(words) { words in environment.withPointers { execve(path, words, $0) } }
    return Self.failure(path, errno)
  }

  /// Starts the program beside this process.
  /// - Parameters:
  ///   - terminal: the name of a terminal that becomes its own, in a session of its own.
  ///   - streams: descriptors here for its 0, 1 and 2; what isn't named is inherited.
  func start(terminal: String?, streams: [Int32: Int32]) throws(CommandFailure) -> pid_t {
    prepare()
    let spawn = Spawn()
    if let terminal {
      // The first terminal that a new session opens becomes its controlling one.
      spawn.startSession()
      spawn.open(terminal, O_RDWR, as: 0)
      spawn.hand(0, as: 1)
      if streams[2] == nil { spawn.hand(0, as: 2) }
    }
    for (number, descriptor) in streams { spawn.hand(descriptor, as: number) }
    for end in handed.ends { spawn.hand(end.descriptor, as: end.number) }
    defer { _ = umask(0o077) }
    let started = environment.withPointers { variables in
      Result { () throws(Spawn.Failure) in try spawn.start(path, words, environment: variables) }
    }
    switch started {
    case .success(let child): return child
    case .failure(let failure): throw Self.failure(path, failure.code)
    }
  }

  /// It gets the caller's mask for new files, and no descriptor but 0, 1, 2 and what it is handed.
  private func prepare() {
    seif_close_others_on_exec()
    _ = umask(Hardening.callersUmask.withLock { $0 })
  }

  private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
    switch code {
    case ENOEXEC: CommandFailure(.badInput, "\(path) is no program", hint: "A script begins with #! and a program.")
    case E2BIG: CommandFailure(.badInput, "the arguments and variables are larger than the system takes")
    default: CommandFailure(.notFound, "\(path) can't be started: \(Descriptor.words(for: code))")
    }
  }
}
