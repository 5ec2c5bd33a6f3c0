internal import SeifBytes
internal import SeifRecords

extension Records {
  /// The losses of a format that holds accounts and nothing else; `fields` names what it can't hold of one.
  func accountsOnlyLosses(fields: (EntryInfo) -> [String?]) -> [Loss] {
    var losses: [Loss] = []
    for (index, account) in accounts.enumerated() {
      losses += fields(account.info).compactMap { $0 }.map { Loss(kind: .accounts, index: index, field: $0) }
      losses += account.info.opaque.map { Loss(kind: .accounts, index: index, field: $0.key) }
    }
    for kind in RecordKind.allCases where kind != .accounts { losses += kind.allLost(in: self) }
    return losses
  }
}

extension JSONWriter {
  /// The text with a line feed behind it, as files of text end.
  consuming func finishWithLineFeed() -> SecretValue {
    var buffer = SecretBuffer()
    let text = finish()
    buffer = SecretBuffer(capacity: text.byteCount + 1)
    buffer.append(text)
    buffer.append(0x0A)
    return buffer.finish()
  }
}
