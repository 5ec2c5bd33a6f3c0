internal import SeifBytes
internal import SeifRecords

/// Members that another format's reader kept because it didn't know them, under names that mean something here.
///
/// A `secret` of another type or a second `version` would make our own file unreadable. What such a member breaks is left
/// out and named as lost; the same member out of an `.authbackup` never breaks anything, since it was read from one.
enum ForeignMembers {
  private static let names: Set<String> = [
    "account", "algorithm", "changedAt", "counter", "createdAt", "customFields", "cvc", "digits", "exactHost", "expiry",
    "history", "holder", "id", "isFavorite", "issuer", "kind", "masterKey", "name", "notes", "number", "password",
    "period", "pin", "secret", "server", "sortIndex", "tags", "text", "title", "totp", "type", "updatedAt", "urls",
    "username", "wraps",
  ]
  /// What the body writes itself; lists of Seif's additions may be kept there as members that aren't lists.
  private static let topNames: Set<String> = ["accounts", "cards", "exportedAt", "passwords", "seif", "version"]
  private static let additionNames: Set<String> = ["documents", "notes", "otherAccounts"]

  /// The records with what would break the file left out, and what that was.
  static func removed(from records: Records) -> (records: Records, losses: [Loss]) {
    var records = records
    var losses: [Loss] = []
    let filled = Set(additionNames.filter { has($0, records) })
    func isBroken(_ member: OpaqueMember) -> Bool {
      let isAddition = additionNames.contains(member.key)
      return topNames.contains(member.key) || (isAddition && (isList(member.value) || filled.contains(member.key)))
    }
    losses += records.opaque.filter(isBroken).map { Loss(kind: .accounts, field: $0.key) }
    records.opaque.removeAll(where: isBroken)
    for kind in RecordKind.allCases {
      for index in 0..<records.count(of: kind) {
        guard let entry = suspect(kind, index, records) else { continue }
        let broken = brokenMembers(of: entry, kind)
        guard !broken.isEmpty else { continue }
        var info = entry.info
        let members = Set(broken)
        info.opaque.removeAll { members.contains($0) }
        losses += broken.map { Loss(kind: kind, index: index, field: $0.key) }
        records.replaceInfo(kind, index, info)
      }
    }
    return (records, losses)
  }

  private static func isList(_ json: SecretValue) -> Bool {
    json.withBytes { bytes in
      guard bytes.byteCount > 0 else { return false }
      return unsafe bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == 0x5B
    }
  }

  private static func has(_ key: String, _ records: Records) -> Bool {
    guard let kind = RecordKind(rawValue: key) else { return false }
    return records.count(of: kind) > 0 || records.unusable.contains { $0.kind == kind }
  }

  // Nearly no entry has such a member, so nearly none is read back.
  private static func suspect(_ kind: RecordKind, _ index: Int, _ records: Records) -> Entry? {
    func entry(_ info: EntryInfo, _ make: () -> Entry) -> Entry? {
      info.opaque.contains { names.contains($0.key) } ? make() : nil
    }
    return switch kind {
    case .accounts: entry(records.accounts[index].info) { .account(records.accounts[index]) }
    case .passwords: entry(records.passwords[index].info) { .password(records.passwords[index]) }
    case .cards: entry(records.cards[index].info) { .card(records.cards[index]) }
    case .notes: entry(records.notes[index].info) { .note(records.notes[index]) }
    case .otherAccounts: entry(records.otherAccounts[index].info) { .otherAccount(records.otherAccounts[index]) }
    // Document vaults come from no other format.
    case .documents: nil
    }
  }

  // All members of such names if the entry can't be read with them, else those whose place a value of our own takes.
  private static func brokenMembers(of entry: Entry, _ kind: RecordKind) -> [OpaqueMember] {
    let named = entry.info.opaque.filter { names.contains($0.key) }
    guard let document = try? JSONDocument(parsing: entry.json(), policy: .strict) else { return named }
    var read = Records()
    var problems: [EntryProblem] = []
    EntryDecoding.decode(kind, entry: document.root, into: &read, problems: &problems)
    guard read.unusable.isEmpty else { return named }
    var written: [String: SecretValue] = [:]
    for (key, value) in document.root.members where names.contains(key.text) { written[key.text] = value.canonical }
    return named.filter { written[$0.key] != $0.value }
  }
}

extension Records {
  fileprivate mutating func replaceInfo(_ kind: RecordKind, _ index: Int, _ info: EntryInfo) {
    switch kind {
    case .accounts: accounts[index].info = info
    case .passwords: passwords[index].info = info
    case .cards: cards[index].info = info
    case .notes: notes[index].info = info
    case .otherAccounts: otherAccounts[index].info = info
    case .documents: break
    }
  }
}
