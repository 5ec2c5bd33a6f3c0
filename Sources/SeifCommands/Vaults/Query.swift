internal import SeifAgent
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// Finds the entry that a person means.
///
/// An identifier or `name:account` hits one; else an exact name comes before a beginning, and that before a part. Letters
/// are compared without case and normal form, the same in every locale.
struct Query {
  private let text: String
  private let folded: String

  init(_ text: String) {
    self.text = text
    folded = Self.folded(text)
  }

  /// A text as it is compared.
  static func folded(_ text: String) -> String {
    TextMatch.folded(text)
  }

  /// Whether a folded text holds a part, compared by bytes: the standard library's way links all of its regular expressions,
  /// a sixth of the program, and takes a hundred times as long.
  static func contains(_ text: String, _ part: String) -> Bool {
    let (text, part) = (text.utf8Span.span, part.utf8Span.span)
    guard part.count <= text.count else { return false }
    return (0...text.count - part.count).contains { start in
      part.indices.allSatisfy { text[start + $0] == part[$0] }
    }
  }

  /// The items that the query fits best, none or several, by what `keys` says of each.
  func matches<Item>(_ items: [Item], _ keys: (Item) -> (id: UUID, name: String, account: String)) -> [Item] {
    if let id = UUID(text) {
      let hit = items.filter { keys($0).id == id }
      if !hit.isEmpty { return hit }
    }
    let keyed = items.map { item in
      let key = keys(item)
      return (item, Self.folded(key.name), Self.folded(key.account))
    }
    let tests: [(String, String) -> Bool] = [
      { name, account in "\(name):\(account)" == folded },
      { name, _ in name == folded },
      { _, account in account == folded },
      { name, _ in name.hasPrefix(folded) },
      { name, account in Self.contains(name, folded) || Self.contains(account, folded) },
    ]
    for test in tests {
      let hits = keyed.filter { test($0.1, $0.2) }.map(\.0)
      if !hits.isEmpty { return hits }
    }
    return []
  }

  /// The one entry that is meant; asks on a terminal where several fit.
  ///
  /// - Throws: exit 66 for none, and for several where nobody can choose; those are listed.
  func resolve(in vault: any UnlockedVault, folder: String, _ context: Context) throws(CommandFailure) -> EntrySummary {
    try check()
    return try resolve(
      try withVault(folder) { () throws(VaultUseError) in try vault.find(text, onlyCodes: false) }, context)
  }

  // From a script whose variable is empty; it would fit everything, or what has no name.
  func check() throws(CommandFailure) {
    guard !text.isEmpty else { throw CommandFailure(.usage, "the query is empty", hint: "Give a name or an id.") }
  }

  /// The one entry that is meant of those that were found.
  func resolve(_ found: Found, _ context: Context) throws(CommandFailure) -> EntrySummary {
    guard let first = found.hits.first else {
      throw CommandFailure(.notFound, "nothing here fits \"\(text)\"", hint: "Try: seif list")
    }
    guard found.total > 1 else { return first }
    let lines = found.hits.map { hit in
      [EntryLabel.name(hit.name, beside: hit.account), hit.account, hit.id.description]
        .filter { !$0.isEmpty }.joined(separator: "  ")
    }
    if let choice = context.choose("\"\(text)\" fits \(found.total) entries:", among: lines), choice < found.hits.count
    {
      return found.hits[choice]
    }
    if TerminalDevice(context) != nil { throw CommandFailure(.notFound, "none of them was chosen") }
    throw CommandFailure(.notFound, "\"\(text)\" fits \(found.total) items. Say which:", details: lines)
  }
}
