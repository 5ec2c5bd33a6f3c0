/// Why a text is no usable Key URI: the part at fault. Never holds any of the text.
public struct KeyURIError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The parts of a Key URI that can be at fault.
  public enum Part: String, Sendable, Hashable, CaseIterable {
    /// It doesn't begin with `otpauth://` (or a related scheme, where those are read).
    case scheme
    /// Neither `totp`, `hotp` nor `steam` (or a related type, where those are read).
    case type
    /// Label, issuer or the name of a parameter isn't UTF-8.
    case text
    /// No secret, an empty one, one that isn't base32, or one of more than 2560 bytes.
    case secret
    /// Not a number from 1 to 10.
    case digits
    /// Not a number from 1 to 86400.
    case period
    /// None of SHA1, SHA256, SHA512.
    case algorithm
    /// Missing where it is needed, or not a number from 0 to 2^63 − 1.
    case counter
    /// A parameter stands there twice.
    case duplicateParameter
    /// More than 256 parameters.
    case tooManyParameters
    /// More than 64 KiB.
    case tooLong
  }

  /// What is at fault.
  public let part: Part

  /// An error of a part.
  public init(_ part: Part) {
    self.part = part
  }

  public var description: String {
    switch part {
    case .scheme: "not a Key URI (otpauth://)"
    case .type: "a type of Key URI that isn't known"
    case .text: "label, issuer or a parameter's name isn't UTF-8"
    case .secret: "the secret is missing, empty, too long or not base32"
    case .digits: "the digits aren't a number from 1 to 10"
    case .period: "the period isn't a number from 1 to 86400"
    case .algorithm: "the algorithm isn't SHA1, SHA256 or SHA512"
    case .counter: "the counter is missing or not a number from 0 to 2^63 - 1"
    case .duplicateParameter: "a parameter stands there twice"
    case .tooManyParameters: "more than \(KeyURI.maximumParameterCount) parameters"
    case .tooLong: "longer than \(KeyURI.maximumByteCount) bytes"
    }
  }

  init(code error: OTPError) {
    switch error {
    case .secret: part = .secret
    case .digits: part = .digits
    case .period: part = .period
    case .counter, .time: part = .counter
    }
  }
}

/// What is odd about a Key URI that was read; each is worth a line to the person.
public enum KeyURIWarning: Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// The issuer before the colon and the `issuer` parameter differ; the parameter was taken.
  case issuerDiffersFromLabel
  /// The secret's last characters fill no byte, and were dropped.
  case secretHasLeftoverBits
  /// Fewer than 6 or more than 8 digits.
  case unusualDigits
  /// A counter's account without its counter: 0 was taken, and codes may be refused.
  case counterMissing
  /// Taken as Steam since the issuer is `Steam` and the codes have five characters.
  case steamByIssuer
  /// The issuer is `Steam`, and nothing else says that codes are Steam's: taken as ordinary.
  case steamByNameOnly
  /// Codes need a PIN, and none is there.
  case pinMissing
  /// The PIN that is there isn't base32 of a text; it is kept as a parameter without a meaning.
  case pinUnreadable
  /// The secret of a Mobile-OTP account isn't hexadecimal; taken as it is.
  case secretNotHexadecimal

  public var description: String {
    switch self {
    case .issuerDiffersFromLabel: "the issuer in the label and the issuer parameter differ; the parameter was taken"
    case .secretHasLeftoverBits: "the last characters of the secret fill no byte and were dropped"
    case .unusualDigits: "an unusual number of digits"
    case .counterMissing: "no counter; 0 was taken, and codes may be refused"
    case .steamByIssuer: "taken as a Steam account: issuer Steam, five digits"
    case .steamByNameOnly: "the issuer is Steam, but the codes are ordinary ones"
    case .pinMissing: "codes need a PIN, and none is there"
    case .pinUnreadable: "the PIN couldn't be read"
    case .secretNotHexadecimal: "the secret isn't hexadecimal; taken as it is"
    }
  }
}
