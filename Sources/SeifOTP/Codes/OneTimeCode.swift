public import SeifBytes

/// A code and how long it is good.
public struct OneTimeCode: Sendable {
  /// The code, exactly as many characters as its parameters say. An unwiped `String`: it is for showing, and soon stale.
  public let text: String
  /// Whole seconds until the next code, at least 1; nil for a counter's code, which is good until it is used.
  public let secondsLeft: Int?
  /// The moment of the next code; nil for a counter's code.
  public let validUntil: Timestamp?

  /// As another process made it.
  package init(text: String, secondsLeft: Int?, validUntil: Timestamp?) {
    self.text = text
    self.secondsLeft = secondsLeft
    self.validUntil = validUntil
  }

  init(text: String, window: TimeWindow?) {
    self.text = text
    secondsLeft = window?.secondsLeft
    validUntil = window.map { Timestamp(seconds: $0.end) }
  }
}

/// The period of time that a moment falls into.
struct TimeWindow {
  /// Number of periods since 1970.
  let index: UInt64
  /// Where it ends, in seconds since 1970.
  let end: Int64
  /// Whole seconds until then; a fraction of the moment's second is left out.
  let secondsLeft: Int

  init(at time: Timestamp, period: Int) throws(OTPError) {
    // A time before 1970 is refused, not folded to zero: it shows a clock that is wrong, and the code would be too.
    guard time.milliseconds >= 0 else { throw .time }
    guard (1...86_400).contains(period) else { throw .period }
    let seconds = time.seconds
    let passed = seconds % Int64(period)
    index = UInt64(seconds / Int64(period))
    secondsLeft = period - Int(passed)
    end = seconds - passed + Int64(period)
  }
}
