internal import SeifBytes

/// What lies over the panes: the page of keys and short menus.
extension Model {
  /// A line for each action: its keys, what it does.
  var helpLines: [(keys: String, words: String)] {
    keys.rows.filter { !$0.keys.isEmpty }.map { ($0.keys.map(\.name).joined(separator: " "), $0.words) }
      + [("Ctrl+C", "quit at once"), ("Ctrl+Z", "suspend; the screen is wiped first")]
  }

  /// How many of them are seen at once.
  var helpHeight: Int { max(1, size.rows - 4) }

  func drawHelp(_ top: Int, in grid: inout Grid) {
    let box = Layout.Box(row: 1, column: 0, width: grid.columns, height: grid.rows - 2)
    drawFrame(box, "Keys", isFocused: true, in: &grid)
    let lines = helpLines
    let width = (lines.map { CellWidth.of($0.keys) }.max() ?? 0) + 2
    for (offset, line) in lines.dropFirst(max(0, top)).prefix(helpHeight).enumerated() {
      let row = box.row + 1 + offset
      grid.put(line.keys, row: row, column: 2, end: grid.columns - 1, style: .strong)
      let words = glyphs.shown(line.words, to: grid.columns - 4 - width)
      grid.put(words, row: row, column: 2 + width, end: grid.columns - 1)
    }
    if lines.count > max(0, top) + helpHeight {
      grid.put(" more ", row: box.row + box.height - 1, column: grid.columns - 9)
    }
  }

  func drawMenu(_ title: String, _ choices: [String], _ selected: Int, in grid: inout Grid) {
    let choices = choices.map { glyphs.shown($0, to: 30) }
    let height = min(choices.count, max(1, grid.rows - 6))
    let width = max(18, (choices.map { CellWidth.of($0) }.max() ?? 0) + 8)
    let box = Layout.Box(
      row: max(1, (grid.rows - height - 2) / 2), column: max(0, (grid.columns - width) / 2), width: width,
      height: height + 2)
    for row in box.row..<box.row + box.height {
      grid.put(String(repeating: " ", count: width), row: row, column: box.column)
    }
    drawFrame(box, title, isFocused: true, in: &grid)
    let top = max(0, min(selected - height + 1, choices.count - height))
    for (offset, choice) in choices.dropFirst(top).prefix(height).enumerated() {
      let row = box.row + 1 + offset
      let index = top + offset
      let end = box.column + width - 1
      let style = CellStyle(isReversed: index == selected)
      grid.restyle(row: row, from: box.column + 1, to: end, style)
      if index < 9 { grid.put("\(index + 1)", row: row, column: box.column + 2, end: end, style: style) }
      grid.put(choice, row: row, column: box.column + 5, end: end, style: style)
    }
  }
}
