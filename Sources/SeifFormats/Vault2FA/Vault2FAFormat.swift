internal import SeifBytes
internal import SeifCrypto
internal import SeifRecords

/// `vault2fa-backup`, version 1: accounts as Key URIs under PBKDF2 and AES-256-GCM without additional data, so the header
/// isn't bound. See docs/formats/vault2fa-v1.md.
public struct Vault2FAFormat: BackupFormat {
  /// The format.
  public init() {}

  public var identifier: FormatIdentifier { .vault2fa }
  public var displayName: String { "Vault2FA backup" }

  static let formatName = "vault2fa-backup"
  static let kdfName = "pbkdf2-hmac-sha256"
  static let cipherName = "aes-256-gcm"
  static let standardRounds = 600_000

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
    guard version == 1 else { throw .unsupportedVersion(version) }
    let kdf = try header.object("kdf")
    let cipher = try header.object("cipher")
    guard utf8Equal(try kdf.string("name"), Self.kdfName) else { throw .unknownAlgorithm(field: "kdf.name") }
    guard utf8Equal(try cipher.string("name"), Self.cipherName) else { throw .unknownAlgorithm(field: "cipher.name") }
    let wanted = try kdf.int64("iterations")
    let rounds: Int
    do throws(CostError) {
      rounds = try PBKDF2.checkedRounds(wanted, field: "iterations", allowed: options.pbkdf2Rounds)
    } catch {
      throw .costRefused(error)
    }
    let salt = try kdf.base64("salt", byteCount: 16)
    let nonce = try cipher.base64("nonce", byteCount: 12)
    let (ciphertext, tag) = try header.ciphertextWithTag("ciphertext")
    let facts = HeaderFacts(
      format: .vault2fa, version: 1, variant: nil, keyDerivation: .pbkdf2(rounds: rounds), isHeaderBound: false,
      readableFields: ["created"], claimedTime: document.root["created"]?.string.flatMap { Timestamp(rfc3339: $0) })
    return Vault2FAFile(
      header: facts,
      sealed: SealedBody(
        keyDerivation: facts.keyDerivation, salt: salt, nonce: nonce, tag: tag, aad: [], ciphertext: ciphertext))
  }
}

struct Vault2FAFile: BackupFile {
  let header: HeaderFacts
  let sealed: SealedBody

  func open(passphrase: borrowing SecretBytes?) throws(FormatError) -> OpenedBackup {
    switch passphrase {
    case .none: throw .passphraseRequired
    case .some(let passphrase):
      return try Vault2FABody.read(try sealed.open(passphrase: passphrase), header: header)
    }
  }
}
