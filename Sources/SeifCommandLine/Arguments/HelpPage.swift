/// What a command's page says of its own.
package enum HelpPage {
  /// Usage and options.
  package static func text(_ command: any CommandDeclaration.Type) -> String {
    var text = command.usage
    if !text.hasSuffix("\n") { text += "\n" }
    if !command.options.isEmpty { text += "\nOptions:\n" + columns(command.options.map { ($0.spelling, $0.summary) }) }
    return text
  }

  /// Words and what they are for, side by side.
  package static func columns(_ rows: [(left: String, right: String)]) -> String {
    let width = rows.map { $0.left.count }.max() ?? 0
    return rows.map { row in
      "  " + row.left + String(repeating: " ", count: width - row.left.count + 2) + row.right + "\n"
    }.joined()
  }
}
