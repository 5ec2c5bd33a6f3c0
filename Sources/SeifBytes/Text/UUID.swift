/// A UUID: 16 bytes, read in any case, written in lower case with hyphens (RFC 9562 §4).
public struct UUID: Hashable, Sendable, CustomStringConvertible {
  /// The 16 bytes, most significant first.
  public let bytes: [UInt8]

  /// A version 4 UUID of 16 random bytes, or nil for another number of bytes.
  public init?(random: [UInt8]) {
    guard random.count == 16 else { return nil }
    var bytes = random
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.bytes = bytes
  }

  /// The UUID with exactly these 16 bytes, or nil for another number.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The UUID written as 8-4-4-4-12 hexadecimal digits, or nil for any other text.
  public init?(_ text: String) {
    let characters = Array(text.utf8)
    guard characters.count == 36 else { return nil }
    let hyphens: Set<Int> = [8, 13, 18, 23]
    guard hyphens.allSatisfy({ characters[$0] == 0x2D }) else { return nil }
    let digits = String(
      decoding: characters.indices.filter { !hyphens.contains($0) }.map { characters[$0] }, as: UTF8.self)
    guard let bytes = try? Base16.decode(digits), bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The 36 characters in lower case.
  public var description: String {
    let digits = Array(Base16.encode(bytes))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
  }
}
