internal import SeifBytes
internal import SeifOTP
internal import SeifRecords

/// What the row of an entry holds, opened: the entry without its seed, and where the seed stands.
struct ItemDetail {
  var entry: Entry
  var secretRef: UUID?
  var updatedAt: Timestamp

  /// The entry as its summary has it, which says of a login whether there are one-time codes. The seed itself isn't
  /// opened, so that an entry whose seed is damaged can still be moved.
  var shown: Entry {
    guard case .password(var password) = entry, secretRef != nil else { return entry }
    password.totp = ItemCodec.standInText
    return .password(password)
  }
}

/// How entries become the values of rows (docs/formats/vault.md).
///
/// `detail` is the body of an `.authbackup` that holds this one entry, without its seed: the same names, rules and
/// reader, and unknown members survive. The seed goes into a table of its own as the text of the member that it was.
enum ItemCodec {
  /// Longest entry, in bytes: what undoes a change must fit a value of 64 MiB too.
  static let maximumByteCount = 24 << 20

  /// Stands where the seed was, since a reader asks for one.
  private static let standIn = SecretValue([0])
  fileprivate static let standInText = SecretValue(utf8: "AA")

  /// The text of the entry's seed, or nil if it has none: base32 of accounts, the Key URI of a login.
  static func seed(of entry: Entry) -> SecretValue? {
    switch entry {
    case .account(let account): Base32.encode(account.otp.secret)
    case .otherAccount(let account): account.secret
    case .password(let password): password.totp.isEmpty ? nil : password.totp
    case .card, .note, .document: nil
    }
  }

  private static func withoutSeed(_ entry: Entry) throws(VaultError) -> Entry {
    switch entry {
    case .account(var account):
      account.otp = try replacingSecret(of: account.otp, by: standIn)
      return .account(account)
    case .otherAccount(var account):
      if account.secret != nil { account.secret = standInText }
      return .otherAccount(account)
    case .password(var password):
      password.totp = .empty
      return .password(password)
    case .card, .note, .document: return entry
    }
  }

  /// The entry with its seed back at its place.
  static func entry(_ entry: Entry, seed: SecretValue) throws(VaultError) -> Entry {
    switch entry {
    case .account(var account):
      guard let secret = seed.withBytes({ try? Base32.decodeLeniently($0) }) else {
        throw VaultError(.damaged, "secret")
      }
      account.otp = try replacingSecret(of: account.otp, by: secret)
      return .account(account)
    case .otherAccount(var account):
      account.secret = seed
      return .otherAccount(account)
    case .password(var password):
      password.totp = seed
      return .password(password)
    case .card, .note, .document: return entry
    }
  }

  private static func replacingSecret(
    of otp: OTPParameters, by secret: SecretValue
  ) throws(VaultError) -> OTPParameters {
    do throws(OTPError) {
      return try OTPParameters(kind: otp.kind, secret: secret, algorithm: otp.algorithm, digits: otp.digits)
    } catch {
      throw VaultError(.damaged, "secret")
    }
  }

  /// The plaintext of `detail`.
  ///
  /// - Throws: `invalidEntry` for texts that aren't UTF-8, for an entry that its reader would refuse, and above
  ///   `maximumByteCount`.
  static func encode(_ item: ItemDetail) throws(VaultError) -> SecretValue {
    let entry = try withoutSeed(item.entry)
    var writer = JSONWriter(capacity: 512)
    writer.beginObject()
    writer.key(entry.kind.rawValue)
    writer.beginArray()
    switch entry {
    case .account(let entry): EntryEncoding.encode(entry, 0, &writer)
    case .password(let entry): EntryEncoding.encode(entry, 0, &writer)
    case .card(let entry): EntryEncoding.encode(entry, 0, &writer)
    case .note(let entry): EntryEncoding.encode(entry, 0, &writer)
    case .otherAccount(let entry): EntryEncoding.encode(entry, 0, &writer)
    case .document(let entry): EntryEncoding.encode(entry, &writer)
    }
    writer.endArray()
    if let secretRef = item.secretRef {
      writer.key("secretRef")
      writer.string(secretRef.description)
    }
    if entry.info.sortIndex == nil, entry.kind != .documents,
      !entry.info.opaque.contains(where: { utf8Equal($0.key, "sortIndex") })
    {
      writer.key("sortIndexUnset")
      writer.bool(true)
    }
    writer.key("updatedAt")
    writer.integer(item.updatedAt.milliseconds)
    writer.endObject()
    let detail = writer.finish()
    guard detail.byteCount <= maximumByteCount else { throw VaultError(.invalidEntry, "too long") }
    try check(entry, detail)
    return detail
  }

  // A value that can't be read again would be lost. Accounts without foreign members can't be built wrong, and an
  // import is mostly of these; everything else is read back.
  private static func check(_ entry: Entry, _ detail: SecretValue) throws(VaultError) {
    if case .account(let account) = entry, account.info.opaque.isEmpty, account.info.customFields.isEmpty,
      account.info.notes.isEmpty
    {
      return
    }
    guard (try? decode(detail)) != nil else { throw VaultError(.invalidEntry, entry.kind.rawValue) }
  }

  /// The entry in the plaintext of `detail`, with its seed's stand-in.
  static func decode(_ detail: SecretValue) throws(VaultError) -> ItemDetail {
    guard let document = try? JSONDocument(parsing: detail, policy: .strict) else {
      throw VaultError(.damaged, "detail")
    }
    let root = document.root
    var records = Records()
    var problems: [EntryProblem] = []
    for kind in RecordKind.allCases {
      guard let list = root[kind.rawValue] else { continue }
      EntryDecoding.decode(kind, from: list, into: &records, problems: &problems)
    }
    guard records.unusable.isEmpty, let entry = records.entries.first, records.count == 1 else {
      throw VaultError(.damaged, "detail")
    }
    var item = ItemDetail(
      entry: entry, secretRef: root["secretRef"]?.string.flatMap { UUID($0) },
      updatedAt: Timestamp(milliseconds: root["updatedAt"]?.int64 ?? 0))
    if root["sortIndexUnset"]?.bool == true { item.entry.info.sortIndex = nil }
    return item
  }
}
