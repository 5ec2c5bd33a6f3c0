public import SeifBytes

/// An entry of any kind.
public enum Entry: Sendable, Hashable {
  case account(Account)
  case password(Password)
  case card(Card)
  case note(Note)
  case otherAccount(OtherAccount)
  case document(DocumentVault)

  /// Its list.
  public var kind: RecordKind {
    switch self {
    case .account: .accounts
    case .password: .passwords
    case .card: .cards
    case .note: .notes
    case .otherAccount: .otherAccounts
    case .document: .documents
    }
  }

  /// What every entry has; of a document vault only its identifier.
  public var info: EntryInfo {
    get {
      switch self {
      case .account(let entry): return entry.info
      case .password(let entry): return entry.info
      case .card(let entry): return entry.info
      case .note(let entry): return entry.info
      case .otherAccount(let entry): return entry.info
      case .document(let entry):
        var info = EntryInfo()
        info.id = UUID(entry.id)
        return info
      }
    }
    set {
      switch self {
      case .account(var entry):
        entry.info = newValue
        self = .account(entry)
      case .password(var entry):
        entry.info = newValue
        self = .password(entry)
      case .card(var entry):
        entry.info = newValue
        self = .card(entry)
      case .note(var entry):
        entry.info = newValue
        self = .note(entry)
      case .otherAccount(var entry):
        entry.info = newValue
        self = .otherAccount(entry)
      case .document: break
      }
    }
  }

  /// Its name in lists: issuer, title or label; may be empty.
  public var name: String {
    switch self {
    case .account(let entry): entry.issuer
    case .password(let entry): entry.title
    case .card(let entry): entry.name
    case .note(let entry): entry.title
    case .otherAccount(let entry): entry.issuer
    case .document(let entry): entry.server
    }
  }

  /// The person's name there, or the name on a card; may be empty.
  public var account: String {
    switch self {
    case .account(let entry): entry.account
    case .password(let entry): entry.username
    case .card(let entry): entry.holder
    case .note: ""
    case .otherAccount(let entry): entry.account
    case .document(let entry): entry.account
    }
  }

  /// The entry as canonical JSON; `position` stands for a missing `sortIndex`.
  public func json(position: Int = 0) -> SecretValue {
    var writer = JSONWriter()
    switch self {
    case .account(let entry): EntryEncoding.encode(entry, position, &writer)
    case .password(let entry): EntryEncoding.encode(entry, position, &writer)
    case .card(let entry): EntryEncoding.encode(entry, position, &writer)
    case .note(let entry): EntryEncoding.encode(entry, position, &writer)
    case .otherAccount(let entry): EntryEncoding.encode(entry, position, &writer)
    case .document(let entry): EntryEncoding.encode(entry, &writer)
    }
    return writer.finish()
  }
}

extension Records {
  /// All entries that can be used, list by list, each in its order.
  public var entries: [Entry] {
    accounts.map(Entry.account) + passwords.map(Entry.password) + cards.map(Entry.card) + notes.map(Entry.note)
      + otherAccounts.map(Entry.otherAccount) + documents.map(Entry.document)
  }

  /// Adds an entry at the end of its list.
  public mutating func append(_ entry: Entry) {
    switch entry {
    case .account(let entry): accounts.append(entry)
    case .password(let entry): passwords.append(entry)
    case .card(let entry): cards.append(entry)
    case .note(let entry): notes.append(entry)
    case .otherAccount(let entry): otherAccounts.append(entry)
    case .document(let entry): documents.append(entry)
    }
  }
}
