/// One option of a command, declared once as a constant and used both in the table and to read its value.
package struct Option: Sendable, Hashable {
  /// The long name, without the dashes.
  package let name: String
  package let short: Character?
  /// The word for its value in help (`FILE`); nil for a flag.
  package let placeholder: String?
  package let summary: String
  /// Whether it may be given more than once.
  package let repeats: Bool

  package static func flag(_ name: String, _ summary: String) -> Option {
    Option(name: name, short: nil, placeholder: nil, summary: summary, repeats: false)
  }

  package static func value(
    _ name: String, _ placeholder: String, short: Character? = nil, repeats: Bool = false, _ summary: String
  ) -> Option {
    Option(name: name, short: short, placeholder: placeholder, summary: summary, repeats: repeats)
  }

  /// As shown in help: `-o, --output FILE`.
  package var spelling: String {
    (short.map { "-\($0), " } ?? "") + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
  }
}
