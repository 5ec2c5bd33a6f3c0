/// The table of docs/architecture.md: which target may use what.
struct TargetTable {
  /// By target, the other targets and the modules of the system that it may use.
  private(set) var allowed: [String: Set<String>] = [:]
  /// Targets that have more than one row.
  private(set) var repeated: [String] = []

  /// Reads rows of the form "| `Target` | `A`, `B` | why |"; other lines, and tables with other columns, aren't ours.
  init(markdown: String) {
    for line in markdown.split(whereSeparator: \.isNewline) where line.hasPrefix("| `") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      guard cells.count == 5, let target = Self.names(in: cells[1]).first else { continue }
      if allowed.updateValue(Set(Self.names(in: cells[2])), forKey: target) != nil { repeated.append(target) }
    }
  }

  private static func names(in cell: Substring) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { index, _ in index % 2 == 1 }
      .map { _, name in String(name) }
  }
}
