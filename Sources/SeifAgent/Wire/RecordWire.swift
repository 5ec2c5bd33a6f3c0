package import SeifBytes
package import SeifRecords
package import SeifVault

// Entries on the wire: the JSON that the backup formats and the vault's rows have, read by the same strict reader.
extension WireWriter {
  package mutating func entry(_ value: Entry) {
    text(value.kind.rawValue)
    // Where there is none the JSON has the place in a list.
    bool(value.info.sortIndex != nil)
    secret(value.json())
  }

  package mutating func member(_ value: OpaqueMember) {
    text(value.key)
    secret(value.value)
  }

  package mutating func unusable(_ value: UnusableEntry) {
    text(value.kind.rawValue)
    secret(value.json)
  }

  package mutating func records(_ value: Records) {
    let entries = value.entries
    count(entries.count)
    for each in entries { entry(each) }
    count(value.unusable.count)
    for each in value.unusable { unusable(each) }
    count(value.opaque.count)
    for each in value.opaque { member(each) }
  }

  package mutating func stored(_ value: StoredEntry) {
    id(value.id)
    number(value.updatedAt.milliseconds)
    entry(value.entry)
  }

  package mutating func change(_ value: VaultChange) {
    switch value {
    case .add(let entry):
      byte(1)
      self.entry(entry)
    case .replace(let id, let entry):
      byte(2)
      self.id(id)
      self.entry(entry)
    case .remove(let id):
      byte(3)
      self.id(id)
    case .restore(let id):
      byte(4)
      self.id(id)
    case .addUnusable(let entry):
      byte(5)
      unusable(entry)
    case .setOpaque(let members):
      byte(6)
      count(members.count)
      for each in members { member(each) }
    case .setAside(let id):
      byte(7)
      self.id(id)
    }
  }
}

extension WireReader {
  package mutating func kind() throws(AgentRefusal) -> RecordKind {
    guard let kind = RecordKind(rawValue: try text()) else { throw AgentRefusal(.badMessage, "kind") }
    return kind
  }

  package mutating func entry() throws(AgentRefusal) -> Entry {
    let kind = try kind()
    let hasSortIndex = try bool()
    guard let document = try? JSONDocument(parsing: try secret(), policy: .strict) else {
      throw AgentRefusal(.badMessage, "entry")
    }
    var records = Records()
    var problems: [EntryProblem] = []
    EntryDecoding.decode(kind, entry: document.root, into: &records, problems: &problems)
    guard records.unusable.isEmpty, var entry = records.entries.first else { throw AgentRefusal(.badMessage, "entry") }
    if !hasSortIndex {
      var info = entry.info
      info.sortIndex = nil
      entry.info = info
    }
    return entry
  }

  package mutating func member() throws(AgentRefusal) -> OpaqueMember {
    OpaqueMember(key: try text(), value: try secret())
  }

  package mutating func unusable() throws(AgentRefusal) -> UnusableEntry {
    UnusableEntry(kind: try kind(), json: try secret())
  }

  package mutating func records() throws(AgentRefusal) -> Records {
    var records = Records()
    for entry in try list(leastByteCount: 9, { (reader) throws(AgentRefusal) in try reader.entry() }) {
      records.append(entry)
    }
    records.unusable = try list(leastByteCount: 8) { (reader) throws(AgentRefusal) in try reader.unusable() }
    records.opaque = try list(leastByteCount: 8) { (reader) throws(AgentRefusal) in try reader.member() }
    return records
  }

  package mutating func stored() throws(AgentRefusal) -> StoredEntry {
    let id = try id()
    let updatedAt = Timestamp(milliseconds: try number())
    return StoredEntry(try entry(), id: id, updatedAt: updatedAt)
  }

  package mutating func change() throws(AgentRefusal) -> VaultChange {
    switch try byte() {
    case 1: return .add(try entry())
    case 2:
      let id = try id()
      return .replace(id, try entry())
    case 3: return .remove(try id())
    case 4: return .restore(try id())
    case 5: return .addUnusable(try unusable())
    case 6:
      return .setOpaque(try list(leastByteCount: 8) { (reader) throws(AgentRefusal) in try reader.member() })
    case 7: return .setAside(try id())
    default: throw AgentRefusal(.badMessage, "change")
    }
  }
}
