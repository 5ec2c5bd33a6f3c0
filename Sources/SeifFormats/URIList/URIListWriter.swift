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
    let keepsOrder = records.accounts.lazy.map(\.info).areInOrder
    let keepsOthersOrder = records.otherAccounts.lazy.map(\.info).areInOrder
    func fields(_ info: EntryInfo, _ holdsParameters: Bool, _ keepsOrder: Bool) -> [String] {
      let parameters = URIParameters.members(of: info, besidesURI: holdsParameters).map(\.key)
      return info.filledFields(keepsOrder: keepsOrder) + parameters
    }
    var losses: [Loss] = []
    for (index, account) in records.accounts.enumerated() {
      losses += fields(account.info, account.uri(.list).holdsParameters, keepsOrder).map {
        Loss(kind: .accounts, index: index, field: $0)
      }
    }
    for (index, account) in records.otherAccounts.enumerated() {
      guard let (_, holdsParameters) = account.uri else {
        losses.append(Loss(kind: .otherAccounts, index: index))
        continue
      }
      losses += fields(account.info, holdsParameters, keepsOthersOrder).map {
        Loss(kind: .otherAccounts, index: index, field: $0)
      }
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
    let accounts = records.accounts.map { $0.uri(.list).uri.write() }
    let others = records.otherAccounts.compactMap { $0.uri?.uri.write() }
    let kept = records.unusable.filter { $0.kind == .accounts }.compactMap(\.line)
    return URIList.write(accounts + others + kept)
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
