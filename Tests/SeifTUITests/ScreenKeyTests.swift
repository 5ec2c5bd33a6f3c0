import SeifBytes
import SeifTUI
import Testing

/// What each key does.
@Suite struct ScreenKeyTests {
  private var screen = TestScreen()
  private var selected: String { screen.model.selected?.name ?? "" }

  @Test(arguments: [
    ([Key.down], "Fastmail"), ([.character("j")], "Fastmail"), ([.character("k")], "GitHub"),
    ([.character("G")], "Acme counts"), ([.end], "Acme counts"), ([.character("G"), .character("g")], "GitHub"),
    ([.pageDown], "Acme counts"), ([.pageDown, .pageUp], "GitHub"), ([.end, .down], "Acme counts"),
    ([.end, .up], "Hetzner"), ([.home], "GitHub"),
  ])
  mutating func keysMoveInAList(keys: [Key], name: String) {
    for key in keys { screen.press(key) }
    #expect(selected == name)
  }

  @Test mutating func panesGoAroundByTabAndEndByArrows() {
    #expect(screen.model.focus == .list)
    screen.press(.tab)
    #expect(screen.model.focus == .details)
    screen.press(.right)
    #expect(screen.model.focus == .details)
    screen.press(.tab)
    #expect(screen.model.focus == .kinds)
    screen.press(.left)
    #expect(screen.model.focus == .kinds)
    screen.press(.down)
    #expect(screen.model.kind == .logins)
    screen.press(.enter)
    #expect(screen.model.focus == .list && screen.takeEffects() == [])
    screen.press(.backTab)
    #expect(screen.model.focus == .kinds)
    screen.press(.right, .character("h"))
    #expect(screen.model.focus == .kinds)
  }

  @Test mutating func bracketsTurnTheKinds() {
    let kinds: [ItemKind] = [.logins, .cards, .notes, .bin, .bin]
    for kind in kinds {
      screen.press(.character("]"))
      #expect(screen.model.kind == kind)
    }
    screen.press(.character("["))
    #expect(screen.model.kind == .notes)
  }

  @Test mutating func eachKindIsCopiedByItsMainField() {
    for field in [Field.code, .named("password"), .named("number"), .named("text")] {
      screen.press(.enter)
      #expect(screen.takeEffects() == [.copy(screen.model.selected?.id ?? TestScreen.id(0), field: field)])
      screen.press(.character("]"))
    }
    screen.press(.enter)
    #expect(screen.takeEffects() == [.restore(TestScreen.id(8))])
  }

  @Test mutating func theRowOfTheDetailsIsWhatIsCopiedAndRevealed() {
    screen.press(.character("]"), .tab, .down, .enter)
    #expect(screen.takeEffects() == [.copy(TestScreen.id(5), field: .named("account"))])
    screen.press(.character("r"))
    #expect(screen.takeEffects() == [])
    screen.press(.down, .character("r"))
    #expect(screen.takeEffects() == [.reveal(TestScreen.id(5), field: .named("password"))])
    #expect(screen.text.contains("correct horse"))
    screen.press(.end, .enter)
    #expect(screen.takeEffects() == [] && screen.text.contains("This row isn't copied."))
  }

  @Test mutating func aFieldThatIsCalledLikeACodeIsNone() {
    let rows: [Details.Row] = [
      .init("next code", field: .named("next code"), .secret), .init("code", field: .named("code"), .secret),
    ]
    screen.press(.character("]"))
    screen.model.show(Details(id: TestScreen.id(5), rows: rows))
    screen.press(.tab, .character("r"), .down, .enter)
    #expect(
      screen.takeEffects() == [
        .reveal(TestScreen.id(5), field: .named("next code")), .copy(TestScreen.id(5), field: .named("code")),
      ])
  }

  @Test mutating func passwordsFromBeforeAreListedCopiedAndBroughtBack() {
    let id = TestScreen.id(5)
    screen.press(.character("]"), .character("b"))
    #expect(screen.takeEffects() == [] && screen.text.contains("For passwords from before: p"))
    screen.press(.character("p"))
    #expect(screen.takeEffects() == [.history(id)] && screen.model.focus == .details)
    #expect(screen.text.contains("2026-11-02  ••••••") && screen.text.contains("2025-01-31  ••••••"))
    #expect(screen.text.contains("Example Forge: passwords before") && screen.text.contains("b bring back"))
    screen.press(.enter, .down, .character("r"))
    #expect(screen.takeEffects() == [.copy(id, field: .previous(1)), .reveal(id, field: .previous(2))])
    #expect(screen.text.contains("correct horse"))
    screen.press(.up)
    #expect(!screen.text.contains("correct horse"))
    screen.press(.character("b"), .character("n"))
    #expect(screen.takeEffects() == [.bringBack(id, field: .previous(1))])
    screen.press(.character("c"))
    #expect(screen.text.contains("password 2 from before"))
    screen.press(.escape)
    // Escape, the same key, and leaving the pane go back to the fields.
    for key in [Key.escape, .character("p"), .left] {
      #expect(screen.model.details?.isHistory == true)
      screen.press(key)
      #expect(screen.model.details?.isHistory == false && screen.text.contains("https://ex.org"))
      screen.press(.character("p"))
    }
  }

  @Test mutating func whereThereIsNoPasswordFromBeforeThatIsSaid() {
    screen.press(.character("p"))
    #expect(screen.takeEffects() == [] && screen.text.contains("Only of logins"))
    screen = TestScreen(items: [TestScreen.item(9, .logins, "New", "")])
    screen.press(.character("]"), .character("p"))
    #expect(screen.text.contains("It has had no other password here.") && screen.model.focus == .list)
  }

  @Test mutating func whatIsLookedForIsGoneToWhereItIs() {
    screen.press(.character("/"))
    screen.type("plastic")
    #expect(screen.model.kind == .codes && screen.model.selected == nil)
    screen.press(.enter)
    #expect(screen.model.kind == .cards && screen.model.selected?.name == "Everyday plastic")
  }

  @Test mutating func whatIsNewIsGoneTo() {
    let before = screen.model.kindsByID
    screen.perform(screen.model.show(TestScreen.items + [TestScreen.item(9, .notes, "New", "")]))
    screen.perform(screen.model.goToNew(since: before))
    #expect(screen.model.kind == .notes && screen.model.selected?.id == TestScreen.id(9))
    // What goes into the bin is followed by nobody.
    let then = screen.model.kindsByID
    screen.perform(screen.model.show(TestScreen.items + [TestScreen.item(9, .bin, "New", "")]))
    screen.perform(screen.model.goToNew(since: then))
    #expect(screen.model.kind == .notes && screen.model.selected?.name == "Keys")
  }

  @Test mutating func aMenuChoosesTheFieldToCopy() {
    screen.press(.character("]"), .character("c"), .down, .down, .enter)
    #expect(screen.takeEffects() == [.copy(TestScreen.id(5), field: .named("account"))])
    screen.press(.character("c"), .enter)
    #expect(screen.takeEffects() == [.copy(TestScreen.id(5), field: .named("password"))])
    screen.press(.character("c"), .character("4"))
    #expect(screen.takeEffects() == [.copy(TestScreen.id(5), field: .named("url"))])
    screen.press(.character("c"), .character("9"), .escape)
    #expect(screen.takeEffects() == [] && screen.model.overlay == nil)
  }

  @Test mutating func whatChangesTheVaultIsAskedOfIt() {
    let id = TestScreen.id(1)
    screen.press(.character("f"), .character("e"), .character("d"), .character("u"), .character("a"), .character("2"))
    #expect(screen.takeEffects() == [.setFavorite(id, false), .edit(id), .remove(id), .undo, .add(.logins)])
    screen.press(.control("l"), .character("q"))
    #expect(screen.takeEffects() == [.reload, .quit])
  }

  @Test mutating func nothingInTheBinIsChangedButBroughtBack() {
    for _ in 0..<4 { screen.press(.character("]")) }
    screen.press(.character("d"), .character("f"), .character("e"), .character("r"), .character("n"), .character("c"))
    #expect(screen.takeEffects() == [])
  }

  @Test mutating func ordersFollowEachOther() {
    let orders = [
      ["Acme counts", "Fastmail", "GitHub", "Hetzner"], ["GitHub", "Hetzner", "Acme counts", "Fastmail"],
      ["Acme counts", "Fastmail", "Hetzner", "GitHub"], ["GitHub", "Fastmail", "Hetzner", "Acme counts"],
    ]
    for names in orders {
      screen.press(.character("o"))
      #expect(screen.model.list.map(\.name) == names)
      // The entry stays selected wherever it goes.
      #expect(selected == "GitHub")
    }
  }

  @Test mutating func aFilterIsTypedKeptAndCleared() {
    screen.press(.character("/"))
    screen.type("het?")
    #expect(screen.model.list.isEmpty)
    screen.press(.backspace, .enter)
    #expect(screen.model.list.map(\.name) == ["Hetzner"] && !screen.model.isTyping)
    screen.press(.enter)
    #expect(screen.takeEffects() == [.copy(TestScreen.id(3), field: .code)])
    screen.press(.escape)
    #expect(screen.model.filter == "" && screen.model.list.count == 4)
    // What was found stays selected.
    #expect(selected == "Hetzner")
  }

  @Test mutating func lettersThatAreTypedAreNoCommands() {
    screen.press(.character("/"))
    screen.type("qdl")
    #expect(screen.takeEffects() == [] && screen.model.filter == "qdl")
    screen.press(.control("u"))
    #expect(screen.model.filter == "")
  }

  @Test mutating func whatIsPastedIsTextAndNeverACommand() {
    screen.press(.pasted("d"), .pasted("q"), .pasted("l"))
    #expect(screen.takeEffects() == [])
    screen.press(.character("/"), .pasted("h"), .pasted("e"))
    #expect(screen.model.filter == "he")
  }

  @Test mutating func helpListsEveryActionAndScrolls() {
    screen = TestScreen(columns: 80, rows: 40)
    screen.press(.character("?"))
    for row in KeyTable.standard.rows { #expect(screen.text.contains(row.words)) }
    screen = TestScreen(columns: 80, rows: 12)
    screen.press(.character("?"))
    #expect(!screen.text.contains("Ctrl+Z"))
    for _ in 0..<40 { screen.press(.down) }
    #expect(screen.text.contains("Ctrl+Z"))
    screen.press(.character("q"))
    #expect(screen.model.overlay == nil && screen.takeEffects() == [])
  }

  @Test mutating func inOnePaneEnterOpensAndEscapeGoesBack() {
    screen = TestScreen(columns: 50, rows: 12)
    screen.press(.enter)
    #expect(screen.model.focus == .details && screen.takeEffects() == [])
    #expect(screen.text.contains("••• •••"))
    screen.press(.down, .down, .enter)
    #expect(screen.takeEffects() == [.copy(TestScreen.id(1), field: .code)])
    screen.press(.escape)
    #expect(screen.model.focus == .list)
  }

  @Test mutating func inAWindowTooSmallOnlyQuittingWorks() {
    screen = TestScreen(columns: 39, rows: 20)
    screen.press(.enter, .character("d"), .character("r"))
    #expect(screen.takeEffects() == [])
    screen.press(.character("q"))
    #expect(screen.takeEffects() == [.quit])
  }

  @Test mutating func lockedItHoldsAndShowsNothing() {
    screen.press(.character("r"), .character("l"))
    #expect(screen.takeEffects().last == .lock)
    #expect(!screen.text.contains("GitHub") && !screen.text.contains(TestScreen.code))
    #expect(screen.model.list.isEmpty && screen.model.details == nil && screen.model.revealed == nil)
    screen.press(.character("d"), .character("r"), .character("x"))
    #expect(screen.takeEffects() == [])
    screen.press(.enter, .character("q"))
    #expect(screen.takeEffects() == [.unlock, .quit])
  }
}
