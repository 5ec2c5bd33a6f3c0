internal import SeifBytes
internal import SeifCrypto

/// Proof that whoever redeems a code is the one who asked for it (RFC 7636, method S256).
struct PKCE: Sendable {
  /// What is shown when the code is redeemed: 43 characters.
  let verifier: SecretValue
  /// What the address that a person opens holds: the verifier's digest.
  let challenge: String

  /// One of 32 random bytes.
  static func make(_ random: RandomSource = .system) -> PKCE {
    let bytes = random.makeSecret(byteCount: 32)
    return PKCE(verifier: bytes.withBytes { Base64URL.encode($0) })
  }

  /// The proof of a verifier.
  init(verifier: SecretValue) {
    self.verifier = verifier
    let digest = verifier.withBytes { Digest.sha256($0) }
    // EXPOSE: the digest is what is made public.
    challenge = Base64URL.encode(digest.span.bytes).exposedText() ?? ""
  }
}

/// Names and values of a form or of a query (application/x-www-form-urlencoded, spaces as `%20`).
struct OAuthForm: ~Copyable {
  private var text = SecretBuffer()

  /// Adds a pair.
  mutating func add(_ name: String, _ value: String) { add(name, SecretValue(utf8: value)) }

  /// Adds a pair whose value is secret; one that is empty is left out.
  mutating func add(_ name: String, _ value: SecretValue) {
    guard !value.isEmpty else { return }
    if text.byteCount > 0 { text.append(UInt8(ascii: "&")) }
    text.append(utf8: name)
    text.append(UInt8(ascii: "="))
    value.withBytes { bytes in
      for offset in 0..<bytes.byteCount {
        let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: text.append(byte)
        default:
          let digits = Array("0123456789ABCDEF".utf8)
          text.append([0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]])
        }
      }
    }
  }

  /// The whole text.
  consuming func finish() -> SecretValue { text.finish() }
}
