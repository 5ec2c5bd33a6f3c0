internal import SeifCommandLine
internal import SeifBytes
internal import SeifRecords

/// Entries that a query fits, as lines that can be told apart.
struct HitLines {
  /// The most that are listed.
  static let limit = 20

  /// How many there are, where only the first of them are added.
  private let total: Int?
  private var rows: [(id: UUID, cells: [String])] = []

  init(total: Int? = nil) { self.total = total }

  mutating func add(_ id: UUID, _ kind: RecordKind, name: String, account: String) {
    rows.append(
      (
        id,
        [KindName(kind).rawValue, EntryLabel.name(name, beside: account), account].map {
          CellWidth.shortened(Display.cleaned($0), to: 40)
        }
      ))
  }

  /// Kind, name and account; where another line has all three, also the beginning of the identifier, by which a query
  /// finds one.
  var lines: [String] {
    var counts: [[String]: Int] = [:]
    for row in rows { counts[row.cells, default: 0] += 1 }
    let length = idLength
    let shown = rows.prefix(Self.limit).map { row in
      row.cells + (counts[row.cells] ?? 0 > 1 ? [String(Query.hexadecimal(row.id).prefix(length))] : [])
    }
    let widths = (0..<3).map { column in shown.map { CellWidth.of($0[column]) }.max() ?? 0 }
    var lines = shown.map { cells in
      var line = ""
      for (column, cell) in cells.enumerated() {
        line += cell
        if column < 3 { line += String(repeating: " ", count: widths[column] - CellWidth.of(cell) + 2) }
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
    let count = total ?? rows.count
    if count > Self.limit { lines.append("and \(count - Self.limit) more: seif list QUERY") }
    return lines
  }

  private var idLength: Int { Self.idLength(rows.map(\.id)) }

  /// So many of their digits tell identifiers apart: eight, or more.
  static func idLength(_ ids: [UUID]) -> Int {
    let texts = ids.map(Query.hexadecimal)
    let distinct = Set(texts).count
    return (Query.fewestIDDigits...32).first { length in Set(texts.map { $0.prefix(length) }).count == distinct } ?? 32
  }
}
