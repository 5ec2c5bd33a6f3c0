public import SeifBytes
internal import SeifCrypto
public import SeifFormats
public import SeifRecords

/// Why a backup doesn't count.
public enum BackupFailure: Error {
  /// The format can't hold the whole vault; what stays behind.
  case notWhole([Loss])
  /// Backups are always sealed.
  case notSealed
  /// The file couldn't be made.
  case format(FormatError)
  /// The file doesn't hold what was put into it, before it was sent: these lists differ.
  case selfCheck([String])
  /// The destination failed.
  case transport(TransportError)
  /// What came back isn't what was sent.
  case altered(name: String)
  /// What came back doesn't open or holds something else.
  case notProven(name: String, [String])
}

/// What a backup came to.
public struct BackupReport: Sendable {
  /// The proof as written in the ledger.
  public var proof: LedgerEvent
  /// Backups that retention removed.
  public var pruned: [String]
  /// Why nothing was removed, where something stood against it.
  public var refusal: Retention.Refusal?
  /// Proven backups that the destination no longer has, or has with another size.
  public var missing: [String]
  /// Files there that the ledger doesn't know: left alone.
  public var foreign: [String]
}

/// Makes backups and proves them: a backup counts once it has come back over its transport and opened.
public struct BackupService {
  private let transport: any BackupTransport
  private let ledger: any ProofLedger
  private let destination: String

  /// A service for one destination.
  public init(transport: any BackupTransport, ledger: any ProofLedger, destination: String) {
    self.transport = transport
    self.ledger = ledger
    self.destination = destination
  }

  /// Encodes, opens what was encoded, stores, reads back, opens with a fresh derivation, compares record by record, writes
  /// the proof, then lets retention look at old ones.
  ///
  /// - Parameter passphrase: in its composed form, as new files are sealed.
  /// - Throws: `BackupFailure`, and what the ledger throws. Unless this returns nothing is pruned.
  public func create(
    _ records: Records, writer: any BackupWriter, options: WritingOptions, passphrase: borrowing SecretBytes,
    rule: RetentionRule = RetentionRule(), progress: (BackupStage) -> Void = { _ in }
  ) throws -> BackupReport {
    let losses = writer.losses(of: records)
    guard losses.isEmpty else { throw BackupFailure.notWhole(losses) }
    guard writer.isSealed else { throw BackupFailure.notSealed }
    let before = try ledger.events()
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
    let stored = try store(file, options.exportedAt, writer.fileExtension)
    let event = LedgerEvent(
      at: options.exportedAt, kind: .stored, destination: destination, name: stored.name,
      sha256: file.withBytes { Digest.sha256($0) }, byteCount: file.byteCount,
      format: "\(writer.identifier.rawValue)-\(writer.version)",
      counts: Dictionary(uniqueKeysWithValues: RecordKind.allCases.map { ($0, records.count(of: $0)) }))
    try ledger.append(event, records: records)
    progress(.proving)
    let proof = try prove(event, stored, records, passphrase)
    return try retain(proof, before, rule, now: options.exportedAt)
  }

  private func prove(
    _ event: LedgerEvent, _ stored: BackupDescriptor, _ records: Records, _ passphrase: borrowing SecretBytes
  ) throws -> LedgerEvent {
    func failed(_ kind: LedgerEvent.Kind) throws {
      var failure = event
      failure.kind = kind
      try ledger.append(failure, records: nil)
    }
    let back: SecretValue
    do {
      back = try transport.download(id: stored.id, limit: FormatLimits.fileByteCount)
    } catch {
      try failed(.failed)
      throw BackupFailure.transport(error)
    }
    guard back.withBytes({ Digest.sha256($0) }) == event.sha256 else {
      try failed(.altered)
      throw BackupFailure.altered(name: event.name)
    }
    if let differences = try contents(of: back, differFrom: records, passphrase) {
      try failed(.failed)
      throw BackupFailure.notProven(name: event.name, differences)
    }
    var proof = event
    proof.kind = .proven
    try ledger.append(proof, records: records)
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

  // Stores under the first free name of this second.
  private func store(
    _ file: SecretValue, _ time: Timestamp, _ fileExtension: String
  ) throws -> BackupDescriptor {
    for sequence in Int64(0)..<1000 {
      let name = BackupName(time: time, sequence: sequence, fileExtension: fileExtension).text
      do {
        return try transport.upload(file, name: name)
      } catch {
        guard error.code == .exists, transport.takesNames else { throw BackupFailure.transport(error) }
      }
    }
    throw BackupFailure.transport(TransportError(.exists, place: destination))
  }

  private func retain(
    _ proof: LedgerEvent, _ before: [LedgerEvent], _ rule: RetentionRule, now: Timestamp
  ) throws -> BackupReport {
    var report = BackupReport(proof: proof, pruned: [], refusal: nil, missing: [], foreign: [])
    let earlier = Self.standing(before.filter { $0.destination == destination })
    let listing: [BackupDescriptor]
    do {
      listing = try transport.listBackups()
    } catch {
      // The backup is proven; looking after old ones can wait.
      return report
    }
    let there = Dictionary(listing.map { ($0.name, $0) }) { first, _ in first }
    var intact: [LedgerEvent] = [proof]
    for event in earlier {
      if let file = there[event.name], file.byteCount.map({ $0 == event.byteCount }) ?? true {
        intact.append(event)
      } else {
        report.missing.append(event.name)
      }
    }
    let known = Set(before.map(\.name) + [proof.name])
    report.foreign = listing.map(\.name).filter { !known.contains($0) }.sorted()
    report.refusal = Retention.refusal(
      newest: proof, previous: earlier.max { $0.at < $1.at }, lastEntry: before.last?.at, now: now)
    guard report.refusal == nil else { return report }
    for event in Retention.expired(intact, rule: rule) {
      guard let file = there[event.name] else { continue }
      try prune(event, file, now, &report)
    }
    return report
  }

  // Written down before the file goes: a file that is gone without a word is an alarm.
  private func prune(
    _ event: LedgerEvent, _ file: BackupDescriptor, _ now: Timestamp, _ report: inout BackupReport
  ) throws {
    guard let bytes = try? transport.download(id: file.id, limit: FormatLimits.fileByteCount),
      bytes.withBytes({ Digest.sha256($0) }) == event.sha256
    else {
      report.missing.append(event.name)
      return
    }
    var pruned = event
    (pruned.kind, pruned.at) = (.pruned, now)
    try ledger.append(pruned, records: nil)
    do {
      try transport.delete(id: file.id)
      report.pruned.append(event.name)
    } catch {
      report.foreign.append(event.name)
    }
  }

  /// The proven events whose files should still be there: no later event says that they went.
  public static func standing(_ events: [LedgerEvent]) -> [LedgerEvent] {
    var proven: [String: LedgerEvent] = [:]
    for event in events {
      switch event.kind {
      case .proven, .drilled: proven[event.name] = event
      case .pruned, .missing, .altered: proven[event.name] = nil
      case .stored, .failed: break
      }
    }
    return proven.values.sorted { ($0.at, $0.name) < ($1.at, $1.name) }
  }
}

/// Where a backup is on its way, for progress.
public enum BackupStage: Sendable {
  case sealing, storing, proving
}

/// Limits of files.
public enum FormatLimits {
  /// Largest backup, in bytes.
  public static let fileByteCount = 64 << 20
}
