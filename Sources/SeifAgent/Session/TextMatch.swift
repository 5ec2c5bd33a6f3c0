internal import SeifBytes

/// How a query and a name are compared: without case and normal form, the same in every locale, by bytes.
package enum TextMatch {
  /// A text as it is compared.
  package static func folded(_ text: String) -> String {
    // Most names and queries are ASCII, and need no tables.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    return Normalization.nfc(Normalization.nfc(text).lowercased())
  }

  /// The fewest digits of an identifier that a query may give.
  package static let fewestIDDigits = 8

  /// The digits of a folded query where it can be the beginning of an identifier.
  package static func idDigits(_ folded: String) -> String? {
    let digits = folded.filter { $0 != "-" }
    let isID =
      (fewestIDDigits...32).contains(digits.utf8.count)
      && digits.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    return isID ? digits : nil
  }
}
