public import SeifBytes
public import SeifCrypto
public import SeifFormats
public import SeifRecords

/// Makes backups and proves them: a backup counts once it has come back over its transport and opened.
public struct BackupService {
  let transport: any BackupTransport
  let ledger: any ProofLedger
  let destination: String

  /// A service for one destination.
  public init(transport: any BackupTransport, ledger: any ProofLedger, destination: String) {
    self.transport = transport
    self.ledger = ledger
    self.destination = destination
  }

  /// Asks a destination whether it can take a backup at all, before anything costs time or a number.
  ///
  /// - Throws: `transport`: it can't be listed, its only place is taken, or no file can be made there.
  public static func checkPlace(_ transport: any BackupTransport) throws(BackupFailure) {
    do throws(TransportError) {
      let files = try transport.listBackups()
      if transport.fixedName != nil, !files.isEmpty { throw TransportError(.exists, place: transport.displayName) }
      try transport.checkWriting()
    } catch {
      throw .transport(error)
    }
  }

  /// Encodes, opens what was encoded, notes it as `stored`, stores, reads back, opens with a fresh derivation, compares
  /// record by record, writes the proof, then compares every older backup with its proof and lets retention look at those
  /// that are as they were.
  ///
  /// - Parameters:
  ///   - passphrase: in its composed form, as new files are sealed.
  ///   - mayPrune: false for a vault that isn't as it was last written: nothing is removed on its word.
  ///   - accepting: what the person takes for right, noted where something stood against it.
  /// - Throws: `BackupFailure`; what the ledger throws, as long as nothing was sent. Unless this returns nothing is
  ///   pruned.
  public func create(
    _ records: Records, writer: any BackupWriter, options: WritingOptions, passphrase: borrowing SecretBytes,
    mayPrune: Bool, accepting: Set<Acceptance> = [], rule: RetentionRule = RetentionRule(),
    progress: (BackupStage) -> Void = { _ in }
  ) throws -> BackupReport {
    let losses = writer.losses(of: records)
    guard losses.isEmpty else { throw BackupFailure.notWhole(losses) }
    guard writer.isSealed else { throw BackupFailure.notSealed }
    let events = try ledger.events()
    try Self.checkPlace(transport)
    progress(.sealing)
    // Identifiers are settled first, so that what is compared is what was written.
    let records = records.withIdentifiers(from: options.random)
    let content: SecretValue
    do {
      content = try writer.write(records, options: options, passphrase: passphrase.duplicate())
    } catch {
      throw BackupFailure.format(error)
    }
    let file = SealedFile(
      content: content, records: records, at: options.exportedAt,
      format: "\(writer.identifier.rawValue)-\(writer.version)", fileExtension: writer.fileExtension,
      random: options.random)
    // Each opening is a fresh derivation.
    return try deliver(file, events, mayPrune: mayPrune, accepting, rule, progress) { content in
      try FormatRegistry.read(FormatInput(content)).open(passphrase: passphrase.duplicate()).records
    }
  }

  /// As `create`, of a file that was sealed before: a snapshot of a vault.
  ///
  /// - Parameters:
  ///   - records: what it holds.
  ///   - format: its name and version, as `seifvault-1`.
  ///   - open: opens such a file, checks it whole and gives what it holds; called before it leaves and when it is back.
  /// - Throws: as `create`.
  public func deliver(
    _ content: SecretValue, holding records: Records, format: String, fileExtension: String, at time: Timestamp,
    random: RandomSource = .system, mayPrune: Bool, accepting: Set<Acceptance> = [],
    rule: RetentionRule = RetentionRule(), progress: (BackupStage) -> Void = { _ in },
    open: (SecretValue) throws -> Records
  ) throws -> BackupReport {
    let events = try ledger.events()
    try Self.checkPlace(transport)
    let file = SealedFile(
      content: content, records: records, at: time, format: format, fileExtension: fileExtension, random: random)
    return try deliver(file, events, mayPrune: mayPrune, accepting, rule, progress, open: open)
  }

  private func deliver(
    _ file: SealedFile, _ events: [LedgerEvent], mayPrune: Bool, _ accepting: Set<Acceptance>,
    _ rule: RetentionRule, _ progress: (BackupStage) -> Void, open: (SecretValue) throws -> Records
  ) throws -> BackupReport {
    let before = LedgerHistory(events)
    if let differences = Self.contents(of: file.content, differFrom: file.records, open) {
      throw BackupFailure.selfCheck(differences)
    }
    progress(.storing)
    let (stored, replaced) = try store(file, before, progress)
    progress(.proving)
    var report = BackupReport(proof: try prove(stored.event, stored.file, file.records, open))
    progress(.proven)
    if let replaced { report.missing.append(replaced) }
    retain(&report, before: events, rule, mayPrune: mayPrune, accepting: accepting, progress)
    return report
  }

  /// A file that is ready to be stored.
  private struct SealedFile {
    var content: SecretValue
    var records: Records
    var at: Timestamp
    var format: String
    var fileExtension: String
    var random: RandomSource

    /// The ledger's first line of it, without a name yet.
    func event(at destination: String) -> LedgerEvent {
      LedgerEvent(
        at: at, kind: .stored, destination: destination, name: "", sha256: content.withBytes { Digest.sha256($0) },
        byteCount: content.byteCount, format: format,
        counts: Dictionary(uniqueKeysWithValues: RecordKind.allCases.map { ($0, records.count(of: $0)) }))
    }
  }

  // MARK: - Storing

  // Stores under the first free name of this second. The ledger has the name and the hash before the file leaves: a file
  // that nobody sent in the end is harmless, one that nothing is known of isn't.
  private func store(
    _ file: SealedFile, _ before: LedgerHistory, _ progress: (BackupStage) -> Void
  ) throws -> (stored: (event: LedgerEvent, file: BackupDescriptor), replaced: String?) {
    let there = Set(try list().map { Array($0.name.utf8) })
    var event = file.event(at: destination)
    var refusals = 0
    for sequence in Int64(0)..<10_000 {
      event.name = transport.fixedName ?? name(event.at, sequence, file.fileExtension, file.random)
      let known = before.file(at: destination, named: event.name)
      if transport.fixedName == nil, known != nil || there.contains(Array(event.name.utf8)) { continue }
      var replaced: String?
      // Only a single place has a name twice, and it is free: what was proven there is gone.
      if let known, var proof = known.proof, known.flag == nil {
        (proof.kind, proof.at) = (.missing, event.at)
        try ledger.append(proof, records: nil)
        replaced = proof.name
      }
      try ledger.append(event, records: file.records)
      progress(.sending(name: event.name))
      do throws(TransportError) {
        let stored = try transport.upload(file.content, name: event.name)
        guard stored.name.utf8.elementsEqual(event.name.utf8) else {
          throw TransportError(.misplaced, place: event.name)
        }
        try checkSingle(event.name)
        return ((event, stored), replaced)
      } catch {
        note(.failed, event)
        refusals += 1
        // Somebody else took the name meanwhile.
        guard error.code == .exists, transport.fixedName == nil, refusals < 8 else {
          throw BackupFailure.notStored(name: event.name, error)
        }
      }
    }
    throw BackupFailure.transport(TransportError(.exists, place: destination))
  }

  // Where the place doesn't refuse a name that is taken, no other writer must come upon the same.
  private func name(
    _ time: Timestamp, _ sequence: Int64, _ fileExtension: String, _ random: RandomSource
  ) -> String {
    let bits: UInt32? =
      transport.createsConditionally ? nil : random.makeBytes(4).reduce(0) { $0 << 8 | UInt32($1) }
    return BackupName(time: time, sequence: sequence, random: bits, fileExtension: fileExtension).text
  }

  // A place that holds two files of one name can give either for it.
  private func checkSingle(_ name: String) throws(TransportError) {
    guard !transport.createsConditionally else { return }
    let count = try transport.listBackups().count { $0.name.utf8.elementsEqual(name.utf8) }
    guard count == 1 else {
      throw TransportError(count == 0 ? .misplaced : .ambiguous, place: name, reason: "after it was stored")
    }
  }

  private func list() throws(BackupFailure) -> [BackupDescriptor] {
    do {
      return try transport.listBackups()
    } catch {
      throw .transport(error)
    }
  }

  // Notes how it ended where it ends in a failure anyway, which says more than that the ledger failed too: without this
  // line the file stands there as stored and not proven.
  func note(_ kind: LedgerEvent.Kind, _ event: LedgerEvent, at time: Timestamp? = nil) {
    var event = event
    event.kind = kind
    event.at = time ?? event.at
    try? ledger.append(event, records: nil)
  }

  // MARK: - Proving

  private func prove(
    _ event: LedgerEvent, _ stored: BackupDescriptor, _ records: Records, _ open: (SecretValue) throws -> Records
  ) throws -> LedgerEvent {
    let back: SecretValue
    do {
      back = try transport.download(id: stored.id, limit: FormatLimits.fileByteCount)
    } catch {
      note(.failed, event)
      throw BackupFailure.notFetched(name: event.name, error)
    }
    guard back.withBytes({ Digest.sha256($0) }) == event.sha256 else {
      note(.altered, event)
      throw BackupFailure.altered(name: event.name)
    }
    if let differences = Self.contents(of: back, differFrom: records, open) {
      note(.failed, event)
      throw BackupFailure.notProven(name: event.name, differences)
    }
    var proof = event
    proof.kind = .proven
    do {
      try ledger.append(proof, records: records)
    } catch {
      throw BackupFailure.notNoted(name: event.name, error)
    }
    return proof
  }

  // The lists in which the contents of a file differ from the records, nil if none does.
  private static func contents(
    of file: SecretValue, differFrom records: Records, _ open: (SecretValue) throws -> Records
  ) -> [String]? {
    do {
      let differences = RecordComparison.differences(records, try open(file))
      return differences.isEmpty ? nil : differences
    } catch {
      return ["\(error)"]
    }
  }
}
