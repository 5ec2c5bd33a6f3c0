/// A point in time in whole milliseconds since 1970-01-01T00:00:00Z, from the year 0 to 9999.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970, negative before.
  public let milliseconds: Int64

  /// The first and last moment that four digits of a year can say.
  public static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// The moment so many milliseconds after 1970, held inside `range`.
  public init(milliseconds: Int64) {
    self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
  }

  /// The moment so many seconds after 1970, held inside `range`.
  public init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    self.init(milliseconds: overflow ? (seconds < 0 ? .min : .max) : product)
  }

  /// Whole seconds since 1970, rounded down.
  public var seconds: Int64 { Self.floorDivide(milliseconds, 1000) }

  /// The moment cut to whole seconds.
  public var wholeSeconds: Timestamp { Timestamp(seconds: seconds) }

  /// Whether one is earlier than the other.
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// The moment that an RFC 3339 text names: `T` and `Z` in either case or an offset, 0 to 9 digits of a fraction (cut
  /// to milliseconds), seconds 0 to 59. Nil for anything else.
  public init?(rfc3339 text: String) {
    // Bytes, not characters: a digit with a combining mark is one character, between two digits in order.
    let bytes = text.utf8Span.span
    var position = 0
    func peek() -> UInt8 { position < bytes.count ? bytes[position] : 0 }
    func digit() -> Int64? {
      guard (0x30...0x39).contains(peek()) else { return nil }
      defer { position += 1 }
      return Int64(bytes[position] - 0x30)
    }
    func number(_ digits: Int, _ range: ClosedRange<Int64>) -> Int64? {
      var value: Int64 = 0
      for _ in 0..<digits {
        guard let digit = digit() else { return nil }
        value = value * 10 + digit
      }
      return range.contains(value) ? value : nil
    }
    func skip(_ characters: StaticString) -> Bool {
      let isOne = (0..<characters.utf8CodeUnitCount).contains { unsafe characters.utf8Start[$0] == peek() }
      if isOne { position += 1 }
      return isOne
    }
    guard let year = number(4, 0...9999), skip("-"), let month = number(2, 1...12), skip("-"),
      let day = number(2, 1...Self.daysIn(month: month, year: year)), skip("Tt"),
      let hour = number(2, 0...23), skip(":"), let minute = number(2, 0...59), skip(":"),
      let second = number(2, 0...59)
    else { return nil }
    var fraction: Int64 = 0
    if skip(".") {
      var count = 0
      while let digit = digit() {
        if count < 3 { fraction = fraction * 10 + digit }
        count += 1
      }
      guard (1...9).contains(count) else { return nil }
      for _ in 0..<max(0, 3 - count) { fraction *= 10 }
    }
    var offset: Int64 = 0
    if !skip("Zz") {
      let isWest = peek() == 0x2D
      guard skip("+-"), let hours = number(2, 0...23), skip(":"), let minutes = number(2, 0...59) else { return nil }
      offset = (hours * 60 + minutes) * (isWest ? -1 : 1)
    }
    guard position == bytes.count else { return nil }
    let days = Self.days(year: year, month: month, day: day)
    let value = ((days * 24 + hour) * 60 + minute - offset) * 60_000 + second * 1000 + fraction
    guard Self.range.contains(value) else { return nil }
    milliseconds = value
  }

  /// `2026-09-17T08:15:30Z`: UTC, whole seconds.
  public var rfc3339: String { text(fraction: false) }
  /// `2026-09-17T08:15:30.000Z`: UTC, milliseconds.
  public var rfc3339Milliseconds: String { text(fraction: true) }

  private func text(fraction: Bool) -> String {
    let total = seconds
    let day = Self.floorDivide(total, 86400)
    let (year, month, date) = Self.civil(days: day)
    let rest = total - day * 86400
    func padded(_ value: Int64, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let clock = "\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
    let tail = fraction ? ".\(padded(milliseconds - total * 1000, 3))Z" : "Z"
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))T\(clock)\(tail)"
  }

  // Days and dates of the proleptic Gregorian calendar, counted in eras of 400 years from 1 March of year 0.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let index = (5 * dayOfYear + 2) / 153
    let month = index < 10 ? index + 3 : index - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * index + 2) / 5 + 1)
  }

  private static func floorDivide(_ number: Int64, _ divisor: Int64) -> Int64 {
    (number - (number % divisor + divisor) % divisor) / divisor
  }

  private static func daysIn(month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
