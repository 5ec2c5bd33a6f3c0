internal import SeifBytes
internal import SeifCrypto
internal import SeifSQL

/// A data key that was unwrapped, and the vault whose it is.
struct OpenedKey: ~Copyable {
  let dataKey: SecretBytes
  let vaultID: UUID
}

/// A row of `way_in`: the data key under the key of one way in.
struct KeyWrap: Sendable {
  let id: UUID
  let kind: WayIn.Kind
  let generation: Int64
  /// Public parameters in canonical JSON, exactly as stored.
  let parameters: String
  let wrappedKey: [UInt8]

  /// Nonce, wrapped key, tag.
  static let wrappedByteCount = 60

  var wayIn: WayIn {
    let createdAt = WayIn.document(parameters)?.root["createdAt"]?.string
    return WayIn(
      id: id, kind: kind, createdAt: createdAt.flatMap { Timestamp(rfc3339: $0) }, generation: generation,
      parameters: parameters)
  }

  private static func aad(
    vaultID: UUID, id: UUID, kind: WayIn.Kind, generation: Int64, parameters: String
  ) -> [UInt8] {
    let digest = SecretValue(utf8: parameters).withBytes { Base16.encode(Digest.sha256($0)) }
    return Array("seif-vault:1:\(vaultID):\(id):\(kind.name):\(generation):\(digest)".utf8)
  }

  // MARK: - Making

  /// A new way in.
  static func make(
    _ provider: some WayInProvider, dataKey: borrowing SecretBytes, vaultID: UUID, generation: Int64, now: Timestamp,
    random: RandomSource
  ) throws(VaultError) -> KeyWrap {
    let id = random.makeUUID()
    let new = try provider.makeKey(for: id, vaultID: vaultID, random: random)
    return try KeyWrap(
      wrapping: dataKey, under: new, id: id, kind: provider.kind, createdAt: now, vaultID: vaultID,
      generation: generation, random: random)
  }

  /// The same way in around another data key.
  func renewed(
    by provider: some WayInProvider, dataKey: borrowing SecretBytes, vaultID: UUID, generation: Int64, now: Timestamp,
    random: RandomSource
  ) throws(VaultError) -> KeyWrap {
    let way = wayIn
    let new = try provider.renewKey(of: way, vaultID: vaultID, random: random)
    return try KeyWrap(
      wrapping: dataKey, under: new, id: id, kind: kind, createdAt: way.createdAt ?? now, vaultID: vaultID,
      generation: generation, random: random)
  }

  private init(
    wrapping dataKey: borrowing SecretBytes, under new: borrowing NewWrappingKey, id: UUID, kind: WayIn.Kind,
    createdAt: Timestamp, vaultID: UUID, generation: Int64, random: RandomSource
  ) throws(VaultError) {
    let parameters = Self.text(new.parameters, createdAt)
    let aad = Self.aad(vaultID: vaultID, id: id, kind: kind, generation: generation, parameters: parameters)
    let nonce = random.makeBytes(AES256GCM.nonceByteCount)
    do throws(CryptoError) {
      let cipher = try AES256GCM(key: new.key)
      wrappedKey = try dataKey.withBytes { (bytes) throws(CryptoError) in
        try cipher.sealCombined(bytes, nonce: nonce, aad: aad.span.bytes)
      }
    } catch {
      throw VaultError(.internalFailure, "wrapping")
    }
    self.id = id
    self.kind = kind
    self.generation = generation
    self.parameters = parameters
  }

  init(id: UUID, kind: WayIn.Kind, generation: Int64, parameters: String, wrappedKey: [UInt8]) {
    self.id = id
    self.kind = kind
    self.generation = generation
    self.parameters = parameters
    self.wrappedKey = wrappedKey
  }

  private static func text(_ parameters: [String: WayInParameter], _ createdAt: Timestamp) -> String {
    let all = parameters.merging(["createdAt": .text(createdAt.rfc3339)]) { $1 }
    var writer = JSONWriter()
    writer.beginObject()
    for (name, value) in all.sorted(by: { utf8Precedes($0.key, $1.key) }) {
      writer.key(name)
      switch value {
      case .text(let text): writer.string(text)
      case .number(let number): writer.integer(number)
      case .flag(let flag): writer.bool(flag)
      case .bytes(let bytes): writer.string(Base64.encode(bytes))
      }
    }
    writer.endObject()
    // EXPOSE: the parameters are public.
    return writer.finish().exposedText() ?? ""
  }

  // MARK: - Opening

  /// What trying a passphrase costs; nil if the row was altered so that none could open it.
  ///
  /// - Throws: `costRefused`.
  func cost() throws(VaultError) -> Argon2idCost? { try PassphraseProvider.cost(of: wayIn) }

  /// The data key, or nil if what the provider has isn't the right thing or the row was altered.
  func open(with provider: some WayInProvider, vaultID: UUID) throws(VaultError) -> SecretBytes? {
    guard provider.kind == kind else { return nil }
    return try provider.withKeys(of: wayIn, vaultID: vaultID) { unwrap(with: $0, vaultID: vaultID) }
  }

  /// The data key and the vault that it is bound to; more than one can only stand in a file where somebody planted a row. A
  /// device is asked once for all.
  func open(with provider: some WayInProvider, vaultIDs: [UUID]) throws(VaultError) -> OpenedKey? {
    guard provider.kind == kind, let first = vaultIDs.first else { return nil }
    return try provider.withKeys(of: wayIn, vaultID: first) { (key) -> OpenedKey? in
      for vaultID in vaultIDs {
        if let dataKey = unwrap(with: key, vaultID: vaultID) { return OpenedKey(dataKey: dataKey, vaultID: vaultID) }
      }
      return nil
    }
  }

  private func unwrap(with key: borrowing SecretBytes, vaultID: UUID) -> SecretBytes? {
    let aad = Self.aad(vaultID: vaultID, id: id, kind: kind, generation: generation, parameters: parameters)
    guard wrappedKey.count == Self.wrappedByteCount, let cipher = try? AES256GCM(key: key),
      let opened = try? cipher.openCombined(wrappedKey.span.bytes, aad: aad.span.bytes)
    else { return nil }
    return SecretBytes(copying: opened)
  }

  // MARK: - Rows

  func values(position: Int64, revision: Int64 = 1) -> [SQLValue] {
    [
      .integer(generation), .blob(id.bytes), .text(kind.name), .text(parameters), .integer(position),
      .integer(revision), .blob(wrappedKey),
    ]
  }

  /// Most ways in of a vault.
  static let maximumCount = 64

  /// The ways in of a file, at most 64.
  static func all(in connection: Connection) throws(SQLError) -> [KeyWrap] {
    let statement = try connection.prepare(
      "SELECT id, kind, generation, parameters, wrapped_key FROM way_in ORDER BY position LIMIT 64")
    var wraps: [KeyWrap] = []
    while try statement.step() {
      wraps.append(
        KeyWrap(
          id: try statement.uuid(0), kind: WayIn.Kind(name: try statement.text(1)),
          generation: try statement.integer(2), parameters: try statement.text(3),
          wrappedKey: try statement.blob(4)))
    }
    return wraps
  }
}
