package import SeifBytes
internal import SeifCrypto

/// What a browser says that it asked an authenticator for (WebAuthn level 2 §5.8.1).
package struct ClientData: Sendable {
  package enum Ceremony: String, Sendable { case create = "webauthn.create", get = "webauthn.get" }

  package static let maximumByteCount = 4096
  /// Length of a challenge, in bytes.
  package static let challengeByteCount = 32

  package let ceremony: Ceremony
  package let challenge: SecretValue
  /// Of the bytes as they came: this is what is signed.
  package let hash: [UInt8]

  /// Reads it and checks all that needs no memory of the challenge.
  ///
  /// - Throws: the first check that failed. Members that nobody here knows are no fault: browsers add some on purpose.
  package init(_ bytes: [UInt8], for party: RelyingParty, _ expected: Ceremony) throws(WebAuthnError) {
    let policy = JSONPolicy(
      isStrict: true, maximumByteCount: Self.maximumByteCount, maximumDepth: 8, maximumValueCount: 128)
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: SecretValue(bytes), policy: policy)
    } catch {
      throw .clientData
    }
    let root = document.root
    guard root.kind == .object else { throw .clientData }
    guard root["type"]?.string == expected.rawValue else { throw .type }
    guard let challenge = root["challenge"]?.secret.flatMap({ Base64URL.bytes($0) }),
      challenge.byteCount == Self.challengeByteCount
    else { throw .challenge }
    // Byte by byte: Swift's `==` would take other spellings of one character.
    guard let origin = root["origin"]?.string, Array(origin.utf8) == Array(party.origin.utf8) else { throw .origin }
    if let crossOrigin = root["crossOrigin"] {
      guard crossOrigin.bool == false else { throw .crossOrigin }
    }
    guard root["topOrigin"] == nil else { throw .crossOrigin }
    ceremony = expected
    self.challenge = challenge
    hash = Digest.sha256(bytes.span.bytes)
  }
}

extension Base64URL {
  /// The bytes of a text, or nil where it isn't one.
  static func bytes(_ text: SecretValue) -> SecretValue? {
    text.withBytes { text in
      do throws(EncodingError) { return try Base64URL.decode(text) } catch { return nil }
    }
  }

  static func bytes(_ text: String) -> SecretValue? { bytes(SecretValue(utf8: text)) }

  /// The text of what isn't secret.
  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: encode(bytes.span.bytes).exposedBytes(), as: UTF8.self)
  }
}
