internal import CSeif
internal import Glibc

/// What a crash leaves of the second screen: nothing. A trap of Swift, or a signal that nobody waits for, ends the process
/// where it stands, so this is a signal handler: it writes bytes that were made before and sets attributes, no more.
enum CrashedScreen {
  private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGALRM]
  /// Rows that the bytes erase.
  private static let rows = 500

  nonisolated(unsafe) private static var descriptor: Int32 = -1
  nonisolated(unsafe) private static var attributes = termios()
  /// A row each, and then the way out: how many rows are written is known when it happens.
  nonisolated(unsafe) private static var bytes: UnsafeMutablePointer<UInt8>?
  nonisolated(unsafe) private static var byteCount = 0

  /// Has a crash leave the screen of a terminal.
  static func arm(_ terminal: Int32, _ before: termios) {
    attributes = before
    descriptor = terminal
    cover(24)
    unblock(signals)
    for number in signals {
      signal(number) { number in
        CrashedScreen.leave()
        if number == SIGALRM { CrashedScreen.sayLocked() }
        // Its usual end, with the code that the shell knows.
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// The terminal has so many rows.
  static func cover(_ count: Int) {
    let text = Array(
      ("\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h" + AlternateScreen.erasure(min(count, rows)) + "\u{1B}[?25h\u{1B}[?1049l").utf8
    )
    guard descriptor >= 0, text.count > byteCount else { return }
    let made = UnsafeMutablePointer<UInt8>.allocate(capacity: text.count)
    made.initialize(from: text, count: text.count)
    // What was there before stays allocated: a handler may be reading it.
    bytes = made
    byteCount = text.count
  }

  /// Without a screen: only has SIGALRM end the process with words.
  static func endOnAlarm() {
    unblock([SIGALRM])
    signal(SIGALRM) { _ in CrashedScreen.sayLocked() }
  }

  /// Whoever started us may have them blocked.
  private static func unblock(_ signals: [Int32]) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in signals { sigaddset(&set, number) }
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  static func disarm() {
    for number in signals { signal(number, SIG_DFL) }
    descriptor = -1
    byteCount = 0
  }

  /// A question stood too long with the vault open behind it (``AlternateScreen/aside(_:lockAfter:_:)``).
  private static let locked: StaticString = "seif: locked, since nobody answered. Nothing was changed.\n"

  private static func sayLocked() -> Never {
    _ = write(2, locked.utf8Start, locked.utf8CodeUnitCount)
    _exit(ExitCode.refused.rawValue)
  }

  private static func leave() {
    guard descriptor >= 0, let bytes else { return }
    _ = write(descriptor, bytes, byteCount)
    _ = withUnsafePointer(to: &attributes) { tcsetattr(descriptor, TCSANOW, $0) }
  }
}
