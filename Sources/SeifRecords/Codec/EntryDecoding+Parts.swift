internal import SeifBytes

extension EntryDecoding {
  /// As `info`, for kinds whose own fields never cost the entry: a login is worth having without its date.
  static func lenientInfo(_ reader: inout EntryReader) throws(EntryFault) -> EntryInfo {
    var info = EntryInfo()
    info.notes = reader.addition("notes", default: .empty) { (value) throws(EntryFault) in
      guard let text = value.secret else { throw EntryFault(reason: "wrong-type") }
      return text
    }
    info.id = reader.addition("id", default: nil) { (value) throws(EntryFault) in
      guard let text = value.string else { throw EntryFault(reason: "wrong-type") }
      return UUID(text)
    }
    info.createdAt = reader.addition("createdAt", default: nil) { (value) throws(EntryFault) in try date(value) }
    info.isFavorite = reader.addition("isFavorite", default: false) { (value) throws(EntryFault) in try bool(value) }
    info.sortIndex = reader.addition("sortIndex", default: nil) { (value) throws(EntryFault) in
      guard let integer = value.int64 else { throw EntryFault(reason: "wrong-type") }
      return integer
    }
    info.tags = reader.addition("tags", default: []) { (value) throws(EntryFault) in try strings(value) }
    info.urls = reader.addition("urls", default: []) { (value) throws(EntryFault) in try strings(value) }
    info.exactHost = reader.addition("exactHost", default: false) { (value) throws(EntryFault) in try bool(value) }
    info.customFields = reader.addition("customFields", default: []) { (value) throws(EntryFault) in
      try customFields(value)
    }
    return info
  }

  static func string(_ value: JSONValue) throws(EntryFault) -> String {
    guard let text = value.string else { throw EntryFault(reason: "wrong-type") }
    return text
  }

  static func bool(_ value: JSONValue) throws(EntryFault) -> Bool {
    guard let bool = value.bool else { throw EntryFault(reason: "wrong-type") }
    return bool
  }

  static func date(_ value: JSONValue) throws(EntryFault) -> Timestamp? {
    Timestamp(rfc3339: try string(value))
  }

  static func strings(_ value: JSONValue) throws(EntryFault) -> [String] {
    guard value.kind == .array else { throw EntryFault(reason: "wrong-type") }
    var texts: [String] = []
    for element in value.elements { texts.append(try string(element)) }
    return texts
  }

  static func customFields(_ value: JSONValue) throws(EntryFault) -> [CustomField] {
    guard value.kind == .array else { throw EntryFault(reason: "wrong-type") }
    var fields: [CustomField] = []
    for element in value.elements {
      guard var row = try? EntryReader(element), let text = row.take("value")?.secret else {
        throw EntryFault(reason: "wrong-type")
      }
      let name = try row.text("name")
      let isSecret = try row.bool("isSecret")
      fields.append(CustomField(name: name, value: text, isSecret: isSecret, opaque: row.leftovers))
    }
    return fields
  }

  static func history(_ value: JSONValue) throws(EntryFault) -> [PreviousPassword] {
    guard value.kind == .array else { throw EntryFault(reason: "wrong-type") }
    var rows: [PreviousPassword] = []
    for element in value.elements {
      guard var row = try? EntryReader(element), let password = row.take("password")?.secret else {
        throw EntryFault(reason: "wrong-type")
      }
      var previous = PreviousPassword(password: password, changedAt: try row.date("changedAt"))
      previous.opaque = row.leftovers
      rows.append(previous)
    }
    return rows
  }

  /// The bytes of the base32 in `secret`.
  static func decodedSecret(_ reader: inout EntryReader, missing: String) throws(EntryFault) -> SecretValue {
    guard let text = reader.take("secret")?.secret, !text.isEmpty else { throw EntryFault(reason: missing) }
    do throws(EncodingError) {
      return try text.withBytes { (bytes) throws(EncodingError) in try Base32.decodeLeniently(bytes) }
    } catch {
      throw EntryFault(reason: error.code == .length ? missing : "bad-secret")
    }
  }

  /// A number inside a range, or the default where it is missing.
  static func bounded(
    _ integer: JSONValue.Integer?, _ range: ClosedRange<Int64>, missing: Int64, _ reason: String
  ) throws(EntryFault) -> Int {
    guard let integer else { return Int(missing) }
    guard case .value(let value) = integer, range.contains(value) else { throw EntryFault(reason: reason) }
    return Int(value)
  }

  static func document(_ reader: inout EntryReader) throws(EntryFault) -> DocumentVault {
    guard let id = reader.take("id")?.string, UUID(id) != nil else { throw EntryFault(reason: "no-id") }
    guard let name = reader.take("kind")?.string, let kind = DocumentVault.Kind(rawValue: name) else {
      throw EntryFault(reason: "unknown-kind")
    }
    guard let masterKey = reader.take("masterKey").flatMap({ base64($0, byteCount: 32) }) else {
      throw EntryFault(reason: "bad-master-key")
    }
    var document = DocumentVault(id: id, kind: kind, masterKey: masterKey)
    if kind == .server, reader.peek("server")?.string?.isEmpty ?? true { throw EntryFault(reason: "no-server") }
    document.account = try reader.text("account")
    document.server = try reader.text("server")
    if let wraps = reader.peek("wraps") {
      if wraps.kind == .array {
        _ = reader.take("wraps")
        document.wraps = wraps.elements.contains { _ in true } ? wraps.canonical : nil
        for (index, row) in wraps.elements.enumerated() where !isWrap(row) {
          reader.report("wraps", "bad-wrap:\(index)")
        }
      } else {
        reader.report("wraps", "wrong-type")
      }
    }
    document.opaque = reader.leftovers
    return document
  }

  private static func base64(_ value: JSONValue, byteCount: Int) -> SecretValue? {
    let decoded = value.withString { bytes in try? Base64.decode(bytes) } ?? nil
    return decoded?.byteCount == byteCount ? decoded : nil
  }

  // A row of a document vault's ways in; a kind that isn't known is kept unread.
  private static func isWrap(_ row: JSONValue) -> Bool {
    guard row.kind == .object, let id = row["id"]?.string, UUID(id) != nil, let kind = row["kind"]?.string else {
      return false
    }
    guard ["recovery", "passkey"].contains(kind) else { return true }
    guard let wrapped = row["wrappedKey"], base64(wrapped, byteCount: 60) != nil else { return false }
    if let created = row["createdAt"], created.kind != .string { return false }
    if kind == "recovery" {
      return row["salt"].flatMap { base64($0, byteCount: 16) } != nil && row["iterations"]?.int64 == 600_000
    }
    guard let credential = row["credentialId"]?.string, !credential.isEmpty else { return false }
    return credential.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
      default: false
      }
    }
  }
}
