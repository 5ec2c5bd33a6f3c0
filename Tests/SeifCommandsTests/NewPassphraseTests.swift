import SeifCommandLine
import SeifBytes
import SeifFormats
import Testing

@testable import SeifCommands

/// What something is sealed under keeps rules that what opens need not.
@Suite struct NewPassphraseTests {
  private let good = "correct horse battery stapler"

  private func given(_ bytes: [UInt8], _ arguments: [String] = []) throws -> Terminal.Result {
    try Terminal(["new", "--new-passphrase-fd", "0"] + arguments, hasTerminal: false, input: bytes).finish()
  }

  @Test func aGoodOneIsTakenAsItIs() throws {
    let result = try given(Array("\(good)\n".utf8))
    #expect(result.output == hexadecimal(good) + "\n")
    #expect(result.errors == "")
  }

  @Test func theComposedFormIsSealed() throws {
    let result = try given(Array("un pass a\u{306}lbastru cu mere s\u{326}i pere\n".utf8))
    #expect(result.output == hexadecimal("un pass \u{103}lbastru cu mere \u{219}i pere") + "\n")
  }

  @Test(arguments: ["", "short", "elevenchars", "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}"])
  func fewerThanTwelveCharactersAreRefused(text: String) throws {
    let result = try given(Array(text.utf8), ["--weak"])
    #expect(result.exitCode == 64)
    #expect(result.output == "")
    #expect(result.errors.contains("at least 12 characters"))
  }

  @Test func charactersAreGraphemeClusters() throws {
    // Twelve families of four: 12 characters, 300 bytes.
    let families = String(repeating: "👨‍👩‍👧‍👦", count: 12)
    #expect(try given(Array(families.utf8), ["--weak"]).exitCode == 0)
    #expect(try given(Array(families.dropLast().utf8), ["--weak"]).exitCode == 64)
  }

  @Test func whatIsNotUTF8IsRefused() throws {
    let result = try given(Array("correct horse battery".utf8) + [0xFF])
    #expect(result.exitCode == 64)
    #expect(result.errors.contains("isn't UTF-8"))
  }

  @Test func oneGuessedWithinADayNeedsWeak() throws {
    let weak = Array("password1234\n".utf8)
    let refused = try given(weak)
    #expect(refused.exitCode == 64)
    #expect(refused.errors.contains("--weak"))
    #expect(!refused.errors.contains("password1234"))
    #expect(try given(weak, ["--weak"]).output == hexadecimal("password1234") + "\n")
  }

  // MARK: - On a terminal

  private let question = "New passphrase for new.authbackup (not shown; Enter alone makes one up): "

  @Test func aPersonTypesItTwiceAndIsToldItsStrength() throws {
    let terminal = try Terminal(["new"])
    try terminal.expect(question)
    terminal.type(good + "\n")
    // Wrapped at words.
    try terminal.expect("on one machine like\r\nthis, over a million years on 10,000 of them")
    try terminal.expect("Again: ")
    terminal.type(good + "\n")
    let result = try terminal.finish()
    #expect(result.output == hexadecimal(good) + "\n")
    #expect(!result.screen.contains("horse"))
  }

  @Test func twoThatDifferBeginAgain() throws {
    let terminal = try Terminal(["new"])
    for _ in 0..<3 {
      try terminal.expect(question)
      terminal.type(good + "\n")
      try terminal.expect("Again: ")
      terminal.type(good + "!\n")
      try terminal.expect("The two differ.")
    }
    let result = try terminal.finish()
    #expect(result.exitCode == 64)
    #expect(result.output == "")
  }

  @Test func aWeakOneIsSaidToBeAndTypedAgainUnseen() throws {
    let terminal = try Terminal(["new"])
    try terminal.expect(question)
    terminal.type("password1234\n")
    try terminal.expect("That is weak.")
    try terminal.expect("(not shown): ")
    terminal.type("\n")
    try terminal.expect(question)
    terminal.type("password1234\n")
    try terminal.expect("That is weak.")
    try terminal.expect("(not shown): ")
    terminal.type("password1234\n")
    let result = try terminal.finish()
    #expect(result.output == hexadecimal("password1234") + "\n")
    #expect(!result.screen.contains("password1234") && !result.screen.contains("within a day"))
  }

  @Test func enterAloneMakesOneUpThatIsTypedBack() throws {
    let terminal = try Terminal(["new"], errors: .pipe)
    try terminal.expect(question)
    terminal.type("\n")
    // The probe's randomness is all zero: eight times the first word.
    let phrase = Array(repeating: "abacus", count: 8).joined(separator: " ")
    try terminal.expect(phrase)
    try terminal.expect("Type it back: ")
    terminal.type("something else\n")
    try terminal.expect("Type it back: ")
    terminal.type(phrase + "\n")
    let result = try terminal.finish()
    #expect(result.output == hexadecimal(phrase) + "\n")
    #expect(!result.errors.contains("abacus"))
  }

  // MARK: - Phrases and strength

  @Test func theWordsAre1024AndNoneBeginsAnother() {
    let words = PhraseWords.text.split { $0 == " " || $0 == "\n" }
    #expect(words.count == PhraseWords.count)
    #expect(words.allSatisfy { (3...8).contains($0.count) && $0.utf8.allSatisfy { (97...122).contains($0) } })
    // Sorted, so a word that begins another stands before it.
    #expect(words == words.sorted())
    #expect(zip(words, words.dropFirst()).allSatisfy { !$1.hasPrefix($0) })
  }

  @Test func eachWordTakesTenBitsOfItsTwoBytes() {
    let words = PhraseWords.text.split { $0 == " " || $0 == "\n" }
    let drawn: [UInt8] = [0, 0, 0, 1, 1, 0, 3, 255, 4, 0, 255, 255, 0x80, 0x7F, 2, 2]
    let phrase = GeneratedPhrase.make { _ in drawn }
    let text = phrase.withBytes { SecretValue(copying: $0) }.exposedText()
    let indexes = [0, 1, 256, 1023, 0, 1023, 0x7F, 0x202]
    #expect(text == indexes.map { String(words[$0]) }.joined(separator: " "))
    #expect(GeneratedPhrase.bits == 80)
  }

  @Test func strengthIsReadFromBitsUnderBothAssumptions() {
    let strength = Strength(bits: 32)
    #expect(strength.seconds(guessesPerSecond: 1) == 4_294_967_296)
    #expect(strength.seconds(guessesPerSecond: 4, machines: 1024) == 1_048_576)
    #expect(strength.isWeak(guessesPerSecond: 5))
    #expect(!strength.isWeak(guessesPerSecond: 4))
    #expect(
      strength.line(guessesPerSecond: 4)
        == "strength  [####------]  to guess it: 34 years on one machine like this, 30 hours on 10,000 of them")
    #expect(Strength(bits: 5000).line(guessesPerSecond: 1e9).contains("over a million years"))
  }

  @Test func aGuessIsMeasuredWithItsOwnDerivation() {
    let costs = [
      GuessingCost(of: .twofac, version: 1), GuessingCost(of: .vault2fa, version: 1),
      GuessingCost(of: .authbackup, version: 2),
    ]
    // 200 rounds of PBKDF2 against 600,000, whatever a clock's tick is.
    #expect(costs[0].perSecond > 100 * costs[1].perSecond)
    #expect(costs.map { $0.caveat == nil } == [false, false, true])
    #expect(costs[0].caveat?.contains("200 rounds of PBKDF2") == true)
  }

  @Test func judgingTakesTheFirst256BytesAndNeverTraps() throws {
    let long = SecretBytes(copying: [UInt8](repeating: 0xF0, count: 60_000).span.bytes)
    let same = SecretBytes(copying: [UInt8](repeating: 0xF0, count: 256).span.bytes)
    let judged = Strength(judging: long)
    #expect(judged != nil)
    #expect(judged == Strength(judging: same))
    let phrase = GeneratedPhrase.make { (0..<$0).map { UInt8(truncatingIfNeeded: $0 &* 37) } }
    let strength = Strength(judging: phrase)
    #expect(try #require(strength).bits > 60)
  }
}
