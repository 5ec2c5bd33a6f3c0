internal import SeifBytes

/// Issuer and account, out of the label and the `issuer` parameter.
struct KeyURINames {
  let issuer: String
  let account: String
  /// Where the `account` parameter's value stands, if it was used.
  let accountPlace: Range<Int>?

  init(
    _ uri: RawSpan, _ fields: KeyURIFields, _ dialect: KeyURI.Dialect, _ warnings: inout [KeyURIWarning]
  ) throws(KeyURIError) {
    let isList = dialect == .list
    let label = KeyURIReader.bytes(uri, fields.label)
    let colon = label.firstIndex(of: 0x3A)
    let prefix = colon.map { Self.trimmed(label[..<$0], if: isList) } ?? []
    var account = label[...]
    if let colon { account = label[(colon + 1)...].drop { $0 == 0x20 } }
    accountPlace = Self.wholeAccount(uri, fields, of: &account)
    self.account = try KeyURIReader.string(account)

    guard let place = fields[.issuer], !(isList && place.isEmpty) else {
      issuer = try KeyURIReader.string(prefix)
      return
    }
    let spaced = KeyURIReader.bytes(uri, place, plusIsSpace: true)
    let chosen: ArraySlice<UInt8>
    if isList {
      chosen = Self.trimmed(spaced[...], if: true)
    } else {
      // Form encoders write a space as `+`; then the label, where `+` is a plus, tells which was meant.
      chosen = !prefix.isEmpty && prefix.elementsEqual(spaced) ? spaced[...] : KeyURIReader.bytes(uri, place)[...]
    }
    guard !(isList && chosen.isEmpty) else {
      issuer = try KeyURIReader.string(prefix)
      return
    }
    issuer = try KeyURIReader.string(chosen)
    if !prefix.isEmpty, !prefix.elementsEqual(chosen),
      !(isList && prefix.map { $0 == 0x2B ? 0x20 : $0 }.elementsEqual(chosen))
    {
      warnings.append(.issuerDiffersFromLabel)
    }
  }

  // Our own writer says an account with both a space in front and a colon once more in a parameter. It counts only
  // where it is the label's account with spaces before it, so that nobody else's `account` changes anything.
  private static func wholeAccount(
    _ uri: RawSpan, _ fields: KeyURIFields, of account: inout ArraySlice<UInt8>
  ) -> Range<Int>? {
    guard let place = fields[.account], account.contains(0x3A) else { return nil }
    let whole = KeyURIReader.bytes(uri, place)
    guard whole.first == 0x20, whole.drop(while: { $0 == 0x20 }).elementsEqual(account) else { return nil }
    account = whole[...]
    return place
  }

  private static func trimmed(_ text: ArraySlice<UInt8>, if isWanted: Bool) -> ArraySlice<UInt8> {
    guard isWanted else { return text }
    var text = text.drop { $0 == 0x20 }
    while text.last == 0x20 { text.removeLast() }
    return text
  }
}
