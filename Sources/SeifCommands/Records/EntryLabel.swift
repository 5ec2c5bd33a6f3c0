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
}
