private import CSeif
private import Glibc
public import SeifBytes

extension Timestamp {
  /// The system clock's moment.
  public static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let (milliseconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1000)
    return Timestamp(milliseconds: overflow ? .max : milliseconds + Int64(time.tv_nsec) / 1_000_000)
  }
}
