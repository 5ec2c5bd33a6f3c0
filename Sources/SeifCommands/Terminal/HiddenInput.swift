internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import Synchronization

/// Keeps what is typed unseen from the first hidden question to the end of the run.
///
/// Between two questions a key is derived, which takes a second: who types the next passphrase meanwhile would see it on
/// the screen. So echo stays off; only a question whose answer may be seen turns it on, for that answer alone. It comes
/// back at the end of the run, on a signal that ends it, and around a suspension.
final class HiddenInput: Sendable {
  private struct State {
    let descriptor: Int32
    let before: termios
    let key: UInt64
  }
  private let state = Mutex<State?>(nil)
  /// Whether an answer is being typed that may be seen.
  private let isShowing = Mutex(false)
  /// Whether something may have been typed since the last question that nobody has read.
  private let mayHoldSecrets = Mutex(false)

  /// The terminal's attributes before anything was hidden; nil where nothing is.
  var attributesBefore: termios? { state.withLock { $0?.before } }

  /// Turns echo off unless it is off already, and gives the attributes from before; nil where the terminal doesn't answer.
  func begin(_ descriptor: Int32) -> termios? {
    mayHoldSecrets.withLock { $0 = true }
    return state.withLock { state in
      if let state { return state.before }
      var attributes = termios()
      let copy = seif_duplicate(descriptor)
      guard copy >= 0, tcgetattr(copy, &attributes) == 0 else {
        if copy >= 0 { close(copy) }
        return nil
      }
      let before = attributes
      let end: @Sendable () -> Void = {
        // No shell gets to show what was typed until then.
        tcflush(copy, TCIFLUSH)
        Self.set(before, on: copy)
      }
      let resume: @Sendable () -> Void = { [self] in
        if !isShowing.withLock({ $0 }) { Self.set(Self.hidden(before), on: copy) }
      }
      Self.set(Self.hidden(before), on: copy)
      state = State(
        descriptor: copy, before: before, key: Interrupts.add(.init(end: end, suspend: end, resume: resume)))
      return before
    }
  }

  /// Runs what reads an answer that may be seen. What was typed ahead while echo was off was meant for a hidden question,
  /// and is thrown away; with `isConsent` so is all that was typed before the question stood there.
  func showing<R>(on descriptor: Int32, isConsent: Bool, _ body: () -> R) -> R {
    let mayHold = mayHoldSecrets.withLock { held in
      defer { held = false }
      return held
    }
    if mayHold || isConsent { tcflush(descriptor, TCIFLUSH) }
    guard let current = state.withLock({ $0 }) else { return body() }
    isShowing.withLock { $0 = true }
    Self.set(current.before, on: current.descriptor)
    defer {
      Self.set(Self.hidden(current.before), on: current.descriptor)
      isShowing.withLock { $0 = false }
    }
    return body()
  }

  /// Puts echo back as it was. What was typed meanwhile stays for whoever reads next.
  func end() {
    state.withLock { state in
      guard let current = state else { return }
      Interrupts.remove(current.key) {
        Self.set(current.before, on: current.descriptor)
        return true
      } if: {
        $0
      }
      close(current.descriptor)
      state = nil
    }
  }

  deinit { end() }

  /// The attributes with which nothing is shown; a line is still a line, and ctrl-C still a signal.
  static func hidden(_ attributes: termios) -> termios {
    var hidden = attributes
    hidden.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
    hidden.c_lflag |= tcflag_t(ICANON | ISIG)
    return hidden
  }

  static func set(_ attributes: termios, on descriptor: Int32) {
    var attributes = attributes
    while tcsetattr(descriptor, TCSANOW, &attributes) != 0, errno == EINTR {}
  }
}
