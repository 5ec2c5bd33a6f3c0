import SeifTUI
import Testing

/// Lines for who listens, without a terminal.
@Suite struct PlainDialogueTests {
  private var dialogue = PlainDialogue(vaultName: "personal", fold: { $0.lowercased() })

  private mutating func answer(_ text: String) -> [Effect] {
    let effects = dialogue.answer(text)
    for case .history(let id) in effects { dialogue.show(TestScreen.history(id)) }
    for case .open(let id) in effects {
      if let item = TestScreen.items.first(where: { $0.id == id }) { dialogue.show(TestScreen.details(item)) }
    }
    return effects
  }

  private mutating func start(_ items: [Item] = TestScreen.items) {
    dialogue.show(items)
    _ = dialogue.takeLines()
  }

  @Test mutating func kindsAreNumberedAndEmptyOnesLeftOut() {
    dialogue.show(TestScreen.items)
    #expect(
      dialogue.takeLines() == [
        "Seif, personal. Unlocked.", "1 Codes, 4", "2 Logins, 1", "3 Cards, 1", "4 Notes, 1", "5 Bin, 1",
        "A number opens a list; a part of a name finds entries. a adds, u undoes, l locks, q quits.",
      ])
    #expect(dialogue.takeLines() == [])
  }

  @Test mutating func aChoiceIsEchoedWithItsPlace() {
    start()
    #expect(answer("1") == [])
    _ = dialogue.takeLines()
    #expect(answer("3") == [.open(TestScreen.id(3))])
    #expect(dialogue.takeLines().first == "Hetzner, root, 3 of 4")
    // The main value is what Enter copies.
    #expect(answer("") == [.copy(TestScreen.id(3), field: .code)])
    #expect(answer("2") == [.copy(TestScreen.id(3), field: .named("name"))])
    #expect(answer("r") == [.reveal(TestScreen.id(3), field: .code)])
    #expect(dialogue.takeLines() == ["This stays on the screen:"])
    #expect(answer("d") == [.remove(TestScreen.id(3))])
    #expect(answer("f") == [.setFavorite(TestScreen.id(3), true)])
    #expect(answer("e") == [.edit(TestScreen.id(3))])
    #expect(answer("b") == [] && dialogue.takeLines().first == "Codes, 4.")
  }

  @Test mutating func passwordsFromBeforeAreNumbered() {
    let id = TestScreen.id(5)
    start()
    #expect(answer("1") == [] && answer("1") == [.open(TestScreen.id(1))] && answer("p") == [])
    _ = (answer("b"), answer("b"), answer("2"), answer("1"))
    #expect(dialogue.takeLines().contains("p the passwords from before"))
    #expect(answer("p") == [.history(id)])
    #expect(
      dialogue.takeLines() == [
        "Example Forge, ana, favourite, passwords from before, 2", "1 copy that replaced 2026-11-02, also by Enter",
        "2 copy that replaced 2025-01-31",
        "r1 reveals the first, which stays on the screen; p1 makes it the present password; and so on.",
        "b goes back, q quits.",
      ])
    #expect(answer("") == [.copy(id, field: .previous(1))] && answer("2") == [.copy(id, field: .previous(2))])
    #expect(answer("r2") == [.reveal(id, field: .previous(2))])
    #expect(dialogue.takeLines() == ["This stays on the screen:"])
    #expect(answer("p1") == [.bringBack(id, field: .previous(1))])
    for text in ["0", "3", "r", "p0", "p3", "1r", "rr1", "e", "d"] { #expect(answer(text) == [], "\(text)") }
    _ = (dialogue.takeLines(), answer("b"))
    #expect(dialogue.takeLines().first == "Example Forge, ana, favourite, 1 of 1")
  }

  @Test mutating func whatCountsIsMadeByNAlone() {
    start()
    _ = (answer("acme"), answer("1"), dialogue.takeLines())
    #expect(answer("r") == [])
    #expect(dialogue.takeLines().first?.hasPrefix("This account counts") == true)
    #expect(answer("n") == [.nextCode(TestScreen.id(4))])
  }

  @Test mutating func whereSeveralKindsAreFoundEachIsNamed() {
    start()
    _ = answer("ana")
    let lines = dialogue.takeLines()
    #expect(lines.contains("1 GitHub, ana@ex.com, favourite, code") && lines.contains("4 Old one, ana, in the bin"))
    _ = (answer("b"), dialogue.takeLines(), answer("2"))
    #expect(dialogue.takeLines()[1] == "1 Example Forge, ana, favourite")
  }

  @Test func sentencesAreBrokenAndSecretsAreNot() {
    var dialogue = PlainDialogue(
      vaultName: "personal", fold: { $0 }, wrap: { String($0.map { $0 == " " ? "\n" : $0 }) })
    dialogue.say("two words")
    dialogue.show(Revealed(id: TestScreen.id(5), field: .named("password"), text: "pass phrase"))
    #expect(dialogue.takeLines() == ["two", "words", "pass phrase"])
  }

  @Test mutating func theBinOnlyGivesBack() {
    start()
    _ = (answer("5"), answer("1"), dialogue.takeLines())
    for text in ["r", "n", "d", "2", ""] { #expect(answer(text) == []) }
    #expect(answer("1") == [.restore(TestScreen.id(8))])
  }

  @Test(arguments: ["0", "9", "-1", "99999999999999999999", "nonsense", "\u{1B}[A"])
  mutating func whatIsNoChoiceDoesNothing(text: String) {
    start()
    #expect(answer(text) == [])
    #expect(dialogue.takeLines().count == 1)
  }

  @Test mutating func longListsAreReadInPages() {
    start((1...45).map { TestScreen.item($0, .codes, "name \($0)", "") })
    _ = answer("1")
    #expect(dialogue.takeLines().last == "A number chooses an entry. m reads 25 more. b goes back, q quits.")
    _ = answer("m")
    let second = dialogue.takeLines()
    #expect(second.first == "21 name 21" && second.count == 21)
    _ = answer("m")
    #expect(dialogue.takeLines().last == "A number chooses an entry. b goes back, q quits.")
    #expect(answer("45") == [.open(TestScreen.id(45))])
  }

  @Test mutating func namesAreCleaned() {
    start([TestScreen.item(1, .codes, "evil\u{1B}[2J\u{202E}", "a\nb")])
    _ = answer("1")
    #expect(dialogue.takeLines()[1] == "1 evil\u{FFFD}[2J\u{FFFD}, a\u{FFFD}b")
  }

  @Test mutating func wordsForEverywhereAreTheSameEverywhere() {
    start()
    for place in ["?", "1", "1"] {
      _ = answer(place)
      #expect(
        answer("u") == [.undo] && answer("l") == [.lock] && answer("q") == [.quit] && answer("an") == [.add(.notes)])
    }
  }
}
