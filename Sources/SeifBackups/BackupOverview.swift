public import SeifBytes

/// What the ledger says of one place.
public struct PlaceStanding: Sendable, Hashable {
  /// The place's name in the ledger.
  public var destination: String
  /// The newest proof that nothing was found against.
  public var proof: LedgerEvent?
  /// When that file's bytes were proven last: by a drill again, for one.
  public var confirmedAt: Timestamp?
  /// Whether that file holds what the vault holds now.
  public var isCurrent = false
  /// The newest proof of all, and how its file was found since (`missing`, `altered`); nil: nothing was found against it.
  public var lost: (proof: LedgerEvent, flag: LedgerEvent.Kind)? {
    guard let newest, let proof = newest.proof, let flag = newest.flag else { return nil }
    return (proof, flag)
  }
  /// Older proofs whose files were found missing or altered, oldest first: the newest stands in `lost`.
  public var olderLost: [LedgerEvent] = []
  /// When a person last opened a backup of this place.
  public var drilledAt: Timestamp?
  /// Why the last backup here let nothing go, as far as the ledger tells; nil: nothing stood against it.
  public var refusal: Retention.Refusal?

  var newest: LedgerHistory.File?

  init(destination: String) { self.destination = destination }

  /// From when the age counts: what the vault still holds is as old as its bytes' last proof, anything else as old as what
  /// is in it.
  public var ageSince: Timestamp? { isCurrent ? confirmedAt ?? proof?.at : proof?.at }
}

/// What the ledger says of all places, for a person and for a rule.
public struct BackupOverview: Sendable {
  /// The places where something was proven that we didn't remove, in the order of their names' bytes.
  public private(set) var places: [PlaceStanding] = []
  /// The highest time of the ledger, since a person last took the clock for right.
  public private(set) var lastEntryAt: Timestamp?
  /// When the first backup of all was proven.
  public private(set) var firstProvenAt: Timestamp?
  /// When a person last opened a backup of any place.
  public private(set) var drilledAt: Timestamp?
  /// A drill that is noted for a time after now, when the clock stood ahead: it doesn't count.
  public private(set) var drillAhead: Timestamp?

  /// - Parameters:
  ///   - events: the ledger, oldest first.
  ///   - current: the SHA-256 of files that hold what the vault holds now.
  ///   - now: what is noted for a later time makes nothing younger.
  public init(_ events: [LedgerEvent], current: Set<[UInt8]> = [], now: Timestamp) {
    lastEntryAt = LedgerMarks.highest(events)
    firstProvenAt = events.first { $0.kind == .proven && $0.at <= now }?.at
    drilledAt = Self.lastDrill(events, now)
    drillAhead = events.filter { $0.kind == .drilled && $0.at > now }.map(\.at).max()
    let history = LedgerHistory(events)
    for destination in history.destinations {
      let files = history.proven(at: destination)
      guard let newest = files.last else { continue }
      var place = PlaceStanding(destination: destination)
      place.newest = newest
      place.olderLost = files.dropLast().filter { $0.flag != nil }.compactMap(\.proof)
      if let standing = files.last(where: { $0.flag == nil }), let proof = standing.proof {
        place.proof = proof
        place.confirmedAt = standing.confirmedAt.map { $0 > now ? proof.at : $0 }
        place.isCurrent = current.contains(proof.sha256)
      }
      place.drilledAt = Self.lastDrill(events.filter { $0.destination.utf8.elementsEqual(destination.utf8) }, now)
      place.refusal = Retention.lastRefusal(events, at: destination)
      places.append(place)
    }
  }

  private static func lastDrill(_ events: [LedgerEvent], _ now: Timestamp) -> Timestamp? {
    events.filter { $0.kind == .drilled && $0.at <= now }.map(\.at).max()
  }
}

extension Retention {
  /// Why the last backup at a place let nothing go, as far as the ledger tells: that the place couldn't be listed or read,
  /// or that the vault had faults, isn't in it.
  public static func lastRefusal(_ events: [LedgerEvent], at destination: String) -> Refusal? {
    func isHere(_ event: LedgerEvent) -> Bool { event.destination.utf8.elementsEqual(destination.utf8) }
    guard let start = events.lastIndex(where: { $0.kind == .stored && isHere($0) }) else { return nil }
    let stored = events[start]
    let since = events[start...].filter(isHere)
    let proof = since.first { $0.kind == .proven && $0.name.utf8.elementsEqual(stored.name.utf8) }
    guard let proof else { return .notProven }
    // What went since, or was let go of, went because nothing stood against it.
    guard !since.contains(where: { $0.kind == .pruned && !$0.name.isEmpty }) else { return nil }
    // What this run found out about older files has its time.
    let known = LedgerHistory(Array(events[..<start])).proven(at: destination).filter { file in
      file.flag != nil && !file.last.name.utf8.elementsEqual(proof.name.utf8)
    }
    let lost = known.count + since.count { [.missing, .altered].contains($0.kind) && $0.at == proof.at }
    if lost > 0 { return .notAsProven(lost) }
    var marks = LedgerMarks(events, at: destination, besides: proof.name)
    marks.highest = LedgerMarks.highest(Array(events[..<start]))
    let accepted = Set(since.compactMap(\.acceptance))
    return refusals(newest: proof, marks: marks, now: proof.at)
      .first { refusal in refusal.acceptance.map { !accepted.contains($0) } ?? true }
  }
}
