internal import SeifBytes
internal import SeifCrypto
internal import SeifRecords

/// `.authbackup`: version 1 (PBKDF2) with its Android layout, and version 2 (Argon2id). See
/// docs/formats/authbackup-v1.md and authbackup-v2.md.
public struct AuthBackupFormat: BackupFormat {
  /// The format.
  public init() {}

  public var identifier: FormatIdentifier { .authbackup }
  public var displayName: String { "AuthBackup" }

  static let formatName = "authbackup"
  static let cipherName = "AES-256-GCM"

  public func recognizes(_ input: FormatInput) -> Bool {
    guard case .success(let document) = input.json else { return false }
    return document.root["format"]?.withString { $0.isEqual(to: Self.formatName) } ?? false
  }

  public func readHeader(
    _ input: FormatInput, options: ReadingOptions
  ) throws(FormatError) -> any BackupFile {
    let document: JSONDocument
    switch input.json {
    case .success(let parsed): document = parsed
    case .failure(let error): throw .unreadable(error)
    }
    guard recognizes(input) else { throw .otherFormat }
    let header = HeaderReader(document.root)
    let version = try header.int64("version")
    switch version {
    case 1: return try AuthBackupV1.readHeader(header, options: options)
    case 2: return try AuthBackupV2.readHeader(header, options: options)
    default: throw .unsupportedVersion(version)
    }
  }

  static func checkAlgorithms(_ header: HeaderReader, kdf: String) throws(FormatError) {
    guard equalFoldingASCIICase(try header.string("kdf"), kdf) else { throw .unknownAlgorithm(field: "kdf") }
    guard utf8Equal(try header.string("cipher"), cipherName) else { throw .unknownAlgorithm(field: "cipher") }
  }
}

/// A file of either version with its header read.
struct AuthBackupFile: BackupFile {
  let header: HeaderFacts
  let sealed: SealedBody

  func open(passphrase: borrowing SecretBytes?) throws(FormatError) -> OpenedBackup {
    switch passphrase {
    case .none: throw .passphraseRequired
    case .some(let passphrase):
      let body = try sealed.open(passphrase: passphrase)
      return try AuthBackupBody.read(body, header: header)
    }
  }
}

extension RawSpan {
  /// Whether these are exactly the bytes of a text.
  func isEqual(to text: String) -> Bool {
    SecretValue(copying: self) == SecretValue(utf8: text)
  }
}
