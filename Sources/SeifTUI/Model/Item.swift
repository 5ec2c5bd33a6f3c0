package import SeifBytes

/// The lists of the screen.
package enum ItemKind: Int, Sendable, Hashable, CaseIterable {
  case codes, logins, cards, notes, documents, bin

  package var title: String {
    switch self {
    case .codes: "Codes"
    case .logins: "Logins"
    case .cards: "Cards"
    case .notes: "Notes"
    case .documents: "Documents"
    case .bin: "Bin"
    }
  }

  /// The kind as the command line says it.
  package var word: String {
    switch self {
    case .codes: "code"
    case .logins: "login"
    case .cards: "card"
    case .notes: "note"
    case .documents: "document"
    case .bin: "bin"
    }
  }

  /// What an entry of it is copied and revealed by.
  var mainField: Field? {
    switch self {
    case .codes: .code
    case .logins: .named("password")
    case .cards: .named("number")
    case .notes: .named("text")
    case .documents, .bin: nil
    }
  }
}

/// What is asked for of an entry. A code is none of its fields by name, so that no field can pass for one.
package enum Field: Sendable, Hashable {
  case code
  /// The code after the present one.
  case nextCode
  /// A field by its name, which may be anybody's.
  case named(String)
  /// A login's password from before, counted from 1, the newest first.
  case previous(Int)

  package var label: String {
    switch self {
    case .previous(let number): "password \(number) from before"
    case .code: "code"
    case .nextCode: "next code"
    case .named(let name): name
    }
  }
}

/// How the codes of an entry follow each other.
package enum CodeTiming: Sendable, Hashable {
  /// By the clock, so many seconds each.
  case period(Int)
  /// By a counter: each is used up.
  case counter
  /// Not known before one is made.
  case unknown
}

/// An entry as a list shows it.
package struct Item: Sendable, Hashable {
  package let id: UUID
  package let kind: ItemKind
  package let name: String
  package let account: String
  package var isFavorite: Bool
  /// What a filter is looked for in, folded, each text behind a line feed.
  package let searchText: String
  /// What name and account are sorted by.
  package let sortName: String
  package let sortAccount: String
  package let createdAt: Int64?
  /// When it was removed, in words; of the bin alone.
  package let removed: String

  package init(
    id: UUID, kind: ItemKind, name: String, account: String, isFavorite: Bool = false, searchText: String,
    sortName: String, sortAccount: String, createdAt: Int64? = nil, removed: String = ""
  ) {
    self.id = id
    self.kind = kind
    self.name = name
    self.account = account
    self.isFavorite = isFavorite
    self.searchText = searchText
    self.sortName = sortName
    self.sortAccount = sortAccount
    self.createdAt = createdAt
    self.removed = removed
  }

  /// What it is called where it has no name.
  package var label: String { name.isEmpty ? (account.isEmpty ? "(no name)" : account) : name }
}

/// An entry with all its fields, or a login's passwords from before; secrets left out.
package struct Details: Sendable, Hashable {
  package struct Row: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
      case text(String)
      /// A secret, asked for by its field.
      case secret
      case code(CodeTiming)
      /// The code after the present one.
      case nextCode
    }
    package let label: String
    /// The field by which it is copied and revealed; nil: neither.
    package let field: Field?
    package let value: Value

    package init(_ label: String, field: Field?, _ value: Value) {
      self.label = label
      self.field = field
      self.value = value
    }
  }
  package let id: UUID
  package let rows: [Row]
  /// Whether the rows are passwords from before, each behind the day on which it was replaced.
  package let isHistory: Bool

  package init(id: UUID, rows: [Row], isHistory: Bool = false) {
    self.id = id
    self.rows = rows
    self.isHistory = isHistory
  }
}

/// A secret on the screen.
package struct Revealed: Sendable {
  package let id: UUID
  package let field: Field
  package let text: String
  /// When a code ceases to be one, in seconds since 1970.
  package let validUntil: Int64?

  package init(id: UUID, field: Field, text: String, validUntil: Int64? = nil) {
    self.id = id
    self.field = field
    self.text = text
    self.validUntil = validUntil
  }
}

/// A moment, by two clocks.
package struct Moment: Sendable, Equatable {
  /// Seconds since 1970, for codes.
  package let unix: Int64
  /// Milliseconds that only grow, for what lasts a while.
  package let milliseconds: Int64

  package init(unix: Int64, milliseconds: Int64) {
    self.unix = unix
    self.milliseconds = milliseconds
  }
}
