internal import SeifBytes

/// A line on stderr that says how far a long work is.
///
/// On a terminal from half a second on, at most ten times a second, one line, erased at the end. Elsewhere a plain line
/// every ten seconds. Never with `--quiet`.
package final class Progress {
  private let talk: Talk
  private let verb: String
  private let now: () -> Int64
  private let start: Int64
  private var lastShown: Int64
  private var isShown = false

  /// - Parameter now: milliseconds that only grow.
  package init(_ talk: Talk, _ verb: String, now: @escaping () -> Int64 = Clock.monotonicMilliseconds) {
    self.talk = talk
    self.verb = verb
    self.now = now
    start = now()
    lastShown = start
  }

  /// Says how much is done. Counts are items, or bytes with `isBytes`.
  package func update(done: Int, of total: Int, isBytes: Bool = false) {
    if talk.isQuiet { return }
    let time = now()
    if talk.style.canRedraw {
      guard time - start >= 500, !isShown || time - lastShown >= 100 else { return }
      let width = max(10, (talk.style.columns ?? 80) - 1)
      put("\r\u{1B}[K" + CellWidth.shortened(line(done, total, isBytes, time), to: width))
      isShown = true
    } else {
      guard time - lastShown >= 10_000 else { return }
      talk.line(line(done, total, isBytes, time))
    }
    lastShown = time
  }

  /// Erases the line, so that the result stands in its place.
  package func finish() {
    if isShown { put("\r\u{1B}[K") }
    isShown = false
  }

  private func line(_ done: Int, _ total: Int, _ isBytes: Bool, _ time: Int64) -> String {
    let fraction = total > 0 ? min(1, max(0, Double(done) / Double(total))) : 0
    let amount =
      isBytes ? "\(done / 1_048_576)/\(total / 1_048_576) MB" : "\(done)/\(total)"
    var text = "\(verb)  \(Int(fraction * 100))%  \(amount)"
    let elapsed = Double(time - start) / 1000
    // An estimate from the first moments is a guess.
    if elapsed >= 2, fraction > 0, fraction < 1 {
      text += "  \(Int((elapsed * (1 - fraction) / fraction).rounded(.up))) s left"
    }
    return text
  }

  private func put(_ text: String) {
    var text = text
    text.withUTF8 { _ = Descriptor.writeAll($0.span.bytes, to: talk.descriptor) }
  }
}
