internal import SeifBytes

/// Decides which entry of a vault each entry of a file meets, each of the vault at most once.
///
/// Of several that are the same thing, one that is equal in every field but the identifier comes first, then one that holds
/// all that the file's entry has, then the order of both lists decides. So a file that was imported meets what became of
/// its entries, in whatever order they come.
struct Meetings {
  /// Up to how many of one thing are compared each with each.
  private static let comparedCount = 8

  private let existing: [Entry]
  private let incoming: [Entry]
  private var partners: [Int?]

  /// The position in the vault for each entry of the file, nil where it meets none. Linear in both.
  static func partners(of incoming: [Entry], _ keys: [EquivalenceKey], in existing: [Entry], _ held: [EquivalenceKey])
    -> [Int?]
  {
    var groups: [EquivalenceKey: (stored: [Int], incoming: [Int])] = [:]
    for (index, key) in held.enumerated() { groups[key, default: ([], [])].stored.append(index) }
    for (position, key) in keys.enumerated() where groups[key] != nil { groups[key]?.incoming.append(position) }
    var meetings = Meetings(
      existing: existing, incoming: incoming, partners: [Int?](repeating: nil, count: incoming.count))
    for group in groups.values where !group.incoming.isEmpty { meetings.settle(group.stored, group.incoming) }
    return meetings.partners
  }

  private mutating func settle(_ stored: [Int], _ positions: [Int]) {
    guard stored.count > 1 || positions.count > 1 else {
      partners[positions[0]] = stored[0]
      return
    }
    var (stored, positions) = settleEquals(stored, positions)
    if stored.count <= Self.comparedCount, positions.count <= Self.comparedCount {
      (stored, positions) = settleHolders(stored, positions)
    }
    for (index, position) in zip(stored, positions) { partners[position] = index }
  }

  // Gives what is left of both.
  private mutating func settleEquals(_ stored: [Int], _ positions: [Int]) -> ([Int], [Int]) {
    func content(_ entry: Entry) -> SecretValue {
      var entry = entry
      entry.info.id = nil
      return entry.json()
    }
    var byContent: [SecretValue: [Int]] = [:]
    for index in stored.reversed() { byContent[content(existing[index]), default: []].append(index) }
    var taken: Set<Int> = []
    var left: [Int] = []
    for position in positions {
      if let index = byContent[content(incoming[position])]?.popLast() {
        partners[position] = index
        taken.insert(index)
      } else {
        left.append(position)
      }
    }
    return (stored.filter { !taken.contains($0) }, left)
  }

  // As many pairs as possible of an entry and one that holds all of it (Kuhn's augmenting paths).
  private mutating func settleHolders(_ stored: [Int], _ positions: [Int]) -> ([Int], [Int]) {
    let holders = positions.map { position in
      stored.indices.filter { EntryMerge.merge(existing[stored[$0]], with: incoming[position]).1.isEmpty }
    }
    var held = [Int?](repeating: nil, count: stored.count)
    func place(_ candidate: Int, _ visited: inout Set<Int>) -> Bool {
      for holder in holders[candidate] where visited.insert(holder).inserted {
        if let other = held[holder], !place(other, &visited) { continue }
        held[holder] = candidate
        return true
      }
      return false
    }
    for candidate in positions.indices {
      var visited: Set<Int> = []
      _ = place(candidate, &visited)
    }
    for (holder, candidate) in held.enumerated() {
      if let candidate { partners[positions[candidate]] = stored[holder] }
    }
    return (
      stored.indices.filter { held[$0] == nil }.map { stored[$0] }, positions.filter { partners[$0] == nil }
    )
  }
}
