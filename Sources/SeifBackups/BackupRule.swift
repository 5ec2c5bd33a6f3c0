public import SeifBytes

/// How old the last proven backup may be, in how many places one must lie, and how often a person opens one.
public struct BackupRule: Sendable, Hashable, CustomStringConvertible {
  /// So many seconds old the newest proof of a place may be.
  public var seconds: Int64
  /// In so many places.
  public var places: Int
  /// So many seconds may pass between two drills of a person; nil: none is asked for.
  public var drillSeconds: Int64?

  /// Hours, in seconds: shorter intervals than one aren't kept by anybody.
  public static let intervals: ClosedRange<Int64> = 3_600...3_650 * 86_400
  /// How many places can be asked for.
  public static let placeCounts = 1...16
  /// A drill twice a year, where nothing else is said.
  public static let usualDrill: Int64 = 180 * 86_400

  /// Every day in two places, with two drills a year.
  public init(seconds: Int64 = 86_400, places: Int = 2, drillSeconds: Int64? = Self.usualDrill) {
    self.seconds = seconds
    self.places = places
    self.drillSeconds = drillSeconds
  }

  /// `24h in 2 places`, `7d in 1 place, drill 90d`, `24h in 2 places, no drill`; nil for any other text, and for numbers
  /// out of their ranges. Without a word of drills they are as usual.
  public init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(Self.words)
    guard let rule = parts.first, rule.count == 4, parts.count <= 2, rule[1] == "in",
      let seconds = Self.seconds(rule[0]), let places = Self.number(rule[2]),
      Self.placeCounts.contains(Int(clamping: places)), rule[3] == (places == 1 ? "place" : "places")
    else { return nil }
    self.init(seconds: seconds, places: Int(clamping: places))
    guard parts.count == 2 else { return }
    switch (parts[1].first, parts[1].last) {
    case ("no", "drill") where parts[1].count == 2: drillSeconds = nil
    case ("drill", let time?) where parts[1].count == 2:
      guard let seconds = Self.seconds(time) else { return nil }
      drillSeconds = seconds
    default: return nil
    }
  }

  public var description: String {
    let drill = drillSeconds.map { "drill \(Self.text($0))" } ?? "no drill"
    return "\(Self.text(seconds)) in \(places) \(places == 1 ? "place" : "places"), \(drill)"
  }

  /// What keeps both: of two that are said, neither can loosen the other.
  public func stricter(_ other: BackupRule) -> BackupRule {
    let drills = [drillSeconds, other.drillSeconds].compactMap { $0 }
    return BackupRule(
      seconds: min(seconds, other.seconds), places: max(places, other.places), drillSeconds: drills.min())
  }

  // MARK: - Times

  /// The seconds of `24h` or `7d`, within `intervals`; nil for any other text.
  public static func seconds(_ text: String) -> Int64? {
    let units: [Character: Int64] = ["h": 3_600, "d": 86_400]
    guard let letter = text.last, let unit = units[letter], let count = number(String(text.dropLast())) else {
      return nil
    }
    let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
    return !overflow && intervals.contains(seconds) ? seconds : nil
  }

  /// The text of so many seconds: whole days from two on, else hours.
  public static func text(_ seconds: Int64) -> String {
    seconds >= 2 * 86_400 && seconds % 86_400 == 0 ? "\(seconds / 86_400)d" : "\(seconds / 3_600)h"
  }

  private static func number(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
  }

  private static func words(_ text: Substring) -> [String] { text.split(separator: " ").map(String.init) }
}

extension BackupRule {
  /// Why a rule isn't kept.
  public enum Fault: Sendable, Hashable {
    /// Only so many places have a proof that is new enough.
    case tooFewPlaces(Int)
    /// The last drill of a person was then, or there was none.
    case drill(last: Timestamp?)
    /// The clock stands before the ledger's last entry: no age can be told.
    case clockBehind
  }

  /// Whether the newest proof of a place is new enough by this rule.
  public func isKept(at place: PlaceStanding, now: Timestamp) -> Bool {
    guard place.lost == nil, let since = place.ageSince, since <= now else { return false }
    return now.seconds - since.seconds <= seconds
  }

  /// What of it isn't kept; empty: it is.
  public func faults(_ overview: BackupOverview, now: Timestamp) -> [Fault] {
    if let last = overview.lastEntryAt, now < last { return [.clockBehind] }
    var faults: [Fault] = []
    let kept = overview.places.count { isKept(at: $0, now: now) }
    if kept < places { faults.append(.tooFewPlaces(kept)) }
    // Whoever never had a drill has the time of one from the first backup on.
    if let drillSeconds, let since = overview.drilledAt ?? overview.firstProvenAt,
      now.seconds - since.seconds > drillSeconds
    {
      faults.append(.drill(last: overview.drilledAt))
    }
    return faults
  }
}
