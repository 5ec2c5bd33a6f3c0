internal import SeifBytes

/// Decides which entry of a vault each entry of a file meets, each of the vault at most once. Of several that are the same
/// thing, one that is equal in every field comes first, then the order of both lists decides: a vault and its own file meet
/// pair by pair.
struct Meetings {
  private struct Group {
    var indices: [Int] = []
    var next = 0
  }

  private let existing: [Entry]
  private var groups: [EquivalenceKey: Group] = [:]
  private var isTaken: [Bool]

  init(_ existing: [Entry]) {
    self.existing = existing
    isTaken = [Bool](repeating: false, count: existing.count)
    for (index, entry) in existing.enumerated() {
      groups[EquivalenceKey(entry), default: Group()].indices.append(index)
    }
  }

  /// The position in the vault for each entry of the file, nil where it meets none. Linear in both.
  mutating func partners(of incoming: [Entry]) -> [Int?] {
    let keys = incoming.map { EquivalenceKey($0) }
    var partners = equals(of: incoming, keys)
    for (position, key) in keys.enumerated() where partners[position] == nil {
      partners[position] = nextFree(key)
    }
    return partners
  }

  // Only where a group has several entries is it worth comparing them whole.
  private mutating func equals(of incoming: [Entry], _ keys: [EquivalenceKey]) -> [Int?] {
    var partners = [Int?](repeating: nil, count: incoming.count)
    let crowded = groups.values.filter { $0.indices.count > 1 }
    guard !crowded.isEmpty else { return partners }
    var byText: [SecretValue: [Int]] = [:]
    for index in crowded.flatMap(\.indices).sorted(by: >) { byText[existing[index].json(), default: []].append(index) }
    for (position, key) in keys.enumerated() where groups[key].map({ $0.indices.count > 1 }) ?? false {
      guard let index = byText[incoming[position].json()]?.popLast() else { continue }
      isTaken[index] = true
      partners[position] = index
    }
    return partners
  }

  private mutating func nextFree(_ key: EquivalenceKey) -> Int? {
    guard var group = groups[key] else { return nil }
    while group.next < group.indices.count, isTaken[group.indices[group.next]] { group.next += 1 }
    guard group.next < group.indices.count else {
      groups[key] = group
      return nil
    }
    let index = group.indices[group.next]
    group.next += 1
    groups[key] = group
    isTaken[index] = true
    return index
  }
}
