/// What turns the screen that a terminal shows into another: only cells that changed are written.
package struct GridRenderer: Sendable {
  /// Which colours may be used.
  package enum Palette: Sendable { case none, terminal, trueColour }

  private let palette: Palette
  private var shown: Grid?

  package init(_ palette: Palette) { self.palette = palette }

  /// Takes the terminal to be unknown: the next screen is written whole.
  package mutating func forget() {
    shown?.wipe()
    shown = nil
  }

  /// The bytes that make a terminal show a screen.
  package mutating func bytes(for grid: Grid) -> [UInt8] {
    var output = Output(palette: palette)
    let before: Grid
    if let shown, shown.columns == grid.columns, shown.rows == grid.rows {
      before = shown
    } else {
      before = Grid(columns: grid.columns, rows: grid.rows)
      for row in 0..<grid.rows { output.eraseRow(row) }
    }
    for row in 0..<grid.rows {
      var column = 0
      while column < grid.columns {
        let isWide = column + 1 < grid.columns && grid[row, column + 1].text.isEmpty
        let width = isWide ? 2 : 1
        let changed = (column..<column + width).contains { grid[row, $0] != before[row, $0] }
        // A second half without its first can't be drawn.
        if changed, !grid[row, column].text.isEmpty { output.put(grid[row, column], row, column, width) }
        column += width
      }
    }
    shown?.wipe()
    shown = grid
    return output.finish()
  }

  private struct Output {
    let palette: Palette
    private var bytes: [UInt8] = []
    private var place: (row: Int, column: Int)?
    private var style = CellStyle.plain

    init(palette: Palette) { self.palette = palette }

    mutating func eraseRow(_ row: Int) {
      bytes += "\u{1B}[\(row + 1);1H\u{1B}[2K".utf8
    }

    mutating func put(_ cell: Cell, _ row: Int, _ column: Int, _ width: Int) {
      if place?.row != row || place?.column != column { bytes += "\u{1B}[\(row + 1);\(column + 1)H".utf8 }
      if cell.style != style {
        bytes += Self.sequence(cell.style, palette).utf8
        style = cell.style
      }
      bytes += cell.text.utf8
      // Terminals don't agree on how wide some clusters are: after them the place is said anew.
      let isSure = width == 1 && cell.text.unicodeScalars.count == 1
      place = isSure ? (row, column + width) : nil
    }

    mutating func finish() -> [UInt8] {
      if style != .plain { bytes += Self.sequence(.plain, palette).utf8 }
      return bytes
    }

    private static func sequence(_ style: CellStyle, _ palette: Palette) -> String {
      var codes = ["0"]
      if style.isBold { codes.append("1") }
      if style.isReversed { codes.append("7") }
      switch palette {
      case .none: break
      case .terminal:
        // The terminal's own sixteen. No blue: on black it can't be read.
        let colours: [CellStyle.Colour: String] = [.accent: "36", .good: "32", .soon: "33", .bad: "31"]
        if let code = colours[style.colour] { codes.append(code) }
      case .trueColour:
        let colours: [CellStyle.Colour: String] = [
          .accent: "38;2;58;160;158", .good: "38;2;64;160;84", .soon: "38;2;190;136;20", .bad: "38;2;222;84;84",
        ]
        if let code = colours[style.colour] { codes.append(code) }
      }
      return "\u{1B}[\(codes.joined(separator: ";"))m"
    }
  }
}
