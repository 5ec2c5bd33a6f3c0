internal import CSeif
internal import Glibc
package import Synchronization

/// What every run does first, before it reads anything.
package enum Hardening {
  /// What whoever started us has for new files: a program that we start for the person gets it back.
  package static let callersUmask = Mutex<UInt32>(0o077)

  /// No core dumps, no tracing by other processes of the same user, no death by a closed pipe, no report of a crash, private
  /// files.
  package static func apply() {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    // Each is an additional wall: where a kernel refuses one, going on is right, since the person needs their codes.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    _ = seif_set_undumpable()
    dieQuietly()
    signal(SIGPIPE, SIG_IGN)
    callersUmask.withLock { $0 = umask(0o077) }
    openStandardDescriptors()
  }

  /// Swift's runtime answers a crash by a program that reads this process's memory and writes registers and stacks to
  /// stderr, secrets that lie there too.
  private static func dieQuietly() {
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] where seif_ignores(number) == 0 {
      signal(number, SIG_DFL)
    }
  }

  /// A caller that closed 0, 1 or 2 would have the next opened file take that number and receive our messages.
  private static func openStandardDescriptors() {
    for descriptor: Int32 in 0...2 where seif_fcntl_getfl(descriptor) == -1 && errno == EBADF {
      _ = seif_open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY, 0)
    }
  }
}
