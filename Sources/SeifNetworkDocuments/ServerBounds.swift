internal import SeifDocumentFormat
internal import SeifHTTPFields

/// What is taken of a server at most, and the fields that are always the same.
enum ServerBounds {
  static let json = HTTPField("Content-Type", "application/json")
  static let octets = HTTPField("Content-Type", "application/octet-stream")
  static let acceptOctets = HTTPField("Accept", "application/octet-stream")
  /// A manifest in base64, and what is around it.
  static let manifestAnswerByteCount = DocumentLimits.manifestByteCount / 3 * 4 + 1024
  /// A thousand rows of a listing.
  static let listAnswerByteCount = 256 << 10
  static let rangeWords = "there is nothing at this place"
}
