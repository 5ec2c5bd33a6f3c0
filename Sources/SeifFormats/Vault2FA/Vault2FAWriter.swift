public import SeifBytes
public import SeifRecords
internal import SeifCrypto

/// Writes `vault2fa-backup` version 1: 600,000 rounds, a fresh salt of 16 and nonce of 12 bytes, keys in the order of the
/// published example. It holds TOTP, HOTP and Steam accounts and nothing else.
public struct Vault2FAWriter: BackupWriter {
  /// The writer.
  public init() {}

  public var identifier: FormatIdentifier { .vault2fa }
  public var version: Int { 1 }
  public var isSealed: Bool { true }
  public var fileExtension: String { "json" }

  public func losses(of records: Records) -> [Loss] {
    var losses: [Loss] = []
    for (index, account) in records.accounts.enumerated() {
      let fields = account.info.filledAdditions + account.info.opaque.map(\.key).filter { $0 == "uri" }
      losses += fields.map { Loss(kind: .accounts, index: index, field: $0) }
    }
    return losses + records.lossesOutside(.accounts, keepsUnusable: true, keepsOpaque: true)
      + records.opaque.map(\.key).filter(Vault2FABody.ownKeys.contains).map { Loss(kind: .accounts, field: $0) }
  }

  public func write(
    _ records: Records, options: WritingOptions, passphrase: borrowing SecretBytes?
  ) throws(FormatError) -> SecretValue {
    switch passphrase {
    case .none: throw .passphraseRequired
    case .some(let passphrase):
      return try seal(
        Vault2FABody.write(records, exportedAt: options.exportedAt), options: options, passphrase: passphrase)
    }
  }

  /// Seals a body that is written already.
  func seal(
    _ body: SecretValue, options: WritingOptions, passphrase: borrowing SecretBytes
  ) throws(FormatError) -> SecretValue {
    let salt = options.random.makeBytes(16)
    let nonce = options.random.makeBytes(12)
    let rounds = options.testRounds ?? Vault2FAFormat.standardRounds
    let sealed = try SealedBody.seal(
      body, keyDerivation: .pbkdf2(rounds: rounds), salt: salt, nonce: nonce, aad: [], passphrase: passphrase)
    var both = SecretBuffer(capacity: sealed.ciphertext.byteCount + 16)
    both.append(sealed.ciphertext)
    both.append(sealed.tag)
    return file(options, rounds: rounds, salt: salt, nonce: nonce, ciphertext: both.finish())
  }

  private func file(
    _ options: WritingOptions, rounds: Int, salt: [UInt8], nonce: [UInt8], ciphertext: SecretValue
  ) -> SecretValue {
    var writer = JSONWriter(indent: 2, capacity: ciphertext.byteCount * 4 / 3 + 1024)
    writer.beginObject()
    writer.key("format")
    writer.string(Vault2FAFormat.formatName)
    writer.key("version")
    writer.integer(1)
    writer.key("created")
    writer.string(options.exportedAt.rfc3339)
    writer.key("kdf")
    writer.beginObject()
    writer.key("name")
    writer.string(Vault2FAFormat.kdfName)
    writer.key("iterations")
    writer.integer(Int64(rounds))
    writer.key("salt")
    writer.string(Base64.encode(salt))
    writer.endObject()
    writer.key("cipher")
    writer.beginObject()
    writer.key("name")
    writer.string(Vault2FAFormat.cipherName)
    writer.key("nonce")
    writer.string(Base64.encode(nonce))
    writer.endObject()
    writer.key("ciphertext")
    writer.string(ciphertext.withBytes { Base64.encode($0) })
    writer.endObject()
    return writer.finishWithLineFeed()
  }
}
