public import SeifBytes
public import SeifCrypto

/// Why a file can't be opened. All but the last four are known before a passphrase is asked for or a key derived.
public enum FormatError: Error, Equatable, CustomStringConvertible {
  /// Not the JSON (or other text) that a backup is made of: damaged, cut off, or no backup.
  case unreadable(JSONError)
  /// A text, but not of this format.
  case otherFormat
  /// None of the formats that are read here; what the bytes look like.
  case unknownFormat(ContentGuess)
  /// It claims to be of several formats; which one must be said.
  case ambiguousFormat([FormatIdentifier])
  /// A version that isn't known; nil: more than 64 bits.
  case unsupportedVersion(Int64?)
  /// A key derivation or cipher that the version doesn't have; the field.
  case unknownAlgorithm(field: String)
  /// A field of the header that is missing or wrong.
  case badHeader(field: String, HeaderFault)
  /// The key derivation asks for an amount out of range; nothing was allocated, nothing derived.
  case costRefused(CostError)
  /// The file is sealed and no passphrase was given.
  case passphraseRequired
  /// Wrong passphrase, or damaged or altered: the two can't be told apart.
  case cannotOpen
  /// Authentic, or in clear, but no vault inside; the reason in short words.
  case badBody(String)
  /// A derivation that can't be done on this machine.
  case cryptography(CryptoError)
  /// A file that the format doesn't allow without entries would have none.
  case nothingToWrite

  /// What is wrong with a field of a header.
  public enum HeaderFault: Error, Sendable, Equatable {
    /// It isn't there.
    case missing
    /// It has another type than it should.
    case wrongType
    /// It is no strict base64 or hexadecimal.
    case encoding
    /// It has another number of bytes than it should.
    case length
    /// Its value contradicts another field.
    case contradiction
    /// It holds nothing, and must.
    case empty
  }

  public var description: String {
    switch self {
    case .unreadable(let error): "the file is damaged or isn't a backup: \(error)"
    case .otherFormat: "this isn't a backup of this kind"
    case .unknownFormat(let guess): "this isn't a backup of a known kind; it looks like \(guess)"
    case .ambiguousFormat(let formats):
      "the file claims to be of several formats: \(formats.map(\.rawValue).joined(separator: ", "))"
    case .unsupportedVersion(let version):
      "the backup has version \(version.map(String.init) ?? "of more than 64 bits"), which isn't known here"
    case .unknownAlgorithm(let field): "the header's \(field) names an algorithm that this version doesn't have"
    case .badHeader(let field, let fault): "the header is damaged: \(field) \(Self.text(fault))"
    case .costRefused(let error): "the file asks for too much work or memory to open: \(error)"
    case .passphraseRequired: "the file is sealed under a passphrase"
    case .cannotOpen: "the passphrase is wrong or the file is damaged; the two can't be told apart"
    case .badBody(let reason): "it opens, but what is inside is no vault (\(reason))"
    case .cryptography(let error): "\(error)"
    case .nothingToWrite: "there is nothing that this format can hold, and it allows no empty file"
    }
  }

  private static func text(_ fault: HeaderFault) -> String {
    switch fault {
    case .missing: "is missing"
    case .wrongType: "has the wrong type"
    case .encoding: "isn't written as it should be"
    case .length: "has the wrong length"
    case .contradiction: "contradicts another field"
    case .empty: "is empty"
    }
  }
}
