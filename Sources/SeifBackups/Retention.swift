public import SeifBytes
public import SeifRecords

/// How many proven backups stay.
public struct RetentionRule: Sendable, Hashable {
  /// The newest.
  public var last = 10
  /// One a day, for so many days.
  public var daily = 7
  /// One a week, for so many weeks.
  public var weekly = 4
  /// One a month, for so many months.
  public var monthly = 12

  /// Ten, and one for each of 7 days, 4 weeks and 12 months.
  public init() {}
}

/// Which old backups may go. Only files that the ledger holds as proven and that lie unchanged are looked at.
public enum Retention {
  /// Proven backups that stay whatever the rule says.
  public static let alwaysKept = 3

  /// Why nothing is deleted.
  public enum Refusal: Sendable, Hashable, CustomStringConvertible {
    /// The newest backup isn't proven, or the destination doesn't list it.
    case notProven
    /// The vault isn't as it was last written, or is an older copy.
    case vaultFaults
    /// So many proven backups are missing, altered or can't be read.
    case notAsProven(Int)
    /// The ledger couldn't be written.
    case ledger
    /// A list has more than a fifth or ten entries fewer than in a proven backup that is still kept.
    case shrunk(RecordKind, from: Int, to: Int)
    /// The clock stands before a time of the ledger.
    case clockBehind
    /// The clock stands over 30 days after all times of the ledger.
    case clockAhead

    /// The word of a person by which it no longer stands against anything; nil: only mending helps.
    public var acceptance: Acceptance? {
      switch self {
      case .notAsProven: .lost
      case .shrunk: .shrunk
      case .clockBehind, .clockAhead: .clock
      case .notProven, .vaultFaults, .ledger: nil
      }
    }

    public var description: String {
      switch self {
      case .notProven: "the newest backup isn't proven, or isn't there as it was proven"
      case .vaultFaults: "the vault isn't as it was last written"
      case .notAsProven(let count):
        count == 1
          ? "a proven backup isn't there as it was proven, or can't be read"
          : "\(count) proven backups aren't there as they were proven, or can't be read"
      case .ledger: "the vault's ledger can't be written"
      case .shrunk(let kind, let before, let now):
        "the vault has \(now) of \(kind.rawValue) where a backup that is kept has \(before)"
      case .clockBehind: "the clock stands before a time that is in the ledger"
      case .clockAhead: "the clock stands more than 30 days after all times of the ledger"
      }
    }
  }

  /// What stands against deleting anything; empty: nothing.
  public static func refusals(newest: LedgerEvent, marks: LedgerMarks, now: Timestamp) -> [Refusal] {
    guard newest.kind == .proven else { return [.notProven] }
    var refusals: [Refusal] = []
    if let highest = marks.highest {
      if now < highest { refusals.append(.clockBehind) }
      if now.seconds - highest.seconds > 30 * 86_400 { refusals.append(.clockAhead) }
    }
    for kind in RecordKind.allCases {
      let (before, after) = (marks.counts[kind] ?? 0, newest.counts[kind] ?? 0)
      if before - after > 10 || Double(before - after) > Double(before) * 0.2 {
        refusals.append(.shrunk(kind, from: before, to: after))
      }
    }
    return refusals
  }

  /// Why a proven backup stays.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// It is among the newest.
    case last
    /// It is the newest of its day, week or month.
    case daily, weekly, monthly
    /// Three stay whatever the rule says.
    case always
  }

  /// The proven events whose files may go, oldest first. The rule holds for each format by itself: a snapshot made by a
  /// timer takes no place from a backup that a person made.
  ///
  /// - Parameter proven: in the ledger's order, oldest first. Times say only for which day, week and month one stands: a
  ///   clock that stood back doesn't make the newest the oldest.
  public static func expired(_ proven: [LedgerEvent], rule: RetentionRule) -> [LedgerEvent] {
    let kept = kept(proven, rule: rule)
    return proven.filter { kept[$0] == nil }
  }

  /// The proven events whose files stay, each with the first reason for it; of each format by itself.
  public static func kept(_ proven: [LedgerEvent], rule: RetentionRule) -> [LedgerEvent: Reason] {
    Dictionary(grouping: proven) { $0.format.prefix { $0 != "-" } }.values
      .reduce(into: [:]) { kept, events in kept.merge(self.kept(ofOneFormat: events, rule)) { first, _ in first } }
  }

  private static func kept(ofOneFormat proven: [LedgerEvent], _ rule: RetentionRule) -> [LedgerEvent: Reason] {
    let newestFirst = proven.reversed()
    var kept: [LedgerEvent: Reason] = [:]
    func keep(_ event: LedgerEvent, _ reason: Reason) { if kept[event] == nil { kept[event] = reason } }
    for event in newestFirst.prefix(max(rule.last, 0)) { keep(event, .last) }
    for event in newestFirst.prefix(alwaysKept) { keep(event, .always) }
    func keepOne(per seconds: Int64, _ count: Int, _ reason: Reason) {
      var seen = Set<Int64>()
      for event in newestFirst where seen.count < count && seen.insert(event.at.seconds / seconds).inserted {
        keep(event, reason)
      }
    }
    keepOne(per: 86_400, rule.daily, .daily)
    keepOne(per: 7 * 86_400, rule.weekly, .weekly)
    var months = Set<String>()
    for event in newestFirst where months.count < rule.monthly {
      if months.insert(String(event.at.rfc3339.prefix(7))).inserted { keep(event, .monthly) }
    }
    return kept
  }
}
