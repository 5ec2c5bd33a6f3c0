internal import SeifBytes

/// The three panes.
extension Model {
  /// A frame with a title; the inside begins one cell further in.
  func drawFrame(_ box: Layout.Box, _ title: String, isFocused: Bool, in grid: inout Grid) {
    let sign = glyphs.box
    let right = box.column + box.width - 1
    let bottom = box.row + box.height - 1
    let style: CellStyle = isFocused ? .accent : .plain
    for column in box.column + 1..<max(box.column + 1, right) {
      grid.put(sign[4], row: box.row, column: column, style: style)
      grid.put(sign[4], row: bottom, column: column, style: style)
    }
    for row in box.row + 1..<max(box.row + 1, bottom) {
      grid.put(sign[5], row: row, column: box.column, style: style)
      grid.put(sign[5], row: row, column: right, style: style)
    }
    for (text, row, column) in [
      (sign[0], box.row, box.column), (sign[1], box.row, right), (sign[2], bottom, box.column),
      (sign[3], bottom, right),
    ] {
      grid.put(text, row: row, column: column, style: style)
    }
    if title.isEmpty { return }
    let title = " " + glyphs.shown(title, to: box.width - 6) + " "
    grid.put(title, row: box.row, column: box.column + 1, end: right, style: isFocused ? .strong : .plain)
  }

  func drawKinds(_ box: Layout.Box, in grid: inout Grid) {
    drawFrame(box, "Kinds", isFocused: focus == .kinds, in: &grid)
    for (index, shown) in kinds.enumerated() where index < box.height - 2 {
      let row = box.row + 1 + index
      let end = box.column + box.width - 1
      let count = String(counts[shown] ?? 0)
      grid.put(shown == kind ? glyphs.marker : " ", row: row, column: box.column + 2)
      grid.put(shown.title, row: row, column: box.column + 4, end: end)
      grid.put(count, row: row, column: end - 1 - count.count, end: end)
      if shown == kind {
        grid.restyle(
          row: row, from: box.column + 1, to: end, focus == .kinds ? CellStyle(isReversed: true) : .strong)
      }
    }
  }

  // MARK: - List

  func drawList(_ box: Layout.Box, in grid: inout Grid) {
    let total = filter.isEmpty ? "" : " of \(items.count { $0.kind == kind })"
    let part = filter.isEmpty ? "" : " /\(filter)"
    drawFrame(box, "\(kind.title) (\(list.count)\(total))\(part)", isFocused: focus == .list, in: &grid)
    let place = places[kind] ?? Place()
    let end = box.column + box.width - 1
    guard !list.isEmpty else {
      for (index, line) in emptyLines.enumerated() {
        grid.put(glyphs.shown(line, to: box.width - 4), row: box.row + 1 + index, column: box.column + 2, end: end)
      }
      return
    }
    for (offset, item) in list.dropFirst(place.top).prefix(layout.listHeight).enumerated() {
      let isSelected = place.top + offset == place.index
      drawRow(item, box.row + 1 + offset, box.column + 1, end, isSelected: isSelected, in: &grid)
    }
  }

  private var emptyLines: [String] {
    let elsewhere = kinds.filter { $0 != kind && counts[$0] ?? 0 > 0 }.map { "\($0.title) \(counts[$0] ?? 0)" }
    if !filter.isEmpty {
      return ["Nothing here fits."] + (elsewhere.isEmpty ? [] : ["Elsewhere: " + elsewhere.joined(separator: ", ")])
    }
    if items.isEmpty { return ["The vault is empty.", "Add an entry: \(keys.keys(.add).first?.name ?? "")"] }
    return ["Nothing here."]
  }

  private func drawRow(
    _ item: Item, _ row: Int, _ start: Int, _ end: Int, isSelected: Bool, in grid: inout Grid
  ) {
    let style = CellStyle(isReversed: isSelected)
    if isSelected { grid.restyle(row: row, from: start, to: end, style) }
    grid.put(isSelected ? glyphs.marker : " ", row: row, column: start, style: style)
    if item.isFavorite { grid.put(glyphs.star, row: row, column: start + 1, style: style) }
    // From the right: the bar, what is hidden, then as much of the names as there is room for.
    var right = end - 1
    if item.kind == .codes {
      if let bar = bar(item.id) {
        let colour: CellStyle.Colour = bar.isSoon ? .soon : .standard
        grid.put(bar.cell(glyphs), row: row, column: right, style: CellStyle(colour: colour, isReversed: isSelected))
      } else if timings[item.id] == .counter {
        grid.put("n", row: row, column: right, style: style)
      }
      right -= 1
    }
    if let hidden = hiddenText(item) {
      let isRevealed = revealed?.id == item.id
      let width = CellWidth.of(hidden)
      grid.put(
        hidden, row: row, column: right - width, end: right,
        style: CellStyle(isBold: isRevealed, isReversed: isSelected))
      right -= width + 1
    }
    let left = start + 3
    let room = max(0, right - left - 1)
    // Accounts stand below each other, whatever else a line shows.
    let nameWidth = max(0, end - left - 10) * 3 / 5
    guard !item.name.isEmpty, !item.account.isEmpty else {
      grid.put(glyphs.shown(item.label, to: room), row: row, column: left, end: right, style: style)
      return
    }
    grid.put(glyphs.shown(item.name, to: nameWidth - 2), row: row, column: left, end: right, style: style)
    grid.put(
      glyphs.shown(item.account, to: room - nameWidth), row: row, column: left + nameWidth, end: right, style: style)
  }

  /// The mask, or a code while it is shown; when it was removed, in the bin.
  private func hiddenText(_ item: Item) -> String? {
    switch item.kind {
    case .codes:
      guard let revealed, revealed.id == item.id, revealed.field == .code else { return glyphs.mask }
      return glyphs.shown(revealed.text)
    case .logins, .cards: return glyphs.mask
    case .bin: return layout.shape == .one ? nil : glyphs.shown(item.removed)
    case .notes, .documents: return nil
    }
  }

  private func bar(_ id: UUID) -> TimeBar? {
    guard case .period(let seconds)? = timings[id] else { return nil }
    return TimeBar(period: seconds, at: now.unix)
  }

  // MARK: - Details

  /// A line of the details and the row that it belongs to.
  struct DetailLine {
    let row: Int
    let label: String
    let text: String
    let style: CellStyle
  }

  func drawDetails(_ box: Layout.Box, in grid: inout Grid) {
    let title = (selected?.label ?? "") + (showsHistory ? ": passwords before" : "")
    drawFrame(box, title, isFocused: focus == .details, in: &grid)
    guard let details, let selected, details.id == selected.id else { return }
    let labelWidth = labelWidth(details)
    let textColumn = box.column + 2 + labelWidth + 2
    let end = box.column + box.width - 1
    let height = max(0, box.height - 2)
    let lines = detailLines(details, width: detailWidth(details, box))
    // The row one is at stays to be seen, from its first line.
    var top = 0
    if focus == .details, let first = lines.firstIndex(where: { $0.row == detailRow }) {
      let last = lines.lastIndex { $0.row == detailRow } ?? first
      if last >= height { top = min(first, last - height + 1) + detailScroll }
    }
    for (offset, line) in lines.dropFirst(top).prefix(height).enumerated() {
      let row = box.row + 1 + offset
      let isSelected = focus == .details && line.row == detailRow
      if isSelected { grid.restyle(row: row, from: box.column + 1, to: end, CellStyle(isReversed: true)) }
      let label = glyphs.shown(line.label, to: labelWidth)
      grid.put(label, row: row, column: box.column + 2, end: end, style: CellStyle(isReversed: isSelected))
      grid.put(line.text, row: row, column: textColumn, end: end, style: line.style.reversed(isSelected))
    }
    if lines.count > top + height {
      grid.put(" more ", row: box.row + box.height - 1, column: end - 8, end: end)
    }
  }

  private func labelWidth(_ details: Details) -> Int {
    min(14, details.rows.map { CellWidth.of(glyphs.shown($0.label)) }.max() ?? 0)
  }

  /// The cells that a value has in a line.
  func detailWidth(_ details: Details, _ box: Layout.Box) -> Int { max(1, box.width - 6 - labelWidth(details)) }

  func detailLines(_ details: Details, width: Int) -> [DetailLine] {
    var lines: [DetailLine] = []
    for (index, row) in details.rows.enumerated() {
      func add(_ text: String, _ style: CellStyle = .plain) {
        let isFirst = lines.last?.row != index
        lines.append(DetailLine(row: index, label: isFirst ? row.label : "", text: text, style: style))
      }
      let shown = revealed.flatMap { $0.id == details.id && $0.field == row.field ? $0.text : nil }
      if let shown {
        for line in wrapped(shown, width) { add(line, .strong) }
      } else {
        switch row.value {
        case .text(let text): for line in wrapped(text, width, atSlashes: row.field == .named("url")) { add(line) }
        case .secret: add(glyphs.mask)
        case .code: add(glyphs.codeMask)
        case .nextCode: add("hidden")
        }
      }
      switch row.value {
      case .code(.period(let seconds)):
        let bar = TimeBar(period: seconds, at: now.unix)
        add(bar.text(glyphs) + (bar.isSoon ? "  soon" : ""), bar.isSoon ? .soon : .plain)
      case .code(.counter): add("counts: \(keys.keys(.next).first?.name ?? "") makes the next")
      default: break
      }
    }
    return lines
  }

  /// A text in lines of a width, broken anywhere: a password has no words. An address has its slashes.
  func wrapped(_ text: String, _ width: Int, atSlashes: Bool = false) -> [String] {
    var lines: [String] = []
    for part in text.split(whereSeparator: \.isNewline) {
      var line = ""
      var used = 0
      for character in glyphs.shown(String(part)) {
        let cells = CellWidth.of(character)
        if used + cells > width {
          var next = ""
          // Not so early that hardly anything is left of the line.
          if atSlashes, let slash = line.lastIndex(of: "/"), CellWidth.of(line[...slash]) * 3 > width {
            next = String(line[line.index(after: slash)...])
            line = String(line[...slash])
          }
          lines.append(line)
          (line, used) = (next, CellWidth.of(next))
        }
        line.append(character)
        used += cells
      }
      lines.append(line)
    }
    return lines.isEmpty ? [""] : lines
  }
}
