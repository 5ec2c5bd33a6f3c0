internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifVault

/// How a vault's backups are by its ledger and its rule, for `status`.
///
/// Two grades of a proof: opened by machine (a backup is read back and opened as it is made, or by a script), and opened by
/// a person, in a drill.
struct BackupStatus {
  let overview: BackupOverview
  let rule: BackupRuleItem.Found
  /// Whether one came with a file, and nobody has looked at it.
  let hasImportedRule: Bool
  /// What the person calls the places, by their bytes.
  let names: [[UInt8]: String]
  let now: Timestamp

  init(
    of vault: any UnlockedVault, _ summaries: [EntrySummary], now: Timestamp, _ context: Context
  ) throws(VaultUseError) {
    let ledger = try vault.ledger()
    let current = Set(ledger.filter(\.isCurrent).map(\.entry.sha256))
    let standing = try BackupRuleItem.standing(in: vault, summaries)
    self.init(
      overview: BackupOverview(ledger.map { LedgerEvent($0.entry) }, current: current, now: now),
      rule: standing.found, hasImportedRule: standing.imported != .none,
      names: try TransportItem.names(in: vault, summaries, context), now: now)
  }

  init(
    overview: BackupOverview, rule: BackupRuleItem.Found, hasImportedRule: Bool, names: [[UInt8]: String],
    now: Timestamp
  ) {
    self.overview = overview
    self.rule = rule
    self.hasImportedRule = hasImportedRule
    self.names = names
    self.now = now
  }

  private var faults: [BackupRule.Fault] { rule.rule?.faults(overview, now: now) ?? [] }

  /// Whether the rule is kept, and the newest backup of each place is there as far as the ledger knows.
  var isGood: Bool { rule.isReadable && faults.isEmpty && overview.places.allSatisfy { $0.lost == nil } }

  private func name(_ place: PlaceStanding) -> String { names[Array(place.destination.utf8)] ?? place.destination }

  // MARK: - Text

  typealias Line = (name: String, text: String, sign: Sign?)

  var lines: [Line] {
    var lines: [Line] = []
    for place in overview.places {
      if let lost = place.lost {
        let state: BackupService.FileState = lost.flag == .missing ? .missing : .altered
        lines.append(("backup", "\(BackupWords.loss(lost.proof.name, state)) (\(name(place)))", .fail))
        lines.append(("place", "if it is gone for good: seif backup forget \(FileModesCheck.quoted(name(place)))", nil))
      }
      if let first = place.olderLost.first {
        let what = place.olderLost.count == 1 ? first.name + " was" : "\(place.olderLost.count) older ones were"
        lines.append(("backup", "\(what) found missing or altered, and no old one goes (\(name(place)))", .warn))
      }
      if place.proof != nil { lines.append(("backup", words(place), nil)) }
      if let refusal = place.refusal {
        lines.append(("kept", "the last backup let no old one go: \(BackupWords.words(refusal)) (\(name(place)))", nil))
      }
    }
    if overview.places.isEmpty { lines.append(("backup", "none is proven", .warn)) }
    if hasImportedRule {
      lines.append(("rule", "one came with a file and doesn't count until you look at it: seif backup rule", .warn))
    }
    if let ahead = overview.drillAhead {
      lines.append(("drill", "one is noted for \(ahead.rfc3339), which is to come: it doesn't count", .warn))
    }
    return lines + ruleLines
  }

  /// Ages of both grades, and whether it is the vault's present state.
  private func words(_ place: PlaceStanding) -> String {
    guard let proof = place.proof else { return "" }
    var text = "last proven \(LocalTime.age(proof.at, now: now))"
    if !place.isCurrent {
      text += ", the vault has changed since"
    } else if let confirmed = place.confirmedAt, confirmed != proof.at {
      text += " and again \(LocalTime.age(confirmed, now: now))"
    }
    let drill = place.drilledAt.map { "opened by a person \(LocalTime.age($0, now: now))" }
    return "\(text); \(drill ?? "never opened by a person") (\(name(place)))"
  }

  private var ruleLines: [Line] {
    switch rule {
    case .none: return [("rule", "none says how old the last backup may be (seif backup rule)", nil)]
    case .unreadable:
      return [("rule", "there is one that this Seif can't read: set it anew by seif backup rule", .fail)]
    case .rule(let rule):
      let faults = faults
      if faults.isEmpty { return [("rule", "\(rule): kept", .ok)] }
      return faults.map { ("rule", "\(rule): \(words($0, rule))", .fail) }
    }
  }

  private func words(_ fault: BackupRule.Fault, _ rule: BackupRule) -> String {
    switch fault {
    case .clockBehind:
      "the clock stands before a time that is in the ledger, so no age can be told"
        + " (if the clock is right: seif backup prune --\(AcceptOptions.clock.name))"
    case .tooFewPlaces(let count):
      "\(count) of \(rule.places) \(rule.places == 1 ? "place" : "places") \(count == 1 || rule.places == 1 ? "has" : "have")"
        + " a proof that new\(unchanged)"
    case .drill(let last?): "the last drill was \(LocalTime.age(last, now: now))"
    case .drill(nil): "no person has ever opened a backup"
    }
  }

  /// Bytes rot though nobody changes the vault, so its backups age all the same.
  private var unchanged: String {
    guard let rule = rule.rule else { return "" }
    let isOnlyOld = overview.places.contains { $0.lost == nil && $0.isCurrent && !rule.isKept(at: $0, now: now) }
    return isOnlyOld ? ", though the vault hasn't changed" : ""
  }

  /// What to type next; nil: nothing has to be done.
  var next: String? {
    if !rule.isReadable { return "seif backup rule --every 24h --places 2 --drill 180d" }
    if let place = overview.places.first(where: { $0.lost != nil }) { return create(name(place)) }
    switch faults.first {
    case .clockBehind: return "seif doctor"
    case .tooFewPlaces:
      let old = overview.places.first { place in !(rule.rule?.isKept(at: place, now: now) ?? true) }
      return create(old.map(name) ?? unused ?? "FOLDER")
    case .drill: return "seif drill --destination \(overview.places.first.map(name) ?? "FOLDER")"
    case nil: return overview.places.isEmpty ? create(unused ?? "FOLDER") : nil
    }
  }

  /// A destination of the vault at which nothing was proven yet.
  private var unused: String? {
    let used = Set(overview.places.map { Array($0.destination.utf8) })
    return names.filter { !used.contains($0.key) }.map(\.value).min { utf8Precedes($0, $1) }
  }

  private func create(_ destination: String) -> String { "seif backup create --destination \(destination)" }

  // MARK: - JSON

  func write(_ writer: inout JSONWriter) {
    writer.key("backups")
    writer.beginArray()
    for place in overview.places { write(place, &writer) }
    writer.endArray()
    if let rule = rule.rule {
      writer.key("rule")
      RuleDocument.write(rule, &writer)
    }
    if let ahead = overview.drillAhead { writer.member("drillAhead", ahead.rfc3339) }
    if rule != .none { writer.member("ruleKept", rule.isReadable && faults.isEmpty) }
    if hasImportedRule { writer.member("ruleImported", true) }
    if !faults.isEmpty, let rule = rule.rule { writer.member("ruleFaults", faults.map { words($0, rule) }) }
  }

  private func write(_ place: PlaceStanding, _ writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("destination", place.destination)
    if let name = names[Array(place.destination.utf8)] { writer.member("destinationName", name) }
    if let proof = place.proof {
      writer.member("name", proof.name)
      writer.member("provenAt", proof.at.rfc3339)
      if let confirmed = place.confirmedAt { writer.member("confirmedAt", confirmed.rfc3339) }
      writer.member("changedSince", !place.isCurrent)
    }
    if let drilled = place.drilledAt { writer.member("lastDrilledAt", drilled.rfc3339) }
    if let rule = rule.rule { writer.member("keepsRule", rule.isKept(at: place, now: now)) }
    if let lost = place.lost {
      writer.member("flag", lost.flag.rawValue)
      writer.member("flagged", lost.proof.name)
    }
    if !place.olderLost.isEmpty { writer.member("olderFlagged", place.olderLost.map(\.name)) }
    if let refusal = place.refusal { writer.member("retention", "\(refusal)") }
    writer.endObject()
  }
}
