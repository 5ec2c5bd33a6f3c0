import SeifCommandLine
import SeifBytes
import Testing

@testable import SeifCommands

/// Tables and texts in cells of a terminal.
@Suite struct TableTests {
  private func style(columns: Int? = nil, colour: Bool = false, utf8: Bool = true, accessible: Bool = false)
    -> TerminalStyle
  {
    TerminalStyle(
      isTerminal: columns != nil, columns: columns, hasColour: colour, isUTF8: utf8, isAccessible: accessible,
      canRedraw: false)
  }

  private var table: Table {
    var table = Table([
      .init("name", shortens: true), .init("account", rank: 1, shortens: true), .init("code"),
      .init("left", right: true, rank: 2),
    ])
    table.add(["GitHub", "ana@ex.com", "482 913", "17 s"])
    table.add(["Poșta Română", "ștefan", "000 001", "9 s"])
    table.add(["بريد", "ana", "111 111", "17 s"])
    table.add(["台灣銀行", "王小明", "222 222", "17 s"])
    table.add(["👨‍👩‍👧‍👦 Family", "🇷🇴", "333 333", "17 s"])
    return table
  }

  @Test func columnsAlignByCellsWhateverTheScript() {
    let text = table.text(style(columns: 80))
    #expect(
      text == """
        NAME          ACCOUNT     CODE     LEFT
        GitHub        ana@ex.com  482 913  17 s
        Poșta Română  ștefan      000 001   9 s
        بريد          ana         111 111  17 s
        台灣銀行      王小明      222 222  17 s
        👨‍👩‍👧‍👦 Family     🇷🇴          333 333  17 s

        """)
    for line in text.split(separator: "\n") { #expect(CellWidth.of(line) == 39) }
  }

  @Test func headsAreBoldOnATerminalAndAbsentElsewhere() {
    #expect(table.text(style(columns: 80, colour: true)).hasPrefix("\u{1B}[1mNAME"))
    #expect(!table.text(style(columns: 80)).contains("\u{1B}"))
    #expect(table.text(.plain).hasPrefix("GitHub        ana@ex.com  482 913  17 s\n"))
  }

  @Test func tooNarrowItDropsTheHighestRankFirstThenShortensNames() {
    #expect(table.text(style(columns: 38)).hasPrefix("NAME          ACCOUNT     CODE\n"))
    #expect(table.text(style(columns: 30)).hasPrefix("NAME          CODE\n"))
    let narrow = table.text(style(columns: 17))
    #expect(narrow.contains("Poșta R…  000 001\n"))
    #expect(narrow.contains("台灣銀行  222 222\n"))
    #expect(narrow.split(separator: "\n").allSatisfy { CellWidth.of($0) <= 17 })
  }

  @Test func codesAreNeverShortened() {
    #expect(table.text(style(columns: 5)).contains("482 913"))
  }

  @Test func elsewhereThanOnATerminalNothingIsCut() {
    var table = Table([.init("name", rank: 3, shortens: true)])
    let long = String(repeating: "long ", count: 200) + "end"
    table.add([long])
    #expect(table.text(.plain) == long + "\n")
  }

  @Test func noLineEndsInBlanks() {
    var table = Table([.init("name"), .init("note")])
    table.add(["a", ""])
    table.add(["", ""])
    table.add(["long name", "x"])
    #expect(table.text(.plain) == "a\n\nlong name  x\n")
  }

  @Test func forAScreenReaderEachValueHasItsName() {
    let text = table.text(style(columns: 80, accessible: true))
    #expect(
      text.hasPrefix(
        "name: GitHub\naccount: ana@ex.com\ncode: 482 913\nleft: 17 s\n\nname: Poșta Română\naccount: ștefan\n"))
  }

  @Test func anEmptyTableIsNothing() {
    #expect(Table([.init("name")]).text(style(columns: 80)) == "")
  }

  @Test func hostileNamesAreCleanedBeforeTheyAreMeasured() {
    var table = Table([.init("name"), .init("x")])
    table.add(["a\u{1B}[31m\u{202E}b\nc", "1"])
    table.add(["plain", "2"])
    #expect(table.text(.plain) == "a\u{FFFD}[31m\u{FFFD}b\u{FFFD}c  1\nplain       2\n")
  }

  // MARK: - Widths

  @Test(arguments: [
    ("", 0), ("abc", 3), ("ă", 1), ("a\u{306}", 1), ("ș", 1), ("سلام", 4), ("台", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2),
    ("🙂", 2), ("👨‍👩‍👧‍👦", 2), ("🇷🇴", 2), ("❤", 1), ("❤️", 2), ("👍🏽", 2), ("1️⃣", 2), ("\u{200D}", 0), ("\u{301}", 0), ("…", 1),
    ("✓", 1), ("•", 1), ("々", 2), ("。", 2),
  ])
  func aGraphemeClusterTakesItsCells(text: String, cells: Int) {
    #expect(CellWidth.of(text) == cells)
  }

  @Test func plainTextsHaveTheWidthOfTheirClusters() {
    for value in (UInt32(0)...0x2FFF) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "a\(scalar)b"
      if let cells = CellWidth.ofPlain(text[...]) {
        #expect(cells == text.reduce(0) { $0 + CellWidth.of($1) }, "U+\(String(value, radix: 16))")
        #expect(!Display.isHarmful(scalar), "U+\(String(value, radix: 16))")
      }
    }
    #expect(CellWidth.ofPlain("Poșta Română – „da” • …") == 23)
    #expect(CellWidth.ofPlain("a\u{306}") == nil)
    #expect(CellWidth.ofPlain("a\u{A0}") == nil)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("台灣銀行", 8, "台灣銀行"),
    ("台灣銀行", 7, "台灣銀…"), ("台灣銀行", 6, "台灣…"), ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, "👨‍👩‍👧‍👦…"),
  ])
  func shorteningNeverCutsAClusterOrExceedsTheWidth(text: String, width: Int, result: String) {
    #expect(CellWidth.shortened(text, to: width) == result)
  }

  @Test func everyControlAndBidiControlIsReplaced() {
    let harmful: [ClosedRange<UInt32>] = [
      0...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x2028...0x2029,
    ]
    for range in harmful {
      for value in range {
        let scalar = Unicode.Scalar(value).map(Character.init) ?? " "
        #expect(Display.cleaned("a\(scalar)b").unicodeScalars.map(\.value) == [0x61, 0xFFFD, 0x62])
      }
    }
    // What joins letters and emoji stays.
    let kept = "می‌خواهم 👨‍👩‍👧 ❤️ ăîșț 台灣"
    #expect(Display.cleaned(kept) == kept)
  }

  // MARK: - Style

  @Test func signsSpeakWithoutUTF8AndColourNeedsATerminal() {
    #expect(Sign.allCases.map { $0.text(.plain) } == ["✓", "!", "✗"])
    #expect(Sign.allCases.map { $0.text(style(columns: 80, utf8: false)) } == ["ok", "warn", "fail"])
    #expect(Sign.allCases.map { $0.text(style(columns: 80, accessible: true)) } == ["ok", "warn", "fail"])
    #expect(Sign.ok.text(style(columns: 80, colour: true)) == "\u{1B}[32m✓\u{1B}[0m")
  }

  @Test func aPipeHasNoColourNoWidthAndUTF8() throws {
    let world = try World()
    let environment = Environment(["TERM": "xterm", "LANG": "C", "COLUMNS": "40"])
    let style = TerminalStyle(descriptor: world.context.output.descriptor, environment: environment)
    #expect(style == .plain)
  }
}
