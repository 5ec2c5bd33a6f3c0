public import SeifBytes
public import SeifOTP

/// A two-factor account whose codes Seif can compute by the standards: TOTP, HOTP, Steam.
public struct Account: Sendable, Hashable {
  /// What every entry has.
  public var info = EntryInfo()
  /// The service; may be empty.
  public var issuer: String
  /// The person's name there; may be empty.
  public var account: String
  /// What makes the codes.
  public var otp: OTPParameters

  /// An account.
  public init(issuer: String, account: String, otp: OTPParameters, info: EntryInfo = EntryInfo()) {
    self.info = info
    self.issuer = issuer
    self.account = account
    self.otp = otp
  }
}

/// A two-factor account of another kind: mOTP and Yandex have codes, any other kind is only kept.
public struct OtherAccount: Sendable, Hashable {
  /// What every entry has.
  public var info = EntryInfo()
  /// `motp`, `yandex`, or any other text that isn't `totp`, `hotp` or `steam`.
  public var type: String
  /// The service; may be empty.
  public var issuer = ""
  /// The person's name there; may be empty.
  public var account = ""
  /// Of mOTP and Yandex base32 without padding, else the text as it came.
  public var secret: SecretValue?
  /// The PIN that takes part in the codes.
  public var pin: SecretValue?
  /// Only information, as the source has it.
  public var algorithm: String?
  /// Only information, as the source has it.
  public var digits: Int64?
  /// Only information, as the source has it.
  public var period: Int64?
  /// Only information, as the source has it.
  public var counter: Int64?

  /// An account of a kind.
  public init(type: String) {
    self.type = type
  }
}
