/// What a key does. The raw value is its name in the file of keys.
package enum Action: String, Sendable, Hashable, CaseIterable {
  case up, down, left, right, top, bottom
  case pageUp = "page-up"
  case pageDown = "page-down"
  case nextPane = "next-pane"
  case previousPane = "previous-pane"
  case previousKind = "previous-kind"
  case nextKind = "next-kind"
  case copy, fields, reveal, next, search, back
  case add, edit, remove, undo, favourite, sort
  case history
  case bringBack = "bring-back"
  case lock, redraw, help, quit
}

/// Which keys there are, what they do, and how they are called: the one table for the key line, the page of keys, the
/// document and the file that changes it.
package struct KeyTable: Sendable {
  /// A line of it.
  package struct Row: Sendable {
    package let action: Action
    package fileprivate(set) var keys: [Key]
    /// In a sentence, for the page of keys.
    package let words: String
    /// In a word, for the key line; nil: not there.
    package let short: String?
    /// Lower ones stay when the key line is too long.
    let rank: Int
  }

  package private(set) var rows: [Row]
  private var actions: [Key: Action] = [:]

  package static let standard = KeyTable([
    row(.copy, [.enter], "copy the main value (one pane: open; in the bin: bring back)", "copy", 1),
    row(.reveal, [.character("r")], "reveal the row; again, or after 10 s, hide it", "reveal", 2),
    row(.next, [.character("n")], "the next code; a counter is stored first"),
    row(.fields, [.character("c")], "choose a field to copy"),
    row(.search, [.character("/")], "filter by a part of name, account or address", "search", 3),
    row(.back, [.escape], "clear the filter, close, or go back"),
    row(.add, [.character("a")], "add an entry"),
    row(.edit, [.character("e")], "edit the entry", "edit", 5),
    row(.remove, [.character("d")], "put the entry into the bin"),
    row(.undo, [.character("u")], "take the last change back"),
    row(.history, [.character("p")], "a login's passwords from before; again, or Esc, closes them"),
    row(.bringBack, [.character("b")], "make the chosen one of those the present password", nil, 4),
    row(.favourite, [.character("f")], "mark as a favourite, or no longer"),
    row(.sort, [.character("o")], "order: own, name, account, oldest"),
    row(.up, [.up, .character("k")], "up"),
    row(.down, [.down, .character("j")], "down"),
    row(.left, [.left, .character("h")], "the pane to the left"),
    row(.right, [.right], "the pane to the right"),
    row(.top, [.character("g"), .home], "to the first"),
    row(.bottom, [.character("G"), .end], "to the last"),
    row(.pageUp, [.pageUp], "a page up"),
    row(.pageDown, [.pageDown], "a page down"),
    row(.nextPane, [.tab], "the next pane"),
    row(.previousPane, [.backTab], "the pane before"),
    row(.previousKind, [.character("[")], "the kind before"),
    row(.nextKind, [.character("]")], "the next kind"),
    row(.lock, [.character("l")], "lock", "lock", 4),
    row(.redraw, [.control("l")], "read the vault again and draw anew"),
    row(.help, [.character("?")], "all keys", "keys", 0),
    row(.quit, [.character("q")], "quit", "quit", 0),
  ])

  private static func row(
    _ action: Action, _ keys: [Key], _ words: String, _ short: String? = nil, _ rank: Int = 9
  ) -> Row {
    Row(action: action, keys: keys, words: words, short: short, rank: rank)
  }

  private init(_ rows: [Row]) {
    self.rows = rows
    index()
  }

  private mutating func index() {
    actions = [:]
    for row in rows { for key in row.keys { actions[key] = row.action } }
  }

  package func action(_ key: Key) -> Action? { actions[key] }

  package func keys(_ action: Action) -> [Key] { rows.first { $0.action == action }?.keys ?? [] }

  // MARK: - A file of keys

  /// Why a file of keys can't be used: its line, counted from 1.
  package enum Fault: Error, Sendable, Equatable {
    case noAction(line: Int)
    case noKey(line: Int)
    /// A key that another line has too, or that goes without saying: Ctrl+C, Ctrl+Z.
    case taken(line: Int)
    /// No key is left for it.
    case missing(Action)
  }

  /// The table as a file changes it: lines `ACTION KEY…`, which replace the action's keys; `#` begins a comment. A key
  /// that a line takes is no longer that of the action that had it.
  package func changed(by text: String) throws(Fault) -> KeyTable {
    var table = self
    var given: Set<Key> = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      guard let action = Action(rawValue: first), let place = table.rows.firstIndex(where: { $0.action == action })
      else { throw .noAction(line: index + 1) }
      var keys: [Key] = []
      for word in words.dropFirst() {
        guard let key = Key(name: word) else { throw .noKey(line: index + 1) }
        guard given.insert(key).inserted, !Self.fixed.contains(key) else { throw .taken(line: index + 1) }
        keys.append(key)
      }
      guard !keys.isEmpty else { throw .noKey(line: index + 1) }
      for other in table.rows.indices { table.rows[other].keys.removeAll { keys.contains($0) } }
      table.rows[place].keys = keys
    }
    for action in [Action.quit, .help, .back, .copy, .up, .down] where table.keys(action).isEmpty {
      throw .missing(action)
    }
    table.index()
    return table
  }

  /// The kernel's and the terminal's: they end and stop a program, or are what Enter, Tab and Backspace send.
  private static let fixed: Set<Key> = Set(["c", "z", "d", "m", "j", "i", "h"].map { .control($0) })
}
