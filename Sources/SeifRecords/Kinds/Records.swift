public import SeifBytes
public import SeifCrypto

/// The contents of a vault or of a file, each list in its own order.
public struct Records: Sendable, Hashable {
  /// TOTP, HOTP and Steam accounts.
  public var accounts: [Account] = []
  /// Logins.
  public var passwords: [Password] = []
  /// Cards.
  public var cards: [Card] = []
  /// Notes.
  public var notes: [Note] = []
  /// Accounts of other kinds.
  public var otherAccounts: [OtherAccount] = []
  /// Keys of document vaults.
  public var documents: [DocumentVault] = []
  /// Entries that can't be used, kept as they came.
  public var unusable: [UnusableEntry] = []
  /// Members at the top that aren't understood here.
  public var opaque: [OpaqueMember] = []

  /// Nothing.
  public init() {}

  /// How many entries can be used.
  public var count: Int { RecordKind.allCases.reduce(0) { $0 + count(of: $1) } }

  /// How many entries of one kind can be used.
  public func count(of kind: RecordKind) -> Int {
    switch kind {
    case .accounts: accounts.count
    case .passwords: passwords.count
    case .cards: cards.count
    case .notes: notes.count
    case .otherAccounts: otherAccounts.count
    case .documents: documents.count
    }
  }

  /// The same with an identifier for every entry: those without get one, and so does the second of two that share one.
  public func withIdentifiers(from random: RandomSource) -> Records {
    var copy = self
    var seen = Set<UUID>()
    func settle(_ info: inout EntryInfo) {
      // An identifier that isn't a UUID stays among the opaque members and is written back from there.
      if info.id == nil, info.opaque.contains(where: { $0.key == "id" }) { return }
      while info.id.map({ !seen.insert($0).inserted }) ?? true { info.id = random.makeUUID() }
    }
    for index in copy.accounts.indices { settle(&copy.accounts[index].info) }
    for index in copy.passwords.indices { settle(&copy.passwords[index].info) }
    for index in copy.cards.indices { settle(&copy.cards[index].info) }
    for index in copy.notes.indices { settle(&copy.notes[index].info) }
    for index in copy.otherAccounts.indices { settle(&copy.otherAccounts[index].info) }
    return copy
  }
}

/// An entry that can't be used, kept whole so that nothing is lost.
public struct UnusableEntry: Sendable, Hashable {
  /// The list in which it stood.
  public var kind: RecordKind
  /// The entry as canonical JSON, or as the text that it was.
  public var json: SecretValue

  /// An entry kept as it came.
  public init(kind: RecordKind, json: SecretValue) {
    self.kind = kind
    self.json = json
  }
}

/// An entry, or a field of one, that can't be used: place and reason, never a value.
public struct EntryProblem: Sendable, Hashable {
  /// The list, by its name in the file (`accounts`, …, also `seif`).
  public var list: String
  /// The entry's position in its list, from 0; nil: the list as a whole.
  public var index: Int?
  /// The field; then the entry is used without it. Nil: the entry isn't used.
  public var field: String?
  /// The reason as a short stable word.
  public var reason: String

  /// A problem.
  public init(list: String, index: Int? = nil, field: String? = nil, reason: String) {
    self.list = list
    self.index = index
    self.field = field
    self.reason = reason
  }
}
