internal import SeifCommandLine
internal import SeifAgent

/// `--lock-after`: when a vault locks by itself.
enum LockTime {
  static let option = Option.value(
    "lock-after", "TIME", "lock after so long without use: 90s, 5m (usual), 1h; or immediately")

  /// - Throws: for anything but `immediately` and a whole number of seconds, minutes or hours up to a day.
  static func read(_ arguments: ParsedArguments) throws(UsageError) -> LockAfter? {
    guard let text = arguments.value(option) else { return nil }
    if text == "immediately" { return .use }
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600]
    guard let letter = text.last, let unit = units[letter], let number = Int64(text.dropLast()), text.first != "+",
      number > 0
    else { throw UsageError("--lock-after takes 90s, 5m, 1h or immediately") }
    let (seconds, overflow) = number.multipliedReportingOverflow(by: unit)
    guard !overflow, seconds <= LockAfter.longest else { throw UsageError("--lock-after takes at most 24h") }
    return .seconds(seconds)
  }

  /// `in 4 min`, from milliseconds; nil: with the first command that uses the vault.
  static func left(_ milliseconds: Int64?) -> String {
    guard let milliseconds else { return "after its first use" }
    return "in " + duration((milliseconds + 999) / 1000)
  }

  /// `5 min`.
  static func duration(_ seconds: Int64) -> String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\((seconds + 59) / 60) min"
    default: "\((seconds + 3599) / 3600) h"
    }
  }
}
