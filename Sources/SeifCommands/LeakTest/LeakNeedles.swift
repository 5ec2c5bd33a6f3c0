internal import SeifCommandLine
internal import CSeif
internal import Glibc

/// Looks for many byte strings at once.
///
/// Each canary in all its spellings: as it is, as UTF-16 of both byte orders, as base32 and base64 at each place where
/// its first bit may stand in a character, of both alphabets or cases, and as hexadecimal of both; what is letters in
/// UTF-16 too. Only the whole characters within are looked for, since those at the ends share bits with their neighbours.
struct LeakNeedles {
  private struct Needle {
    let bytes: [UInt8]
    let canary: Int
  }
  /// By their first bytes.
  private var byBeginning: [UInt32: [Needle]] = [:]
  // One bit for each value of a hash of the first four bytes: nearly all of what is searched is passed over by it.
  private var filter = [UInt8](repeating: 0, count: Int(seif_filter_byte_count))
  /// The longest spelling, which windows overlap by.
  private(set) var longest = 8
  private(set) var count = 0

  init(_ canaries: [LeakCanary]) {
    for (index, canary) in canaries.enumerated() {
      for bytes in canary.spellings.flatMap(Self.spellings) { add(bytes, index) }
    }
  }

  private mutating func add(_ bytes: [UInt8], _ canary: Int) {
    // Shorter ones are found by chance.
    guard bytes.count >= 8 else { return }
    let beginning = Self.beginning(of: bytes)
    guard byBeginning[beginning]?.contains(where: { $0.bytes == bytes }) != true else { return }
    byBeginning[beginning, default: []].append(Needle(bytes: bytes, canary: canary))
    let bit = Int(seif_filter_hash(beginning))
    filter[bit / 8] |= 1 << UInt8(bit % 8)
    longest = max(longest, bytes.count)
    count += 1
  }

  private static func beginning(of bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
  }

  /// How often each canary stands there, by its place in the list; what ends within the first `known` bytes was counted
  /// before.
  func found(in bytes: UnsafeRawBufferPointer, known: Int = 0, _ counts: inout [Int: Int]) {
    guard let base = bytes.baseAddress else { return }
    var place = 0
    while true {
      let next = filter.withUnsafeBufferPointer { seif_filter_next(base, bytes.count, place, $0.baseAddress) }
      guard next >= 0 else { return }
      let beginning = base.loadUnaligned(fromByteOffset: next, as: UInt32.self)
      for needle in byBeginning[beginning] ?? []
      where bytes.count - next >= needle.bytes.count && next + needle.bytes.count > known {
        if memcmp(base + next, needle.bytes, needle.bytes.count) == 0 { counts[needle.canary, default: 0] += 1 }
      }
      place = next + 1
    }
  }

  func found(in bytes: [UInt8]) -> [Int: Int] {
    var counts: [Int: Int] = [:]
    bytes.withUnsafeBytes { found(in: $0, &counts) }
    return counts
  }

  // MARK: - Spellings

  private static let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let base64URL = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let base32 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
  private static let hexadecimal = Array("0123456789abcdef".utf8)

  /// Every spelling of some bytes.
  static func spellings(of bytes: [UInt8]) -> [[UInt8]] {
    var letters: [[UInt8]] = []
    for alphabet in [base64, base64URL] {
      for skipped in [0, 2, 4] { letters.append(digits(bytes, bits: 6, alphabet, skipped: skipped)) }
    }
    for skipped in 0..<5 { letters.append(digits(bytes, bits: 5, base32, skipped: skipped)) }
    letters.append(digits(bytes, bits: 4, hexadecimal, skipped: 0))
    letters += letters.suffix(6).map { $0.map { changedCase($0) } }
    letters.append(bytes)
    var all = letters
    for text in letters where text.allSatisfy({ $0 < 0x80 }) {
      all.append(text.flatMap { [$0, 0] })
      all.append(text.flatMap { [0, $0] })
    }
    return all
  }

  private static func changedCase(_ byte: UInt8) -> UInt8 {
    switch byte {
    case 0x41...0x5A: byte + 0x20
    case 0x61...0x7A: byte - 0x20
    default: byte
    }
  }

  /// The characters that encode only bits of `bytes`, where its first bit is bit `skipped` of a character.
  private static func digits(_ bytes: [UInt8], bits: Int, _ alphabet: [UInt8], skipped: Int) -> [UInt8] {
    var text: [UInt8] = []
    var place = (bits - skipped) % bits
    while place + bits <= bytes.count * 8 {
      var value = 0
      for bit in place..<place + bits { value = value << 1 | Int(bytes[bit / 8] >> UInt8(7 - bit % 8) & 1) }
      text.append(alphabet[value])
      place += bits
    }
    return text
  }
}
