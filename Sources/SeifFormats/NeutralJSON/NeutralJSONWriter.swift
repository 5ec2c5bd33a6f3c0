public import SeifBytes
public import SeifRecords

/// Writes neutral records with their secrets, in clear, as a target of `convert` and `export`.
public struct NeutralJSONWriter: BackupWriter {
  /// What is said of the source.
  public var source: SourceFacts
  /// What couldn't be used of the source.
  public var problems: [EntryProblem]

  /// A writer for records of a source.
  public init(source: SourceFacts = SourceFacts(format: "seif"), problems: [EntryProblem] = []) {
    self.source = source
    self.problems = problems
  }

  public var identifier: FormatIdentifier { .json }
  public var version: Int { 1 }
  public var isSealed: Bool { false }
  public var fileExtension: String { "json" }

  public func losses(of records: Records) -> [Loss] {
    RecordKind.documents.allLost(in: records) + records.unusableLost(.documents)
      + records.opaque.filter { NeutralJSON.reserved.contains($0.key) }.map { Loss(kind: .accounts, field: $0.key) }
  }

  public func write(
    _ records: Records, options: WritingOptions, passphrase: borrowing SecretBytes?
  ) throws(FormatError) -> SecretValue {
    NeutralJSON.write(
      source: source, records: records, problems: problems, losses: losses(of: records), reveal: true)
  }
}
