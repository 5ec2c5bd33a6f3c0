import SeifBytes
import SeifTUI
import Testing

/// Cells, and the bytes that change a screen into another.
@Suite struct DrawingTests {
  static let names = [
    "Poșta Română", "日本語のサービス", "עברית", "e\u{301}te\u{301}", "👩‍👩‍👧 family", "🇷🇴 flag", "a\u{1B}[2Jb",
    "evil\u{202E}gpj", "tab\tnew\nline", "\u{9B}31mred", "bell\u{7}", "\u{200B}zero", "\u{301}lone", "",
    String(repeating: "long ", count: 60),
  ]

  @Test(arguments: names, [120, 100, 80, 70, 50, 40])
  func everyRowIsAsWideAsTheScreen(name: String, columns: Int) {
    let screen = TestScreen(columns: columns, rows: 12, items: [TestScreen.item(1, .codes, name, name)])
    for line in screen.lines {
      #expect(CellWidth.of(line) <= columns)
      #expect(!line.unicodeScalars.contains { Display.isHarmful($0) })
    }
    // The frame closes at the same place whatever stands in it.
    for line in screen.lines.dropFirst(2).prefix(8) {
      #expect(CellWidth.of(line) == columns && line.last == "│", "\(line)")
    }
  }

  @Test func aCellHoldsEightScalarsAtMost() {
    var grid = Grid(columns: 4, rows: 1)
    grid.put("a" + String(repeating: "\u{301}", count: 5000) + "b\u{AD}", row: 0, column: 0)
    #expect(grid[0, 0].text.unicodeScalars.count == 8 && grid[0, 1].text == "b" && grid[0, 2].text == "\u{FFFD}")
    grid.put("👩‍👩‍👧‍👦", row: 0, column: 0)
    #expect(grid[0, 0].text == "👩‍👩‍👧‍👦")
  }

  @Test func anAddressBreaksAtItsSlashes() {
    let item = TestScreen.item(5, .logins, "Forge", "ana")
    var screen = TestScreen(items: [item])
    screen.press(.character("]"))
    let address = "https://login.example.org/realms/everyone/login"
    screen.model.show(Details(id: item.id, rows: [.init("address", field: .named("url"), .text(address))]))
    #expect(screen.text.contains("https://login.example.org/ ") && screen.text.contains(" realms/everyone/login"))
  }

  @Test func theFirstScreenIsWrittenWholeAndTheNextOnlyWhereItDiffers() {
    var renderer = GridRenderer(.terminal)
    var screen = TestScreen()
    let first = renderer.bytes(for: screen.model.draw())
    #expect(first.count > 2000)
    #expect(renderer.bytes(for: screen.model.draw()) == [])
    screen.wait(1)
    let second = String(decoding: renderer.bytes(for: screen.model.draw()), as: UTF8.self)
    // Another digit, and no more.
    #expect(second == "\u{1B}[6;100H6")
    renderer.forget()
    #expect(renderer.bytes(for: screen.model.draw()).count > 2000)
  }

  @Test func changesAreSameAsDrawingAnew() {
    var screen = TestScreen(items: TestScreen.items + [TestScreen.item(9, .codes, "日本 👩‍👩‍👧 x", "ș")])
    var renderer = GridRenderer(.none)
    var terminal = ToyTerminal(columns: 120, rows: 16)
    let keys: [Key] = [
      .down, .end, .character("r"), .character("/"), .character("a"), .escape, .character("?"), .escape,
      .character("]"), .character("c"), .escape, .tab, .character("l"),
    ]
    for key in keys {
      screen.press(key)
      screen.wait(1)
      let grid = screen.model.draw()
      terminal.take(renderer.bytes(for: grid))
      #expect(terminal.lines == grid.lines, "after \(key.name)")
    }
  }

  @Test func withoutColoursThereIsOnlyBoldAndReverse() {
    let screen = TestScreen()
    func sequences(_ palette: GridRenderer.Palette) -> Set<Substring> {
      var renderer = GridRenderer(palette)
      let text = String(decoding: renderer.bytes(for: screen.model.draw()), as: UTF8.self)
      return Set(
        text.split(separator: "\u{1B}[").compactMap { piece in
          piece.firstIndex(of: "m").flatMap { end in
            piece[..<end].allSatisfy { $0.isNumber || $0 == ";" } ? piece[..<end] : nil
          }
        })
    }
    #expect(sequences(.none) == ["0", "0;1", "0;7"])
    #expect(sequences(.terminal).isSuperset(of: ["0;36"]))
    #expect(!sequences(.terminal).contains { $0.hasSuffix("34") || $0.hasPrefix("4") })
    #expect(sequences(.trueColour).contains { $0.contains("38;2") })
  }

  @Test func whatDoesntFitIsCutBeforeAWideCluster() {
    var grid = Grid(columns: 4, rows: 1)
    #expect(grid.put("abc日", row: 0, column: 0) == 3)
    #expect(grid.lines == ["abc"])
    #expect(grid.put("日本語", row: 0, column: 0) == 4)
    #expect(grid.lines == ["日本"])
    grid.wipe()
    #expect(grid.lines == [""])
  }
}

/// Just enough of a terminal for what the renderer writes.
struct ToyTerminal {
  private var cells: [[String]]
  private var place = (row: 0, column: 0)

  init(columns: Int, rows: Int) {
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  mutating func take(_ bytes: [UInt8]) {
    var rest = String(decoding: bytes, as: UTF8.self)[...]
    while let first = rest.first {
      guard first == "\u{1B}" else {
        rest.removeFirst()
        cells[place.row][place.column] = String(first)
        if CellWidth.of(first) == 2 { cells[place.row][place.column + 1] = "" }
        place.column += CellWidth.of(first)
        continue
      }
      guard let end = rest.firstIndex(where: { $0.isLetter }) else { return }
      let numbers = rest[..<end].dropFirst(2).split(separator: ";").compactMap { Int($0) }
      switch rest[end] {
      case "H": place = (numbers[0] - 1, numbers[1] - 1)
      case "K": cells[place.row] = cells[place.row].map { _ in " " }
      default: break
      }
      rest = rest[rest.index(after: end)...]
    }
  }

  var lines: [String] {
    cells.map { row in
      var line = row.joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
