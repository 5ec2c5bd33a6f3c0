package import SeifBytes

/// What a password for signing in must be.
package enum PasswordRules {
  package static let minimumCharacterCount = 12
  package static let maximumByteCount = 1024
  package static let minimumDistinctCount = 5

  /// The password as it is hashed: NFC. Nil where it breaks a rule.
  ///
  /// A copy passes through a `String`, which isn't wiped: it is needed to count characters and to compose them.
  package static func accepted(_ typed: SecretValue, name: String) -> SecretValue? {
    guard let password = normalised(typed), let text = password.exposedText() else { return nil }
    guard text.count >= minimumCharacterCount, Set(text).count >= minimumDistinctCount else { return nil }
    guard text.unicodeScalars.allSatisfy({ !isControl($0) }) else { return nil }
    guard name.isEmpty || !Self.isRepeated(name, in: text.lowercased()) else { return nil }
    return password
  }

  /// What was typed when signing in, composed; nil: too long, or no text, and so no password of anybody.
  package static func normalised(_ typed: SecretValue) -> SecretValue? {
    guard (1...maximumByteCount).contains(typed.byteCount), let text = typed.exposedText() else { return nil }
    let composed = SecretValue(utf8: Normalization.nfc(text))
    return composed.byteCount <= maximumByteCount ? composed : nil
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .lineSeparator
      || scalar.properties.generalCategory == .paragraphSeparator
  }

  // The name alone, or over and over.
  private static func isRepeated(_ name: String, in text: String) -> Bool {
    let (name, text) = (Array(name.utf8), Array(text.utf8))
    return text.indices.allSatisfy { text[$0] == name[$0 % name.count] }
  }
}

/// Names of accounts.
package enum AccountNames {
  /// The name as it is stored, or nil where it can't be one: 1 to 64 characters `a-z`, `0-9`, `.`, `_` and `-`.
  package static func normalised(_ typed: String) -> String? {
    let bytes = Array(typed.utf8)
    guard (1...64).contains(bytes.count) else { return nil }
    var name: [UInt8] = []
    for byte in bytes {
      switch byte {
      case 0x41...0x5A: name.append(byte + 0x20)
      case 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x5F: name.append(byte)
      default: return nil
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// Labels of tokens and passkeys: 1 to 64 characters, no control characters.
  package static func isLabel(_ text: String) -> Bool {
    (1...64).contains(text.count) && text.utf8.count <= 256
      && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}
