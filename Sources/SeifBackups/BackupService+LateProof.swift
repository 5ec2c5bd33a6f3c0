public import SeifBytes
internal import SeifCrypto
public import SeifRecords

/// What a file that isn't proven is, once it was fetched and opened.
public enum LateProof: Sendable {
  /// It counts from now on, by this line.
  case proof(LedgerEvent)
  /// It was sent under this name with other bytes.
  case otherBytes
  /// It is what was sent, and doesn't hold what was noted as it was sent.
  case otherContents
  /// The ledger knows nothing of it, and it holds something else than the vault does now.
  case unknown([String])
}

extension BackupService {
  /// What a file comes to that came back and opened, and that the ledger doesn't hold as proven.
  ///
  /// What was sent from here is compared with the line that was written before: its bytes, and by the keyed digest its
  /// contents. Its proof has the time at which it was sent and counts as so old. Of a file that the ledger knows nothing
  /// of, only what the vault holds now can be compared, so that an old one can't pass as the newest.
  ///
  /// - Parameters:
  ///   - file: what the ledger says of it.
  ///   - isAsSent: whether some records have the digest that was noted with a line.
  ///   - present: what the vault holds now.
  public static func lateProof(
    of file: LedgerHistory.File?, _ content: SecretValue, named name: String, at destination: String, format: String,
    holding records: Records, present: Records, now: Timestamp, isAsSent: (LedgerEvent) throws -> Bool
  ) rethrows -> LateProof {
    let digest = content.withBytes { Digest.sha256($0) }
    if let file, file.isUnproven, let sent = file.sent {
      guard sent.sha256 == digest, sent.byteCount == content.byteCount else { return .otherBytes }
      guard try isAsSent(sent) else { return .otherContents }
      var proof = sent
      proof.kind = .proven
      return .proof(proof)
    }
    let differences = RecordComparison.differences(present, records)
    guard differences.isEmpty else { return .unknown(differences) }
    return .proof(
      LedgerEvent(
        at: now, kind: .proven, destination: destination, name: name, sha256: digest, byteCount: content.byteCount,
        format: format,
        counts: Dictionary(uniqueKeysWithValues: RecordKind.allCases.map { ($0, records.count(of: $0)) })))
  }
}
