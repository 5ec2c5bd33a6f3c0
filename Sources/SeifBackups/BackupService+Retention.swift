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
  /// - Returns: the bytes only of one that is intact.
  public static func fetch(
    _ proof: LedgerEvent, _ files: [BackupDescriptor], over transport: any BackupTransport
  ) -> (state: FileState, content: SecretValue?) {
    var state = FileState.missing
    for file in files where file.name.utf8.elementsEqual(proof.name.utf8) {
      if let byteCount = file.byteCount, byteCount != proof.byteCount {
        state = .altered
        continue
      }
      do {
        let bytes = try transport.download(id: file.id, limit: FormatLimits.fileByteCount)
        if bytes.withBytes({ Digest.sha256($0) }) == proof.sha256 { return (.intact, bytes) }
        state = .altered
      } catch {
        switch error.code {
        case .notFound: break
        case .tooLarge: state = .altered
        default: if state == .missing { state = .unread }
        }
      }
    }
    return (state, nil)
  }

  /// The proven events that nothing was found against: no later event says that their file went or changed.
  public static func standing(_ events: [LedgerEvent]) -> [LedgerEvent] { LedgerHistory(events).standing }

  // Throws nothing of the ledger's: the backup is proven, whatever becomes of older ones.
  func retain(
    _ report: inout BackupReport, _ before: LedgerHistory, lastEntry: Timestamp?, _ rule: RetentionRule,
    mayPrune: Bool, _ progress: (BackupStage) -> Void
  ) {
    let (proof, now) = (report.proof, report.proof.at)
    // Read anew: another backup to this place may have ended meanwhile.
    guard let history = readHistory() else { return report.refusal = mayPrune ? .ledger : .vaultFaults }
    let earlier = history.proven(at: destination).filter { !$0.last.name.utf8.elementsEqual(proof.name.utf8) }
    let listing: [BackupDescriptor]
    do {
      listing = try transport.listBackups()
    } catch {
      report.unread = earlier.map(\.last.name)
      report.refusal = mayPrune ? .notAsProven(max(1, report.unread.count)) : .vaultFaults
      return
    }
    let there = Dictionary(listing.map { (Array($0.name.utf8), $0) }) { first, _ in first }
    report.foreign = listing.map(\.name).filter { name in
      guard !name.utf8.elementsEqual(proof.name.utf8) else { return false }
      let file = history.file(at: destination, named: name)
      return file == nil || file?.last.kind == .pruned
    }.sorted()

    if !earlier.isEmpty { progress(.checking(count: earlier.count)) }
    let found = compare(earlier, there, notedAt: now)
    report.missing += found.missing.map(\.name)
    report.altered += found.altered.map(\.name)
    report.unread += found.unread.map(\.name)
    let intact = [proof] + found.intact

    report.refusal = refusal(
      report, previous: before.proven(at: destination).last?.proof, lastEntry, mayPrune: mayPrune,
      isNoted: found.isNoted,
      isListed: there[Array(proof.name.utf8)] != nil)
    report.isListed = there[Array(proof.name.utf8)] != nil
    guard report.refusal == nil else { return }
    let expired = Retention.expired(intact, rule: rule)
    for event in expired {
      guard let file = there[Array(event.name.utf8)] else { continue }
      switch prune(event, file, now) {
      case .removed: report.pruned.append(event.name)
      case .there: report.notRemoved.append(event.name)
      case .notNoted: return report.refusal = .ledger
      }
    }
    guard !report.pruned.isEmpty else { return }
    lookAfterwards(&report, intact.filter { !expired.contains($0) })
  }

  // What was told to go is gone, and what was told to stay is there: a place's word isn't taken for it.
  private func lookAfterwards(_ report: inout BackupReport, _ kept: [LedgerEvent]) {
    guard let after = listAfterwards(report.pruned, kept, at: report.proof.at) else {
      report.wasLookedAfter = false
      return
    }
    report.notRemoved += after.there
    report.pruned.removeAll { after.there.contains($0) }
    report.missing += after.missing
  }

  private func refusal(
    _ report: BackupReport, previous: LedgerEvent?, _ lastEntry: Timestamp?, mayPrune: Bool, isNoted: Bool,
    isListed: Bool
  ) -> Retention.Refusal? {
    if !mayPrune { return .vaultFaults }
    if !isNoted { return .ledger }
    let lost = report.missing.count + report.altered.count + report.unread.count
    if lost > 0 { return .notAsProven(lost) }
    if !isListed { return .notProven }
    return Retention.refusal(newest: report.proof, previous: previous, lastEntry: lastEntry, now: report.proof.at)
  }
}

// What a backup and `prune` have in common.
extension BackupService {
  /// Proven files beside their proofs.
  struct Comparison {
    var intact: [LedgerEvent] = []
    /// Newly found so; what the ledger has already was an alarm once, and the list goes on showing it.
    var missing: [LedgerEvent] = []
    var altered: [LedgerEvent] = []
    var unread: [LedgerEvent] = []
    /// Whether all that was found could be written down.
    var isNoted = true
    var lostCount: Int { missing.count + altered.count + unread.count }
  }

  /// Fetches each once, all before the first is removed: what stays must be known to be good.
  ///
  /// - Parameter notedAt: the time at which what is found is written down; nil: it isn't.
  func compare(
    _ files: [LedgerHistory.File], _ there: [[UInt8]: BackupDescriptor], notedAt now: Timestamp?
  ) -> Comparison {
    var result = Comparison()
    for file in files {
      guard let proof = file.proof else { continue }
      let state = Self.check(proof, there[Array(proof.name.utf8)], over: transport)
      switch state {
      case .intact: result.intact.append(proof)
      case .unread: result.unread.append(proof)
      case .missing, .altered:
        let kind: LedgerEvent.Kind = state == .missing ? .missing : .altered
        guard file.flag != kind else { continue }
        if readHistory()?.file(at: destination, named: proof.name)?.last.kind == .pruned { continue }
        if let now {
          var event = proof
          (event.kind, event.at) = (kind, now)
          do { try ledger.append(event, records: nil) } catch { result.isNoted = false }
        }
        if state == .missing { result.missing.append(proof) } else { result.altered.append(proof) }
      }
    }
    return result
  }

  enum Removal { case removed, there, notNoted }

  /// Written down before the file goes: a file that is gone without a word is an alarm.
  func prune(_ event: LedgerEvent, _ file: BackupDescriptor, _ now: Timestamp) -> Removal {
    var pruned = event
    (pruned.kind, pruned.at) = (.pruned, now)
    do { try ledger.append(pruned, records: nil) } catch { return .notNoted }
    do {
      try transport.delete(id: file.id)
      return .removed
    } catch {
      return error.code == .notFound ? .removed : .there
    }
  }

  /// What the place still has of what was removed, and no longer has of what was kept, which is noted; nil: it can't be
  /// listed.
  func listAfterwards(
    _ removed: [String], _ kept: [LedgerEvent], at now: Timestamp
  ) -> (there: [String], missing: [String])? {
    guard let listing = try? transport.listBackups() else { return nil }
    let there = Set(listing.map { Array($0.name.utf8) })
    let lost = kept.filter { !there.contains(Array($0.name.utf8)) }
    for event in lost { note(.missing, event, at: now) }
    return (removed.filter { there.contains(Array($0.utf8)) }, lost.map(\.name))
  }

  func readHistory() -> LedgerHistory? { (try? ledger.events()).map(LedgerHistory.init) }
}
