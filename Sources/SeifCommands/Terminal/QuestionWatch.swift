internal import SeifCommandLine
internal import Glibc
internal import SeifAgent

/// Watches the questions that are asked while a vault is open: one that nobody answers in time ends the process where it
/// stands. The time of each begins anew, so that it never ends who is answering, nor anything but waiting.
final class QuestionWatch {
  private struct Watch {
    let seconds: UInt32
    let isOpen: () -> Bool
  }
  private var watch: Watch?

  /// Watches the questions that `body` asks. ``CrashedScreen`` has to be armed.
  ///
  /// - Parameters:
  ///   - seconds: how long a question may stand.
  ///   - isOpen: asked before each question and every second while it stands; once the vault isn't open any more the
  ///     process ends, and nothing more is asked.
  func during<Failure: Error>(
    seconds: Int64, isOpen: @escaping () -> Bool, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    let outer = watch
    watch = Watch(seconds: UInt32(clamping: max(1, seconds)), isOpen: isOpen)
    defer { watch = outer }
    try body()
  }

  /// Runs what asks one question and waits for its answer.
  func asking<R>(_ body: () -> R) -> R {
    guard let watch else { return body() }
    if !watch.isOpen() { CrashedScreen.endLocked() }
    alarm(watch.seconds)
    defer { alarm(0) }
    return body()
  }

  /// Whether the vault is open behind whatever is asked.
  var isOpen: Bool { watch?.isOpen() ?? true }

  /// Waits until a line can be read from a terminal. Within ``asking(_:)``.
  func waitForLine(on descriptor: Int32) {
    guard let watch else { return }
    while !waitFor(POLLIN, on: descriptor, until: Deadline(in: 1_000)) {
      if !watch.isOpen() { CrashedScreen.endLocked() }
    }
  }
}
