public import SeifBytes
public import SeifCrypto
public import SeifRecords

/// Something that a target format can't hold.
public struct Loss: Sendable, Hashable {
  /// The list.
  public var kind: RecordKind
  /// The entry's position in its list, from 0; nil: the list as a whole.
  public var index: Int?
  /// The field; nil: the whole entry.
  public var field: String?

  /// A loss.
  public init(kind: RecordKind, index: Int? = nil, field: String? = nil) {
    self.kind = kind
    self.index = index
    self.field = field
  }
}

/// What a writer needs beside the records.
public struct WritingOptions: Sendable {
  /// The time to write down, from the caller's clock.
  public var exportedAt: Timestamp
  /// Where salts, nonces and missing identifiers come from.
  public var random: RandomSource
  /// The place in the chain of a vault's backups; only `backup create` gives one.
  public var link: BackupLink?
  /// What the key derivation costs, where it isn't the format's own: for tests, which must be fast.
  package var testCost: Argon2idCost?
  /// As `testCost`, for PBKDF2.
  package var testRounds: Int?

  /// Options for a file written now.
  public init(exportedAt: Timestamp, random: RandomSource = .system, link: BackupLink? = nil) {
    self.exportedAt = exportedAt
    self.random = random
    self.link = link
  }
}

/// A format that can be written.
public protocol BackupWriter: Sendable {
  /// Which format.
  var identifier: FormatIdentifier { get }
  /// Which version.
  var version: Int { get }
  /// Whether the file is sealed under a passphrase.
  var isSealed: Bool { get }
  /// The extension of its files, without the dot.
  var fileExtension: String { get }
  /// What of these records the format can't hold, item by item.
  func losses(of records: Records) -> [Loss]
  /// The complete file. What `losses` names is left out.
  ///
  /// - Parameter passphrase: the bytes to seal under, in the form that goes into the key; nil for a file in clear.
  func write(
    _ records: Records, options: WritingOptions, passphrase: borrowing SecretBytes?
  ) throws(FormatError) -> SecretValue
}

extension RecordKind {
  /// A loss for each entry of this kind.
  func allLost(in records: Records) -> [Loss] {
    (0..<records.count(of: self)).map { Loss(kind: self, index: $0) }
  }
}
