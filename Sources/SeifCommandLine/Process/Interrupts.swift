internal import CSeif
internal import Glibc
internal import Synchronization

/// Ctrl-C, termination, hang-up, suspension: one thread waits for them, so that what they undo is ordinary code and not a
/// signal handler, in which next to nothing is allowed.
///
/// ``start()`` blocks the signals in the first thread; every later thread inherits that. Children get them unblocked by
/// ``ChildProcess``.
package enum Interrupts {
  /// What is undone when the run is interrupted, and around a suspension.
  package struct Actions: Sendable {
    /// Before the process ends. Runs on the waiting thread.
    package var end: @Sendable () -> Void
    /// Before the process stops (SIGTSTP).
    package var suspend: @Sendable () -> Void = {}
    /// After it goes on (SIGCONT).
    package var resume: @Sendable () -> Void = {}
    /// After the terminal took another size (SIGWINCH).
    package var resized: @Sendable () -> Void = {}
    /// Whether `end` leaves the cursor at the start of a line.
    package var endsLine = false
    /// What stays behind, and how to go on; empty: nothing does. Read as the process ends.
    package var leaves: @Sendable () -> String = { "" }
    /// Off while another program has the terminal: SIGTSTP is passed over then.
    package var isSuspendable = true

    package init(
      end: @escaping @Sendable () -> Void, suspend: @escaping @Sendable () -> Void = {},
      resume: @escaping @Sendable () -> Void = {}, resized: @escaping @Sendable () -> Void = {},
      endsLine: Bool = false, leaves: @escaping @Sendable () -> String = { "" }, isSuspendable: Bool = true
    ) {
      self.end = end
      self.suspend = suspend
      self.resume = resume
      self.resized = resized
      self.endsLine = endsLine
      self.leaves = leaves
      self.isSuspendable = isSuspendable
    }
  }

  private struct State {
    var isStarted = false
    var nextKey: UInt64 = 0
    var actions: [UInt64: Actions] = [:]
    var receiver: Receiver?
    /// In the order in which they were added: what came later stands on what was there before.
    var inOrder: [Actions] { actions.sorted { $0.key < $1.key }.map(\.value) }
  }
  /// Gets a signal's number, and whether it comes from the terminal or the kernel and not from another process.
  package typealias Receiver = @Sendable (_ number: Int32, _ isFromKernel: Bool) -> Void
  private static let state = Mutex(State())

  /// All but those that the caller has us ignore: they come even ignored to one that waits for them.
  private static func waitedFor() -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT] where seif_ignores(number) == 0 {
      sigaddset(&signals, number)
    }
    // Ignored by default, and so nobody's loss; a receiver wants them.
    for number in [SIGCHLD, SIGWINCH] { sigaddset(&signals, number) }
    return signals
  }

  /// Starts to wait. Called once, first thing in the process.
  package static func start() {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard isFirst else { return }
    // With it ignored, as a caller may leave it, the kernel would throw away how our children ended.
    signal(SIGCHLD, SIG_DFL)
    var signals = waitedFor()
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    var thread = pthread_t()
    let result = pthread_create(&thread, nil, { _ in Interrupts.waitForever() }, nil)
    if result == 0 {
      pthread_detach(thread)
    } else {
      // Without the thread ctrl-C must still end the process, at the price of a temporary file left behind.
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
  }

  /// Has something undone on interruption, until ``remove(_:)``.
  package static func add(_ actions: Actions) -> UInt64 {
    state.withLock { state in
      state.nextKey += 1
      state.actions[state.nextKey] = actions
      return state.nextKey
    }
  }

  package static func remove(_ key: UInt64) {
    state.withLock { _ = $0.actions.removeValue(forKey: key) }
  }

  /// Removes an entry in one step with the act that makes it needless: an interruption comes before both or after both.
  @discardableResult
  package static func remove<Result>(_ key: UInt64, with act: () -> Result, if worked: (Result) -> Bool) -> Result {
    state.withLock { state in
      let result = act()
      if worked(result) { state.actions.removeValue(forKey: key) }
      return result
    }
  }

  /// Hands all signals to somebody instead, who passes them on to a program; nil ends that.
  package static func setReceiver(_ receiver: Receiver?) {
    state.withLock { $0.receiver = receiver }
  }

  private static func waitForever() -> Never {
    var signals = waitedFor()
    while true {
      var isFromKernel: Int32 = 0
      let number = seif_wait_for_signal(&signals, &isFromKernel)
      guard number > 0 else { continue }
      if let receiver = state.withLock({ $0.receiver }) {
        receiver(number, isFromKernel != 0)
        continue
      }
      switch number {
      case SIGCHLD: continue
      case SIGWINCH: state.withLock { state in for actions in state.inOrder { actions.resized() } }
      case SIGTSTP:
        let mayStop = state.withLock { state in
          guard state.actions.values.allSatisfy({ $0.isSuspendable }) else { return false }
          for actions in state.inOrder.reversed() { actions.suspend() }
          return true
        }
        // To this thread, so that it stops here and not some instructions later.
        if mayStop { raise(SIGSTOP) }
      case SIGCONT:
        state.withLock { state in for actions in state.inOrder { actions.resume() } }
      default:
        // Never unlocked: nothing is begun or finished any more.
        state.withLock { state in
          for actions in state.inOrder.reversed() { actions.end() }
          let left = state.inOrder.map { $0.leaves() }.filter { !$0.isEmpty }
          if number == SIGINT || !left.isEmpty { say(left, afterLine: state.actions.values.contains { $0.endsLine }) }
          Glibc._exit(128 + number)
        }
      }
    }
  }

  /// Ctrl-C is answered: the person learns that nothing is half done, or what stays.
  private static func say(_ left: [String], afterLine: Bool) {
    guard isatty(2) == 1 || !left.isEmpty else { return }
    let what = left.isEmpty ? "Nothing is half done." : left.joined(separator: "\n")
    var text = (afterLine || isatty(2) != 1 ? "" : "\n") + "seif: interrupted. \(what)\n"
    text.withUTF8 { _ = Descriptor.writeAll($0.span.bytes, to: 2) }
  }
}
