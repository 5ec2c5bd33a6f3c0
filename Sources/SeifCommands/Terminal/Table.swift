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
  private var rows: [[String]] = []

  package init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row, a cell for each column; cells are cleaned.
  package mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count, "internal error: a row has as many cells as the table has columns")
    rows.append(cells.map { Display.cleaned($0) })
  }

  package var isEmpty: Bool { rows.isEmpty }

  /// The whole table, each line ended by a line feed.
  package func text(_ style: TerminalStyle) -> String {
    if rows.isEmpty { return "" }
    if style.isAccessible { return accessible() }
    var widths = columns.indices.map { column in
      let cells = rows.lazy.map { CellWidth.of($0[column]) }.max() ?? 0
      return style.isTerminal ? max(cells, CellWidth.of(columns[column].title)) : cells
    }
    var kept = Array(columns.indices)
    if let available = style.columns { fit(&kept, &widths, into: available) }
    let ellipsis = style.isUTF8 ? "…" : "..."
    var text = ""
    if style.isTerminal {
      let heads = kept.map { columns[$0].title.uppercased() }
      text += style.bold(line(heads, kept, widths, ellipsis)) + "\n"
    }
    for row in rows { text += line(kept.map { row[$0] }, kept, widths, ellipsis) + "\n" }
    return text
  }

  private func fit(_ kept: inout [Int], _ widths: inout [Int], into available: Int) {
    func total() -> Int { kept.reduce(0) { $0 + widths[$1] } + 2 * max(0, kept.count - 1) }
    while total() > available, let drop = kept.filter({ columns[$0].rank > 0 }).max(by: lowerRank) {
      kept.removeAll { $0 == drop }
    }
    // The widest first, so that two long names end up about equal; eight cells are still a name.
    while total() > available,
      let widest = kept.filter({ columns[$0].shortens && widths[$0] > 8 }).max(by: { widths[$0] < widths[$1] })
    {
      widths[widest] -= 1
    }
  }

  private func lowerRank(_ left: Int, _ right: Int) -> Bool { columns[left].rank < columns[right].rank }

  private func line(_ cells: [String], _ kept: [Int], _ widths: [Int], _ ellipsis: String) -> String {
    var line = ""
    for (position, column) in kept.enumerated() {
      var cell = cells[position]
      if columns[column].shortens { cell = CellWidth.shortened(cell, to: widths[column], ellipsis: ellipsis) }
      let padding = String(repeating: " ", count: max(0, widths[column] - CellWidth.of(cell)))
      line += columns[column].isRight ? padding + cell : cell + padding
      if position < kept.count - 1 { line += "  " }
    }
    let blanks = line.reversed().prefix { $0 == " " }.count
    return String(line.dropLast(blanks))
  }

  private func accessible() -> String {
    rows.map { row in
      zip(columns, row).filter { !$0.1.isEmpty }.map { "\($0.title): \($1)\n" }.joined()
    }.joined(separator: "\n")
  }
}
