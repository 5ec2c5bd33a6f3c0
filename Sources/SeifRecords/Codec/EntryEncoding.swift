public import SeifBytes
internal import SeifOTP

/// Writes entries under the names and rules of an `.authbackup` body: keys in the order of their bytes, the seed's keys
/// always, additions only where they differ from their default, opaque members at their place.
public struct EntryEncoding {
  /// Writes the list of one kind, unusable entries at its end.
  public static func encode(_ kind: RecordKind, of records: Records, into writer: inout JSONWriter) {
    writer.beginArray()
    switch kind {
    case .accounts: for (index, entry) in records.accounts.enumerated() { encode(entry, index, &writer) }
    case .passwords: for (index, entry) in records.passwords.enumerated() { encode(entry, index, &writer) }
    case .cards: for (index, entry) in records.cards.enumerated() { encode(entry, index, &writer) }
    case .notes: for (index, entry) in records.notes.enumerated() { encode(entry, index, &writer) }
    case .otherAccounts: for (index, entry) in records.otherAccounts.enumerated() { encode(entry, index, &writer) }
    case .documents: for entry in records.documents { encode(entry, &writer) }
    }
    for entry in records.unusable where entry.kind == kind { writer.raw(entry.json) }
    writer.endArray()
  }

  /// Writes one account; `position` stands for a missing `sortIndex`.
  public static func encode(_ entry: Account, _ position: Int, _ writer: inout JSONWriter) {
    writer.beginObject(opaque: entry.info.opaque)
    text("account", entry.account, &writer)
    text("algorithm", entry.otp.algorithm.name, isDefault: false, &writer)
    if case .hotp(let counter) = entry.otp.kind { integer("counter", counter, &writer) }
    date("createdAt", entry.info.createdAt, &writer)
    customFields(entry.info.customFields, &writer)
    integer("digits", Int64(entry.otp.digits), &writer)
    head(entry.info, &writer)
    text("issuer", entry.issuer, &writer)
    secret("notes", entry.info.notes, &writer)
    switch entry.otp.kind {
    case .totp(let period): integer("period", Int64(period), &writer)
    case .steam: integer("period", 30, &writer)
    case .hotp: break
    }
    secret("secret", Base32.encode(entry.otp.secret), &writer)
    integer("sortIndex", entry.info.sortIndex ?? Int64(position), isDefault: entry.info.sortIndex == nil, &writer)
    strings("tags", entry.info.tags, &writer)
    let type: String
    switch entry.otp.kind {
    case .totp: type = "totp"
    case .hotp: type = "hotp"
    case .steam: type = "steam"
    }
    text("type", type, isDefault: false, &writer)
    strings("urls", entry.info.urls, &writer)
    writer.endObject()
  }

  /// Writes one account of another kind.
  public static func encode(_ entry: OtherAccount, _ position: Int, _ writer: inout JSONWriter) {
    writer.beginObject(opaque: entry.info.opaque)
    text("account", entry.account, &writer)
    if let algorithm = entry.algorithm { text("algorithm", algorithm, isDefault: false, &writer) }
    if let counter = entry.counter { integer("counter", counter, &writer) }
    date("createdAt", entry.info.createdAt, &writer)
    customFields(entry.info.customFields, &writer)
    if let digits = entry.digits { integer("digits", digits, &writer) }
    head(entry.info, &writer)
    text("issuer", entry.issuer, &writer)
    secret("notes", entry.info.notes, &writer)
    if let period = entry.period { integer("period", period, &writer) }
    if let pin = entry.pin { secret("pin", pin, &writer) }
    if let text = entry.secret { secret("secret", text, &writer) }
    integer("sortIndex", entry.info.sortIndex ?? Int64(position), isDefault: entry.info.sortIndex == nil, &writer)
    strings("tags", entry.info.tags, &writer)
    text("type", entry.type, isDefault: false, &writer)
    strings("urls", entry.info.urls, &writer)
    writer.endObject()
  }

  /// Writes one login.
  public static func encode(_ entry: Password, _ position: Int, _ writer: inout JSONWriter) {
    writer.beginObject(opaque: entry.info.opaque)
    date("createdAt", entry.info.createdAt, &writer)
    customFields(entry.info.customFields, &writer)
    if entry.info.exactHost { bool("exactHost", true, &writer) }
    if !entry.history.isEmpty, writer.key("history", isDefault: false) {
      writer.beginArray()
      for row in entry.history {
        writer.beginObject(opaque: row.opaque)
        date("changedAt", row.changedAt, &writer)
        secret("password", row.password, &writer)
        writer.endObject()
      }
      writer.endArray()
    }
    identity(entry.info, &writer)
    secret("notes", entry.info.notes, &writer)
    secret("password", entry.password, isDefault: false, &writer)
    integer("sortIndex", entry.info.sortIndex ?? Int64(position), isDefault: entry.info.sortIndex == nil, &writer)
    strings("tags", entry.info.tags, &writer)
    text("title", entry.title, &writer)
    if !entry.totp.isEmpty { secret("totp", entry.totp, &writer) }
    date("updatedAt", entry.updatedAt, &writer)
    strings("urls", entry.info.urls, always: true, &writer)
    text("username", entry.username, &writer)
    writer.endObject()
  }

  /// Writes one card.
  public static func encode(_ entry: Card, _ position: Int, _ writer: inout JSONWriter) {
    writer.beginObject(opaque: entry.info.opaque)
    date("createdAt", entry.info.createdAt, &writer)
    customFields(entry.info.customFields, &writer)
    if let cvc = entry.cvc { secret("cvc", cvc, &writer) }
    if entry.info.exactHost { bool("exactHost", true, &writer) }
    if let expiry = entry.expiry { text("expiry", expiry, isDefault: false, &writer) }
    text("holder", entry.holder, &writer)
    identity(entry.info, &writer)
    text("name", entry.name, &writer)
    secret("notes", entry.info.notes, &writer)
    secret("number", entry.number, isDefault: false, &writer)
    integer("sortIndex", entry.info.sortIndex ?? Int64(position), isDefault: entry.info.sortIndex == nil, &writer)
    strings("tags", entry.info.tags, &writer)
    strings("urls", entry.info.urls, &writer)
    writer.endObject()
  }

  /// Writes one note.
  public static func encode(_ entry: Note, _ position: Int, _ writer: inout JSONWriter) {
    writer.beginObject(opaque: entry.info.opaque)
    date("createdAt", entry.info.createdAt, &writer)
    customFields(entry.info.customFields, &writer)
    if entry.info.exactHost { bool("exactHost", true, &writer) }
    identity(entry.info, &writer)
    integer("sortIndex", entry.info.sortIndex ?? Int64(position), isDefault: entry.info.sortIndex == nil, &writer)
    strings("tags", entry.info.tags, &writer)
    secret("text", entry.text, isDefault: false, &writer)
    text("title", entry.title, &writer)
    date("updatedAt", entry.updatedAt, &writer)
    strings("urls", entry.info.urls, &writer)
    writer.endObject()
  }

  /// Writes one document vault's key.
  public static func encode(_ entry: DocumentVault, _ writer: inout JSONWriter) {
    writer.beginObject(opaque: entry.opaque)
    if !entry.account.isEmpty { text("account", entry.account, &writer) }
    text("id", entry.id, isDefault: false, &writer)
    text("kind", entry.kind.rawValue, isDefault: false, &writer)
    secret("masterKey", entry.masterKey.withBytes { Base64.encode($0) }, isDefault: false, &writer)
    if !entry.server.isEmpty { text("server", entry.server, &writer) }
    if let wraps = entry.wraps, writer.key("wraps", isDefault: false) { writer.raw(wraps) }
    writer.endObject()
  }

  // MARK: - Members

  private static func head(_ info: EntryInfo, _ writer: inout JSONWriter) {
    if info.exactHost { bool("exactHost", true, &writer) }
    identity(info, &writer)
  }

  private static func identity(_ info: EntryInfo, _ writer: inout JSONWriter) {
    if let id = info.id { text("id", id.description, isDefault: false, &writer) }
    if writer.key("isFavorite", isDefault: !info.isFavorite) { writer.bool(info.isFavorite) }
  }

  private static func text(_ key: String, _ value: String, isDefault: Bool? = nil, _ writer: inout JSONWriter) {
    if writer.key(key, isDefault: isDefault ?? value.isEmpty) { writer.string(value) }
  }

  private static func secret(
    _ key: String, _ value: SecretValue, isDefault: Bool? = nil, _ writer: inout JSONWriter
  ) {
    if writer.key(key, isDefault: isDefault ?? value.isEmpty) { writer.string(value) }
  }

  private static func integer(_ key: String, _ value: Int64, isDefault: Bool = false, _ writer: inout JSONWriter) {
    if writer.key(key, isDefault: isDefault) { writer.integer(value) }
  }

  private static func bool(_ key: String, _ value: Bool, _ writer: inout JSONWriter) {
    if writer.key(key, isDefault: !value) { writer.bool(value) }
  }

  private static func date(_ key: String, _ value: Timestamp?, _ writer: inout JSONWriter) {
    if let value, writer.key(key, isDefault: false) { writer.string(value.rfc3339) }
  }

  private static func strings(_ key: String, _ values: [String], always: Bool = false, _ writer: inout JSONWriter) {
    guard always || !values.isEmpty, writer.key(key, isDefault: values.isEmpty) else { return }
    writer.beginArray()
    for value in values { writer.string(value) }
    writer.endArray()
  }

  private static func customFields(_ fields: [CustomField], _ writer: inout JSONWriter) {
    guard !fields.isEmpty, writer.key("customFields", isDefault: false) else { return }
    writer.beginArray()
    for field in fields {
      writer.beginObject(opaque: field.opaque)
      if writer.key("isSecret", isDefault: false) { writer.bool(field.isSecret) }
      text("name", field.name, isDefault: false, &writer)
      secret("value", field.value, isDefault: false, &writer)
      writer.endObject()
    }
    writer.endArray()
  }
}
