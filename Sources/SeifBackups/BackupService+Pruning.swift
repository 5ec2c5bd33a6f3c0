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
  /// What the person takes for right, where something stood against it: noted before anything goes.
  public var accepted: Set<Acceptance> = []
  /// What of the lost is let go of.
  public var letGo: [LedgerEvent] = []
  /// What was sent once and never proven, and lies there as it was sent, where a person wants it to go; oldest first.
  public var unproven: [LedgerEvent] { leftovers.map(\.proof) }
  /// The same where other bytes lie there than were sent: somebody else's, or a part. Left alone.
  public var unprovenElse: [String] = []
  /// Files there that the ledger doesn't know, or doesn't know as proven: left alone.
  public var foreign: [String] = []
  /// Why nothing may go.
  public var refusal: Retention.Refusal?

  var intact: [BackupService.Intact] = []
  var leftovers: [BackupService.Intact] = []
  var newest: LedgerEvent?

  /// Whether there is nothing to do.
  public var isEmpty: Bool { expired.isEmpty && letGo.isEmpty && accepted.isEmpty && leftovers.isEmpty }

  /// Whether another plan would do the same.
  public func does(theSameAs other: PrunePlan) -> Bool {
    expired == other.expired && letGo == other.letGo && accepted == other.accepted && refusal == other.refusal
      && unproven == other.unproven
  }
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
  ///   - accepting: what the person takes for right; noted by `prune`, where something stood against it.
  ///   - unprovenToo: whether what was sent and never proven goes too; never where something stands against removing.
  ///   - isNoting: false: nothing is written.
  /// - Throws: `TransportError`: the destination can't be listed; what the ledger throws.
  public func planPrune(
    rule: RetentionRule, now: Timestamp, mayPrune: Bool, accepting: Set<Acceptance> = [],
    unprovenToo: Bool = false, isNoting: Bool, progress: (BackupStage) -> Void = { _ in }
  ) throws -> PrunePlan {
    let events = try ledger.events()
    let history = LedgerHistory(events)
    let proven = history.proven(at: destination)
    let listing = try transport.listBackups()
    var plan = PrunePlan()
    if !proven.isEmpty { progress(.checking(count: proven.count)) }
    let found = compare(proven, listing, notedAt: isNoting ? now : nil)
    plan.intact = found.intact
    plan.newest = proven.last?.proof
    plan.foreign = listing.filter { file in
      history.file(at: destination, named: file.name)?.proof == nil || found.isTwin(file)
    }.map(\.name).sorted()
    plan.lost = found.missing.map { ($0.name, .missing) } + found.altered.map { ($0.name, .altered) }
    plan.lost += found.unread.map { ($0.name, .unread) }
    plan.knownLost = found.known.map(\.name)
    stand(found, against: &plan, events, now, mayPrune: mayPrune, accepting)
    let intact = found.intact.map(\.proof)
    let kept = Retention.kept(intact, rule: rule)
    plan.kept = intact.reversed().compactMap { proof in kept[proof].map { (proof, $0) } }
    let expired = Retention.expired(intact, rule: rule).filter { $0 != plan.newest }
    if plan.refusal == nil { plan.expired = expired } else { plan.held = expired }
    if unprovenToo { findUnproven(history, listing, &plan) }
    return plan
  }

  private func findUnproven(_ history: LedgerHistory, _ listing: [BackupDescriptor], _ plan: inout PrunePlan) {
    for sent in history.all(at: destination).filter(\.isUnproven).compactMap(\.sent) {
      let found = Self.fetch(sent, listing, over: transport)
      switch found.state {
      case .intact:
        // What is all there may be is no leftover while something stands against removing anything.
        guard plan.refusal == nil, let file = found.file else { continue }
        plan.leftovers.append(Intact(proof: sent, file: file))
        plan.foreign.removeAll { $0.utf8.elementsEqual(sent.name.utf8) }
      case .missing: break
      case .altered, .unread: plan.unprovenElse.append(sent.name)
      }
    }
  }

  private func stand(
    _ found: Comparison, against plan: inout PrunePlan, _ events: [LedgerEvent], _ now: Timestamp, mayPrune: Bool,
    _ accepting: Set<Acceptance>
  ) {
    guard mayPrune else { return plan.refusal = .vaultFaults }
    guard found.isNoted else { return plan.refusal = .ledger }
    guard let newest = plan.newest else { return }
    let lost = found.missing + found.altered + found.known
    // The newest is never let go of: the older ones are all there is, until a new one is proven.
    let letGo = accepting.contains(.lost) ? lost.filter { $0 != newest } : []
    let count = lost.count - letGo.count + found.unread.count
    if count > 0 {
      return plan.refusal = accepting.contains(.lost) && found.unread.isEmpty ? .notProven : .notAsProven(count)
    }
    let marks = LedgerMarks(events, at: destination, besides: newest.name)
    let against = Retention.refusals(newest: newest.asProven, marks: marks, now: now)
    plan.refusal = against.first { refusal in refusal.acceptance.map { !accepting.contains($0) } ?? true }
    guard plan.refusal == nil else { return }
    (plan.letGo, plan.accepted) = (letGo, Set(against.compactMap(\.acceptance)))
  }

  /// Notes what a plan accepts, removes what it says, each after a line in the ledger, and looks what is there afterwards.
  public func prune(_ plan: PrunePlan, now: Timestamp) -> PruneReport {
    var report = PruneReport()
    guard plan.refusal == nil else { return report }
    if let newest = plan.newest {
      guard accept(plan.accepted, with: newest, at: now), letGo(plan.letGo, now) else {
        report.isNoted = false
        return report
      }
    }
    let expired = Set(plan.expired)
    var removed: [Intact] = []
    for file in plan.leftovers + plan.intact.filter({ expired.contains($0.proof) }) {
      switch prune(file, now) {
      case .removed: removed.append(file)
      case .there: report.notRemoved.append(file.proof.name)
      case .notNoted:
        report.pruned = removed.map(\.proof.name)
        report.isNoted = false
        return report
      }
    }
    report.pruned = removed.map(\.proof.name)
    guard !removed.isEmpty else { return report }
    guard let after = listAfterwards(removed, plan.kept.map(\.proof), at: now) else {
      report.wasLookedAfter = false
      return report
    }
    report.notRemoved += after.there
    report.pruned.removeAll { after.there.contains($0) }
    report.missing = after.missing
    return report
  }

  // As if the rule had removed them: whatever lies there under their names is a file like any other from now on.
  private func letGo(_ lost: [LedgerEvent], _ now: Timestamp) -> Bool {
    for var event in lost {
      (event.kind, event.at) = (.pruned, now)
      do { try ledger.append(event, records: nil) } catch { return false }
    }
    return true
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
