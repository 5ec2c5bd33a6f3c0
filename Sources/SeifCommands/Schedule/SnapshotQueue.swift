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
    /// Whether it was read back: before that a run may have been ended before it sent anything.
    var isStored = false
  }

  let file: StateFile

  init(_ stateFolder: String, _ vault: UUID) { file = StateFile(stateFolder, vault, "queue.json") }

  func entries() throws(CommandFailure) -> [Entry] {
    guard let root = try file.read(schema: Self.schemaName) else { return [] }
    guard let entries = Self.entries(root), entries.count <= Self.limit else { throw file.broken }
    return entries
  }

  /// Changes what waits, as one whole.
  func update(_ change: ([Entry]) -> [Entry]) throws(CommandFailure) {
    try file.alone { () throws(CommandFailure) in
      let entries = change(try entries())
      if entries.isEmpty { file.remove() } else { try file.write(Self.document(entries)) }
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
    let waiting: [Entry]
    do throws(CommandFailure) { waiting = try queue.entries() } catch { return [error.what] }
    var lines: [String] = []
    for entry in waiting {
      guard let (kind, place, records, state) = try outcome(entry, turns, reach) else { continue }
      if kind == .missing, !entry.isStored {
        try? queue.update { $0.filter { $0 != entry } }
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
        try? queue.update { $0.filter { $0 != entry } }
        continue
      }
      let counts = records.map { records in
        Dictionary(uniqueKeysWithValues: RecordKind.allCases.map { ($0, records.count(of: $0)) })
      }
      var event = LedgerEvent(
        at: entry.at, kind: .stored, destination: place, name: entry.name, sha256: entry.sha256,
        byteCount: entry.byteCount, format: SnapshotFormat.ledgerName, counts: counts ?? [:],
        state: state)
      let stored = event
      event.kind = kind
      let proof = event
      try turns.turn { (vault) throws(VaultUseError) in
        try vaultCall { () throws(VaultError) in
          // Its contents are as old as it is, whenever they are proven.
          try VaultLedger(vault: vault).write(stored, records: records)
          try VaultLedger(vault: vault).write(proof, records: records)
        }
      }
      do throws(CommandFailure) {
        try queue.update { $0.filter { $0 != entry } }
      } catch {
        lines.append(error.what)
      }
    }
    return lines
  }

  private static func outcome(
    _ entry: Entry, _ turns: any VaultTurns, _ reach: Reach
  ) throws(VaultUseError) -> (LedgerEvent.Kind, place: String, Records?, state: Int64?)? {
    let place: String
    let content: SecretValue
    do throws(TransportError) {
      let transport: any BackupTransport
      (transport, place) = try reach.transport(entry.place.settings)
      let found = try transport.listBackups().filter { $0.name.utf8.elementsEqual(entry.name.utf8) }
      guard let file = found.first else { return (.missing, place, nil, nil) }
      content = try transport.download(id: file.id, limit: FormatLimits.fileByteCount)
    } catch {
      return nil
    }
    guard content.withBytes({ Digest.sha256($0) }) == entry.sha256 else { return (.altered, place, nil, nil) }
    // The file says when it was stored, and any program of the person can write it: a copy that is older than that isn't
    // the one of that time.
    let least = try turns.turn { (vault) throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in
        try vault.ledger().filter { $0.at < entry.at }.map(\.state).max() ?? 0
      }
    }
    do throws(VaultUseError) {
      let opened = try SnapshotDelivery.openWithState(content, turns, leastCounter: least)
      return (.proven, place, opened.records, opened.state)
    } catch {
      // Of another key, as after a rotation: it opens by the old ways in, and nobody here can say so.
      guard case .vault(let reason) = error, reason.code != .locked else { throw error }
      return (.failed, place, nil, nil)
    }
  }
}
