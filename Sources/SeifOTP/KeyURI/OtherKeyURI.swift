public import SeifBytes

/// A Mobile-OTP or Yandex account as a URI: `motp://issuer:account?secret=HEX`, `otpauth://yaotp/…`.
public struct OtherKeyURI: Sendable {
  /// The kinds of codes that aren't HOTP, TOTP or Steam.
  public enum Kind: Sendable, Hashable {
    /// Mobile-OTP: MD5, 10 seconds, six hexadecimal digits.
    case motp
    /// Yandex: SHA256, 30 seconds, eight letters.
    case yandex
  }

  /// The kind of code.
  public let kind: Kind
  /// The service; empty if there is none.
  public let issuer: String
  /// The name at the service; empty if there is none.
  public let account: String
  /// For Mobile-OTP the text as it enters the hash, for Yandex the first 16 bytes.
  public let secret: SecretValue
  /// UTF-8; nil where the URI has none.
  public let pin: SecretValue?
  /// Parameters without a meaning here, in the order of the text; a PIN that can't be read is one.
  public let otherParameters: [KeyURI.OtherParameter]
  /// What is odd about the text that was read.
  public let warnings: [KeyURIWarning]
  let writesOthers: Bool

  /// An account to be written.
  ///
  /// - Throws: `secret` outside 1 to 2560 bytes; for Yandex, below 16 bytes (the first 16 are taken).
  public init(
    kind: Kind, issuer: String, account: String, secret: SecretValue, pin: SecretValue?
  ) throws(OTPError) {
    try self.init(
      kind: kind, issuer: issuer, account: account, secret: secret, pin: pin, otherParameters: [], warnings: [])
  }

  init(
    kind: Kind, issuer: String, account: String, secret: SecretValue, pin: SecretValue?,
    otherParameters: [KeyURI.OtherParameter], warnings: [KeyURIWarning], writesOthers: Bool = false
  ) throws(OTPError) {
    guard (1...OTPParameters.maximumSecretByteCount).contains(secret.byteCount) else { throw .secret }
    guard kind == .motp || secret.byteCount >= 16 else { throw .secret }
    self.kind = kind
    self.issuer = issuer
    self.account = account
    self.secret =
      kind == .motp ? secret : secret.withBytes { SecretValue(copying: $0.extracting(first: 16)) }
    self.pin = pin
    self.otherParameters = otherParameters
    self.warnings = warnings
    self.writesOthers = writesOthers
  }

  /// The text, ASCII. A PIN is written as `pin`, base32 of its UTF-8, as the programs do that write one at all.
  public func write() -> SecretValue {
    KeyURIWriter.write(self)
  }
}

/// Whatever a list of another program may hold in a line.
public enum ForeignKeyURI: Sendable {
  /// HOTP, TOTP or Steam.
  case standard(KeyURI)
  /// Mobile-OTP or Yandex.
  case other(OtherKeyURI)

  /// Reads the UTF-8 of a URI in the `list` dialect.
  ///
  /// - Throws: the part at fault.
  public init(parsing uri: RawSpan) throws(KeyURIError) {
    self = try KeyURIReader.read(uri, dialect: .list)
  }

  /// Reads a URI in the `list` dialect.
  ///
  /// - Throws: the part at fault.
  public init(parsing uri: SecretValue) throws(KeyURIError) {
    self = try uri.withBytes { (bytes) throws(KeyURIError) in try ForeignKeyURI(parsing: bytes) }
  }

  /// The canonical text.
  public func write() -> SecretValue {
    switch self {
    case .standard(let uri): uri.write()
    case .other(let uri): uri.write()
    }
  }
}
