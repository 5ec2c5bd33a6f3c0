public import SeifBytes

/// The lists of a vault, named as in its files.
public enum RecordKind: String, Sendable, Hashable, CaseIterable {
  case accounts, passwords, cards, notes, otherAccounts, documents
}

/// What every kind of entry may have beside its own fields.
public struct EntryInfo: Sendable, Hashable {
  /// Identifier, or nil where the source has none.
  public var id: UUID?
  /// When the entry was made, to the second in files.
  public var createdAt: Timestamp?
  /// Whether the person marked it.
  public var isFavorite = false
  /// Place in the person's own order, or nil: the place in the list.
  public var sortIndex: Int64?
  /// Free text. Empty for notes, whose text is a field of its own.
  public var notes: SecretValue = .empty
  /// Tags in the person's order.
  public var tags: [String] = []
  /// Addresses for matching, never fetched.
  public var urls: [String] = []
  /// Whether `urls` match by host and port instead of by registrable domain.
  public var exactHost = false
  /// Named values of the person's own, order kept.
  public var customFields: [CustomField] = []
  /// Members that aren't understood here, written back at their place.
  public var opaque: [OpaqueMember] = []

  /// Nothing known.
  public init() {}
}

/// A named value of the person's own.
public struct CustomField: Sendable, Hashable {
  /// Its name; may be empty, may stand twice.
  public var name: String
  /// Its value.
  public var value: SecretValue
  /// Whether it is masked when shown.
  public var isSecret: Bool
  /// Members of the row that aren't understood here.
  public var opaque: [OpaqueMember]

  /// A field.
  public init(name: String, value: SecretValue, isSecret: Bool = false, opaque: [OpaqueMember] = []) {
    self.name = name
    self.value = value
    self.isSecret = isSecret
    self.opaque = opaque
  }
}
