internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// Which destination is looked at for backups that another machine made, as the vault has it: a field of the destination's
/// entry. One at a time is chosen; what came with a file never is.
struct RestoreChoice {
  var id: UUID
  /// The destination's name.
  var name: String
  var isOn: Bool

  /// What is chosen; nil: nothing.
  ///
  /// - Throws: exit 65 where several are, as after an edit by hand.
  static func find(
    in vault: any UnlockedVault, _ folder: String
  ) throws(CommandFailure) -> RestoreChoice? {
    let chosen = try withVault(folder) { () throws(VaultUseError) in try all(in: vault) }
    guard chosen.count < 2 else {
      throw CommandFailure(
        .badInput,
        "several destinations are chosen for automatic restore: \(chosen.map(\.name).joined(separator: ", "))",
        hint: "Choose one: seif backup automatic --destination NAME")
    }
    return chosen.first
  }

  static func all(in vault: any UnlockedVault) throws(VaultUseError) -> [RestoreChoice] {
    var chosen: [RestoreChoice] = []
    for summary in try TransportItem.all(in: vault) {
      guard case .password(let login) = try vault.entry(summary.id).stored.entry,
        let isOn = TransportItem.restores(login)
      else { continue }
      chosen.append(RestoreChoice(id: summary.id, name: login.title, isOn: isOn))
    }
    return chosen
  }

  /// Chooses one in the place of all others.
  static func choose(_ id: UUID, isOn: Bool, in vault: any UnlockedVault) throws(VaultUseError) {
    var changes: [VaultChange] = []
    var counter: Int64?
    for summary in try TransportItem.all(in: vault) {
      let read = try vault.entry(summary.id)
      counter = counter ?? read.counter
      guard case .password(let login) = read.stored.entry else { continue }
      let wanted = summary.id == id ? isOn : nil
      guard TransportItem.restores(login) != wanted else { continue }
      changes.append(.replace(summary.id, .password(TransportItem.restoring(wanted, login))))
    }
    if !changes.isEmpty { _ = try vault.apply(changes, ifCounterIs: counter) }
  }
}

/// What is remembered of backups elsewhere: what was seen stands in a file of the state folder, what was restored in the
/// vault's ledger.
struct RestoreMarkers {
  private static let schemaName = "seif-automatic-restore"
  private let file: StateFile

  init(_ stateFolder: String, _ vault: UUID) { file = StateFile(stateFolder, vault, "automatic-restore.json") }

  /// What was seen last; nil: nothing, or nothing that can be read, which is worth one more question.
  var seen: BackupRemoteMarker? {
    guard let root = try? file.read(schema: Self.schemaName), let at = root["at"]?.string,
      let time = Timestamp(rfc3339: at), let place = root["destination"]?.string, let name = root["name"]?.string,
      let sha256 = root["sha256"]?.string.flatMap({ try? Base16.decode($0) }), sha256.count == 32,
      let bytes = root["bytes"]?.int64.flatMap({ Int(exactly: $0) }), bytes >= 0
    else { return nil }
    return BackupRemoteMarker(destination: place, name: name, sha256: sha256, byteCount: bytes, at: time)
  }

  /// What can't be remembered is told once more.
  func remember(_ marker: BackupRemoteMarker) {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema(Self.schemaName, 1)
    RestoreDocument.write(marker, &writer)
    writer.endObject()
    try? file.write(writer.finish())
  }

  func forget() { file.remove() }

  /// What was restored, oldest first.
  static func restored(_ ledger: [LedgerEntry]) -> [BackupRemoteMarker] {
    ledger.compactMap { entry in
      entry.restoredName.map { name in
        BackupRemoteMarker(
          destination: entry.destination, name: name, sha256: entry.sha256, byteCount: Int(clamping: entry.bytes),
          at: entry.at)
      }
    }
  }
}

/// What a destination has that another machine made, and what the policy says of it.
struct RestoreSight {
  let decision: BackupRestorePolicy.Decision
  let found: BackupRemoteMarker?

  /// Looks, and remembers what was seen.
  ///
  /// - Parameters:
  ///   - own: names that are the vault's own though its ledger hasn't them yet.
  ///   - fetches: whether what was seen before is fetched again.
  init(
    _ preferences: BackupPreferences, over transport: any BackupTransport, ledger: [LedgerEntry], own: [String],
    isVaultEmpty: Bool, markers: RestoreMarkers, fetches: Bool, now: Timestamp
  ) throws(TransportError) {
    let seen = markers.seen
    var found: (marker: BackupRemoteMarker, isOwn: Bool)?
    if let place = preferences.destination, preferences.isOn, preferences.supportsAutomaticRestore {
      found = try RestoreSource.elsewhere(
        LedgerHistory(ledger.map(LedgerEvent.init)), at: place, own: own, seen: fetches ? nil : seen, now: now,
        over: transport)
    }
    decision = BackupRestorePolicy.decide(
      preferences, isVaultEmpty: isVaultEmpty, found: found?.marker, isOwn: found?.isOwn ?? false, seen: seen,
      restored: RestoreMarkers.restored(ledger))
    self.found = found?.marker
    let next = BackupRestorePolicy.seen(after: decision, found: found?.marker, before: seen)
    if let next, next != seen { markers.remember(next) }
  }

  /// What is said where nobody is asked; nil: nothing is to be said.
  var words: String? {
    switch decision {
    case .off, .noDestination, .unsupported, .nothingNew, .alreadyRestored: nil
    case .refused(let marker, let refusal): Self.words(marker, refusal)
    case .offer, .ask: "a backup that another machine made and this vault hasn't: seif backup restore --automatic"
    }
  }

  /// For JSON.
  var decisionName: String {
    switch decision {
    case .off: "off"
    case .noDestination: "no-destination"
    case .unsupported: "unsupported"
    case .nothingNew: "nothing-new"
    case .alreadyRestored: "already-restored"
    case .refused: "refused"
    case .offer: "offer"
    case .ask: "ask"
    }
  }

  /// Why nothing is asked, for a person who wanted to restore.
  func idleWords(at name: String, now: Timestamp) -> String {
    switch decision {
    case .off: "\(name) isn't looked at: seif backup automatic --destination \(name) turns it on."
    case .unsupported: "\(name) can't be looked at by itself: seif backup restore --destination \(name)"
    case .alreadyRestored(let marker):
      "Nothing new at \(name): \(marker.name) was restored \(LocalTime.age(marker.at, now: now))."
    default: "Nothing at \(name) that another machine made."
    }
  }

  static func words(_ marker: BackupRemoteMarker, _ refusal: BackupRestorePolicy.Refusal) -> String {
    switch refusal {
    case .older(let name): "the newest from elsewhere, \(marker.name), is older than \(name), which was there before"
    case .altered: "\(marker.name) isn't the file that it was before"
    }
  }
}

/// Markers in JSON.
enum RestoreDocument {
  static func write(_ marker: BackupRemoteMarker, _ writer: inout JSONWriter) {
    writer.member("at", marker.at.rfc3339)
    writer.member("bytes", marker.byteCount)
    writer.member("destination", marker.destination)
    writer.member("name", marker.name)
    writer.member("sha256", Base16.encode(marker.sha256))
  }
}
