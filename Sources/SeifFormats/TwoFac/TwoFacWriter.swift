public import SeifBytes
public import SeifRecords
internal import SeifCrypto
internal import SeifOTP

/// Writes TwoFac backups byte for byte as the app does: version 2, which most releases read; version 3 keeps colours;
/// version 1 is in clear. Sealed entries hold only what the passkey itself holds: 200 rounds, names in clear.
public struct TwoFacWriter: BackupWriter {
  /// 1, 2 or 3.
  public let version: Int
  public let isSealed: Bool
  /// Whether sealed entries say issuer and account in clear beside them, as the app does; it never reads them.
  public let hasClearLabels: Bool

  /// A writer of a version from 1 to 3; version 1 can't be sealed.
  public init(version: Int = 2, isSealed: Bool = true, hasClearLabels: Bool = true) {
    precondition((1...3).contains(version), "internal error: TwoFac has no such version")
    self.version = version
    self.isSealed = isSealed && version > 1
    self.hasClearLabels = hasClearLabels
  }

  public var identifier: FormatIdentifier { .twofac }
  public var fileExtension: String { "json" }

  public func losses(of records: Records) -> [Loss] {
    let keepsOrder = records.accounts.lazy.map(\.info).areInOrder
    var losses: [Loss] = []
    for (index, account) in records.accounts.enumerated() {
      guard let entry = entry(account) else {
        losses.append(Loss(kind: .accounts, index: index))
        continue
      }
      losses += entry.changed.map { Loss(kind: .accounts, index: index, field: $0) }
      losses += account.info.filledFields(keepsOrder: keepsOrder).map { Loss(kind: .accounts, index: index, field: $0) }
      losses += URIParameters.members(of: account.info, besidesURI: entry.holdsParameters)
        .filter { $0.key != "color" || entry.color == nil }
        .map { Loss(kind: .accounts, index: index, field: $0.key) }
    }
    return losses + records.lossesOutside(.accounts, keepsUnusable: false)
  }

  private struct Entry {
    var uri: SecretValue
    var label: String
    var color: String?
    var changed: [String]
    var holdsParameters: Bool
  }

  private func entry(_ account: Account) -> Entry? {
    guard let (names, changed) = TwoFacURI.portableNames(issuer: account.issuer, account: account.account),
      let uri = TwoFacURI.write(issuer: names.issuer, account: names.account, account.otp),
      // One URI that the app can't read makes it refuse the whole file, so each is read back by the app's own rules.
      TwoFacURI.readNames(
        label: TwoFacURI.escaped("\(names.issuer):\(names.account)"), issuer: TwoFacURI.escaped(names.issuer)) == names
    else { return nil }
    let color = TwoFacFormat.colors.first { color in
      account.info.opaque.contains { $0.key == "color" && $0.value == SecretValue(utf8: "\"\(color)\"") }
    }
    let whole = Self.uri(uri, with: account, named: names)
    return Entry(
      uri: whole ?? uri, label: "\(names.issuer):\(names.account)", color: version == 3 ? color : nil, changed: changed,
      holdsParameters: whole != nil)
  }

  // The app skips parameters that it doesn't know; what it means by a name it knows is none of these.
  private static func uri(
    _ uri: SecretValue, with account: Account, named names: TwoFacURI.Names
  ) -> SecretValue? {
    guard let parameters = URIParameters.held(in: account.info),
      (try? KeyURI(
        issuer: names.issuer, account: names.account, parameters: account.otp, otherParameters: parameters)) != nil
    else { return nil }
    let query = KeyURI.query(parameters)
    guard uri.byteCount + query.byteCount <= KeyURI.maximumByteCount else { return nil }
    var text = SecretBuffer(capacity: uri.byteCount + query.byteCount)
    text.append(uri)
    text.append(query)
    return text.finish()
  }

  /// - Throws: `passphraseRequired` without a passphrase or with one of white space alone; `nothingToWrite` for a sealed
  ///   file without entries, which the app refuses.
  public func write(
    _ records: Records, options: WritingOptions, passphrase: borrowing SecretBytes?
  ) throws(FormatError) -> SecretValue {
    let entries = records.accounts.compactMap { entry($0) }
    var writer = JSONWriter(indent: 4, capacity: 4096)
    writer.beginObject()
    writer.key("schemaVersion")
    writer.integer(Int64(version))
    writer.key("createdAt")
    writer.integer(options.exportedAt.seconds)
    if version > 1 {
      writer.key("encrypted")
      writer.bool(isSealed)
    }
    writer.key("accounts")
    writer.beginArray()
    if !isSealed, version < 3 { for entry in entries { writer.string(entry.uri) } }
    writer.endArray()
    if version == 3 {
      writer.key("plaintextAccounts")
      writer.beginArray()
      if !isSealed { for entry in entries { clear(entry, &writer) } }
      writer.endArray()
    }
    if version > 1 {
      writer.key("encryptedAccounts")
      writer.beginArray()
      if isSealed {
        guard !entries.isEmpty else { throw .nothingToWrite }
        switch passphrase {
        case .none: throw .passphraseRequired
        case .some(let passphrase):
          guard !passphrase.withBytes({ SecretValue(copying: $0) }).isBlank else { throw .passphraseRequired }
          for entry in entries { try seal(entry, options, passphrase, &writer) }
        }
      }
      writer.endArray()
    }
    writer.endObject()
    return writer.finish()
  }

  private func clear(_ entry: Entry, _ writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("uri")
    writer.string(entry.uri)
    color(entry, &writer)
    writer.endObject()
  }

  private func seal(
    _ entry: Entry, _ options: WritingOptions, _ passphrase: borrowing SecretBytes, _ writer: inout JSONWriter
  ) throws(FormatError) {
    let salt = options.random.makeBytes(16)
    let nonce = options.random.makeBytes(12)
    let combined: [UInt8]
    do throws(CryptoError) {
      let key = try PBKDF2.deriveKey(passphrase: passphrase, salt: salt, rounds: TwoFacFormat.rounds)
      let cipher = try AES256GCM(key: key)
      combined = try entry.uri.withBytes { (uri) throws(CryptoError) in
        unsafe try cipher.sealCombined(uri, nonce: nonce, aad: [UInt8]().span.bytes)
      }
    } catch {
      throw .cryptography(error)
    }
    writer.beginObject()
    writer.key("accountLabel")
    writer.string(hasClearLabels ? entry.label : "")
    writer.key("salt")
    writer.string(Base16.encode(salt))
    writer.key("encryptedURI")
    writer.string(Base16.encode(combined))
    if version == 3 { color(entry, &writer) }
    writer.endObject()
  }

  private func color(_ entry: Entry, _ writer: inout JSONWriter) {
    writer.key("color")
    if let color = entry.color { writer.string(color) } else { writer.null() }
  }
}
