// The standard library normalises every string that it compares, but offers the forms only behind this door;
// Foundation's would cost 44 MB. A test compares both with Python's unicodedata on every character.
@_spi(_Unicode) private import Swift

/// Canonical normal forms of UTF-8 text (Unicode Standard Annex 15), for passphrases and searches.
public enum Normalization {
  /// The composed form: é as one code point.
  public static func nfc(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in expanded(text)._nfc { result.append(scalar) }
    return String(result)
  }

  /// The decomposed form: é as e and a combining accent.
  public static func nfd(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in expanded(text)._nfd { result.append(scalar) }
    return String(result)
  }

  /// The forms of a passphrase to try in order: the bytes as they came, then their composed, then their decomposed form,
  /// each only where it differs. Bytes that aren't UTF-8 are tried as they are.
  ///
  /// Of a passphrase in ASCII no copy is left. To normalise any other it must pass through a `String` and the standard
  /// library's own buffers, which are freed and not wiped.
  public static func passphraseForms(_ passphrase: borrowing SecretBytes) -> [SecretValue] {
    let given = passphrase.withBytes { SecretValue(copying: $0) }
    // ASCII is its own normal form.
    guard given.withBytes({ bytes in (0..<bytes.byteCount).contains { bytes.byte($0) >= 0x80 } }) else {
      return [given]
    }
    // EXPOSE: normalising needs a string; it lives for this call.
    guard let text = given.exposedText().map(expanded) else { return [given] }
    var forms = [given]
    for form in [secret(text._nfc), secret(text._nfd)] where !forms.contains(form) { forms.append(form) }
    return forms
  }

  // Three Tibetan vowel signs are made of marks and yet no marks themselves: the standard library doesn't put what they
  // are made of into the order of marks around them. Written out beforehand, they are ordered like all others.
  private static func expanded(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { tibetan[$0.value] != nil }) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(contentsOf: tibetan[scalar.value] ?? [scalar]) }
    return String(result)
  }

  private static let tibetan: [UInt32: [Unicode.Scalar]] = [
    0xF73: ["\u{F71}", "\u{F72}"], 0xF75: ["\u{F71}", "\u{F74}"], 0xF81: ["\u{F71}", "\u{F80}"],
  ]

  private static func secret(_ scalars: some Sequence<Unicode.Scalar>) -> SecretValue {
    var buffer = SecretBuffer()
    for scalar in scalars {
      for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { buffer.append(unit) }
    }
    return buffer.finish()
  }
}
