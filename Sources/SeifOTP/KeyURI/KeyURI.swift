public import SeifBytes

/// A Key URI: an account for one-time codes in one line, as QR codes and exports hold it.
///
/// There is no standard; the reader has two dialects, and `Dialect` lists how they differ. What is common: the `issuer`
/// parameter is preferred to the label; the first colon of the label, escaped or not, separates issuer and account;
/// spaces after it are skipped; a run of escapes that isn't UTF-8 as a whole stays as it is; secrets are read as
/// `Base32.decodeLeniently` does; numbers are 1 to 19 ASCII digits; unknown parameters are kept and mean nothing.
/// `write()` writes them only where they were given to the initializer that checks them.
public struct KeyURI: Sendable {
  /// How a reader takes what writers disagree about.
  ///
  /// | | `backup` | `list` |
  /// | --- | --- | --- |
  /// | names of parameters | exact | in any case |
  /// | a parameter twice | refused | refused if it is one that is understood |
  /// | `+` in the query | a plus, unless only its reading as a space agrees with the label | a space |
  /// | `+` in the label | a plus | a plus, unless its reading as a space agrees with the issuer parameter |
  /// | `issuer=` without a value | no issuer | the label's issuer |
  /// | spaces around the issuer | kept | dropped |
  /// | `#` | begins a fragment, which is skipped | text in label and issuer; elsewhere it ends the value |
  /// | `/` in the label, white space around the URI | text; refused | text; dropped |
  /// | algorithm | any case, `-` and `Hmac` dropped | also `Algorithm.` dropped |
  /// | HOTP without a counter | refused | 0, with a warning |
  /// | Steam | type `steam`, `encoder=steam` | also `steam://`, a bare `steam`, issuer `Steam` with five digits (SHA1, 30 s) |
  /// | `motp://`, `otpauth://motp`, `otpauth://yaotp` | refused | `ForeignKeyURI` reads them |
  public enum Dialect: Sendable, Hashable {
    /// The URIs inside backups and records, where one text has one meaning.
    case backup
    /// Lists and codes that other programs wrote.
    case list
  }

  /// A parameter that this package gives no meaning, its value decoded; `image` and `icon` among them.
  public struct OtherParameter: Sendable {
    /// Its name, decoded, as it was spelt.
    public let name: String
    /// Its value, decoded; a secret since it may be one.
    public let value: SecretValue

    /// A parameter. Any is taken here; whether it can be written with a URI is that URI's to say.
    public init(name: String, value: SecretValue) {
      self.name = name
      self.value = value
    }
  }

  /// The service; empty if there is none.
  public let issuer: String
  /// The name at the service; empty if there is none.
  public let account: String
  /// What makes the codes.
  public let parameters: OTPParameters
  /// Parameters without a meaning here, in the order of the text.
  public let otherParameters: [OtherParameter]
  /// What is odd about the text that was read.
  public let warnings: [KeyURIWarning]
  /// Whether `write()` writes `otherParameters`: those of a text that was read haven't been checked against its names.
  let writesOthers: Bool

  /// The longest URI that is read, in bytes.
  public static let maximumByteCount = 65_536
  /// The most parameters that are read.
  public static let maximumParameterCount = 256

  /// A Key URI to be written.
  public init(issuer: String, account: String, parameters: OTPParameters) {
    self.init(issuer: issuer, account: account, parameters: parameters, otherParameters: [], warnings: [])
  }

  init(
    issuer: String, account: String, parameters: OTPParameters, otherParameters: [OtherParameter],
    warnings: [KeyURIWarning], writesOthers: Bool = false
  ) {
    self.issuer = issuer
    self.account = account
    self.parameters = parameters
    self.otherParameters = otherParameters
    self.warnings = warnings
    self.writesOthers = writesOthers
  }

  /// Reads the UTF-8 of a Key URI.
  ///
  /// - Throws: the part at fault; `type` for Mobile-OTP and Yandex, which are `ForeignKeyURI`'s.
  public init(parsing uri: RawSpan, dialect: Dialect = .backup) throws(KeyURIError) {
    guard case .standard(let read) = try KeyURIReader.read(uri, dialect: dialect) else { throw KeyURIError(.type) }
    self = read
  }

  /// Reads a Key URI.
  ///
  /// - Throws: the part at fault; `type` for Mobile-OTP and Yandex, which are `ForeignKeyURI`'s.
  public init(parsing uri: SecretValue, dialect: Dialect = .backup) throws(KeyURIError) {
    self = try uri.withBytes { (bytes) throws(KeyURIError) in try KeyURI(parsing: bytes, dialect: dialect) }
  }

  /// The address of a picture, from `image` or `icon`, if it is one of the web's; never to be fetched unasked.
  public var imageAddress: String? {
    for parameter in otherParameters where utf8Equal(parameter.name, "image") || utf8Equal(parameter.name, "icon") {
      if let text = parameter.value.exposedText(), text.hasPrefix("https://") || text.hasPrefix("http://") {
        return text
      }
    }
    return nil
  }

  /// The canonical text, ASCII: every parameter in a fixed order, everything outside RFC 3986's unreserved characters
  /// escaped. Both dialects read the same account out of it, except that `list` drops spaces around an issuer and takes
  /// an ordinary account of five digits whose issuer is `Steam` for Steam's, as the programs do that export those.
  public func write() -> SecretValue {
    KeyURIWriter.write(self)
  }
}

extension KeyURI: Hashable {
  /// Same issuer and account byte by byte, same parameters; how the text was spelt doesn't count.
  public static func == (left: KeyURI, right: KeyURI) -> Bool {
    utf8Equal(left.issuer, right.issuer) && utf8Equal(left.account, right.account)
      && left.parameters == right.parameters
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(parameters)
  }
}
