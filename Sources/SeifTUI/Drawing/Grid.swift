internal import SeifBytes

/// A screen as cells.
package struct Grid: Sendable, Equatable {
  package let columns: Int
  package let rows: Int
  private var cells: [Cell]
  /// The most scalars of a cell; an emoji of a family has seven.
  static let scalarLimit = 8

  package init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  /// The cell at a place; a blank outside.
  package subscript(row: Int, column: Int) -> Cell {
    guard (0..<rows).contains(row), (0..<columns).contains(column) else { return .blank }
    return cells[row * columns + column]
  }

  private mutating func set(_ row: Int, _ column: Int, _ cell: Cell) {
    guard (0..<rows).contains(row), (0..<columns).contains(column) else { return }
    cells[row * columns + column] = cell
  }

  /// Puts a text at a place; what doesn't fit before `end` is left out. Controls become U+FFFD, and what takes no cell of
  /// its own is left out.
  ///
  /// - Returns: the column behind it.
  @discardableResult
  package mutating func put(
    _ text: String, row: Int, column: Int, end: Int? = nil, style: CellStyle = .plain
  ) -> Int {
    let end = min(end ?? columns, columns)
    var column = column
    for character in Display.cleaned(text) {
      let width = CellWidth.of(character)
      if width == 0 { continue }
      if column + width > end { break }
      // One letter may have any number of marks: what nobody can read isn't sent.
      let text = String(String.UnicodeScalarView(character.unicodeScalars.prefix(Self.scalarLimit)))
      set(row, column, Cell(text: text, style: style))
      if width == 2 { set(row, column + 1, Cell(text: "", style: style)) }
      column += width
    }
    return column
  }

  /// Gives cells a style and leaves their text.
  package mutating func restyle(row: Int, from start: Int, to end: Int, _ style: CellStyle) {
    guard start < end else { return }
    for column in start..<end {
      var cell = self[row, column]
      cell.style = style
      set(row, column, cell)
    }
  }

  /// Overwrites all cells in place: what was drawn may have been a secret.
  package mutating func wipe() {
    for index in cells.indices { cells[index] = .blank }
  }

  /// The text of each row, without blanks at its end.
  package var lines: [String] {
    (0..<rows).map { row in
      var line = (0..<columns).map { self[row, $0].text }.joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
