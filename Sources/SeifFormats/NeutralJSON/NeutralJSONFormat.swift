internal import SeifBytes
internal import SeifRecords

/// Reads neutral records (see `NeutralJSON`). A document whose secrets were left out opens with a problem an entry.
public struct NeutralJSONFormat: BackupFormat {
  /// The format.
  public init() {}

  public var identifier: FormatIdentifier { .json }
  public var displayName: String { "neutral JSON" }

  public func recognizes(_ input: FormatInput) -> Bool {
    switch input.json {
    case .success(let document):
      return document.root["schema"]?.withString { $0.isEqual(to: NeutralJSON.schema) } ?? false
    case .failure(let error):
      // Records in clear may be more than a header may hold; then the writer's first member tells.
      return error.code == .tooManyValues && Self.beginsWithSchema(input.bytes)
    }
  }

  private static func beginsWithSchema(_ bytes: SecretValue) -> Bool {
    bytes.withBytes { bytes in
      // EXPOSE: the head of a document in clear, compared and dropped here.
      let head = SecretValue(copying: bytes.extracting(0..<min(256, bytes.byteCount))).exposedBytes()
      let solid = head.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
      return solid.starts(with: "{\"schema\":\"\(NeutralJSON.schema)\"".utf8)
    }
  }

  public func readHeader(_ input: FormatInput, options: ReadingOptions) throws(FormatError) -> any BackupFile {
    guard recognizes(input) else {
      if case .failure(let error) = input.json { throw .unreadable(error) }
      throw .otherFormat
    }
    let document: JSONDocument
    do throws(JSONError) {
      switch input.json {
      case .success(let parsed): document = parsed
      case .failure: document = try JSONDocument(parsing: input.bytes, policy: .strict)
      }
    } catch {
      throw .unreadable(error)
    }
    guard document.root["schema"]?.withString({ $0.isEqual(to: NeutralJSON.schema) }) ?? false else {
      throw .otherFormat
    }
    let version = try HeaderReader(document.root).int64("version")
    guard version == NeutralJSON.version else { throw .unsupportedVersion(version) }
    let facts = HeaderFacts(
      format: .json, version: 1, variant: nil, keyDerivation: .none, isHeaderBound: false,
      readableFields: ["everything, the secrets too"])
    return NeutralJSONFile(header: facts, bytes: input.bytes, document: document)
  }
}

struct NeutralJSONFile: BackupFile {
  let header: HeaderFacts
  let bytes: SecretValue
  let document: JSONDocument

  func open(passphrase: borrowing SecretBytes?) throws(FormatError) -> OpenedBackup {
    let root = document.root
    var records = Records()
    var problems: [EntryProblem] = []
    for kind in RecordKind.allCases {
      guard let list = root[kind.rawValue] else { continue }
      guard list.kind == .array else { throw .badBody("\(kind.rawValue) is not a list") }
      if kind == .accounts {
        accounts(list, &records, &problems)
      } else {
        EntryDecoding.decode(kind, from: list, into: &records, problems: &problems)
      }
    }
    if root["codesAt"] != nil { dropCodes(&records) }
    // Positions go on from the entries that can be used.
    var positions: [RecordKind: Int] = [:]
    for row in root["unusable"]?.elements.map({ $0 }) ?? [] {
      guard let kind = row["kind"]?.string.flatMap({ RecordKind(rawValue: $0) }), let entry = row["entry"] else {
        continue
      }
      let position = positions[kind] ?? records.count(of: kind) + records.unusable.count { $0.kind == kind }
      positions[kind] = position + 1
      problems.append(EntryProblem(list: kind.rawValue, index: position, reason: "unusable-in-source"))
      records.unusable.append(UnusableEntry(kind: kind, json: entry.canonical))
    }
    records.opaque = root.unknownMembers(besides: NeutralJSON.reserved)
    let exportedAt = root["source"]?["exportedAt"]?.string.flatMap { Timestamp(rfc3339: $0) }
    return OpenedBackup(
      header: header, exportedAt: exportedAt, records: records, problems: problems, link: nil, body: bytes,
      notices: root["secrets"] == nil ? [] : ["secrets were left out when this was written"])
  }

  // The list holds accounts of all kinds; problems keep their position in it.
  private func accounts(_ list: JSONValue, _ records: inout Records, _ problems: inout [EntryProblem]) {
    let standard: Set<String> = ["totp", "hotp", "steam"]
    for (index, value) in list.elements.enumerated() {
      let type = value["type"]?.string
      let isOther = type.map { !$0.isEmpty && !standard.contains($0) } ?? false
      let kind: RecordKind = isOther ? .otherAccounts : .accounts
      var found: [EntryProblem] = []
      EntryDecoding.decode(kind, entry: value, into: &records, problems: &found)
      problems += found.map {
        EntryProblem(list: RecordKind.accounts.rawValue, index: index, field: $0.field, reason: $0.reason)
      }
    }
  }

  private func dropCodes(_ records: inout Records) {
    for index in records.accounts.indices {
      records.accounts[index].info.opaque.removeAll { NeutralJSON.codeKeys.contains($0.key) }
    }
    for index in records.otherAccounts.indices {
      records.otherAccounts[index].info.opaque.removeAll { NeutralJSON.codeKeys.contains($0.key) }
    }
  }
}
