internal import CSeif
internal import Glibc

/// Milliseconds since the machine started, its sleep included: a lid that was closed doesn't lengthen a secret's stay.
enum Moment {
  static var now: Int64 { seif_milliseconds_since_boot() }
}

/// Waiting for descriptors.
enum Wait {
  /// Whether something can be read before a moment. Looks at the clock each second: a wait doesn't count the machine's
  /// sleep, and the moment does.
  static func readable(_ descriptor: Int32, until end: Int64) -> Bool { ready(descriptor, POLLIN, until: end) }

  static func writable(_ descriptor: Int32, until end: Int64) -> Bool { ready(descriptor, POLLOUT, until: end) }

  private static func ready(_ descriptor: Int32, _ events: Int32, until end: Int64) -> Bool {
    while true {
      let left = end - Moment.now
      if left <= 0 { return false }
      var poller = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let count = poll(&poller, 1, Int32(min(left, 1000)))
      if count > 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
  }
}
