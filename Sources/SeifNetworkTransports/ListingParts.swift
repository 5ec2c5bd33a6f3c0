internal import SeifBackups

/// A listing that comes in parts, each with a token for the next.
enum ListingParts {
  /// Most parts of one.
  static let most = 200

  /// Asks for one part after the other.
  ///
  /// - Parameter part: takes a part, nil for the first, and gives what the next is asked for with; nil: it was the last.
  /// - Throws: `badAnswer` for a listing that goes in a circle, or on without end.
  static func read(
    _ place: String, _ part: (String?) throws(TransportError) -> String?
  ) throws(TransportError) {
    var tokens = Set<String>()
    var token: String?
    for _ in 0..<most {
      guard let next = try part(token) else { return }
      guard tokens.insert(next).inserted else {
        throw TransportError(.badAnswer, place: place, reason: "its listing goes in a circle")
      }
      token = next
    }
    throw TransportError(.badAnswer, place: place, reason: "its listing has more than \(most) parts")
  }
}
