import FoundationEssentials
import SeifTUI
import Testing

/// The page of keys in the documents is the one of the program.
@Suite struct DocumentTests {
  @Test func theDocumentHasTheTableOfKeys() throws {
    let path = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 } + "/docs/tui.md"
    let page = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    let rows = KeyTable.standard.rows.map { row in
      "| `\(row.action.rawValue)` | \(row.keys.map { "`\($0.name)`" }.joined(separator: " ")) | \(row.words) |"
    }
    #expect(
      page.contains("| --- | --- | --- |\n" + rows.joined(separator: "\n") + "\n\n"), "\(rows.joined(separator: "\n"))")
  }
}
