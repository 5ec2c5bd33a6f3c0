internal import CSeif
internal import Glibc

/// Where "now" comes from: the system, or a fixed moment (`--at`).
package struct Clock: Sendable {
  private let fixed: Int64?

  package static let system = Clock(fixed: nil)
  /// A clock that stands at a number of UNIX seconds.
  package static func fixed(at seconds: Int64) -> Clock { Clock(fixed: seconds) }

  package var isFixed: Bool { fixed != nil }

  /// Seconds since 1970, rounded down.
  package func now() -> Int64 { fixed ?? Self.read(CLOCK_REALTIME).seconds }

  /// Milliseconds that only ever grow, for durations.
  package static func monotonicMilliseconds() -> Int64 {
    let time = read(CLOCK_MONOTONIC)
    return time.seconds * 1000 + time.nanoseconds / 1_000_000
  }

  private static func read(_ clock: clockid_t) -> (seconds: Int64, nanoseconds: Int64) {
    var time = timespec()
    clock_gettime(clock, &time)
    return (Int64(time.tv_sec), Int64(time.tv_nsec))
  }
}
