// The standard library normalises every string that it compares, but offers the forms only behind this door;
// Foundation's would cost 44 MB. A test compares both with Python's unicodedata on every character.
@_spi(_Unicode) private import Swift

/// Canonical normal forms of UTF-8 text (Unicode Standard Annex 15), for passphrases and searches.
public enum Normalization {
  /// The composed form: é as one code point.
  public static func nfc(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text._nfc { result.append(scalar) }
    return String(result)
  }

  /// The decomposed form: é as e and a combining accent.
  public static func nfd(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text._nfd { result.append(scalar) }
    return String(result)
  }

  /// The forms of a passphrase to try in order: the bytes as they came, then their composed, then their decomposed form,
  /// each only where it differs. Bytes that aren't UTF-8 are tried as they are.
  public static func passphraseForms(_ passphrase: borrowing SecretBytes) -> [SecretValue] {
    let given = passphrase.withBytes { SecretValue(copying: $0) }
    // EXPOSE: normalising needs a string; it lives for this call.
    guard let text = given.exposedText() else { return [given] }
    var forms = [given]
    for form in [SecretValue(utf8: nfc(text)), SecretValue(utf8: nfd(text))] where !forms.contains(form) {
      forms.append(form)
    }
    return forms
  }
}
