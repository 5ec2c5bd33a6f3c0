/// Times in fields of a head.
package enum HTTPDate {
  /// The seconds that a `Retry-After` asks for: a number, or a moment (RFC 9110 §10.2.3); never negative. Nil: neither.
  package static func secondsToWait(_ text: String, now: Int64) -> Int64? {
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return text.utf8.count <= 9 ? Int64(text) : .max
    }
    guard let moment = seconds(text) else { return nil }
    let (wait, overflow) = moment.subtractingReportingOverflow(now)
    return overflow ? nil : max(0, wait)
  }

  /// The seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that is still written (RFC 9110 §5.6.7).
  package static func seconds(_ text: String) -> Int64? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT",
      let day = number(parts[1], 2, 1...31), let month = months.firstIndex(of: parts[2]),
      let year = number(parts[3], 4, 1970...9999)
    else { return nil }
    let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard clock.count == 3, let hour = number(clock[0], 2, 0...23), let minute = number(clock[1], 2, 0...59),
      let second = number(clock[2], 2, 0...60)
    else { return nil }
    // Days by the calendar whose years begin in March, so that a leap day is a year's last.
    let shifted = Int64(month + 1) - 3 < 0 ? Int64(month + 1) + 9 : Int64(month + 1) - 3
    let years = year - (month < 2 ? 1 : 0)
    let days = years * 365 + years / 4 - years / 100 + years / 400 + (153 * shifted + 2) / 5 + day - 1 - 719_468
    return days * 86_400 + hour * 3600 + minute * 60 + second
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func number(_ text: String, _ digits: Int, _ range: ClosedRange<Int64>) -> Int64? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int64(text),
      range.contains(value)
    else { return nil }
    return value
  }
}
