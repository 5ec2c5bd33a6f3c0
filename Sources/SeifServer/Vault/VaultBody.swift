internal import SeifBytes
internal import SeifHTTPServer
internal import SeifServerStore

/// The members of a call's body: exactly those that it names.
struct VaultBody {
  private let root: JSONValue

  init(_ body: SecretValue, required: [String], optional: [String] = []) throws(VaultProblem) {
    let policy = JSONPolicy(
      isStrict: true, maximumByteCount: VaultBounds.manifestBodyByteCount, maximumDepth: 4, maximumValueCount: 1000)
    guard let document = try? JSONDocument(parsing: body, policy: policy) else { throw .badRequest }
    try self.init(document.root, required: required, optional: optional)
  }

  private init(_ value: JSONValue, required: [String], optional: [String]) throws(VaultProblem) {
    root = value
    guard value.kind == .object else { throw .badRequest }
    for (key, _) in value.members where !(required + optional).contains(where: { key.is($0) }) { throw .badRequest }
    for name in required where value[name] == nil { throw .badRequest }
  }

  /// The sealed manifest.
  func manifest() throws(VaultProblem) -> [UInt8] {
    guard let text = root["manifest"]?.secret, let blob = Self.base64(text) else { throw .badRequest }
    guard blob.count >= VaultBounds.sealedOverhead else { throw .tooShort }
    guard blob.count <= VaultBounds.manifestByteCount else { throw .tooLarge }
    return blob
  }

  /// A row of a way in.
  static func row(_ body: SecretValue, id: UUID) throws(VaultProblem) -> KeyWrapRow {
    try VaultBody(body, required: ["kind", "wrappedKey", "createdAt"], optional: rowMembers).row(id: id)
  }

  /// All rows of a rotation, each with its identifier.
  func rows() throws(VaultProblem) -> [KeyWrapRow] {
    guard let list = root["wraps"], list.kind == .array else { throw .badRequest }
    var rows: [KeyWrapRow] = []
    for value in list.elements {
      guard rows.count < VaultBounds.keyWrapCount else { throw .tooMany }
      let body = try VaultBody(value, required: ["id", "kind", "wrappedKey", "createdAt"], optional: Self.rowMembers)
      let row = try body.row(id: nil)
      guard !rows.contains(where: { $0.id == row.id }) else { throw .badRow }
      rows.append(row)
    }
    guard !rows.isEmpty else { throw .lastWrap }
    return rows
  }

  /// Whether totals are told; of `PUT usage`.
  func isEnabled() throws(VaultProblem) -> Bool {
    guard let value = root["enabled"]?.bool else { throw .badRequest }
    return value
  }

  /// A month's totals.
  func usage() throws(VaultProblem) -> (month: String, rows: [UsageRow]) {
    guard let month = root["month"]?.string, Self.isMonth(month) else { throw .badRequest }
    var rows: [UsageRow] = []
    for kind in Self.usageKinds {
      guard let value = root[kind] else { continue }
      let body = try VaultBody(value, required: ["count", "bytes"], optional: [])
      guard let count = body.root["count"]?.int64, let bytes = body.root["bytes"]?.int64,
        (0...1_000_000).contains(count),
        (0...(1 << 50)).contains(bytes)
      else { throw .badRequest }
      rows.append(UsageRow(month: month, kind: kind, count: Int(count), byteCount: Int(bytes)))
    }
    return (month, rows)
  }

  static let usageKinds = ["document", "sheet", "slides", "text", "image", "archive"]
  private static let rowMembers = ["id", "salt", "iterations", "credentialId"]

  private func row(id: UUID?) throws(VaultProblem) -> KeyWrapRow {
    let written = root["id"]?.string.flatMap { UUID($0) }
    guard root["id"] == nil || written != nil, let id = id ?? written, written == nil || written == id,
      let kind = root["kind"]?.string, let createdAt = root["createdAt"]?.string.flatMap({ Timestamp(rfc3339: $0) }),
      let wrapped = root["wrappedKey"]?.secret.flatMap({ Self.base64($0) }),
      wrapped.count == VaultBounds.wrappedKeyByteCount
    else { throw .badRow }
    var row = KeyWrapRow(id: id, kind: kind, wrappedKey: wrapped, createdAt: createdAt)
    switch kind {
    case "recovery":
      guard let salt = root["salt"]?.secret.flatMap({ Self.base64($0) }),
        salt.count == VaultBounds.recoverySaltByteCount,
        root["iterations"]?.int64 == Int64(VaultBounds.recoveryIterations), root["credentialId"] == nil
      else { throw .badRow }
      (row.salt, row.iterations) = (salt, VaultBounds.recoveryIterations)
    case "passkey":
      guard let text = root["credentialId"]?.string, let bytes = Base64URL.bytes(text),
        (1...1023).contains(bytes.byteCount), root["salt"] == nil, root["iterations"] == nil
      else { throw .badRow }
      // EXPOSE: an identifier that its authenticator shows to every page.
      row.credentialID = bytes.exposedBytes()
    default:
      let isWord = kind.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
      }
      guard (1...32).contains(kind.utf8.count), isWord, root["salt"] == nil, root["iterations"] == nil,
        root["credentialId"] == nil
      else { throw .badRow }
    }
    return row
  }

  private static func isMonth(_ text: String) -> Bool {
    text.utf8.count == 7 && Timestamp(rfc3339: text + "-01T00:00:00Z") != nil
  }

  private static func base64(_ text: SecretValue) -> [UInt8]? {
    // EXPOSE: sealed, or public.
    text.withBytes { try? Base64.decode($0) }?.exposedBytes()
  }

  /// What a change of the manifest depends on: exactly one strong tag, or, for the first, that there is none.
  static func precondition(_ head: HTTPRequestHead, mayBeFirst: Bool) throws(VaultProblem) -> ManifestTag? {
    let (match, none) = (head.values("If-Match"), head.values("If-None-Match"))
    if match.isEmpty, none == ["*"], mayBeFirst { return nil }
    guard none.isEmpty, match.count == 1, let tag = ManifestTag(match[0]) else { throw .preconditionRequired }
    return tag
  }
}
