public import SeifBytes
public import SeifRecords
internal import SeifOTP

/// Writes a list of Key URIs, one a line, in clear. Lines that couldn't be read stand at the end as they were.
public struct URIListWriter: BackupWriter {
  /// The writer.
  public init() {}

  public var identifier: FormatIdentifier { .uriList }
  public var version: Int { 1 }
  public var isSealed: Bool { false }
  public var fileExtension: String { "txt" }

  public func losses(of records: Records) -> [Loss] {
    func fields(_ info: EntryInfo) -> [String] { info.filledFields + info.opaque.map(\.key) }
    var losses: [Loss] = []
    for (index, account) in records.accounts.enumerated() {
      losses += fields(account.info).map { Loss(kind: .accounts, index: index, field: $0) }
    }
    for (index, account) in records.otherAccounts.enumerated() {
      guard account.uri != nil else {
        losses.append(Loss(kind: .otherAccounts, index: index))
        continue
      }
      losses += fields(account.info).map { Loss(kind: .otherAccounts, index: index, field: $0) }
    }
    losses += records.lossesOutside(.accounts, keepsUnusable: true).filter {
      $0.kind != .otherAccounts || ($0.index ?? 0) >= records.otherAccounts.count
    }
    let first = records.accounts.count
    for (offset, entry) in records.unusable.filter({ $0.kind == .accounts }).enumerated() where entry.line == nil {
      losses.append(Loss(kind: .accounts, index: first + offset))
    }
    return losses
  }

  public func write(
    _ records: Records, options: WritingOptions, passphrase: borrowing SecretBytes?
  ) throws(FormatError) -> SecretValue {
    let accounts = records.accounts.map {
      KeyURI(issuer: $0.issuer, account: $0.account, parameters: $0.otp).write()
    }
    let others = records.otherAccounts.compactMap { $0.uri?.write() }
    let kept = records.unusable.filter { $0.kind == .accounts }.compactMap(\.line)
    return URIList.write(accounts + others + kept)
  }
}

extension OtherAccount {
  /// The account as a URI, if its kind has one and its secret can be used.
  var uri: OtherKeyURI? {
    guard let kind: OtherKeyURI.Kind = ["motp": .motp, "yandex": .yandex][type], let secret else { return nil }
    guard let bytes = secret.withBytes({ text in try? Base32.decodeLeniently(text) }) else { return nil }
    return try? OtherKeyURI(kind: kind, issuer: issuer, account: account, secret: bytes, pin: pin)
  }
}

extension UnusableEntry {
  /// The text of an entry that is a JSON string of one line.
  var line: SecretValue? {
    guard let document = try? JSONDocument(parsing: json, policy: .strict), let text = document.root.secret else {
      return nil
    }
    let isOneLine = text.withBytes { bytes in
      (0..<bytes.byteCount).allSatisfy { offset in
        unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) >= 0x20
      }
    }
    return isOneLine && !text.isEmpty ? text : nil
  }
}
