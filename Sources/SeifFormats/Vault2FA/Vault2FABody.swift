internal import SeifBytes
internal import SeifOTP
internal import SeifRecords

/// The body of a `vault2fa-backup`: a Key URI an account, and the app's own metadata, none of it required.
enum Vault2FABody {
  static let appName = "Vault2FA"
  static let ownKeys: Set<String> = ["accounts", "app", "exported"]

  static func read(_ body: SecretValue, header: HeaderFacts) throws(FormatError) -> OpenedBackup {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: body, policy: .strict)
    } catch {
      throw .badBody("not JSON: \(error)")
    }
    let root = document.root
    guard root.kind == .object else { throw .badBody("not an object") }
    guard let list = root["accounts"] else { throw .badBody("accounts missing") }
    guard list.kind == .array else { throw .badBody("accounts is not a list") }
    var records = Records()
    var problems: [EntryProblem] = []
    var notices: [String] = []
    for (index, value) in list.elements.enumerated() {
      guard let reason = readEntry(value, at: index, &records, &problems, &notices) else { continue }
      problems.append(EntryProblem(list: RecordKind.accounts.rawValue, index: index, reason: reason))
      records.unusable.append(UnusableEntry(kind: .accounts, json: value.canonical))
    }
    records.opaque = root.unknownMembers(besides: ownKeys)
    return OpenedBackup(
      header: header, exportedAt: root["exported"]?.string.flatMap { Timestamp(rfc3339: $0) }, records: records,
      problems: problems, link: nil, body: body, notices: notices)
  }

  // The reason why an entry can't be used, or nil.
  private static func readEntry(
    _ value: JSONValue, at index: Int, _ records: inout Records, _ problems: inout [EntryProblem],
    _ notices: inout [String]
  ) -> String? {
    guard value.kind == .object else { return "not-an-object" }
    guard let uri = value["uri"]?.secret else { return "no-uri" }
    var info = EntryInfo()
    var taken: Set<String> = ["uri"]
    func take<T>(_ key: String, _ result: T?, _ use: (T) -> Void) {
      guard let result else { return }
      taken.insert(key)
      use(result)
    }
    take("isFavorite", value["isFavorite"]?.bool) { info.isFavorite = $0 }
    take("notes", value["notes"]?.secret) { info.notes = $0 }
    take("sortIndex", value["sortIndex"]?.int64) { info.sortIndex = $0 }
    take("createdAt", value["createdAt"]?.string.flatMap { Timestamp(rfc3339: $0) }) { info.createdAt = $0 }
    info.opaque = value.unknownMembers(besides: taken)
    do throws(KeyURIError) {
      let parsed = try KeyURI(parsing: uri)
      let (account, isWhole) = Account.make(parsed, info: info)
      records.accounts.append(account)
      if !isWhole { problems.append(.parametersNotKept(index: index)) }
      notices += parsed.warnings.map { "accounts[\(index)]: \($0)" }
      return nil
    } catch {
      return "bad-uri:\(error.part.rawValue)"
    }
  }

  static func write(_ records: Records, exportedAt: Timestamp) -> SecretValue {
    var writer = JSONWriter(capacity: 4096)
    writer.beginObject(opaque: records.opaque.filter { !ownKeys.contains($0.key) })
    writer.key("accounts")
    writer.beginArray()
    for (index, entry) in records.accounts.enumerated() {
      let (uri, holdsParameters) = entry.uri(.backup)
      writer.beginObject(opaque: URIParameters.members(of: entry.info, besidesURI: holdsParameters))
      if let createdAt = entry.info.createdAt, writer.key("createdAt", isDefault: false) {
        writer.string(createdAt.rfc3339)
      }
      if writer.key("isFavorite", isDefault: !entry.info.isFavorite) { writer.bool(entry.info.isFavorite) }
      if writer.key("notes", isDefault: entry.info.notes.isEmpty) { writer.string(entry.info.notes) }
      if writer.key("sortIndex", isDefault: entry.info.sortIndex == nil) {
        writer.integer(entry.info.sortIndex ?? Int64(index))
      }
      if writer.key("uri", isDefault: false) { writer.string(uri.write()) }
      writer.endObject()
    }
    for entry in records.unusable where entry.kind == .accounts { writer.raw(entry.json) }
    writer.endArray()
    writer.key("app")
    writer.string(appName)
    writer.key("exported")
    writer.string(exportedAt.rfc3339)
    writer.endObject()
    return writer.finish()
  }
}
