internal import SeifBytes
internal import SeifCrypto
internal import SeifSQL

/// A row of `way_in`: the data key under the key of one way in.
struct KeyWrap {
  let id: UUID
  let kind: WayIn.Kind
  let generation: Int64
  /// Public parameters in canonical JSON, exactly as stored.
  let parameters: String
  let wrappedKey: [UInt8]

  static let recoveryRounds = 600_000

  var wayIn: WayIn {
    WayIn(
      id: id, kind: kind, createdAt: document?.root["createdAt"]?.string.flatMap { Timestamp(rfc3339: $0) },
      generation: generation, parameters: parameters)
  }

  private var document: JSONDocument? {
    let text = SecretValue(utf8: parameters)
    guard let document = try? JSONDocument(parsing: text, policy: .header), document.root.canonical == text else {
      return nil
    }
    return document
  }

  private static func aad(
    vaultID: UUID, id: UUID, kind: WayIn.Kind, generation: Int64, parameters: String
  ) -> [UInt8] {
    let digest = SecretValue(utf8: parameters).withBytes { Base16.encode(Digest.sha256($0)) }
    return Array("seif-vault:1:\(vaultID):\(id):\(kind.name):\(generation):\(digest)".utf8)
  }

  // MARK: - Making

  static func passphrase(
    _ passphrase: borrowing SecretBytes, cost: Argon2idCost, dataKey: borrowing SecretBytes, vaultID: UUID,
    generation: Int64, now: Timestamp, random: RandomSource
  ) throws(VaultError) -> KeyWrap {
    let salt = random.makeBytes(16)
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("createdAt")
    writer.string(now.rfc3339)
    writer.key("lanes")
    writer.integer(Int64(cost.lanes))
    writer.key("memoryKiB")
    writer.integer(Int64(cost.memoryKiB))
    writer.key("passes")
    writer.integer(Int64(cost.passes))
    writer.key("salt")
    writer.string(Base64.encode(salt))
    writer.endObject()
    let key = try derive { () throws(CryptoError) in
      try Argon2id.deriveKey(passphrase: passphrase, salt: salt, cost: cost)
    }
    return try KeyWrap(
      wrapping: dataKey, under: key, kind: .passphrase, parameters: text(writer.finish()), vaultID: vaultID,
      generation: generation, random: random)
  }

  static func recovery(
    _ code: borrowing RecoveryCode, dataKey: borrowing SecretBytes, vaultID: UUID, generation: Int64, now: Timestamp,
    random: RandomSource
  ) throws(VaultError) -> KeyWrap {
    let salt = random.makeBytes(16)
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("createdAt")
    writer.string(now.rfc3339)
    writer.key("rounds")
    writer.integer(Int64(recoveryRounds))
    writer.key("salt")
    writer.string(Base64.encode(salt))
    writer.endObject()
    let passphrase = code.duplicate()
    let key = try derive { () throws(CryptoError) in
      try PBKDF2.deriveKey(passphrase: passphrase, salt: salt, rounds: recoveryRounds)
    }
    return try KeyWrap(
      wrapping: dataKey, under: key, kind: .recovery, parameters: text(writer.finish()), vaultID: vaultID,
      generation: generation, random: random)
  }

  private init(
    wrapping dataKey: borrowing SecretBytes, under key: borrowing SecretBytes, kind: WayIn.Kind, parameters: String,
    vaultID: UUID, generation: Int64, random: RandomSource
  ) throws(VaultError) {
    let id = random.makeUUID()
    let aad = Self.aad(vaultID: vaultID, id: id, kind: kind, generation: generation, parameters: parameters)
    let nonce = random.makeBytes(AES256GCM.nonceByteCount)
    do throws(CryptoError) {
      let cipher = try AES256GCM(key: key)
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

  // EXPOSE: the parameters are public.
  private static func text(_ json: SecretValue) -> String { json.exposedText() ?? "" }

  private static func derive(
    _ body: () throws(CryptoError) -> SecretBytes
  ) throws(VaultError) -> SecretBytes {
    do throws(CryptoError) {
      return try body()
    } catch {
      throw VaultError(error == .outOfMemory ? .outOfMemory : .internalFailure, error.description)
    }
  }

  // MARK: - Opening

  /// What trying a passphrase costs; nil if the row was altered so that none could open it.
  ///
  /// - Throws: `costRefused`.
  func cost() throws(VaultError) -> Argon2idCost? {
    guard let root = document?.root, salt(root) != nil else { return nil }
    let memory = root["memoryKiB"]?.int64
    guard memory.map({ $0 >= VaultCost.leastMemoryKiB }) ?? true else { throw VaultError(.costRefused, "memoryKiB") }
    do throws(CostError) {
      return try Argon2idCost(
        memoryKiB: memory, passes: root["passes"]?.int64, lanes: root["lanes"]?.int64, limits: VaultCost.limits)
    } catch {
      throw VaultError(.costRefused, error.description)
    }
  }

  /// The data key, or nil if this isn't the passphrase or the row was altered.
  ///
  /// - Parameter cost: as `cost()` gave it.
  /// - Throws: `outOfMemory`, `internalFailure`.
  func open(
    passphrase: borrowing SecretBytes, cost: Argon2idCost, vaultID: UUID
  ) throws(VaultError) -> SecretBytes? {
    guard let root = document?.root, let salt = salt(root) else { return nil }
    let key = try Self.derive { () throws(CryptoError) in
      try Argon2id.deriveKey(passphrase: passphrase, salt: salt, cost: cost)
    }
    return unwrap(with: key, vaultID: vaultID)
  }

  /// The data key, or nil if this isn't the code or the row was altered.
  func open(recoveryCode: borrowing RecoveryCode, vaultID: UUID) throws(VaultError) -> SecretBytes? {
    guard let root = document?.root, let salt = salt(root) else { return nil }
    guard root["rounds"]?.int64 == Int64(Self.recoveryRounds) else { throw VaultError(.costRefused, "rounds") }
    let passphrase = recoveryCode.duplicate()
    let key = try Self.derive { () throws(CryptoError) in
      try PBKDF2.deriveKey(passphrase: passphrase, salt: salt, rounds: Self.recoveryRounds)
    }
    return unwrap(with: key, vaultID: vaultID)
  }

  // Salts of another length than our writers' are refused, so that the one fast implementation serves all.
  private func salt(_ root: JSONValue) -> [UInt8]? {
    guard let decoded = root["salt"]?.withString({ try? Base64.decode($0) }) ?? nil, decoded.byteCount == 16 else {
      return nil
    }
    // EXPOSE: a salt is public.
    return decoded.exposedBytes()
  }

  private func unwrap(with key: borrowing SecretBytes, vaultID: UUID) -> SecretBytes? {
    let aad = Self.aad(vaultID: vaultID, id: id, kind: kind, generation: generation, parameters: parameters)
    guard wrappedKey.count == 60, let cipher = try? AES256GCM(key: key),
      let opened = try? cipher.openCombined(wrappedKey.span.bytes, aad: aad.span.bytes)
    else { return nil }
    return SecretBytes(copying: opened)
  }

  // MARK: - Rows

  func values(position: Int64) -> [SQLValue] {
    [
      .integer(generation), .blob(id.bytes), .text(kind.name), .text(parameters), .integer(position), .integer(1),
      .blob(wrappedKey),
    ]
  }

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
