internal import SeifBytes

/// The screen, drawn from the state alone.
extension Model {
  package func draw() -> Grid {
    var grid = Grid(columns: size.columns, rows: size.rows)
    if layout.shape == .tooSmall {
      drawLines(["Make the window bigger,", "or use: seif code"], in: &grid)
      return grid
    }
    if case .locked(let reason) = phase {
      drawStatus(in: &grid)
      let unlock = keys.keys(.copy).first?.name ?? ""
      let quit = keys.keys(.quit).first?.name ?? ""
      drawLines(["Locked.", reason, "", "\(unlock) unlock\(glyphs.separator)\(quit) quit"], in: &grid)
      return grid
    }
    drawStatus(in: &grid)
    if case .help(let top) = overlay {
      drawHelp(top, in: &grid)
    } else {
      drawPanes(in: &grid)
      switch overlay {
      case .fields(let selected): drawMenu("Copy", fields.map(\.label), selected, in: &grid)
      case .kinds(let selected): drawMenu("Add", Self.added.map(\.word), selected, in: &grid)
      case .help, nil: break
      }
    }
    drawKeyLine(in: &grid)
    return grid
  }

  /// Lines in the middle.
  private func drawLines(_ lines: [String], in grid: inout Grid) {
    let top = max(0, (grid.rows - lines.count) / 2)
    for (index, line) in lines.enumerated() {
      let text = glyphs.shown(line, to: grid.columns)
      let column = max(0, (grid.columns - CellWidth.of(text)) / 2)
      grid.put(text, row: top + index, column: column, style: index == 0 ? .strong : .plain)
    }
  }

  private func drawPanes(in grid: inout Grid) {
    let layout = layout
    if let kinds = layout.kinds { drawKinds(kinds, in: &grid) }
    if layout.shape == .one {
      if focus == .details { drawDetails(layout.details, in: &grid) } else { drawList(layout.list, in: &grid) }
    } else {
      drawList(layout.list, in: &grid)
      drawDetails(layout.details, in: &grid)
    }
  }

  // MARK: - Lines at the edges

  private func drawStatus(in grid: inout Grid) {
    let name = " Seif\(glyphs.separator)" + glyphs.shown(vaultName, to: max(8, grid.columns / 3))
    var column = grid.put(name, row: 0, column: 0, style: .strong)
    if case .locked = phase {
      grid.put("locked", row: 0, column: column + 3)
      return
    }
    if let (text, style) = told(room: grid.columns - column - 3) {
      grid.put(glyphs.shown(text, to: grid.columns - column - 3), row: 0, column: column + 3, style: style)
      return
    }
    var lock = isHereOnly ? "unlocked here only" : "unlocked"
    if let locksIn { lock += ", locks in " + Self.duration(locksIn) }
    let right = damage.map { "\(glyphs.warning) \($0)" } ?? backup
    let rightStyle: CellStyle = damage == nil ? .plain : .bad
    let rightColumn = grid.columns - CellWidth.of(glyphs.shown(right)) - 1
    // In the middle if there is room, and above all not over anything.
    let middle = max(column + 3, (grid.columns - CellWidth.of(lock)) / 2)
    column = grid.put(lock, row: 0, column: middle)
    if rightColumn >= column + 2 {
      grid.put(glyphs.shown(right), row: 0, column: rightColumn, style: rightStyle)
    } else if damage != nil {
      grid.put(
        glyphs.shown("\(glyphs.warning) damage", to: grid.columns - column - 2), row: 0, column: column + 2, style: .bad
      )
    }
  }

  /// What was just done, or how long something stays copied.
  private func told(room: Int) -> (String, CellStyle)? {
    if let message {
      let sign: (String, CellStyle) =
        switch message.tone {
        case .plain: ("", .plain)
        case .good: (glyphs.ok + " ", .good)
        case .bad: (glyphs.warning + " ", .bad)
        }
      let text = sign.0 + message.text
      let whole = text + (message.more.map { ". \($0)" } ?? "")
      return (CellWidth.of(glyphs.shown(whole)) <= room ? whole : text, sign.1)
    }
    guard let copied else { return nil }
    let seconds = copied.until.map { max(1, ($0 - now.milliseconds + 999) / 1000) }
    return ("\(glyphs.ok) Copied \(copied.what)." + (seconds.map { " Cleared in \($0) s." } ?? ""), .good)
  }

  static func duration(_ seconds: Int64) -> String {
    switch seconds {
    case ..<120: "\(max(0, seconds)) s"
    case ..<7200: "\((seconds + 59) / 60) min"
    default: "\((seconds + 3599) / 3600) h"
    }
  }

  private func drawKeyLine(in grid: inout Grid) {
    let row = grid.rows - 1
    if isTyping {
      let end = "   Enter keep\(glyphs.separator)Esc clear"
      var typed = glyphs.shown(filter)
      // Its end is where one types.
      while CellWidth.of(typed) > max(1, grid.columns - CellWidth.of(end) - 3) { typed.removeFirst() }
      let column = grid.put(" /\(typed)\(glyphs.cursor)", row: row, column: 0, style: .strong)
      grid.put(end, row: row, column: column)
      return
    }
    var rows = keys.rows.compactMap { row -> (text: String, rank: Int)? in
      guard let short = word(for: row), let key = row.keys.first else { return nil }
      return ("\(key.name) \(short)", row.rank)
    }
    if layout.shape != .three, overlay == nil, let left = keys.keys(.previousKind).first,
      let right = keys.keys(.nextKind).first
    {
      rows.insert(("\(left.name) \(right.name) kind", 3), at: 1)
    }
    func line() -> String { " " + rows.map(\.text).joined(separator: glyphs.separator) }
    while CellWidth.of(line()) > grid.columns, let least = rows.lastIndex(where: { $0.rank == rows.map(\.rank).max() })
    {
      rows.remove(at: least)
    }
    grid.put(line(), row: row, column: 0)
  }

  /// What a key is for just now; nil: it isn't in the key line.
  private func word(for row: KeyTable.Row) -> String? {
    if overlay != nil {
      switch row.action {
      case .copy: return overlay.map { if case .help = $0 { true } else { false } } == true ? nil : "choose"
      case .back: return "close"
      default: return nil
      }
    }
    switch row.action {
    case .copy where focus == .kinds: return "list"
    case .copy where kind == .bin: return layout.shape == .one && focus == .list ? "open" : "bring back"
    case .copy where layout.shape == .one && focus == .list: return "open"
    case .bringBack where showsHistory: return "bring back"
    case .back where showsHistory: return "close"
    case .reveal where kind == .bin, .edit where kind == .bin: return nil
    default: return row.short
    }
  }
}
