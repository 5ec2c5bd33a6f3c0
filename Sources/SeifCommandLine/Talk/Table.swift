internal import SeifBytes

/// A table of names and numbers for a person.
///
/// On a terminal: bold heads in capitals, two spaces between columns, columns dropped by rank and then names shortened
/// where it is too narrow. Elsewhere: full width, a row a line, no heads. For a screen reader: `name: value` lines.
package struct Table {
  package struct Column: Sendable {
    let title: String
    let isRight: Bool
    let rank: Int
    let shortens: Bool

    /// - Parameters:
    ///   - title: its head, in lower case.
    ///   - right: for numbers.
    ///   - rank: 0 is never dropped; of the others the highest is dropped first.
    ///   - shortens: whether its texts may lose their end (names may; codes, dates and references may not).
    package init(_ title: String, right: Bool = false, rank: Int = 0, shortens: Bool = false) {
      self.title = title
      self.isRight = right
      self.rank = rank
      self.shortens = shortens
    }
  }

  private let columns: [Column]
  // Flat, row after row: a list of a hundred thousand items is an ordinary table.
  private var cells: [String] = []
  private var cellWidths: [Int] = []
  private var widest: [Int]

  package init(_ columns: [Column]) {
    self.columns = columns
    widest = columns.map { _ in 0 }
  }

  /// Adds a row, a cell for each column; cells are cleaned.
  package mutating func add(_ row: [String]) {
    precondition(row.count == columns.count, "internal error: a row has as many cells as the table has columns")
    for (column, text) in row.enumerated() {
      let cell = Display.cleaned(text)
      let width = CellWidth.of(cell)
      widest[column] = max(widest[column], width)
      cells.append(cell)
      cellWidths.append(width)
    }
  }

  package var isEmpty: Bool { cells.isEmpty }

  /// The whole table, each line ended by a line feed.
  package func text(_ style: TerminalStyle) -> String {
    var text = ""
    // Nothing is thrown by appending to a string.
    forEachLine(style) { text += $0 }
    return text
  }

  /// Writes the table in the style of an output.
  package func write(to output: Output) throws(CommandFailure) {
    var failure: CommandFailure?
    forEachLine(output.style) { line in
      guard failure == nil else { return }
      do throws(CommandFailure) { try output.write(line) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func forEachLine(_ style: TerminalStyle, _ body: (String) -> Void) {
    if cells.isEmpty { return }
    let starts = stride(from: 0, to: cells.count, by: columns.count)
    if style.isAccessible {
      for start in starts {
        if start > 0 { body("\n") }
        for (column, cell) in zip(columns, cells[start...]) where !cell.isEmpty { body("\(column.title): \(cell)\n") }
      }
      return
    }
    var widths = widest
    if style.isTerminal { for column in columns.indices { widths[column] = max(widths[column], headWidth(column)) } }
    var kept = Array(columns.indices)
    if let available = style.columns { fit(&kept, &widths, into: available) }
    let ellipsis = style.isUTF8 ? "…" : "..."
    var line: [UInt8] = []
    func finish() -> String {
      while line.last == 0x20 { line.removeLast() }
      defer { line.removeAll(keepingCapacity: true) }
      return String(decoding: line, as: UTF8.self)
    }
    if style.isTerminal {
      for column in kept { append(columns[column].title.uppercased(), headWidth(column), column, widths, "", &line) }
      body(style.bold(finish()) + "\n")
    }
    for start in starts {
      for column in kept {
        append(cells[start + column], cellWidths[start + column], column, widths, ellipsis, &line)
      }
      body(finish() + "\n")
    }
  }

  private func headWidth(_ column: Int) -> Int { CellWidth.of(columns[column].title) }

  private func append(
    _ cell: String, _ width: Int, _ column: Int, _ widths: [Int], _ ellipsis: String, _ line: inout [UInt8]
  ) {
    if !line.isEmpty { line += [0x20, 0x20] }
    var (cell, width) = (cell, width)
    if columns[column].shortens, width > widths[column] {
      cell = CellWidth.shortened(cell, to: widths[column], ellipsis: ellipsis)
      width = CellWidth.of(cell)
    }
    let padding = repeatElement(UInt8(0x20), count: max(0, widths[column] - width))
    if columns[column].isRight { line += padding }
    line += cell.utf8
    if !columns[column].isRight { line += padding }
  }

  private func fit(_ kept: inout [Int], _ widths: inout [Int], into available: Int) {
    func total() -> Int { kept.reduce(0) { $0 + widths[$1] } + 2 * max(0, kept.count - 1) }
    while total() > available, let drop = kept.filter({ columns[$0].rank > 0 }).max(by: lowerRank) {
      kept.removeAll { $0 == drop }
    }
    // A name wider than the terminal can't fit; without this the loop would take a step for each of its cells.
    for column in kept where columns[column].shortens { widths[column] = min(widths[column], available) }
    // The widest first, so that two long names end up about equal; eight cells are still a name.
    while total() > available,
      let widest = kept.filter({ columns[$0].shortens && widths[$0] > 8 }).max(by: { widths[$0] < widths[$1] })
    {
      widths[widest] -= 1
    }
  }

  private func lowerRank(_ left: Int, _ right: Int) -> Bool { columns[left].rank < columns[right].rank }
}
