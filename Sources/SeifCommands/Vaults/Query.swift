internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// Finds the entry that a person means.
///
/// An identifier or `name:account` hits one; else an exact name comes before the beginning of an identifier (eight digits
/// and more), that before the beginning of a name, and that before a part. Letters are compared without case and normal form, the same in every locale.
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

  /// The fewest digits of an identifier that a query may give.
  static let fewestIDDigits = TextMatch.fewestIDDigits

  /// The 32 digits of an identifier.
  static func hexadecimal(_ id: UUID) -> String { Base16.encode(id.bytes) }

  /// The summaries that the query fits best, none or several.
  func matches(_ summaries: [EntrySummary]) -> [EntrySummary] {
    matches(summaries) { ($0.id, $0.name, $0.account) }
  }

  /// The items that the query fits best, none or several, by what `keys` says of each.
  func matches<Item>(_ items: [Item], _ keys: (Item) -> (id: UUID, name: String, account: String)) -> [Item] {
    if let id = UUID(text) {
      let hit = items.filter { keys($0).id == id }
      if !hit.isEmpty { return hit }
    }
    let digits = TextMatch.idDigits(folded)
    let keyed = items.map { item in
      let key = keys(item)
      return (item, Self.folded(key.name), Self.folded(key.account), key.id)
    }
    let tests: [(String, String, UUID) -> Bool] = [
      { name, account, _ in "\(name):\(account)" == folded },
      { name, _, _ in name == folded },
      { _, account, _ in account == folded },
      { _, _, id in digits.map { Self.hexadecimal(id).hasPrefix($0) } ?? false },
      { name, _, _ in name.hasPrefix(folded) },
      { name, account, _ in Self.contains(name, folded) || Self.contains(account, folded) },
    ]
    for test in tests {
      let hits = keyed.filter { test($0.1, $0.2, $0.3) }.map(\.0)
      if !hits.isEmpty { return hits }
    }
    return []
  }

  /// The one entry that is meant, in a vault that may be the agent's; asks on a terminal where several fit.
  ///
  /// - Throws: exit 66 for none, and for several where nobody can choose; those are listed.
  func resolve(in vault: any UnlockedVault, folder: String, _ context: Context) throws(CommandFailure) -> EntrySummary {
    try check()
    let found = try withVault(folder) { () throws(VaultUseError) in try vault.find(text, onlyCodes: false) }
    return try resolve(found, context)
  }

  /// The one entry that is meant of all that are given.
  func resolve(_ summaries: [EntrySummary], _ context: Context) throws(CommandFailure) -> EntrySummary {
    try check()
    let hits = matches(summaries)
    return try resolve(
      Found(total: hits.count, isVaultEmpty: summaries.isEmpty, hits: Array(hits.prefix(Found.limit))), context)
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
    var listed = HitLines(total: found.total)
    for hit in found.hits { listed.add(hit.id, hit.kind, name: hit.name, account: hit.account) }
    let lines = listed.lines
    if let choice = context.choose(
      "\"\(text)\" fits \(found.total) entries:", among: Array(lines.prefix(HitLines.limit))), choice < found.hits.count
    {
      return found.hits[choice]
    }
    if TerminalDevice(context) != nil { throw CommandFailure(.notFound, "none of them was chosen") }
    throw CommandFailure(.notFound, "\"\(text)\" fits \(found.total) items. Say which:", details: lines)
  }
}
