internal import SeifBytes

/// How a query and a name are compared: without case and normal form, the same in every locale, by bytes.
package enum TextMatch {
  /// A text as it is compared.
  package static func folded(_ text: String) -> String {
    // Most names and queries are ASCII, and need no tables.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    return Normalization.nfc(Normalization.nfc(text).lowercased())
  }
}
