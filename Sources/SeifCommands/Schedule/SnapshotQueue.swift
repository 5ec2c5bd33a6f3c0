internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats
internal import SeifRecords
internal import SeifTransports
internal import SeifVault

/// Sealed copies that were stored while the vault was locked, and that nobody could open since: what the ledger gets once
/// the vault is open. A file of the state folder; it holds names, folders and hashes.
struct SnapshotQueue {
  /// Copies that wait at most; beyond them nothing is stored until one was proven.
  static let limit = 30
  private static let schemaName = "seif-backup-queue"

  struct Entry: Equatable, Sendable {
    var at: Timestamp
    var place: Schedule.Place
    /// The file's name there.
    var name: String
    var sha256: [UInt8]
    var byteCount: Int
    /// Whether it was sent: before that a run may have been ended before it sent anything.
    var isStored = false
  }

  let file: StateFile
  /// Held by who stores or proves: what another run is about to send isn't there yet, and isn't missing.
  let runs: StateFile

  init(_ stateFolder: String, _ vault: UUID) {
    file = StateFile(stateFolder, vault, "queue.json")
    runs = StateFile(stateFolder, vault, "backup-run")
  }

  func entries() throws(CommandFailure) -> [Entry] {
    guard let root = try file.read(schema: Self.schemaName) else { return [] }
    guard let entries = Self.entries(root), entries.count <= Self.limit else { throw file.broken }
    return entries
  }

  /// Changes what waits, as one whole.
  func update(_ change: ([Entry]) throws(CommandFailure) -> [Entry]) throws(CommandFailure) {
    try file.alone { () throws(CommandFailure) in
      let entries = try change(try entries())
      if entries.isEmpty { file.remove() } else { try file.write(Self.document(entries)) }
    }
  }

  /// Writes down one that is about to be stored.
  ///
  /// - Throws: exit 75 where as many wait as may.
  func add(_ entry: Entry) throws(CommandFailure) {
    try update { (entries) throws(CommandFailure) in
      guard entries.count < Self.limit else {
        throw CommandFailure(
          .busy, "\(entries.count) snapshots wait to be proven, so no more are stored",
          hint: "seif unlock, then: seif backup run")
      }
      return entries + [entry]
    }
  }

  func remove(_ entry: Entry) throws(CommandFailure) {
    try update { (entries) in entries.filter { $0 != entry } }
  }

  /// Notes that one was sent.
  func confirm(_ entry: Entry) throws(CommandFailure) {
    try update { (entries) in
      entries.map { waiting in
        var waiting = waiting
        if waiting == entry { waiting.isStored = true }
        return waiting
      }
    }
  }

  private static func entries(_ root: JSONValue) -> [Entry]? {
    guard let list = root["entries"] else { return nil }
    var entries: [Entry] = []
    for item in list.elements {
      guard let at = item["at"]?.string.flatMap({ Timestamp(rfc3339: $0) }), let name = item["name"]?.string,
        let place = Schedule.Place(
          name: item["destination"]?.string, kind: item["kind"]?.string, path: item["path"]?.string),
        let sha256 = item["sha256"]?.string.flatMap({ try? Base16.decode($0) }), sha256.count == 32,
        let isStored = item["stored"]?.bool, let bytes = item["bytes"]?.int64.flatMap({ Int(exactly: $0) }),
        (0...FormatLimits.fileByteCount).contains(bytes)
      else { return nil }
      entries.append(
        Entry(
          at: at, place: place, name: name, sha256: sha256, byteCount: bytes, isStored: isStored))
    }
    return entries
  }

  private static func document(_ entries: [Entry]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema(schemaName, 1)
    writer.key("entries")
    writer.beginArray()
    for entry in entries {
      writer.beginObject()
      writer.member("at", entry.at.rfc3339)
      writer.member("bytes", entry.byteCount)
      writer.member("destination", entry.place.name)
      writer.member("kind", entry.place.kind)
      writer.member("name", entry.name)
      writer.member("path", entry.place.path)
      writer.member("sha256", Base16.encode(entry.sha256))
      writer.member("stored", entry.isStored)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }

  // MARK: - Proving

  /// Fetches what waits, opens it with the key of the open vault and moves it to the ledger. What can't be fetched now
  /// waits on; what is gone, altered or doesn't open goes to the ledger as that.
  ///
  /// - Returns: a line for each that isn't proven.
  @discardableResult
  static func prove(
    _ turns: any VaultTurns, _ reach: Reach
  ) throws(VaultUseError) -> [String] {
    let (stateFolder, id) = try turns.turn { (vault) in (vault.location.stateFolder, vault.id) }
    let queue = SnapshotQueue(stateFolder, id)
    let lines: Result<[String], VaultUseError>
    do throws(CommandFailure) {
      lines = try queue.runs.alone {
        Result { () throws(VaultUseError) in try prove(queue, turns, reach) }
      }
    } catch {
      return [error.what]
    }
    return try lines.get()
  }

  private static func prove(
    _ queue: SnapshotQueue, _ turns: any VaultTurns, _ reach: Reach
  ) throws(VaultUseError) -> [String] {
    let waiting: [Entry]
    do throws(CommandFailure) { waiting = try queue.entries() } catch { return [error.what] }
    var lines: [String] = []
    for entry in waiting {
      guard let (kind, place, copy) = try outcome(entry, turns, reach) else { continue }
      // Of a run that was ended early nobody knows whether it sent anything: what isn't there, or is somebody else's, is
      // no loss.
      if [.missing, .altered].contains(kind), !entry.isStored {
        try? queue.remove(entry)
        continue
      }
      if kind != .proven { lines.append("\(entry.name) at \(entry.place.name), stored while locked: \(kind.rawValue)") }
      // Of what the ledger has proven it takes nothing from a file that any program of the person can write. A run that
      // was ended before it could take its entry away leaves one such, too.
      let isProven = try turns.turn { (vault) throws(VaultUseError) in
        try vaultCall { () throws(VaultError) in
          LedgerHistory(try vault.ledger().map(LedgerEvent.init)).file(at: place, named: entry.name)?.proof != nil
        }
      }
      if isProven {
        try? queue.remove(entry)
        continue
      }
      let counts = copy.map { copy in
        Dictionary(uniqueKeysWithValues: RecordKind.allCases.map { ($0, copy.records.count(of: $0)) })
      }
      var event = LedgerEvent(
        at: entry.at, kind: .stored, destination: place, name: entry.name, sha256: entry.sha256,
        byteCount: entry.byteCount, format: SnapshotFormat.ledgerName, counts: counts ?? [:])
      let stored = event
      event.kind = kind
      let proof = event
      try turns.turn { (vault) throws(VaultUseError) in
        try vaultCall { () throws(VaultError) in
          // Its contents are as old as it is, whenever they are proven, and so is the state that it holds: with today's,
          // the next that waits would pass for a copy of an earlier one.
          let state = if let copy { copy.state } else { try leastCounter(vault, at: entry.at) }
          for var event in [stored, proof] {
            event.state = state
            try VaultLedger(vault: vault).write(event, records: copy?.records)
          }
        }
      }
      do throws(CommandFailure) {
        try queue.remove(entry)
      } catch {
        lines.append(error.what)
      }
    }
    return lines
  }

  private static func outcome(
    _ entry: Entry, _ turns: any VaultTurns, _ reach: Reach
  ) throws(VaultUseError) -> (LedgerEvent.Kind, place: String, (records: Records, state: Int64)?)? {
    let place: String
    let content: SecretValue
    do throws(TransportError) {
      let transport: any BackupTransport
      (transport, place) = try reach.transport(entry.place.settings)
      let found = try transport.listBackups().filter { $0.name.utf8.elementsEqual(entry.name.utf8) }
      guard let file = found.first else { return (.missing, place, nil) }
      content = try transport.download(id: file.id, limit: FormatLimits.fileByteCount)
    } catch {
      return nil
    }
    guard content.withBytes({ Digest.sha256($0) }) == entry.sha256 else { return (.altered, place, nil) }
    // The file says when it was stored, and any program of the person can write it: a copy that is older than that isn't
    // the one of that time.
    let least = try turns.turn { (vault) throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in try leastCounter(vault, at: entry.at) }
    }
    do throws(VaultUseError) {
      return (.proven, place, try SnapshotDelivery.openWithState(content, turns, leastCounter: least))
    } catch {
      // Of another key, as after a rotation: it opens by the old ways in, and nobody here can say so.
      guard case .vault(let reason) = error, reason.code != .locked else { throw error }
      return (.failed, place, nil)
    }
  }

  /// The counter that the vault had at a time at least, by its ledger.
  private static func leastCounter(_ vault: Vault, at time: Timestamp) throws(VaultError) -> Int64 {
    try vault.ledger().filter { $0.at < time }.map(\.state).max() ?? 0
  }
}
