internal import SeifCommandLine
package import SeifBytes

/// A passphrase made of words out of 1,024: ten bits each, and 8 words unless others are asked for.
package enum GeneratedPhrase {
  package static let wordCount = 8
  package static let bits = 80.0

  package static let wordCountsAllowed = 3...32
  package static let bitsPerWord = 10.0

  /// Draws a phrase, words in lower case with a separator between.
  /// - Parameter random: gives as many uniformly random bytes as it is asked for.
  package static func make(
    words wordCount: Int = wordCount, separator: UInt8 = 0x20, random: (Int) throws -> [UInt8]
  ) rethrows -> SecretBytes {
    let drawn = try random(2 * wordCount)
    precondition(drawn.count == 2 * wordCount, "internal error: too few random bytes")
    let words = PhraseWords.text.utf8.split { $0 == 0x20 || $0 == 0x0A }
    return SecretBytes(byteCount: wordCount * 12) { buffer in
      var count = 0
      for position in 0..<wordCount {
        // Ten bits of sixteen: 1,024 divides 65,536, so each word is as likely as any other.
        let index = (Int(drawn[2 * position]) << 8 | Int(drawn[2 * position + 1])) % PhraseWords.count
        if position > 0 {
          buffer[count] = separator
          count += 1
        }
        for byte in words[index] {
          buffer[count] = byte
          count += 1
        }
      }
      return count
    }
  }
}
