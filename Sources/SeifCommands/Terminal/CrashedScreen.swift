internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import Synchronization

/// What a crash leaves of the second screen: nothing. A trap of Swift, or a signal that nobody waits for, ends the process
/// where it stands, so this is a signal handler: it writes bytes that were made before and sets attributes, no more.
enum CrashedScreen {
  private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGALRM]
  /// Rows that the bytes erase.
  private static let rows = 500

  nonisolated(unsafe) private static var descriptor: Int32 = -1
  /// Not a static value of the structure itself: the compiler lays one out without its padding, three bytes too small.
  nonisolated(unsafe) private static var attributes: UnsafeMutablePointer<termios>?
  /// A row each, and then the way out: how many rows are written is known when it happens.
  nonisolated(unsafe) private static var bytes: UnsafeMutablePointer<UInt8>?
  nonisolated(unsafe) private static var byteCount = 0

  /// Whether the terminal is ours just now. While the process is stopped it is the shell's, and left alone.
  private static let isOn = Atomic(false)
  static func setOn(_ on: Bool) { isOn.store(on, ordering: .relaxed) }

  /// Whether anything was stored in the vault.
  private static let hasChanged = Atomic(false)

  /// Has a crash, and a question that stood too long, put a terminal's attributes back.
  /// - Parameter hasScreen: the second screen is left too.
  static func arm(_ terminal: Int32, _ before: termios, hasScreen: Bool) {
    let kept = attributes ?? .allocate(capacity: 1)
    kept.initialize(to: before)
    attributes = kept
    descriptor = terminal
    isOn.store(true, ordering: .relaxed)
    hasChanged.store(false, ordering: .relaxed)
    if hasScreen { cover(24) }
    unblock(signals)
    for number in signals {
      signal(number) { number in
        CrashedScreen.leave()
        if number == SIGALRM { CrashedScreen.say(CrashedScreen.unanswered) }
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

  /// Something was, or may have been, stored in the vault.
  static func noteChange() { hasChanged.store(true, ordering: .relaxed) }

  /// Ends the process as a question does that nobody answers: the vault was locked elsewhere.
  static func endLocked() -> Never {
    leave()
    say(lockedElsewhere)
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
    isOn.store(false, ordering: .relaxed)
    descriptor = -1
    byteCount = 0
  }

  /// A question stood too long with the vault open behind it (``QuestionWatch``).
  private static let unanswered: StaticString = "\nseif: locked, since nobody answered."
  private static let lockedElsewhere: StaticString = "\nseif: the vault was locked meanwhile."
  private static let unchanged: StaticString = " Nothing was changed."

  private static func say(_ words: StaticString) -> Never {
    _ = write(2, words.utf8Start, words.utf8CodeUnitCount)
    if !hasChanged.load(ordering: .relaxed) { _ = write(2, unchanged.utf8Start, unchanged.utf8CodeUnitCount) }
    var end: UInt8 = 10
    _ = write(2, &end, 1)
    _exit(ExitCode.refused.rawValue)
  }

  private static func leave() {
    guard descriptor >= 0, isOn.load(ordering: .relaxed) else { return }
    if let bytes, byteCount > 0 { _ = write(descriptor, bytes, byteCount) }
    // What was typed of an answer is for no shell.
    tcflush(descriptor, TCIFLUSH)
    if let attributes { tcsetattr(descriptor, TCSANOW, attributes) }
  }
}
