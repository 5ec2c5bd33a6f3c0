internal import SeifBytes

/// The signs of the screen, for terminals with UTF-8 and without.
package struct Glyphs: Sendable {
  package let isUTF8: Bool

  package init(isUTF8: Bool) { self.isUTF8 = isUTF8 }

  var star: String { isUTF8 ? "★" : "*" }
  var marker: String { isUTF8 ? "▸" : ">" }
  /// What stands for a secret: of one width, whatever its length.
  var mask: String { isUTF8 ? "••••••" : "******" }
  var codeMask: String { isUTF8 ? "••• •••" : "*** ***" }
  var ellipsis: String { isUTF8 ? "…" : "..." }
  var separator: String { isUTF8 ? " · " : " - " }
  var ok: String { isUTF8 ? "✓" : "ok" }
  var warning: String { "!" }
  var cursor: String { isUTF8 ? "▏" : "_" }

  /// top left, top right, bottom left, bottom right, horizontal, vertical.
  var box: [String] { isUTF8 ? ["┌", "┐", "└", "┘", "─", "│"] : ["+", "+", "+", "+", "-", "|"] }

  /// A text as this terminal can show it: controls are U+FFFD; without UTF-8 what isn't ASCII is `?`.
  func shown(_ text: String) -> String {
    let text = Display.cleaned(text)
    if isUTF8 || text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    return String(text.map { $0.isASCII ? $0 : "?" })
  }

  /// The same cut to a width.
  func shown(_ text: String, to width: Int) -> String {
    CellWidth.shortened(shown(text), to: max(0, width), ellipsis: ellipsis)
  }
}
