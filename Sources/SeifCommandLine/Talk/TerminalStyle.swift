internal import CSeif
internal import Glibc

/// How to write for whoever reads: what one descriptor is, and what the environment asks for.
package struct TerminalStyle: Sendable, Equatable {
  package var isTerminal: Bool
  /// The width in cells; nil where nothing has to fit (a file, a pipe).
  package var columns: Int?
  /// Whether bold and colours may be used.
  package var hasColour: Bool
  package var isUTF8: Bool
  /// Whether somebody listens instead of looking: `name: value` lines, no redrawing.
  package var isAccessible: Bool
  /// Whether the cursor can be moved.
  package var canRedraw: Bool

  /// Plain text of any width, as for a pipe.
  package static let plain = TerminalStyle(
    isTerminal: false, columns: nil, hasColour: false, isUTF8: true, isAccessible: false, canRedraw: false)

  package init(
    isTerminal: Bool, columns: Int?, hasColour: Bool, isUTF8: Bool, isAccessible: Bool, canRedraw: Bool
  ) {
    self.isTerminal = isTerminal
    self.columns = columns
    self.hasColour = hasColour
    self.isUTF8 = isUTF8
    self.isAccessible = isAccessible
    self.canRedraw = canRedraw
  }

  /// The style for a descriptor under an environment.
  package init(descriptor: Int32, environment: Environment) {
    let isTerminal = isatty(descriptor) == 1
    let isDumb = environment["TERM"].map { $0.isEmpty || $0 == "dumb" } ?? true
    // NO_COLOR counts when it is there and not empty (no-color.org).
    let refusesColour = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    self.isTerminal = isTerminal
    self.columns = isTerminal ? Self.columns(of: descriptor, environment) : nil
    self.hasColour = isTerminal && !isDumb && !refusesColour
    self.isUTF8 = Self.isUTF8(environment, isTerminal: isTerminal)
    self.isAccessible = environment["ACCESSIBLE"].map { !$0.isEmpty && $0 != "0" } ?? false
    self.canRedraw = isTerminal && !isDumb && !isAccessible
  }

  private static func columns(of descriptor: Int32, _ environment: Environment) -> Int {
    let asked = environment["COLUMNS"].flatMap { Int($0) } ?? Int(seif_terminal_columns(descriptor))
    return (20...1000).contains(asked) ? asked : 80
  }

  /// Data in a file or pipe are UTF-8 whatever the locale says; a terminal shows what its locale says.
  private static func isUTF8(_ environment: Environment, isTerminal: Bool) -> Bool {
    guard isTerminal else { return true }
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      if let value = environment[name], !value.isEmpty {
        let lower = value.lowercased().prefix { $0 != "@" }
        return lower.hasSuffix("utf-8") || lower.hasSuffix("utf8")
      }
    }
    return false
  }

  /// The text in bold, where that may be.
  package func bold(_ text: String) -> String { hasColour ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}
