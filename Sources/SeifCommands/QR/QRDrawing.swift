internal import SeifCommandLine
internal import SeifBytes
internal import SeifImages

/// A QR code as text for a terminal, as PNG and as SVG.
enum QRDrawing {
  /// How a terminal shows black and white.
  enum Ink {
    /// Black on white by colours, whatever the terminal's own.
    case colours
    /// Characters are light, the ground is dark.
    case darkTerminal
    /// Characters are dark, the ground is light.
    case lightTerminal
  }

  /// Columns that the text takes.
  static func columns(_ matrix: QRMatrix, isUTF8: Bool) -> Int { (matrix.side + 2 * QRMatrix.frame) * (isUTF8 ? 1 : 2) }

  /// Two rows of squares a line by half blocks; without UTF-8 two signs a square.
  static func text(_ matrix: QRMatrix, ink: Ink, isUTF8: Bool) -> SecretValue {
    var text = SecretBuffer(capacity: 16 * 1024)
    let range = -QRMatrix.frame..<matrix.side + QRMatrix.frame
    // What a sign draws: the black squares, or the white ones on a dark ground.
    let drawsBlack = ink != .darkTerminal
    func isDrawn(_ row: Int, _ column: Int) -> Bool {
      // Below the last row lies nothing of the code: the ground shows.
      row < range.upperBound && matrix.isBlack(row: row, column: column) == drawsBlack
    }
    for row in stride(from: range.lowerBound, to: range.upperBound, by: isUTF8 ? 2 : 1) {
      if ink == .colours { text.append(utf8: "\u{1B}[38;5;16;48;5;231m") }
      for column in range {
        guard isUTF8 else {
          text.append(utf8: isDrawn(row, column) ? "##" : "  ")
          continue
        }
        switch (isDrawn(row, column), isDrawn(row + 1, column)) {
        case (true, true): text.append(utf8: "█")
        case (true, false): text.append(utf8: "▀")
        case (false, true): text.append(utf8: "▄")
        case (false, false): text.append(utf8: " ")
        }
      }
      text.append(utf8: ink == .colours ? "\u{1B}[0m\n" : "\n")
    }
    return text.finish()
  }

  static func svg(_ matrix: QRMatrix) -> SecretValue {
    let side = matrix.side + 2 * QRMatrix.frame
    var text = SecretBuffer(capacity: 32 * 1024)
    text.append(
      utf8: """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" width="\(side * 8)" height="\(side * 8)" \
        shape-rendering="crispEdges"><rect width="\(side)" height="\(side)" fill="#fff"/><path fill="#000" d="
        """)
    for row in 0..<matrix.side {
      var column = 0
      while column < matrix.side {
        let start = column
        while matrix.isBlack(row: row, column: column) { column += 1 }
        if column > start {
          text.append(
            utf8: "M\(start + QRMatrix.frame) \(row + QRMatrix.frame)h\(column - start)v1H\(start + QRMatrix.frame)z")
        }
        column += 1
      }
    }
    text.append(utf8: "\"/></svg>\n")
    return text.finish()
  }

  /// One bit a pixel, 8 pixels a square, not compressed.
  static func png(_ matrix: QRMatrix) -> SecretValue {
    let squares = matrix.side + 2 * QRMatrix.frame
    // Eight pixels a square and one bit a pixel: a square is a byte of its row.
    var rows = SecretBuffer(capacity: (squares + 1) * squares * 8)
    for row in 0..<squares * 8 {
      rows.append(0)
      for column in 0..<squares {
        let isBlack = matrix.isBlack(row: row / 8 - QRMatrix.frame, column: column - QRMatrix.frame)
        rows.append(isBlack ? 0x00 : 0xFF)
      }
    }
    return PNGFile.make(width: squares * 8, height: squares * 8, rows: rows.finish())
  }
}
