public import SeifBytes

/// Why a part of a document vault can't be used. Holds no key, no name and no text of it.
public enum DocumentFormatError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The manifest isn't what it should be: never overwritten, never taken for an empty one.
  case badManifest(ManifestFault)
  /// The manifest is of another version of the format, which must not be overwritten.
  case unsupportedVersion
  /// The key is wrong, or the bytes were altered: which of the two can't be told.
  case cannotOpen
  /// Fewer bytes than a nonce and a tag have, or more than the limit.
  case badLength
  /// A sealed master key hasn't exactly 60 bytes.
  case badWrap
  /// A passkey gave no result of 32 bytes, so there is no key.
  case noKey
  /// A row of a way in isn't what it should be: the field's name.
  case badRow(String)

  /// What is wrong with a manifest as a whole.
  public enum ManifestFault: Error, Equatable, Sendable {
    /// It is no JSON as it should be.
    case json(JSONError)
    /// It is no object.
    case notAnObject
    /// `version` is missing or no integer.
    case version
    /// `nodes` is missing or no list.
    case nodes
    /// It has more nodes than a vault may have.
    case tooManyNodes
  }

  /// What it says to people.
  public var description: String {
    switch self {
    case .badManifest(.json(let error)): "the table of contents isn't JSON as it should be: \(error)"
    case .badManifest(.notAnObject): "the table of contents is no JSON object"
    case .badManifest(.version): "the table of contents doesn't say its version"
    case .badManifest(.nodes): "the table of contents has no list of documents"
    case .badManifest(.tooManyNodes): "the table of contents has more than \(Manifest.nodeCount) lines"
    case .unsupportedVersion: "the table of contents is of another version of the format"
    case .cannotOpen: "the key doesn't open it, or it was damaged or altered"
    case .badWrap: "a sealed master key has exactly \(KeyWrap.wrappedKeyByteCount) bytes, and this one hasn't"
    case .noKey: "the passkey gave no key; the recovery code is the way in"
    case .badRow(let field): "a row of a way in isn't as it should be: \(field)"
    case .badLength: "its length isn't that of something sealed, or it is larger than the limit"
    }
  }
}
