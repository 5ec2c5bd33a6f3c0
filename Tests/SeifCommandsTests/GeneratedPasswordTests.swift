import SeifCommandLine
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// Passwords and phrases that are made up: what they hold, and that each is as likely as any other.
@Suite struct GeneratedPasswordTests {
  /// Random bytes that are the same for a seed.
  private final class Chance {
    private var generator: SeededGenerator
    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    func bytes(_ count: Int) -> SecretBytes {
      let drawn = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 24) }
      return SecretBytes(copying: drawn.span.bytes)
    }
  }

  private func text(_ secret: borrowing SecretBytes) -> String {
    secret.withBytes { SecretValue(copying: $0) }.exposedText() ?? ""
  }

  /// Pearson's statistic for equally likely values.
  private func chiSquare(_ counts: some Collection<Int>, of values: Int) -> Double {
    let expected = Double(counts.reduce(0, +)) / Double(values)
    let seen = counts.reduce(0.0) { $0 + pow(Double($1) - expected, 2) / expected }
    return seen + expected * Double(values - counts.count)
  }

  @Test(arguments: [4, 5, 8, 20, 128])
  func everyClassIsInEveryPassword(length: Int) {
    let chance = Chance(seed: 11)
    let password = GeneratedPassword(length: length, classes: Set(CharacterClass.allCases), withoutLookAlikes: false)
    for _ in 0..<200 {
      let made = Array(text(password.make(random: chance.bytes)).utf8)
      #expect(made.count == length)
      for characterClass in CharacterClass.allCases {
        #expect(made.contains { characterClass.characters.contains($0) })
      }
    }
  }

  @Test func onlyTheChosenClassesAreUsedAndNoLookAlikes() {
    let chance = Chance(seed: 12)
    let password = GeneratedPassword(length: 12, classes: [.upper, .digit], withoutLookAlikes: true)
    #expect(password.alphabetCount == 26 + 10 - 4)
    for _ in 0..<500 {
      let made = text(password.make(random: chance.bytes)).utf8
      #expect(made.allSatisfy { (65...90).contains($0) || (48...57).contains($0) })
      #expect(!made.contains { CharacterClass.lookAlikes.contains($0) })
    }
  }

  /// 256 leaves a remainder for each of these, so a plain remainder of a byte would favour the first characters: for 90
  /// of them the statistic would be over 1,000.
  @Test(arguments: [Set<CharacterClass>([.lower]), [.digit], [.lower, .upper, .digit, .sign]])
  func eachCharacterIsAsLikelyAsAnyOther(classes: Set<CharacterClass>) {
    let chance = Chance(seed: 13)
    // Long enough that hardly any candidate lacks a class, which would favour small classes.
    let password = GeneratedPassword(length: 128, classes: classes, withoutLookAlikes: false)
    var counts: [UInt8: Int] = [:]
    for _ in 0..<400 { for byte in text(password.make(random: chance.bytes)).utf8 { counts[byte, default: 0] += 1 } }
    let freedom = Double(password.alphabetCount - 1)
    #expect(counts.count == password.alphabetCount)
    #expect(chiSquare(counts.values, of: password.alphabetCount) < freedom + 5 * sqrt(2 * freedom))
  }

  /// Of two characters, one small letter and one digit: the 520 that fit, each as often as the others.
  @Test func eachPasswordThatFitsIsAsLikelyAsAnyOther() {
    let chance = Chance(seed: 14)
    let password = GeneratedPassword(length: 2, classes: [.lower, .digit], withoutLookAlikes: false)
    #expect(abs(password.bits - log2(520)) < 1e-9)
    var counts: [String: Int] = [:]
    for _ in 0..<26_000 { counts[text(password.make(random: chance.bytes)), default: 0] += 1 }
    #expect(counts.count == 520)
    #expect(chiSquare(counts.values, of: 520) < 519 + 5 * sqrt(2 * 519.0))
  }

  @Test func bitsAreTheLogarithmOfHowManyThereAre() {
    let digits = GeneratedPassword(length: 6, classes: [.digit], withoutLookAlikes: false)
    #expect(abs(digits.bits - 6 * log2(10)) < 1e-9)
    // Four of four classes: an order of 26, 26, 10 and 28.
    let four = GeneratedPassword(length: 4, classes: Set(CharacterClass.allCases), withoutLookAlikes: false)
    #expect(abs(four.bits - log2(24 * 26 * 26 * 10 * 28)) < 1e-6)
    let usual = GeneratedPassword(length: 20, classes: Set(CharacterClass.allCases), withoutLookAlikes: false)
    #expect(usual.alphabetCount == 90)
    #expect((129..<20 * log2(90)).contains(usual.bits))
  }

  @Test func aPhraseHasItsWordsAndSeparators() {
    let chance = Chance(seed: 15)
    let words = Set(PhraseWords.text.split { $0 == " " || $0 == "\n" })
    for count in GeneratedPhrase.wordCountsAllowed {
      let phrase = GeneratedPhrase.make(words: count, separator: UInt8(ascii: "-")) { bytes in
        chance.bytes(bytes).withBytes { $0.withUnsafeBytes { Array($0) } }
      }
      let parts = text(phrase).split(separator: "-")
      #expect(parts.count == count && parts.allSatisfy { words.contains($0) })
    }
  }
}
