public import SeifBytes

/// What the rule would remove at a destination, and why the rest stays.
public struct PrunePlan: Sendable {
  /// What stays and why, newest first.
  public var kept: [(proof: LedgerEvent, reason: Retention.Reason)] = []
  /// What goes, oldest first; nothing where something stands against it.
  public var expired: [LedgerEvent] = []
  /// What would go, where something stands against it, oldest first.
  public var held: [LedgerEvent] = []
  /// Proven backups that aren't there as they were proven, first noticed now, or that can't be read.
  public var lost: [(name: String, state: BackupService.FileState)] = []
  /// The same, known from before: they are left as they are.
  public var knownLost: [String] = []
  /// Files there that the ledger doesn't know, or doesn't know as proven: left alone.
  public var foreign: [String] = []
  /// Why nothing may go.
  public var refusal: Retention.Refusal?

  var files: [[UInt8]: BackupDescriptor] = [:]
}

/// What became of a plan.
public struct PruneReport: Sendable {
  /// What was removed.
  public var pruned: [String] = []
  /// What the destination still has of what should go.
  public var notRemoved: [String] = []
  /// What is gone without having been meant, which is noted.
  public var missing: [String] = []
  /// Whether the destination could be listed afterwards: else nobody knows what it removed.
  public var wasLookedAfter = true
  /// Whether the ledger took every line; nothing goes without one.
  public var isNoted = true

  /// Nothing was done.
  public init() {}

  /// Whether something isn't as it should be, or nobody can tell.
  public var isAlarming: Bool { !(notRemoved.isEmpty && missing.isEmpty && wasLookedAfter && isNoted) }
}

extension BackupService {
  /// Compares every proven file at the destination with its proof and says what the rule would remove. What is newly found
  /// missing or altered is written down, unless it is only a question.
  ///
  /// - Parameters:
  ///   - mayPrune: false for a vault that isn't as it was last written: nothing is removed on its word.
  ///   - isNoting: false: nothing is written.
  /// - Throws: `TransportError`: the destination can't be listed; what the ledger throws.
  public func planPrune(
    rule: RetentionRule, now: Timestamp, mayPrune: Bool, isNoting: Bool, progress: (BackupStage) -> Void = { _ in }
  ) throws -> PrunePlan {
    let events = try ledger.events()
    let history = LedgerHistory(events)
    let proven = history.proven(at: destination)
    let listing = try transport.listBackups()
    var plan = PrunePlan()
    plan.files = Dictionary(listing.map { (Array($0.name.utf8), $0) }) { first, _ in first }
    plan.foreign = listing.map(\.name).filter { history.file(at: destination, named: $0)?.proof == nil }.sorted()
    if !proven.isEmpty { progress(.checking(count: proven.count)) }
    let found = compare(proven, plan.files, notedAt: isNoting ? now : nil)
    plan.lost = found.missing.map { ($0.name, .missing) } + found.altered.map { ($0.name, .altered) }
    plan.lost += found.unread.map { ($0.name, .unread) }
    let intact = Set(found.intact.map { Array($0.name.utf8) })
    let lost = Set(plan.lost.map { Array($0.name.utf8) })
    plan.knownLost = proven.compactMap(\.proof?.name).filter {
      !intact.contains(Array($0.utf8)) && !lost.contains(Array($0.utf8))
    }
    plan.refusal = refusal(found, proven.compactMap(\.proof), events.last?.at, now, mayPrune: mayPrune)
    let kept = Retention.kept(found.intact, rule: rule)
    plan.kept = found.intact.reversed().compactMap { proof in kept[proof].map { (proof, $0) } }
    let expired = Retention.expired(found.intact, rule: rule)
    if plan.refusal == nil { plan.expired = expired } else { plan.held = expired }
    return plan
  }

  private func refusal(
    _ found: Comparison, _ proven: [LedgerEvent], _ lastEntry: Timestamp?, _ now: Timestamp, mayPrune: Bool
  ) -> Retention.Refusal? {
    if !mayPrune { return .vaultFaults }
    if !found.isNoted { return .ledger }
    if found.lostCount > 0 { return .notAsProven(found.lostCount) }
    guard let newest = proven.last else { return nil }
    // One that the ledger knows as lost, and that nobody replaced: the older ones are all there is.
    guard found.intact.contains(newest) else { return .notProven }
    return Retention.refusal(
      newest: newest.asProven, previous: proven.dropLast().last, lastEntry: lastEntry, now: now)
  }

  /// Removes what a plan says, each after a line in the ledger, and looks what is there afterwards.
  public func prune(_ plan: PrunePlan, now: Timestamp) -> PruneReport {
    var report = PruneReport()
    guard plan.refusal == nil else { return report }
    for event in plan.expired {
      guard let file = plan.files[Array(event.name.utf8)] else { continue }
      switch prune(event, file, now) {
      case .removed: report.pruned.append(event.name)
      case .there: report.notRemoved.append(event.name)
      case .notNoted:
        report.isNoted = false
        return report
      }
    }
    guard !report.pruned.isEmpty else { return report }
    guard let after = listAfterwards(report.pruned, plan.kept.map(\.proof), at: now) else {
      report.wasLookedAfter = false
      return report
    }
    report.notRemoved += after.there
    report.pruned.removeAll { after.there.contains($0) }
    report.missing = after.missing
    return report
  }
}

extension LedgerEvent {
  // What a drill says again stands for the proof that it says again.
  fileprivate var asProven: LedgerEvent {
    var event = self
    event.kind = .proven
    return event
  }
}
