internal import SeifBytes
internal import SeifCrypto
internal import SeifOTP
internal import SeifRecords

/// A file with its structure checked.
struct TwoFacFile: BackupFile {
  let header: HeaderFacts
  let entries: [TwoFacEntry]
  let opaque: [OpaqueMember]
  let bytes: SecretValue

  func open(passphrase: borrowing SecretBytes?) throws(FormatError) -> OpenedBackup {
    switch passphrase {
    case .none: return try open(passphrases: [])
    case .some(let passphrase): return try open(passphrases: [passphrase.withBytes { SecretValue(copying: $0) }])
    }
  }

  func open(passphrases: [SecretValue]) throws(FormatError) -> OpenedBackup {
    let passkeys = passphrases.filter { !$0.isBlank }
    guard !header.isSealed || !passkeys.isEmpty else { throw .passphraseRequired }
    var records = Records()
    records.opaque = opaque
    var problems: [EntryProblem] = []
    var notices: [String] = []
    if header.variant == "no-version" { notices.append("no schemaVersion: taken as 1") }
    var isAnyOpen = false
    for (index, entry) in entries.enumerated() {
      do throws(TwoFacEntry.Fault) {
        let uri = try entry.uri(passkeys: passkeys)
        isAnyOpen = true
        let (account, isWhole, found) = try Self.account(uri, entry)
        if !isWhole { problems.append(.parametersNotKept(index: index)) }
        notices += found.map { "accounts[\(index)]: \($0)" }
        records.accounts.append(account)
      } catch {
        if error.reason != TwoFacFormat.lockedReason { isAnyOpen = true }
        problems.append(EntryProblem(list: RecordKind.accounts.rawValue, index: index, reason: error.reason))
        records.unusable.append(UnusableEntry(kind: .accounts, json: entry.json.canonical))
      }
    }
    // Where nothing opens it is said once for the file.
    if header.isSealed, !isAnyOpen { throw .cannotOpen }
    return OpenedBackup(
      header: header, exportedAt: nil, records: records, problems: problems, link: nil, body: bytes, notices: notices)
  }

  private static func account(
    _ uri: SecretValue, _ entry: TwoFacEntry
  ) throws(TwoFacEntry.Fault) -> (Account, isWhole: Bool, notices: [String]) {
    let read: KeyURI
    do throws(KeyURIError) {
      read = try KeyURI(parsing: uri)
    } catch {
      throw TwoFacEntry.Fault(reason: "uri:\(error.part.rawValue)")
    }
    var notices = read.warnings.map(\.description)
    if let label = entry.label, !label.isEmpty,
      TwoFacURI.decoded(label) != TwoFacURI.decoded("\(read.issuer):\(read.account)")
    {
      notices.append("the label in clear isn't that of the sealed account")
    }
    if entry.hasUnknownColor { notices.append("unknown colour left out") }
    // Releases before 1.4 put the issuer before the account once more with each restore.
    let name = withoutRepeated(read.issuer, read.account)
    if name.utf8.count != read.account.utf8.count { notices.append("the issuer repeated in the account was left out") }
    var info = EntryInfo()
    info.opaque = entry.opaque
    if let color = entry.color {
      info.opaque.append(OpaqueMember(key: "color", value: SecretValue(utf8: "\"\(color)\"")))
      info.opaque.sort { utf8Precedes($0.key, $1.key) }
    }
    var (account, isWhole) = Account.make(read, info: info)
    account.account = name
    return (account, isWhole, notices)
  }

  private static func withoutRepeated(_ issuer: String, _ account: String) -> String {
    guard !issuer.isEmpty else { return account }
    let prefix = Array("\(issuer):".utf8)
    var rest = Array(account.utf8)[...]
    while rest.starts(with: prefix) { rest = rest.dropFirst(prefix.count) }
    return String(decoding: rest, as: UTF8.self)
  }
}

extension SecretValue {
  /// Whether there is nothing but white space, under which TwoFac seals nothing.
  var isBlank: Bool {
    // EXPOSE: only looked at.
    exposedText().map { $0.unicodeScalars.allSatisfy { $0.properties.isWhitespace } } ?? false
  }
}
