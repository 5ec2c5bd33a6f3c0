import SeifCommandLine
import SeifBytes
import Testing

@testable import SeifCommands

/// Help on a terminal that is narrower than its pages.
@Suite struct HelpLayoutTests {
  private static var pages: [(name: String, text: String)] {
    [("overview", Help.overview(CommandTable.all))] + CommandTable.all.map { ($0.name, Help.page($0)) }
  }

  private func style(_ columns: Int?, isAccessible: Bool = false) -> TerminalStyle {
    TerminalStyle(
      isTerminal: columns != nil, columns: columns, hasColour: false, isUTF8: true, isAccessible: isAccessible,
      canRedraw: false)
  }

  private func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "\n" } }

  @Test(arguments: [80, 60, 40])
  func linesFitBreakAtWordsAndLoseNone(columns: Int) {
    for page in Self.pages {
      let fitted = HelpLayout.fitted(page.text, style(columns))
      #expect(words(fitted) == words(page.text), "\(page.name)")
      let stored = Set(page.text.split(separator: "\n"))
      for line in fitted.split(separator: "\n") where CellWidth.of(line) > columns {
        // What is wider is a command that stays whole, or one word.
        let text = line.drop { $0 == " " }
        let isWhole = stored.contains(line) || CommandWords.units(of: String(text)).count == 1
        #expect(isWhole, "\(page.name): \(line)")
      }
    }
  }

  @Test(arguments: [80, 40])
  func usageAndExamplesAreNeverBroken(columns: Int) {
    for command in CommandTable.all {
      let lines = HelpLayout.fitted(Help.page(command), style(columns)).split(separator: "\n").map(String.init)
      #expect(lines.contains(command.usageLine), "\(command.name)")
      for example in Examples.of(command) { #expect(lines.contains("  \(example.line)"), "\(command.name)") }
    }
  }

  @Test func anAboutStaysBesideItsOption() {
    let page = "seif x\n\nOptions:\n  --long-name N  read it from there and say so\n  --b            b\n"
    #expect(
      HelpLayout.fitted(page, style(34))
        == "seif x\n\nOptions:\n  --long-name N  read it from\n                 there and say so\n  --b            b\n")
  }

  @Test func paragraphsFlow() {
    let page = "seif x\n\nOne two three\nfour five\nsix.\n\nA second.\n"
    #expect(HelpLayout.fitted(page, style(12)) == "seif x\n\nOne two\nthree four\nfive six.\n\nA second.\n")
  }

  @Test func elsewhereThePageIsAsItWasWritten() {
    for page in Self.pages {
      for style in [style(nil), style(200), style(40, isAccessible: true)] {
        #expect(HelpLayout.fitted(page.text, style) == page.text, "\(page.name)")
      }
    }
  }
}
