internal import SeifBytes
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
    if let byteCount = file.byteCount, byteCount != proof.byteCount { return .altered }
    do {
      let bytes = try transport.download(id: file.id, limit: FormatLimits.fileByteCount)
      return bytes.withBytes { Digest.sha256($0) } == proof.sha256 ? .intact : .altered
    } catch {
      switch error.code {
      case .notFound: return .missing
      case .tooLarge: return .altered
      default: return .unread
      }
    }
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
    var intact = [proof]
    var isNoted = true
    func found(_ kind: LedgerEvent.Kind, _ file: LedgerHistory.File, _ old: LedgerEvent) -> Bool {
      // What the ledger has already was an alarm once; the list goes on showing it.
      guard file.flag != kind else { return false }
      if readHistory()?.file(at: destination, named: old.name)?.last.kind == .pruned { return false }
      var event = old
      (event.kind, event.at) = (kind, now)
      do { try ledger.append(event, records: nil) } catch { isNoted = false }
      return true
    }
    // Each is fetched once, all before the first is removed: what stays must be known to be good.
    for file in earlier {
      guard let old = file.proof else { continue }
      switch Self.check(old, there[Array(old.name.utf8)], over: transport) {
      case .intact: intact.append(old)
      case .missing: if found(.missing, file, old) { report.missing.append(old.name) }
      case .altered: if found(.altered, file, old) { report.altered.append(old.name) }
      case .unread: report.unread.append(old.name)
      }
    }

    report.refusal = refusal(
      report, previous: before.proven(at: destination).last?.proof, lastEntry, mayPrune: mayPrune, isNoted: isNoted,
      isListed: there[Array(proof.name.utf8)] != nil)
    report.isListed = there[Array(proof.name.utf8)] != nil
    guard report.refusal == nil else { return }
    let expired = Retention.expired(intact, rule: rule)
    for event in expired {
      guard let file = there[Array(event.name.utf8)] else { continue }
      guard prune(event, file, now, &report) else { return report.refusal = .ledger }
    }
    if !report.pruned.isEmpty { lookAfterwards(&report, intact.filter { !expired.contains($0) }) }
  }

  // What was told to go is gone, and what was told to stay is there: a place's word isn't taken for it.
  private func lookAfterwards(_ report: inout BackupReport, _ kept: [LedgerEvent]) {
    guard let listing = try? transport.listBackups() else { return }
    let there = Set(listing.map { Array($0.name.utf8) })
    report.notRemoved += report.pruned.filter { there.contains(Array($0.utf8)) }
    report.pruned.removeAll { there.contains(Array($0.utf8)) }
    for event in kept where !there.contains(Array(event.name.utf8)) {
      report.missing.append(event.name)
      note(.missing, event, at: report.proof.at)
    }
  }

  private func readHistory() -> LedgerHistory? { (try? ledger.events()).map(LedgerHistory.init) }

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

  // Written down before the file goes: a file that is gone without a word is an alarm. False: it couldn't be written.
  private func prune(
    _ event: LedgerEvent, _ file: BackupDescriptor, _ now: Timestamp, _ report: inout BackupReport
  ) -> Bool {
    var pruned = event
    (pruned.kind, pruned.at) = (.pruned, now)
    do { try ledger.append(pruned, records: nil) } catch { return false }
    do {
      try transport.delete(id: file.id)
      report.pruned.append(event.name)
    } catch {
      if error.code == .notFound { report.pruned.append(event.name) } else { report.notRemoved.append(event.name) }
    }
    return true
  }
}
