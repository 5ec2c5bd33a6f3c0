public import SeifBytes
internal import SeifCrypto

/// A way in: the master key sealed under the key of a recovery code or a passkey, one row of `wraps.json`
/// (docs/formats/document-vault.md: "Ways in").
public struct KeyWrap: Sendable, Hashable {
  /// What opens it.
  public enum Kind: Sendable, Hashable {
    /// A recovery code, with the salt of its derivation, 16 bytes.
    case recovery(salt: [UInt8])
    /// A passkey, by its credential's identifier.
    case passkey(credentialID: [UInt8])
    /// Another kind, which is kept and shown and never used.
    case other(String)
  }

  /// Identifier of the row.
  public let id: UUID
  /// What opens it.
  public let kind: Kind
  /// The sealed master key, 60 bytes: nonce ‖ ciphertext ‖ tag. Of another kind whatever it has, or nothing.
  public let wrappedKey: [UInt8]
  /// When it was made, as its client says.
  public let createdAt: Timestamp?
  /// The row as canonical JSON: fields that aren't known are in it.
  public let json: SecretValue

  /// Bytes of a sealed master key.
  public static let wrappedKeyByteCount = masterKeyByteCount + DocumentLimits.sealedOverhead
  /// Bytes of a master key.
  public static let masterKeyByteCount = 32

  /// Reads a row.
  ///
  /// - Throws: `badRow` with the field; `badWrap` for a sealed key of another length. A row of a kind that isn't known
  ///   needs nothing but its identifier.
  public init(_ row: JSONValue) throws(DocumentFormatError) {
    guard row.kind == .object else { throw .badRow("row") }
    guard let id = row["id"]?.string.flatMap({ UUID($0) }) else { throw .badRow("id") }
    guard let kind = row["kind"]?.string else { throw .badRow("kind") }
    self.id = id
    json = row.canonical
    createdAt = row["createdAt"]?.string.flatMap { Timestamp(rfc3339: $0) }
    switch kind {
    case "recovery":
      guard row["iterations"]?.int64 == Int64(DocumentRecoveryCode.rounds) else { throw .badRow("iterations") }
      guard let salt = Self.base64(row["salt"]), salt.count == DocumentRecoveryCode.saltByteCount else {
        throw .badRow("salt")
      }
      self.kind = .recovery(salt: salt)
    case "passkey":
      guard let credential = Self.bytes(row["credentialId"], Base64URL.decode), (1...1023).contains(credential.count)
      else { throw .badRow("credentialId") }
      self.kind = .passkey(credentialID: credential)
    default:
      self.kind = .other(kind)
      wrappedKey = Self.base64(row["wrappedKey"]) ?? []
      return
    }
    guard let wrapped = Self.base64(row["wrappedKey"]) else { throw .badRow("wrappedKey") }
    guard wrapped.count == Self.wrappedKeyByteCount else { throw .badWrap }
    wrappedKey = wrapped
  }

  /// Seals a master key under the key of a way in.
  ///
  /// - Parameters:
  ///   - id: drawn at random for the row.
  ///   - kind: recovery or passkey.
  ///   - key: what `DocumentRecoveryCode` or `PasskeyKey` derived, 32 bytes.
  ///   - nonce: 12 bytes, drawn at random.
  /// - Throws: `badRow` for another kind or a salt of another length, `badWrap` for keys and nonces of other lengths.
  public static func seal(
    _ masterKey: borrowing SecretBytes, id: UUID, kind: Kind, key: borrowing SecretBytes, nonce: [UInt8],
    createdAt: Timestamp
  ) throws(DocumentFormatError) -> KeyWrap {
    guard masterKey.byteCount == masterKeyByteCount else { throw .badWrap }
    let wrapped: [UInt8]
    do throws(CryptoError) {
      let cipher = try AES256GCM(key: key)
      wrapped = try masterKey.withBytes { (bytes) throws(CryptoError) in
        try cipher.sealCombined(bytes, nonce: nonce, aad: RawSpan())
      }
    } catch {
      throw .badWrap
    }
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("id")
    writer.string(id.description)
    switch kind {
    case .recovery(let salt):
      writer.key("kind")
      writer.string("recovery")
      writer.key("salt")
      writer.string(Base64.encode(salt))
      writer.key("iterations")
      writer.integer(Int64(DocumentRecoveryCode.rounds))
    case .passkey(let credential):
      writer.key("kind")
      writer.string("passkey")
      writer.key("credentialId")
      writer.string(unsafe Base64URL.encode(credential.span.bytes))
    case .other: throw .badRow("kind")
    }
    writer.key("wrappedKey")
    writer.string(Base64.encode(wrapped))
    writer.key("createdAt")
    writer.string(createdAt.rfc3339Milliseconds)
    writer.endObject()
    guard let document = try? JSONDocument(parsing: writer.finish(), policy: .strict) else { throw .badRow("row") }
    return try KeyWrap(document.root)
  }

  /// Opens the master key.
  ///
  /// - Parameter key: 32 bytes.
  /// - Throws: `cannotOpen`; `badWrap` for a row of a kind that isn't known.
  public func open(with key: borrowing SecretBytes) throws(DocumentFormatError) -> SecretBytes {
    try Self.open(wrappedKey, with: key)
  }

  /// Opens a sealed master key.
  ///
  /// - Throws: `badWrap` for other than 60 bytes, before anything is opened; `cannotOpen`.
  public static func open(
    _ wrappedKey: [UInt8], with key: borrowing SecretBytes
  ) throws(DocumentFormatError) -> SecretBytes {
    guard wrappedKey.count == wrappedKeyByteCount else { throw .badWrap }
    do throws(CryptoError) {
      return SecretBytes(
        copying: unsafe try AES256GCM(key: key).openCombined(wrappedKey.span.bytes, aad: RawSpan()))
    } catch {
      throw .cannotOpen
    }
  }

  private static func base64(_ value: JSONValue?) -> [UInt8]? {
    bytes(value) { (text) throws(EncodingError) in try Base64.decode(text) }
  }

  private static func bytes(
    _ value: JSONValue?, _ decode: (RawSpan) throws(EncodingError) -> SecretValue
  ) -> [UInt8]? {
    // EXPOSE: salts, identifiers and sealed keys, which whoever holds the place sees.
    value?.withString { try? decode($0).exposedBytes() } ?? nil
  }
}
