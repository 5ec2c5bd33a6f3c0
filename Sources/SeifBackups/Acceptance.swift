public import SeifBytes
public import SeifRecords

/// What a person takes for right, so that old backups may go again.
///
/// Nothing is let go of by itself: what stands against removing anything stands until it is mended or a person has said so.
public enum Acceptance: String, Sendable, Hashable, CaseIterable {
  /// Proven backups that are missing or altered are let go of: each gets the line of one that was removed.
  case lost
  /// The vault holds so much less on purpose.
  case shrunk
  /// The clock is right now, whatever times the ledger has.
  case clock
}

extension LedgerEvent {
  // A line of no file: its name is empty, which no file's is. The events have no word of their own for it.
  static func accepting(_ acceptance: Acceptance, with proof: LedgerEvent, at now: Timestamp) -> LedgerEvent {
    LedgerEvent(
      at: now, kind: .pruned, destination: proof.destination, name: "", sha256: proof.sha256, byteCount: 0,
      format: "accepted-\(acceptance.rawValue)", counts: proof.counts)
  }

  var acceptance: Acceptance? {
    guard kind == .pruned, name.isEmpty, format.hasPrefix("accepted-") else { return nil }
    return Acceptance(rawValue: String(format.dropFirst("accepted-".count)))
  }
}

extension LedgerEvent {
  private static let forgottenFormat = "forgotten-place"

  /// A line by which a person gives up all that was proven at a place: nothing of it is looked for or counted any more.
  ///
  /// - Parameter newest: the newest proof there.
  public static func forgetting(_ newest: LedgerEvent, at now: Timestamp) -> LedgerEvent {
    LedgerEvent(
      at: now, kind: .pruned, destination: newest.destination, name: "", sha256: newest.sha256, byteCount: 0,
      format: forgottenFormat, counts: newest.counts)
  }

  /// Whether it is such a line.
  public var isForgetting: Bool { kind == .pruned && name.isEmpty && format == Self.forgottenFormat }
}

/// What a ledger holds a new backup against, as far as no person let go of it.
public struct LedgerMarks: Sendable, Hashable {
  /// The highest time of all lines. Not the last line's: a clock that stands back writes its own time there.
  public var highest: Timestamp?
  /// Of each kind the most entries that a backup at the destination holds which is proven and not removed. Not those of
  /// the one before alone: half a vault that is lost would be as it should be a day later.
  public var counts: [RecordKind: Int] = [:]

  /// - Parameters:
  ///   - events: the ledger, oldest first.
  ///   - newest: the name of the backup that is held against them.
  public init(_ events: [LedgerEvent], at destination: String, besides newest: String) {
    highest = Self.highest(events)
    var accepted = events.startIndex
    for (index, event) in events.enumerated() where event.destination.utf8.elementsEqual(destination.utf8) {
      if event.acceptance == .shrunk { (counts, accepted) = (event.counts, index) }
      if event.isForgetting { (counts, accepted) = ([:], index) }
    }
    for file in LedgerHistory(events).proven(at: destination) where file.order >= accepted {
      guard let proof = file.proof, !proof.name.utf8.elementsEqual(newest.utf8) else { continue }
      counts.merge(proof.counts) { max($0, $1) }
    }
  }

  /// The highest time of all lines since a person took the clock for right.
  public static func highest(_ events: [LedgerEvent]) -> Timestamp? {
    events.reduce(nil) { highest, event in
      event.acceptance == .clock ? event.at : max(highest ?? event.at, event.at)
    }
  }
}
