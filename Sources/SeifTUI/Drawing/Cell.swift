/// How a cell looks, by meaning: which colour that is, or whether there is any, is the terminal's matter.
package struct CellStyle: Sendable, Hashable {
  package enum Colour: Sendable, Hashable, CaseIterable { case standard, accent, good, soon, bad }

  package var colour = Colour.standard
  package var isBold = false
  /// Selected.
  package var isReversed = false

  package static let plain = CellStyle()
  package static let strong = CellStyle(isBold: true)
  package static let accent = CellStyle(colour: .accent)
  package static let good = CellStyle(colour: .good)
  package static let soon = CellStyle(colour: .soon)
  package static let bad = CellStyle(colour: .bad)

  package init(colour: Colour = .standard, isBold: Bool = false, isReversed: Bool = false) {
    self.colour = colour
    self.isBold = isBold
    self.isReversed = isReversed
  }

  /// The same on a line that is selected.
  package func reversed(_ isReversed: Bool) -> CellStyle {
    CellStyle(colour: colour, isBold: isBold, isReversed: isReversed)
  }
}

/// One cell of a terminal.
package struct Cell: Sendable, Hashable {
  /// A grapheme cluster; empty where the one before takes two cells.
  package var text = " "
  package var style = CellStyle.plain

  package static let blank = Cell()
}
