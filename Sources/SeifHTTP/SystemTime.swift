internal import Glibc

/// The system's clock and its waiting.
enum SystemTime {
  static func now() -> Int64 { Int64(time(nil)) }

  static func sleep(milliseconds: Int) {
    // Woken by a signal it goes on a little early, which does no harm.
    usleep(UInt32(clamping: milliseconds.multipliedReportingOverflow(by: 1000).partialValue))
  }
}
