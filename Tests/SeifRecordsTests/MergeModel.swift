import SeifBytes
import SeifRecords
import Testing

/// What a vault does with a plan, without a vault.
enum MergeModel {
  static func id(_ index: Int) throws -> UUID {
    var bytes = [UInt8](repeating: 0xEE, count: 16)
    for place in 0..<4 { bytes[15 - place] = UInt8(truncatingIfNeeded: index >> (8 * place)) }
    return try #require(UUID(bytes: bytes))
  }

  static func stored(_ entries: [Entry]) throws -> [(id: UUID, entry: Entry)] {
    try entries.enumerated().map { (try id($0), $1) }
  }

  static func items(
    _ existing: [Entry], _ incoming: [Entry], historyCount: Int = .max
  ) throws -> [MergePlan.Item] {
    var records = Records()
    for entry in incoming { records.append(entry) }
    return MergePlan(existing: try stored(existing), historyCount: historyCount, incoming: records).items
  }

  /// The entries after the plan: what is new or in conflict at the end, what gains something at its place.
  static func apply(_ existing: [Entry], _ incoming: [Entry], historyCount: Int = .max) throws -> [Entry] {
    var result = try stored(existing)
    var added: [Entry] = []
    for item in try items(existing, incoming, historyCount: historyCount) {
      switch item.outcome {
      case .new, .conflict: added.append(item.entry)
      case .updated:
        let index = try #require(result.firstIndex { $0.id == item.existing })
        result[index].entry = item.entry
      default: break
      }
    }
    return result.map(\.entry) + added
  }

  static func word(_ item: MergePlan.Item) -> String {
    switch item.outcome {
    case .new: "new"
    case .same: "same"
    case .updated(let fields): "updated \(fields.joined(separator: ","))"
    case .conflict(let fields): "conflict \(fields.joined(separator: ","))"
    case .inBin: "in-bin"
    case .deleted: "deleted"
    case .restored(let fields): "restored \(fields.joined(separator: ","))"
    }
  }

  /// Every text that stands in entries as they are written, in any part: strings unescaped, each run of lines of theirs,
  /// other values as their JSON.
  static func texts(_ entries: [Entry]) -> Set<String> {
    var found: Set<String> = []
    func collect(_ value: JSONValue) {
      for element in value.elements { collect(element) }
      for (_, member) in value.members { collect(member) }
      found.insert(value.canonical.exposedText() ?? "")
      guard let text = value.string else { return }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for start in lines.indices {
        for end in start..<min(start + 3, lines.count) { found.insert(lines[start...end].joined(separator: "\n")) }
      }
    }
    for entry in entries { if let root = root(entry) { collect(root) } }
    return found
  }

  /// Every value of an entry by itself; what isn't understood as a whole.
  static func leaves(_ entry: Entry) -> Set<String> {
    var found: Set<String> = []
    func collect(_ value: JSONValue) {
      if value.kind == .array { return value.elements.forEach(collect) }
      guard value.kind == .object else {
        found.insert(value.string ?? value.canonical.exposedText() ?? "")
        return
      }
      for (key, member) in value.members {
        if ["tags", "urls", "customFields", "history", "wraps"].contains(key.text) || member.string != nil {
          collect(member)
        } else {
          found.insert(member.canonical.exposedText() ?? "")
        }
      }
    }
    if let root = root(entry) { collect(root) }
    return found
  }

  private static func root(_ entry: Entry) -> JSONValue? {
    try? JSONDocument(parsing: entry.json(), policy: .strict).root
  }
}
