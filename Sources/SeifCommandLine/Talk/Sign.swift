/// A sign for a state. It never stands alone: the text beside it says the same in words.
package enum Sign: Sendable, CaseIterable {
  case ok, warn, fail

  /// `✓`, `!`, `✗` where the reader can show them, else the word. Coloured where colours may be used.
  package func text(_ style: TerminalStyle) -> String {
    let plain =
      switch self {
      case .ok: style.isUTF8 && !style.isAccessible ? "✓" : "ok"
      case .warn: style.isUTF8 && !style.isAccessible ? "!" : "warn"
      case .fail: style.isUTF8 && !style.isAccessible ? "✗" : "fail"
      }
    guard style.hasColour else { return plain }
    let colour =
      switch self {
      case .ok: 32
      case .warn: 33
      case .fail: 31
      }
    return "\u{1B}[\(colour)m\(plain)\u{1B}[0m"
  }
}
