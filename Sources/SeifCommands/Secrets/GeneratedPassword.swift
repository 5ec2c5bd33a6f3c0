internal import SeifCommandLine
internal import Glibc
package import SeifBytes

/// Characters that a password is made of.
package enum CharacterClass: String, Sendable, CaseIterable {
  case lower, upper, digit, sign

  /// Its characters, ASCII. The signs are those that shells, tables and configuration files leave alone within quotes: no
  /// quotes, no backslash, no backtick, no space.
  var characters: [UInt8] {
    switch self {
    case .lower: Array(UInt8(ascii: "a")...UInt8(ascii: "z"))
    case .upper: Array(UInt8(ascii: "A")...UInt8(ascii: "Z"))
    case .digit: Array(UInt8(ascii: "0")...UInt8(ascii: "9"))
    case .sign: Array("!#$%&()*+,-./:;<=>?@[]^_{|}~".utf8)
    }
  }

  /// What is taken for another when it is read: 0 O o, 1 I l |.
  static let lookAlikes = Array("0Oo1Il|".utf8)
}

/// Passwords of random characters, at least one of each class.
///
/// A candidate's characters are drawn one by one from all classes together, each as likely as any other; a candidate that
/// lacks a class is thrown away as a whole. So every password that fits is as likely as every other that fits, and the
/// bits are the logarithm of how many there are.
package struct GeneratedPassword: Sendable {
  package static let lengthsAllowed = 4...128

  package let length: Int
  private let classes: [[UInt8]]
  private let alphabet: [UInt8]

  /// - Parameters:
  ///   - length: in characters, ``lengthsAllowed`` or the number of classes if that is more.
  ///   - classes: at least one.
  package init(length: Int, classes: Set<CharacterClass>, withoutLookAlikes: Bool) {
    precondition(!classes.isEmpty && length >= classes.count, "internal error: no password fits")
    self.length = length
    self.classes = CharacterClass.allCases.filter { classes.contains($0) }.map { characterClass in
      characterClass.characters.filter { !withoutLookAlikes || !CharacterClass.lookAlikes.contains($0) }
    }
    alphabet = self.classes.flatMap { $0 }
  }

  /// How many characters there are to choose from.
  package var alphabetCount: Int { alphabet.count }

  /// The base-2 logarithm of the number of passwords that fit.
  package var bits: Double {
    // Inclusion and exclusion over the classes that are missing, as a part of all strings.
    var part = 0.0
    for missing in 0..<(1 << classes.count) {
      let left = classes.indices.filter { missing >> $0 & 1 == 0 }.reduce(0) { $0 + classes[$1].count }
      let sign: Double = missing.nonzeroBitCount.isMultiple(of: 2) ? 1 : -1
      part += sign * pow(Double(left) / Double(alphabet.count), Double(length))
    }
    return Double(length) * log2(Double(alphabet.count)) + log2(part)
  }

  /// Draws a password.
  /// - Parameter random: gives as many uniformly random bytes as it is asked for.
  package func make(random: @escaping (Int) -> SecretBytes) -> SecretBytes {
    var source = Bytes(random: random)
    while true {
      let candidate = SecretBytes(byteCount: length) { buffer in
        for position in 0..<length { buffer[position] = alphabet[source.number(below: alphabet.count)] }
        return length
      }
      let fits = candidate.withBytes { bytes in
        bytes.withUnsafeBytes { buffer in classes.allSatisfy { letters in buffer.contains { letters.contains($0) } } }
      }
      if fits { return candidate }
    }
  }

  /// Random bytes from a pool in locked memory.
  private struct Bytes: ~Copyable {
    let random: (Int) -> SecretBytes
    private static let poolSize = 256
    private var pool: SecretBytes
    private var used = 0

    init(random: @escaping (Int) -> SecretBytes) {
      self.random = random
      pool = random(Self.poolSize)
    }

    /// A number below a bound of at most 256. Bytes that would favour small remainders are passed over.
    mutating func number(below bound: Int) -> Int {
      let limit = 256 - 256 % bound
      while true {
        if used == Self.poolSize {
          pool = random(Self.poolSize)
          used = 0
        }
        let byte = Int(pool.withBytes { $0.unsafeLoad(fromByteOffset: used, as: UInt8.self) })
        used += 1
        if byte < limit { return byte % bound }
      }
    }
  }
}
