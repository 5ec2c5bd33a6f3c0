public import SeifBytes
internal import SeifCrypto

/// The hash function of a code.
public enum OTPAlgorithm: Sendable, Hashable, CaseIterable {
  /// HMAC-SHA1, which nearly everything uses.
  case sha1
  /// HMAC-SHA256.
  case sha256
  /// HMAC-SHA512.
  case sha512

  /// `SHA1`, `SHA256` or `SHA512`: the only spelling that is written, since some readers refuse all others.
  public var name: String {
    switch self {
    case .sha1: "SHA1"
    case .sha256: "SHA256"
    case .sha512: "SHA512"
    }
  }

  /// The algorithm with exactly this `name`, or nil.
  public init?(name: String) {
    guard let found = Self.allCases.first(where: { utf8Equal($0.name, name) }) else { return nil }
    self = found
  }

  var function: HashFunction {
    switch self {
    case .sha1: .sha1
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }
}

/// What makes a code: a kind, a secret, a hash function and a number of digits, all within their bounds.
public struct OTPParameters: Sendable, Hashable {
  /// What moves the code on.
  public enum Kind: Sendable, Hashable {
    /// The time, in periods of so many seconds, 1 to 86400 (RFC 6238).
    case totp(period: Int)
    /// A counter, 0 to 2^63 − 1: the one that the next code is made with (RFC 4226).
    case hotp(counter: Int64)
    /// The time, as Steam's codes of five letters and digits: 30 seconds, SHA1.
    case steam
  }

  /// What moves the code on.
  public private(set) var kind: Kind
  /// The key, decoded: 1 to 2560 bytes.
  public let secret: SecretValue
  /// The hash function; SHA1 for Steam.
  public let algorithm: OTPAlgorithm
  /// Number of characters of a code: 1 to 10; 5 for Steam.
  public let digits: Int

  /// The longest secret, in bytes: 4096 characters of base32.
  public static let maximumSecretByteCount = 2560

  /// Parameters within their bounds. For Steam `algorithm` and `digits` are SHA1 and 5 whatever is given.
  ///
  /// - Throws: the parameter outside its bounds.
  public init(kind: Kind, secret: SecretValue, algorithm: OTPAlgorithm = .sha1, digits: Int = 6) throws(OTPError) {
    guard (1...Self.maximumSecretByteCount).contains(secret.byteCount) else { throw .secret }
    switch kind {
    case .totp(let period): guard (1...86_400).contains(period) else { throw .period }
    case .hotp(let counter): guard counter >= 0 else { throw .counter }
    case .steam: break
    }
    guard kind == .steam || (1...10).contains(digits) else { throw .digits }
    self.kind = kind
    self.secret = secret
    self.algorithm = kind == .steam ? .sha1 : algorithm
    self.digits = kind == .steam ? 5 : digits
  }

  /// Length of a period in seconds; nil for HOTP.
  public var period: Int? {
    switch kind {
    case .totp(let period): period
    case .hotp: nil
    case .steam: 30
    }
  }

  /// The counter that the next code is made with; nil for what goes by time.
  public var counter: Int64? {
    if case .hotp(let counter) = kind { counter } else { nil }
  }

  /// The same with another counter; what goes by time is returned as it is.
  ///
  /// - Throws: `counter` if it is negative.
  public func withCounter(_ counter: Int64) throws(OTPError) -> OTPParameters {
    guard case .hotp = kind else { return self }
    guard counter >= 0 else { throw .counter }
    var changed = self
    changed.kind = .hotp(counter: counter)
    return changed
  }

  /// The same with the next counter, to be stored before the code of the present one is shown; what goes by time is
  /// returned as it is.
  ///
  /// - Throws: `counter` after 2^63 − 1.
  public func advanced() throws(OTPError) -> OTPParameters {
    guard case .hotp(let counter) = kind else { return self }
    let (next, overflow) = counter.addingReportingOverflow(1)
    guard !overflow else { throw .counter }
    return try withCounter(next)
  }
}
