internal import SeifCommandLine
internal import SeifRecords
internal import SeifVault

/// What an entry is called where a person reads.
enum EntryLabel {
  /// Stands for a name where an entry has neither a name nor an account: such an entry can be used and has to be seen.
  static let none = "(no name)"

  /// The name and the account.
  static func text(_ name: String, _ account: String) -> String {
    let parts = [name, account].filter { !$0.isEmpty }
    return parts.isEmpty ? none : parts.joined(separator: ", ")
  }

  /// The name for a column beside one with the account.
  static func name(_ name: String, beside account: String) -> String {
    name.isEmpty && account.isEmpty ? none : name
  }

  /// "GitHub, ana is WORDS." for one, "3 entries are WORDS: …" for several, of which five are named.
  static func some(_ entries: [(name: String, account: String)], _ words: String) -> String {
    let names = entries.map { text($0.name, $0.account) }
    if names.count == 1, let name = names.first { return "\(name) is \(words)." }
    let shown = names.prefix(5).joined(separator: "; ")
    return "\(names.count) entries are \(words): \(shown)" + (names.count > 5 ? " and \(names.count - 5) more." : ".")
  }
}
