internal import SeifBytes

/// What an authorization server answers, read from bounded strict JSON (RFC 6749 §5, RFC 8628 §3.2).
enum OAuthAnswer {
  /// Most bytes of an answer.
  static let maximumByteCount = 64 << 10
  private static let policy = JSONPolicy(
    isStrict: true, maximumByteCount: maximumByteCount, maximumDepth: 8, maximumValueCount: 1_000)

  /// Tokens.
  struct Tokens: Sendable {
    var access: SecretValue
    /// Nil: the one that was sent stays.
    var refresh: SecretValue?
    /// Seconds that the access token is good for; nil: it isn't said.
    var seconds: Int64?
    /// What was allowed, words parted by spaces; nil: what was asked for.
    var scope: String?
    /// The account, where the server names it here.
    var account: String?
  }

  /// What a person types on another machine, and what this one asks with meanwhile.
  struct Device: Sendable {
    var code: SecretValue
    var userCode: String
    var address: String
    var seconds: Int64
    var interval: Int64
  }

  /// The tokens in a body; nil: it holds none that can be used.
  static func tokens(_ body: SecretValue) -> Tokens? {
    guard let root = try? JSONDocument(parsing: body, policy: policy).root,
      root["token_type"]?.string?.lowercased() == "bearer", let access = token(root["access_token"])
    else { return nil }
    // An empty one would be sent as none.
    let refresh = root["refresh_token"].map { token($0) }
    if let refresh, refresh == nil { return nil }
    let account = root["account_id"]?.string.flatMap { isPlain($0, 256) ? $0 : nil }
    return Tokens(
      access: access, refresh: refresh ?? nil, seconds: root["expires_in"]?.int64.map { max(0, $0) },
      scope: root["scope"]?.string, account: account)
  }

  /// The codes in a body; nil: it holds none that can be used.
  static func device(_ body: SecretValue) -> Device? {
    guard let root = try? JSONDocument(parsing: body, policy: policy).root, let code = token(root["device_code"]),
      let userCode = root["user_code"]?.string, isPlain(userCode, 64),
      // Google wrote its own before the standard came.
      let address = (root["verification_uri"] ?? root["verification_url"])?.string, isPlain(address, 256),
      let seconds = root["expires_in"]?.int64
    else { return nil }
    return Device(
      code: code, userCode: userCode, address: address, seconds: min(max(0, seconds), 1800),
      interval: min(max(1, root["interval"]?.int64 ?? 5), 60))
  }

  /// The code of a refusal; nil: the body holds none.
  static func refusal(_ body: SecretValue) -> String? {
    guard let root = try? JSONDocument(parsing: body, policy: policy).root, let code = root["error"]?.string,
      isCode(code)
    else { return nil }
    return code
  }

  /// Whether a text is a code of an error: letters, digits, `_`, `-` and `.`, at most 64.
  static func isCode(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || [0x5F, 0x2D, 0x2E].contains(byte)
      }
  }

  /// Whether a text can be shown and put into a field of a head: printable ASCII, no spaces.
  static func isPlain(_ text: String, _ most: Int) -> Bool {
    (1...most).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// Whether a token can be sent: printable ASCII, at most 4,096 bytes.
  static func isToken(_ value: SecretValue) -> Bool {
    guard (1...4096).contains(value.byteCount) else { return false }
    return value.withBytes { bytes in
      (0..<bytes.byteCount).allSatisfy { (0x21...0x7E).contains(bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self)) }
    }
  }

  private static func token(_ value: JSONValue?) -> SecretValue? {
    guard let secret = value?.secret, isToken(secret) else { return nil }
    return secret
  }
}
