internal import SeifBytes

/// Breaks a line at words.
package enum WordWrap {
  /// The text in lines of at most so many cells, each but the first behind an indent. It breaks at spaces alone, so a word
  /// that is wider, such as a path, stays whole, and never inside a command; spaces within a line stay as they are.
  package static func wrapped(_ text: String, to columns: Int, after start: Int = 0, indent: Int = 0) -> String {
    if start + CellWidth.of(text) <= columns { return text }
    var result = ""
    var used = start
    var isLineEmpty = start == 0
    for (spaces, part) in CommandWords.units(of: text) {
      let width = CellWidth.of(part)
      if !isLineEmpty, used + spaces + width > columns {
        result += "\n" + String(repeating: " ", count: indent)
        used = indent
      } else {
        result += String(repeating: " ", count: spaces)
        used += spaces
      }
      result += part
      used += width
      isLineEmpty = false
    }
    return result
  }
}
