public import SeifBytes
internal import SeifCrypto
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
  /// - Throws: `BackupFailure`; what the ledger throws, as long as nothing was sent. Unless this returns nothing is
  ///   pruned.
  public func create(
    _ records: Records, writer: any BackupWriter, options: WritingOptions, passphrase: borrowing SecretBytes,
    mayPrune: Bool, rule: RetentionRule = RetentionRule(), progress: (BackupStage) -> Void = { _ in }
  ) throws -> BackupReport {
    let losses = writer.losses(of: records)
    guard losses.isEmpty else { throw BackupFailure.notWhole(losses) }
    guard writer.isSealed else { throw BackupFailure.notSealed }
    let events = try ledger.events()
    let before = LedgerHistory(events)
    try Self.checkPlace(transport)
    progress(.sealing)
    // Identifiers are settled first, so that what is compared is what was written.
    let records = records.withIdentifiers(from: options.random)
    let file: SecretValue
    do {
      file = try writer.write(records, options: options, passphrase: passphrase.duplicate())
    } catch {
      throw BackupFailure.format(error)
    }
    if let differences = try contents(of: file, differFrom: records, passphrase) {
      throw BackupFailure.selfCheck(differences)
    }
    progress(.storing)
    let event = LedgerEvent(
      at: options.exportedAt, kind: .stored, destination: destination, name: "",
      sha256: file.withBytes { Digest.sha256($0) }, byteCount: file.byteCount,
      format: "\(writer.identifier.rawValue)-\(writer.version)",
      counts: Dictionary(uniqueKeysWithValues: RecordKind.allCases.map { ($0, records.count(of: $0)) }))
    let (stored, replaced) = try store(file, event, records, before, writer.fileExtension, options.random)
    progress(.proving)
    var report = BackupReport(proof: try prove(stored.event, stored.file, records, passphrase))
    if let replaced { report.missing.append(replaced) }
    retain(&report, before, lastEntry: events.last?.at, rule, mayPrune: mayPrune, progress)
    return report
  }

  // MARK: - Storing

  // Stores under the first free name of this second. The ledger has the name and the hash before the file leaves: a file
  // that nobody sent in the end is harmless, one that nothing is known of isn't.
  private func store(
    _ file: SecretValue, _ event: LedgerEvent, _ records: Records, _ before: LedgerHistory, _ fileExtension: String,
    _ random: RandomSource
  ) throws -> (stored: (event: LedgerEvent, file: BackupDescriptor), replaced: String?) {
    let there = Set(try list().map { Array($0.name.utf8) })
    var event = event
    var refusals = 0
    for sequence in Int64(0)..<10_000 {
      event.name = transport.fixedName ?? name(event.at, sequence, fileExtension, random)
      let known = before.file(at: destination, named: event.name)
      if transport.fixedName == nil, known != nil || there.contains(Array(event.name.utf8)) { continue }
      var replaced: String?
      // Only a single place has a name twice, and it is free: what was proven there is gone.
      if let known, var proof = known.proof, known.flag == nil {
        (proof.kind, proof.at) = (.missing, event.at)
        try ledger.append(proof, records: nil)
        replaced = proof.name
      }
      try ledger.append(event, records: records)
      do throws(TransportError) {
        let stored = try transport.upload(file, name: event.name)
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
    _ event: LedgerEvent, _ stored: BackupDescriptor, _ records: Records, _ passphrase: borrowing SecretBytes
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
    if let differences = try contents(of: back, differFrom: records, passphrase) {
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

  // The lists in which the contents of a file differ from the records, nil if none does; opens with a fresh derivation.
  private func contents(
    of file: SecretValue, differFrom records: Records, _ passphrase: borrowing SecretBytes
  ) throws -> [String]? {
    do {
      let opened = try FormatRegistry.read(FormatInput(file)).open(passphrase: passphrase.duplicate())
      let differences = RecordComparison.differences(records, opened.records)
      return differences.isEmpty ? nil : differences
    } catch {
      return ["\(error)"]
    }
  }
}
