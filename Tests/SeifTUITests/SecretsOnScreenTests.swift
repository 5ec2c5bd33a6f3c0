import SeifBytes
import SeifTUI
import Testing

/// When a secret is on the screen and when it isn't.
@Suite struct SecretsOnScreenTests {
  private var screen = TestScreen()
  private var shows: Bool { screen.text.contains(TestScreen.code) }

  @Test func everythingIsMaskedInOneWidth() {
    #expect(!shows)
    #expect(screen.lines[2].contains("•••••• "))
  }

  @Test mutating func aRevealedRowIsHiddenByTheSameKeyAndAfterTenSeconds() {
    screen.press(.character("r"))
    #expect(shows)
    screen.press(.character("r"))
    #expect(!shows)
    screen.press(.character("r"))
    screen.wait(9)
    #expect(shows)
    screen.wait(1)
    #expect(!shows)
  }

  @Test(arguments: [Key.down, .tab, .character("]"), .character("l"), .escape])
  mutating func movingAwayHidesIt(key: Key) {
    screen.press(.character("r"))
    #expect(shows)
    screen.press(key)
    #expect(!shows)
  }

  @Test mutating func theCodeThatFollowsStaysNoLongerThanTheFirst() {
    // 17 s are left; 12 pass, then it is revealed for 10.
    screen.wait(12)
    screen.press(.character("r"))
    _ = screen.takeEffects()
    screen.wait(5)
    #expect(screen.takeEffects() == [.reveal(TestScreen.id(1), field: .code)])
    #expect(screen.model.revealed != nil)
    screen.wait(5)
    #expect(screen.model.revealed == nil)
  }

  @Test mutating func whatCountsIsMadeByOneKeyAlone() {
    screen.press(.character("G"), .character("r"))
    #expect(screen.takeEffects() == [])
    #expect(screen.text.contains("n makes its next one"))
    screen.press(.character("n"))
    #expect(screen.takeEffects() == [.nextCode(TestScreen.id(4))])
  }

  @Test mutating func aLongNoteIsScrolledWithoutHidingIt() {
    for _ in 0..<3 { screen.press(.character("]")) }
    screen.press(.tab, .down, .down)
    let text = (1...40).map { "line \($0)" }.joined(separator: "\n")
    screen.model.show(Revealed(id: TestScreen.id(7), field: .named("text"), text: text))
    #expect(screen.text.contains("line 1 ") && screen.text.contains("more"))
    for _ in 0..<4 { screen.press(.pageDown) }
    #expect(screen.text.contains("line 40"))
    for _ in 0..<4 { screen.press(.pageUp) }
    #expect(screen.text.contains("line 1 "))
    screen.press(.up)
    #expect(!screen.text.contains("line 1"))
  }

  @Test mutating func anAnswerThatComesTooLateIsNotShown() {
    screen.press(.down)
    screen.model.show(Revealed(id: TestScreen.id(1), field: .code, text: TestScreen.code))
    #expect(!shows)
    screen.press(.character("l"))
    screen.model.show(Revealed(id: TestScreen.id(2), field: .code, text: TestScreen.code))
    #expect(!shows)
  }

  @Test mutating func copyingCountsItsSeconds() {
    screen.press(.enter)
    #expect(screen.lines[0].contains("✓ Copied code. Cleared in 30 s."))
    screen.wait(1)
    #expect(screen.lines[0].contains("Cleared in 29 s."))
    screen.wait(29)
    #expect(!screen.lines[0].contains("Copied"))
    screen.press(.enter)
    screen.model.clipboardEnded()
    #expect(screen.lines[0].contains("no longer ours"))
  }

  @Test mutating func theLastSecondsAreSaidByAWord() {
    #expect(screen.text.contains("▆▆▆▁▁▁  17 s") && !screen.text.contains("soon"))
    screen.wait(12)
    #expect(screen.text.contains("5 s  soon"))
    screen = TestScreen(isUTF8: false)
    #expect(screen.text.contains("[###---] 17s"))
  }
}
