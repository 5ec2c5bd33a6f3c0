internal import CSeif
internal import Glibc

/// A moment on the clock that also runs while the machine sleeps.
package struct Deadline: Sendable, Equatable {
  private let milliseconds: Int64

  /// So many milliseconds from now.
  package init(in milliseconds: Int64) {
    let (sum, overflow) = Self.now.addingReportingOverflow(milliseconds)
    self.milliseconds = overflow ? .max : sum
  }

  /// Milliseconds since the machine started.
  package static var now: Int64 { seif_milliseconds_since_boot() }

  package var millisecondsLeft: Int64 { max(0, milliseconds - Self.now) }
  package var isOver: Bool { millisecondsLeft == 0 }

  /// For `poll`: what is left, at most a day.
  package var pollTimeout: Int32 { Int32(min(millisecondsLeft, 86_400_000)) }
}

/// Waits until one of `events` can happen on a descriptor.
///
/// - Returns: false if the deadline came first.
package func waitFor(_ events: Int32, on descriptor: Int32, until deadline: Deadline?) -> Bool {
  while true {
    var poller = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
    let result = poll(&poller, 1, deadline?.pollTimeout ?? -1)
    if result > 0 { return true }
    // A signal that arrived is no reason to give up; any other failure shows at the read or write that follows.
    if result < 0, errno != EINTR { return true }
    if let deadline, deadline.isOver { return false }
  }
}
