public import SeifBytes
public import SeifRecords
internal import SeifCrypto

/// Writes `.authbackup`: exactly the format's keys, version 2 at exactly 64 MiB, 3 passes, 1 lane, version 1 at 600,000
/// rounds, a fresh salt of 16 and nonce of 12 bytes for every file.
public struct AuthBackupWriter: BackupWriter {
  /// 1 or 2.
  public let version: Int

  /// A writer of version 2, which holds a whole vault.
  public init() {
    version = 2
  }

  private init(version: Int) {
    self.version = version
  }

  /// A writer of version 1, for readers from before version 2; it has no place for cards.
  public static let version1 = AuthBackupWriter(version: 1)

  public var identifier: FormatIdentifier { .authbackup }
  public var isSealed: Bool { true }
  public var fileExtension: String { "authbackup" }

  public func losses(of records: Records) -> [Loss] {
    let foreign = ForeignMembers.removed(from: records).losses
    return version == 1 ? RecordKind.cards.allLost(in: records) + records.unusableLost(.cards) + foreign : foreign
  }

  public func write(
    _ records: Records, options: WritingOptions, passphrase: borrowing SecretBytes?
  ) throws(FormatError) -> SecretValue {
    switch passphrase {
    case .none: throw .passphraseRequired
    case .some(let passphrase):
      var records = ForeignMembers.removed(from: records).records.withIdentifiers(from: options.random)
      if version == 1 { records.unusable.removeAll { $0.kind == .cards } }
      let body = AuthBackupBody.write(
        records, version: version, exportedAt: options.exportedAt, link: options.link)
      return try seal(body, options: options, passphrase: passphrase)
    }
  }

  /// Seals a body that is written already.
  func seal(
    _ body: SecretValue, options: WritingOptions, passphrase: borrowing SecretBytes
  ) throws(FormatError) -> SecretValue {
    let salt = options.random.makeBytes(16)
    let nonce = options.random.makeBytes(12)
    let cost = options.testCost ?? .authBackup
    let rounds = options.testRounds ?? AuthBackupV1.standardRounds
    let derivation: HeaderFacts.KeyDerivation = version == 1 ? .pbkdf2(rounds: rounds) : .argon2id(cost)
    let aad = version == 1 ? AuthBackupV1.aad(rounds: rounds, salt: salt) : AuthBackupV2.aad(cost: cost, salt: salt)
    let sealed = try SealedBody.seal(
      body, keyDerivation: derivation, salt: salt, nonce: nonce, aad: aad, passphrase: passphrase)
    var writer = JSONWriter(indent: 2, capacity: body.byteCount * 4 / 3 + 1024)
    writer.beginObject()
    writer.key("format")
    writer.string(AuthBackupFormat.formatName)
    writer.key("version")
    writer.integer(Int64(version))
    writer.key("kdf")
    writer.string(version == 1 ? AuthBackupV1.kdfName : AuthBackupV2.kdfName)
    if version == 1 {
      writer.key("rounds")
      writer.integer(Int64(rounds))
    } else {
      for (key, number) in [("memoryKiB", cost.memoryKiB), ("passes", cost.passes), ("lanes", cost.lanes)] {
        writer.key(key)
        writer.integer(Int64(number))
      }
    }
    writer.key("salt")
    writer.string(Base64.encode(salt))
    writer.key("cipher")
    writer.string(AuthBackupFormat.cipherName)
    writer.key("nonce")
    writer.string(Base64.encode(nonce))
    writer.key("ciphertext")
    writer.string(sealed.ciphertext.withBytes { Base64.encode($0) })
    writer.key("tag")
    writer.string(Base64.encode(sealed.tag))
    writer.endObject()
    return writer.finishWithLineFeed()
  }
}
