internal import SeifBytes

/// Breaks a line at words.
enum WordWrap {
  /// The text in lines of at most so many cells, each but the first behind an indent. It breaks at spaces alone, so a word
  /// that is wider, such as a path, stays whole; spaces within a line stay as they are.
  static func wrapped(_ text: String, to columns: Int, after start: Int = 0, indent: Int = 0) -> String {
    if start + CellWidth.of(text) <= columns { return text }
    var result = ""
    var used = start
    var spaces = 0
    var isLineEmpty = start == 0
    for part in text.split(separator: " ", omittingEmptySubsequences: false) {
      defer { spaces += 1 }
      // Several spaces in a row, or at the beginning.
      if part.isEmpty { continue }
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
      spaces = 0
    }
    return result
  }
}
