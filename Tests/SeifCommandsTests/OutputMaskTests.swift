import SeifCommandLine
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

@Suite struct OutputMaskTests {
  /// What comes out for pieces that come in.
  private func masked(_ pieces: [[UInt8]], _ needles: [String]) -> [UInt8] {
    var mask = OutputMask(needles.map { SecretValue(utf8: $0) })
    let longest = needles.map(\.utf8.count).max() ?? 0
    var output: [UInt8] = []
    for piece in pieces {
      piece.withUnsafeBytes { mask.pass($0, into: &output) }
      #expect(mask.heldCount < max(1, longest))
    }
    mask.releaseAll(into: &output)
    return output
  }

  private func masked(_ text: String, _ needles: String...) -> String {
    String(decoding: masked([Array(text.utf8)], needles), as: UTF8.self)
  }

  @Test func eachRunOfSecretsBecomesFourAsterisks() {
    #expect(masked("a secret b", "secret") == "a **** b")
    #expect(masked("secret", "secret") == "****")
    #expect(masked("secretsecret", "secret") == "****")
    #expect(masked("secret secret", "secret") == "**** ****")
    #expect(masked("secre", "secret") == "secre")
    #expect(masked("sesecret", "secret") == "se****")
    #expect(masked("aaaaaaa", "aaaa") == "****")
    #expect(masked("ababababc ababx", "ababc") == "abab**** ababx")
  }

  @Test func overlappingAndNestedSecretsAreMaskedWhole() {
    #expect(masked("xabcdefgy", "abcde", "defg") == "x****y")
    #expect(masked("xabcdefgy", "abcdefg", "cdef") == "x****y")
    #expect(masked("xabcdefzy", "abcdefg", "cdef") == "xab****zy")
  }

  @Test func shortSecretsAreNotMasked() {
    #expect(masked("cvc 123 is 1234", "123") == "cvc 123 is 1234")
    #expect(masked("cvc 123 is 1234", "1234") == "cvc 123 is ****")
  }

  @Test func everyCutIntoPiecesGivesTheSame() {
    let needles = ["secret", "retry-it", "aaaa", "ecr\u{E9}"]
    let text = Array("xsecretry-itt aaaaa secrsecret-aaaé ecré\r\nsecre".utf8)
    let whole = masked([text], needles)
    for first in 0...text.count {
      for second in first...text.count {
        let pieces = [Array(text[..<first]), Array(text[first..<second]), Array(text[second...])]
        #expect(masked(pieces, needles) == whole)
      }
    }
    #expect(masked(text.map { [$0] }, needles) == whole)
  }

  @Test func randomTextsAreMaskedAsAPlainSearchWouldMask() {
    var random = SeededGenerator(seed: 20_261_130)
    for _ in 0..<400 {
      let needles = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        String((0..<Int.random(in: 4...9, using: &random)).map { _ in "ab".randomElement(using: &random) ?? "a" })
      }
      let text = (0..<120).map { _ in Array("aabbc".utf8).randomElement(using: &random) ?? 0 }
      var marks = [Bool](repeating: false, count: text.count)
      for needle in needles.map({ Array($0.utf8) }) {
        for start in 0...text.count - needle.count where Array(text[start..<start + needle.count]) == needle {
          for place in start..<start + needle.count { marks[place] = true }
        }
      }
      var expected: [UInt8] = []
      for (index, byte) in text.enumerated() {
        if !marks[index] {
          expected.append(byte)
        } else if index == 0 || !marks[index - 1] {
          expected += Array("****".utf8)
        }
      }
      var pieces: [[UInt8]] = []
      var start = 0
      while start < text.count {
        let end = min(text.count, start + Int.random(in: 1...20, using: &random))
        pieces.append(Array(text[start..<end]))
        start = end
      }
      #expect(masked(pieces, needles) == expected)
    }
  }

  @Test func whatWasLetGoOfDoesNotUnmaskTheRest() {
    var mask = OutputMask([SecretValue(utf8: "hunter2-secret")])
    var output: [UInt8] = []
    Array("> hu".utf8).withUnsafeBytes { mask.pass($0, into: &output) }
    #expect(output == Array("> ".utf8))
    mask.releaseAll(into: &output)
    Array("nter2-secret!".utf8).withUnsafeBytes { mask.pass($0, into: &output) }
    #expect(output == Array("> hu****!".utf8))
  }
}
