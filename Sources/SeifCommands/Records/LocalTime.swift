internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifBytes

/// Times for people: local, with the offset from UTC.
enum LocalTime {
  /// `2026-09-17 10:15:30 +02:00`.
  static func text(_ time: Timestamp) -> String {
    var seconds = time_t(time.seconds)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return time.rfc3339 }
    let offset = Int64(parts.tm_gmtoff)
    let local = Timestamp(seconds: time.seconds + offset).rfc3339
    let minutes = abs(offset) / 60
    func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
    let sign = offset < 0 ? "-" : "+"
    return "\(local.prefix(10)) \(local.dropFirst(11).prefix(8)) \(sign)\(two(minutes / 60)):\(two(minutes % 60))"
  }

  /// `just now`, `5 min ago`, `3 h ago`, `2 d ago`; a time to come as itself.
  static func age(_ time: Timestamp, now: Timestamp) -> String {
    let seconds = now.seconds - time.seconds
    switch seconds {
    case ..<0: return text(time)
    case ..<60: return "just now"
    case ..<3600: return "\(seconds / 60) min ago"
    case ..<86_400: return "\(seconds / 3600) h ago"
    default: return "\(seconds / 86_400) d ago"
    }
  }
}
