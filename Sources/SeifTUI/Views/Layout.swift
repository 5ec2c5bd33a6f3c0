/// Where the panes are, by the size of the terminal.
struct Layout: Equatable {
  enum Shape: Equatable { case tooSmall, one, two, three }
  struct Box: Equatable {
    let row: Int
    let column: Int
    let width: Int
    let height: Int
  }

  let shape: Shape
  let kinds: Box?
  let list: Box
  let details: Box

  init(columns: Int, rows: Int) {
    let height = max(0, rows - 2)
    func box(_ column: Int, _ width: Int) -> Box { Box(row: 1, column: column, width: width, height: height) }
    let whole = box(0, columns)
    switch columns {
    case ..<40: (shape, kinds, list, details) = (.tooSmall, nil, whole, whole)
    case _ where rows < 10: (shape, kinds, list, details) = (.tooSmall, nil, whole, whole)
    case ..<70: (shape, kinds, list, details) = (.one, nil, whole, whole)
    case ..<100:
      let right = max(28, columns * 2 / 5)
      (shape, kinds) = (.two, nil)
      (list, details) = (box(0, columns - right), box(columns - right, right))
    default:
      let left = 17
      let right = min(60, max(36, (columns - left) * 2 / 5))
      (shape, kinds) = (.three, box(0, left))
      (list, details) = (box(left, columns - left - right), box(columns - right, right))
    }
  }

  /// The entries that the list shows at once.
  var listHeight: Int { shape == .tooSmall ? 0 : max(0, list.height - 2) }
}
