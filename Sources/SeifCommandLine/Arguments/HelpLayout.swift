internal import SeifBytes

/// Fits a help page to a terminal that is narrower than the page.
package enum HelpLayout {
  /// The page in lines of at most the terminal's width. Usage lines and examples are commands, and stay whole; paragraphs
  /// flow; what stands beside a word in a list stays beside it. As it is for a file, a listener and a wide terminal.
  package static func fitted(_ page: String, _ style: TerminalStyle) -> String {
    guard let columns = style.columns, !style.isAccessible else { return page }
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.allSatisfy({ CellWidth.of($0) <= columns }) { return page }
    var layout = Layout(columns: columns)
    var isUsage = true
    var isExamples = false
    for line in lines {
      if line.isEmpty { isUsage = false }
      if line == "Examples:" { isExamples = true }
      let indent = line.prefix { $0 == " " }.count
      if isUsage || (isExamples && indent == 2) {
        layout.whole(line)
      } else {
        layout.add(line, indent: indent)
      }
    }
    return layout.finish()
  }

  /// Lines that are read, and text that flows on until one comes that doesn't belong to it.
  private struct Layout {
    let columns: Int
    private var lines: [String] = []
    private var flowing = ""
    /// Where the text that flows goes on, and what a line must be indented by to belong to it.
    private var hanging: Int?

    init(columns: Int) { self.columns = columns }

    mutating func whole(_ line: Substring) {
      end()
      lines.append(String(line))
    }

    mutating func add(_ line: Substring, indent: Int) {
      if line.isEmpty { return whole(line) }
      if hanging == indent {
        flowing += " " + line.dropFirst(indent)
        return
      }
      end()
      flowing = String(line)
      hanging = HelpLayout.hanging(line, indent: indent)
    }

    private mutating func end() {
      if let hanging {
        // A list in a narrow terminal: below the word, since too little is left beside it.
        let indent = hanging > columns / 2 ? 6 : hanging
        lines.append(WordWrap.wrapped(flowing, to: columns, indent: indent))
      }
      hanging = nil
      flowing = ""
    }

    mutating func finish() -> String {
      end()
      return lines.joined(separator: "\n")
    }
  }

  /// Where a line's text begins: behind its indent or, in a list, behind the word and the spaces that follow it.
  private static func hanging(_ line: Substring, indent: Int) -> Int {
    guard indent > 0, let gap = line.dropFirst(indent).firstRange(of: "  ") else { return indent }
    let text = line[gap.lowerBound...].drop { $0 == " " }
    return line.distance(from: line.startIndex, to: text.startIndex)
  }
}

extension Output {
  /// Appends a help page, fitted to a terminal.
  package func write(help page: String) throws(CommandFailure) { try write(HelpLayout.fitted(page, style)) }
}
