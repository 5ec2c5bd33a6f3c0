internal import SeifBytes

/// What tells, of runs of texts, which can't hold a query, so that a search passes them over: for each run the hashes of
/// all three bytes in a row that stand in it, as a filter of bits (after B. H. Bloom, 1970).
struct TextBlocks: ~Copyable {
  /// Entries in a run. With names of some 20 bytes about a quarter of its filter's bits are set.
  static let entryCount = 64
  private static let wordCount = 32
  // Wiped as the texts are, since they can be guessed from it.
  private var filters = SecretBuffer(capacity: 1 << 12)
  private(set) var count = 0

  /// Adds the run that comes next.
  mutating func add(_ text: RawSpan) {
    var words = [UInt64](repeating: 0, count: Self.wordCount)
    Self.forEachTrigram(in: text) { bit in words[bit / 64] |= 1 << UInt64(bit % 64) }
    for index in words.indices {
      filters.appendBigEndian(words[index], byteCount: 8)
      words[index] = 0
    }
    count += 1
  }

  /// Calls `body` with each run, in order, that may hold these bytes: with all that do, and a few others.
  func forEach(mayHold query: RawSpan, _ body: (Int) -> Void) {
    var bits: [Int] = []
    Self.forEachTrigram(in: query) { bit in if bits.count < 64, !bits.contains(bit) { bits.append(bit) } }
    // A word stands most significant byte first.
    let places = bits.map { (offset: $0 / 64 * 8 + 7 - $0 % 64 / 8, mask: UInt8(1) << UInt8($0 % 8)) }
    filters.withBytes { filters in
      filters.withUnsafeBytes { filters in
        for block in 0..<count {
          let start = block * Self.wordCount * 8
          if places.allSatisfy({ filters[start + $0.offset] & $0.mask != 0 }) { body(block) }
        }
      }
    }
  }

  private static func forEachTrigram(in text: RawSpan, _ body: (Int) -> Void) {
    text.withUnsafeBytes { text in
      var trigram: UInt32 = 0
      for (offset, byte) in text.enumerated() {
        trigram = (trigram << 8 | UInt32(byte)) & 0xFF_FFFF
        // The high bits of a product by the golden ratio, eleven of them: 2,048 bits a filter.
        if offset >= 2 { body(Int((trigram &* 0x9E37_79B1) >> 21)) }
      }
    }
  }
}
