package import SeifBytes
internal import Synchronization

/// A clock that a test sets.
package final class TestClock: Sendable {
  private let time = Mutex(Timestamp(milliseconds: 1_790_000_000_000))

  package init() {}

  package var now: Timestamp { time.withLock { $0 } }

  package func advance(days: Int64) {
    time.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + days * 86_400_000) }
  }
}
