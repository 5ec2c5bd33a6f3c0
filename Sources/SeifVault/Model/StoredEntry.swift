public import SeifBytes
public import SeifRecords

/// An entry as the vault holds it.
public struct StoredEntry: Sendable, Hashable {
  /// The row's identifier: the entry's own where it has one that nobody else had before.
  public let id: UUID
  /// The entry.
  public var entry: Entry
  /// When the vault last wrote it.
  public let updatedAt: Timestamp
}

/// An entry in the bin.
public struct BinnedEntry: Sendable, Hashable {
  /// The row's identifier.
  public let id: UUID
  /// The entry.
  public let entry: Entry
  /// When it was removed; 30 days later it can be deleted for good.
  public let removedAt: Timestamp
}

/// A row that didn't open and was set aside.
public struct SetAsideRow: Sendable, Hashable {
  /// Its identifier, as it was before.
  public let id: UUID
  /// The table in which it stood.
  public let table: String
  /// When it was set aside; 30 days later it can be deleted for good.
  public let at: Timestamp
}

/// What a list shows of an entry and a search needs; no secret.
public struct EntrySummary: Sendable, Hashable {
  /// The row's identifier.
  public let id: UUID
  /// Its list.
  public let kind: RecordKind
  /// `totp`, `hotp`, `steam`, or what another account says; `local` or `server` of a document vault; else empty.
  public let type: String
  /// Issuer, title or label.
  public let name: String
  /// The person's name there.
  public let account: String
  /// Tags in the person's order.
  public let tags: [String]
  /// Addresses for matching.
  public let urls: [String]
  /// Whether the person marked it.
  public let isFavorite: Bool
  /// Whether a login has a Key URI for one-time codes.
  public let hasOneTimeCode: Bool
  /// Whether `urls` match by host and port.
  public let exactHost: Bool
  /// Place in the person's own order, or nil.
  public let sortIndex: Int64?
  /// When the entry was made.
  public let createdAt: Timestamp?
}

/// One change of a transaction.
public enum VaultChange: Sendable, Hashable {
  /// Adds an entry at the end.
  case add(Entry)
  /// Puts an entry in the place of another.
  case replace(UUID, Entry)
  /// Puts an entry into the bin.
  case remove(UUID)
  /// Brings an entry back from the bin, to its old place.
  case restore(UUID)
  /// Keeps an entry that can't be used.
  case addUnusable(UnusableEntry)
  /// Puts these in the place of all top-level members that aren't understood.
  case setOpaque([OpaqueMember])
  /// Takes a row that doesn't open out of the way, as it stands, for at least 30 days: an entry here or in the bin, with
  /// its seed; one that can't be used; a member that isn't understood; a seed that no entry has. Of an entry that opens
  /// only the summary is made anew.
  case setAside(UUID)
}

/// Something about the vault that isn't as it was last written: places, never values.
public enum VaultFault: Sendable, Hashable, CustomStringConvertible {
  /// The rows together aren't what was last written: one was added, removed, put back or altered.
  case contents
  /// So many rows were last written, so many are there.
  case rowCount(expected: Int, found: Int)
  /// The sealed state of all rows is missing or altered.
  case accumulator
  /// The highest counter seen here is higher: this is an older copy of the vault.
  case olderCopy(counter: Int64, seen: Int64)
  /// A value doesn't open at its place: altered, moved or erased.
  case value(table: String, row: UUID?, column: String)
  /// An entry refers to a seed that isn't there.
  case missingSecret(row: UUID)
  /// The seed of an entry is missing or doesn't open at its place.
  case damagedSecret(row: UUID)
  /// An entry has no summary, or another revision's: a list doesn't show it as it is.
  case missingSummary(row: UUID)
  /// A seed that no entry refers to, or another row that has no place in the vault.
  case strayData(table: String, row: UUID)
  /// The ledger's chain is broken at an entry.
  case ledger(sequence: Int64)
  /// SQLite finds the file damaged; the number of findings.
  case database(findings: Int)

  public var description: String {
    switch self {
    case .contents: "the contents aren't what was last written"
    case .rowCount(let expected, let found): "\(expected) rows were last written, \(found) are there"
    case .accumulator: "the sealed state of the contents is missing or altered"
    case .olderCopy(let counter, let seen):
      "this is an older copy of this vault: change \(counter), while change \(seen) was seen on this machine"
    case .value(let table, let row, let column):
      // Where an entry's summary stands is the file's matter.
      "\(column) of \(table == "item_summary" ? "item" : table) \(row.map(\.description) ?? "?") doesn't open at its place"
    case .missingSecret(let row): "entry \(row) refers to a seed that isn't there"
    case .damagedSecret(let row): "the seed of entry \(row) is missing or doesn't open"
    case .missingSummary(let row): "the summary of entry \(row) is missing or of another revision"
    case .strayData(let table, let row): "\(table) \(row) belongs to nothing here"
    case .ledger(let sequence): "the ledger doesn't continue at entry \(sequence)"
    case .database(let findings): "SQLite finds the file damaged in \(findings) places"
    }
  }
}
