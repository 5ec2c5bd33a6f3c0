internal import SeifBytes
internal import SeifRecords

/// The body of an `.authbackup`: the seed's lists, and Seif's additions, which never refuse the file.
enum AuthBackupBody {
  /// What is read of a body, also kept apart from `Records`: the vault takes nothing of it.
  static let ownKeys: Set<String> = ["exportedAt", "seif", "version"]
  private static let linkKeys = ["previous", "sequence", "vault"]

  static func read(_ body: SecretValue, header: HeaderFacts) throws(FormatError) -> OpenedBackup {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: body, policy: .strict)
    } catch {
      throw .badBody("not JSON: \(error)")
    }
    let root = document.root
    guard root.kind == .object else { throw .badBody("not an object") }
    guard let version = root["version"]?.int64 else { throw .badBody("version") }
    guard version == 1 || version == 2 else { throw .badBody("version \(version)") }
    var records = Records()
    var problems: [EntryProblem] = []
    for kind in RecordKind.allCases {
      try readList(kind, root, &records, &problems)
    }
    var link: BackupLink?
    if let value = root["seif"] { link = readLink(value, &problems) }
    let known = ownKeys.union(RecordKind.allCases.map(\.rawValue))
    records.opaque += root.unknownMembers(besides: known)
    records.opaque.sort { utf8Precedes($0.key, $1.key) }
    return OpenedBackup(
      header: header, exportedAt: root["exportedAt"]?.string.flatMap { Timestamp(rfc3339: $0) }, records: records,
      problems: problems, link: link, body: body)
  }

  private static func readList(
    _ kind: RecordKind, _ root: JSONValue, _ records: inout Records, _ problems: inout [EntryProblem]
  ) throws(FormatError) {
    let isAddition = [.notes, .otherAccounts, .documents].contains(kind)
    guard let list = root[kind.rawValue] else {
      guard kind != .accounts else { throw .badBody("accounts missing") }
      return
    }
    guard list.kind == .array else {
      guard isAddition else { throw .badBody("\(kind.rawValue) is not a list") }
      problems.append(EntryProblem(list: kind.rawValue, reason: "not-a-list"))
      // Kept like a member that isn't known, so that it is written back.
      records.opaque.append(OpaqueMember(key: kind.rawValue, value: list.canonical))
      return
    }
    EntryDecoding.decode(kind, from: list, into: &records, problems: &problems)
  }

  private static func readLink(_ value: JSONValue, _ problems: inout [EntryProblem]) -> BackupLink? {
    guard value.kind == .object else {
      problems.append(EntryProblem(list: "seif", reason: "not-an-object"))
      return nil
    }
    func field<T>(_ key: String, _ read: (JSONValue) -> T?) -> T? {
      guard let member = value[key] else {
        problems.append(EntryProblem(list: "seif", field: key, reason: "missing"))
        return nil
      }
      guard let result = read(member) else {
        problems.append(EntryProblem(list: "seif", field: key, reason: "wrong-type"))
        return nil
      }
      return result
    }
    let previous = field("previous") { member -> [UInt8]? in
      guard let text = member.string, text.utf8.count == 64, text.utf8.allSatisfy({ !(0x41...0x46).contains($0) })
      else { return nil }
      return try? Base16.decode(text)
    }
    let sequence = field("sequence") { member -> Int64? in member.int64.flatMap { $0 >= 1 ? $0 : nil } }
    let vault = field("vault") { member in member.string.flatMap { UUID($0) } }
    guard let previous, let sequence, let vault else { return nil }
    var link = BackupLink(vault: vault, sequence: sequence, previous: previous)
    link.opaque = value.unknownMembers(besides: linkKeys)
    return link
  }

  /// The canonical text of a body.
  ///
  /// - Parameter version: 1 leaves the cards out: the caller has said so.
  static func write(
    _ records: Records, version: Int, exportedAt: Timestamp, link: BackupLink?
  ) -> SecretValue {
    var writer = JSONWriter(capacity: 4096)
    writer.beginObject(opaque: records.opaque)
    list(.accounts, records, always: true, &writer)
    if version >= 2 { list(.cards, records, always: true, &writer) }
    list(.documents, records, always: false, &writer)
    writer.key("exportedAt")
    writer.string(exportedAt.rfc3339)
    list(.notes, records, always: false, &writer)
    list(.otherAccounts, records, always: false, &writer)
    list(.passwords, records, always: true, &writer)
    if let link {
      writer.key("seif")
      writer.beginObject(opaque: link.opaque)
      writer.key("previous")
      writer.string(Base16.encode(link.previous))
      writer.key("sequence")
      writer.integer(link.sequence)
      writer.key("vault")
      writer.string(link.vault.description)
      writer.endObject()
    }
    writer.key("version")
    writer.integer(Int64(version))
    writer.endObject()
    return writer.finish()
  }

  private static func list(
    _ kind: RecordKind, _ records: Records, always: Bool, _ writer: inout JSONWriter
  ) {
    let isEmpty = records.count(of: kind) == 0 && !records.unusable.contains { $0.kind == kind }
    guard always || !isEmpty, writer.key(kind.rawValue, isDefault: isEmpty) else { return }
    EntryEncoding.encode(kind, of: records, into: &writer)
  }
}
