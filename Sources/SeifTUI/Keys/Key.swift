internal import SeifBytes

/// A key that was pressed.
package enum Key: Sendable, Hashable {
  case character(Character)
  case control(Character)
  /// A character of a text that was pasted: never a command.
  case pasted(Character)
  case enter, escape, tab, backTab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
  /// Around a text that is pasted; the decoder takes them out.
  case pasteBegins, pasteEnds

  private static let names: [(Key, String)] = [
    (.enter, "Enter"), (.escape, "Esc"), (.tab, "Tab"), (.backTab, "Shift+Tab"), (.backspace, "Backspace"),
    (.delete, "Del"), (.up, "Up"), (.down, "Down"), (.left, "Left"), (.right, "Right"), (.home, "Home"),
    (.end, "End"), (.pageUp, "PgUp"), (.pageDown, "PgDn"), (.character(" "), "Space"),
  ]

  /// Its name on the screen and in the file of keys: `Enter`, `Ctrl+L`, `a`.
  package var name: String {
    if let name = Self.names.first(where: { $0.0 == self })?.1 { return name }
    switch self {
    case .character(let character): return String(character)
    case .control(let character): return "Ctrl+" + character.uppercased()
    default: return ""
    }
  }

  /// The key of a name; nil for none.
  package init?(name: String) {
    let lower = name.lowercased()
    if let key = Self.names.first(where: { $0.1.lowercased() == lower })?.0 {
      self = key
    } else if lower.hasPrefix("ctrl+"), lower.count == 6, let last = lower.last, ("a"..."z").contains(last) {
      self = .control(last)
    } else if name.count == 1, let only = name.first, !only.isWhitespace, Display.cleaned(name) == name {
      self = .character(only)
    } else {
      return nil
    }
  }
}
