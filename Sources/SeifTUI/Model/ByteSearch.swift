extension Span<UInt8> {
  /// Whether a part stands in it, by bytes: the standard library's search of texts is a hundred times slower.
  func contains(_ part: Span<UInt8>) -> Bool {
    guard part.count <= count else { return false }
    return (0...count - part.count).contains { start in part.indices.allSatisfy { self[start + $0] == part[$0] } }
  }
}
