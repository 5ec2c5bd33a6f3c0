public import SeifBytes
internal import SeifCrypto

extension BackupService {
  /// How a file is, beside its proof.
  public enum FileState: Sendable, Hashable {
    /// Byte for byte what was proven.
    case intact
    /// Not there.
    case missing
    /// There with other bytes.
    case altered
    /// There, and it couldn't be read.
    case unread
  }

  /// Fetches a proven file and compares it with its proof; one of another size isn't fetched.
  ///
  /// - Parameter file: as the transport lists it now, nil if it doesn't.
  public static func check(
    _ proof: LedgerEvent, _ file: BackupDescriptor?, over transport: any BackupTransport
  ) -> FileState {
    guard let file else { return .missing }
    return fetch(proof, [file], over: transport).state
  }

  /// Fetches a proven file and compares it with its proof; one of another size isn't fetched.
  ///
  /// - Parameter files: all that the transport lists now; of several with the name one that is as it was proven is enough.
  /// - Returns: the bytes, and which file it is, only of one that is intact.
  public static func fetch(
    _ proof: LedgerEvent, _ files: [BackupDescriptor], over transport: any BackupTransport
  ) -> (state: FileState, content: SecretValue?, file: BackupDescriptor?) {
    var state = FileState.missing
    for file in files where file.name.utf8.elementsEqual(proof.name.utf8) {
      if let byteCount = file.byteCount, byteCount != proof.byteCount {
        state = .altered
        continue
      }
      do {
        let bytes = try transport.download(id: file.id, limit: FormatLimits.fileByteCount)
        if bytes.withBytes({ Digest.sha256($0) }) == proof.sha256 { return (.intact, bytes, file) }
        state = .altered
      } catch {
        switch error.code {
        case .notFound: break
        case .tooLarge: state = .altered
        default: if state == .missing { state = .unread }
        }
      }
    }
    return (state, nil, nil)
  }

  /// The proven events that nothing was found against: no later event says that their file went or changed.
  public static func standing(_ events: [LedgerEvent]) -> [LedgerEvent] { LedgerHistory(events).standing }

  // Throws nothing of the ledger's: the backup is proven, whatever becomes of older ones.
  func retain(
    _ report: inout BackupReport, before: [LedgerEvent], _ rule: RetentionRule, mayPrune: Bool,
    accepting: Set<Acceptance>, _ progress: (BackupStage) -> Void
  ) {
    let (proof, now) = (report.proof, report.proof.at)
    // Read anew: another backup to this place may have ended meanwhile.
    guard let events = try? ledger.events() else { return report.refusal = mayPrune ? .ledger : .vaultFaults }
    let history = LedgerHistory(events)
    let earlier = history.proven(at: destination).filter { !$0.last.name.utf8.elementsEqual(proof.name.utf8) }
    let listing: [BackupDescriptor]
    do {
      listing = try transport.listBackups()
    } catch {
      report.unread = earlier.map(\.last.name)
      report.refusal = mayPrune ? .notAsProven(max(1, report.unread.count)) : .vaultFaults
      return
    }
    if !earlier.isEmpty { progress(.checking(count: earlier.count)) }
    let found = compare(earlier, listing, notedAt: now)
    report.missing += found.missing.map(\.name)
    report.altered += found.altered.map(\.name)
    report.unread += found.unread.map(\.name)
    report.isListed = listing.contains { $0.name.utf8.elementsEqual(proof.name.utf8) }
    report.foreign = listing.filter { file in
      guard !file.name.utf8.elementsEqual(proof.name.utf8) else { return false }
      let known = history.file(at: destination, named: file.name)
      return known == nil || known?.last.kind == .pruned || found.isTwin(file)
    }.map(\.name).sorted()

    var marks = LedgerMarks(events, at: destination, besides: proof.name)
    // What this run noted has its own time.
    marks.highest = LedgerMarks.highest(before)
    let against = Retention.refusals(newest: proof, marks: marks, now: now)
    report.refusal =
      refusal(report, found, mayPrune: mayPrune)
      ?? against.first { refusal in refusal.acceptance.map { !accepting.contains($0) } ?? true }
    guard report.refusal == nil else { return }
    guard accept(Set(against.compactMap(\.acceptance)), with: proof, at: now) else { return report.refusal = .ledger }
    remove(found.intact, &report, rule)
  }

  private func refusal(_ report: BackupReport, _ found: Comparison, mayPrune: Bool) -> Retention.Refusal? {
    if !mayPrune { return .vaultFaults }
    if !found.isNoted { return .ledger }
    let lost = report.missing.count + report.altered.count + report.unread.count + found.known.count
    if lost > 0 { return .notAsProven(lost) }
    return report.isListed ? nil : .notProven
  }

  private func remove(_ intact: [Intact], _ report: inout BackupReport, _ rule: RetentionRule) {
    let proof = report.proof
    // The rule can't name the proof just made, the last of the ledger's; should it all the same, that one stays.
    let expired = Set(Retention.expired(intact.map(\.proof) + [proof], rule: rule)).subtracting([proof])
    var removed: [Intact] = []
    for file in intact where expired.contains(file.proof) {
      switch prune(file, proof.at) {
      case .removed: removed.append(file)
      case .there: report.notRemoved.append(file.proof.name)
      case .notNoted:
        report.pruned = removed.map(\.proof.name)
        return report.refusal = .ledger
      }
    }
    report.pruned = removed.map(\.proof.name)
    guard !removed.isEmpty else { return }
    // What was told to go is gone, and what was told to stay is there: a place's word isn't taken for it.
    let kept = [proof] + intact.map(\.proof).filter { !expired.contains($0) }
    guard let after = listAfterwards(removed, kept, at: proof.at) else {
      report.wasLookedAfter = false
      return
    }
    report.notRemoved += after.there
    report.pruned.removeAll { after.there.contains($0) }
    report.missing += after.missing
  }
}

// What a backup and `prune` have in common.
extension BackupService {
  /// A file that is as it was proven, and which one of the place's it is: where two have one name, the one whose bytes
  /// these are.
  struct Intact: Sendable {
    var proof: LedgerEvent
    var file: BackupDescriptor
  }

  /// Proven files beside their proofs.
  struct Comparison {
    var intact: [Intact] = []
    /// Newly found so: an alarm.
    var missing: [LedgerEvent] = []
    var altered: [LedgerEvent] = []
    var unread: [LedgerEvent] = []
    /// Missing or altered, which the ledger has already: no alarm again, and still a reason to remove nothing.
    var known: [LedgerEvent] = []
    /// Whether all that was found could be written down.
    var isNoted = true

    /// Whether a file has the name of one that is as it was proven, and is another.
    func isTwin(_ file: BackupDescriptor) -> Bool {
      intact.contains { $0.proof.name.utf8.elementsEqual(file.name.utf8) && $0.file.id != file.id }
    }
  }

  /// Fetches each once, all before the first is removed: what stays must be known to be good.
  ///
  /// - Parameter notedAt: the time at which what is found is written down; nil: it isn't.
  func compare(_ files: [LedgerHistory.File], _ listing: [BackupDescriptor], notedAt now: Timestamp?) -> Comparison {
    var result = Comparison()
    let named = Dictionary(grouping: listing) { Array($0.name.utf8) }
    for file in files {
      guard let proof = file.proof else { continue }
      let fetched = Self.fetch(proof, named[Array(proof.name.utf8)] ?? [], over: transport)
      switch fetched.state {
      case .intact:
        if let file = fetched.file { result.intact.append(Intact(proof: proof, file: file)) }
      case .unread: result.unread.append(proof)
      case .missing, .altered:
        let kind: LedgerEvent.Kind = fetched.state == .missing ? .missing : .altered
        if file.flag == kind {
          result.known.append(proof)
          continue
        }
        if readHistory()?.file(at: destination, named: proof.name)?.last.kind == .pruned { continue }
        if let now {
          var event = proof
          (event.kind, event.at) = (kind, now)
          do { try ledger.append(event, records: nil) } catch { result.isNoted = false }
        }
        if kind == .missing { result.missing.append(proof) } else { result.altered.append(proof) }
      }
    }
    return result
  }

  /// Writes down what a person takes for right, so that it holds from now on; false: it couldn't be.
  func accept(_ acceptances: Set<Acceptance>, with proof: LedgerEvent, at now: Timestamp) -> Bool {
    for acceptance in Acceptance.allCases where acceptances.contains(acceptance) {
      do {
        try ledger.append(.accepting(acceptance, with: proof, at: now), records: nil)
      } catch {
        return false
      }
    }
    return true
  }

  enum Removal { case removed, there, notNoted }

  /// Written down before the file goes: a file that is gone without a word is an alarm.
  func prune(_ intact: Intact, _ now: Timestamp) -> Removal {
    var pruned = intact.proof
    (pruned.kind, pruned.at) = (.pruned, now)
    do { try ledger.append(pruned, records: nil) } catch { return .notNoted }
    do {
      try transport.delete(id: intact.file.id)
      return .removed
    } catch {
      return error.code == .notFound ? .removed : .there
    }
  }

  /// What the place still has of what was removed, and no longer has of what was kept, which is noted; nil: it can't be
  /// listed.
  func listAfterwards(
    _ removed: [Intact], _ kept: [LedgerEvent], at now: Timestamp
  ) -> (there: [String], missing: [String])? {
    guard let listing = try? transport.listBackups() else { return nil }
    let names = Set(listing.map { Array($0.name.utf8) })
    let lost = kept.filter { !names.contains(Array($0.name.utf8)) }
    for event in lost { note(.missing, event, at: now) }
    // By what it is, not by its name: another of the same name stays.
    let ids = Set(listing.map(\.id))
    return (removed.filter { ids.contains($0.file.id) }.map(\.proof.name), lost.map(\.name))
  }

  func readHistory() -> LedgerHistory? { (try? ledger.events()).map(LedgerHistory.init) }
}
