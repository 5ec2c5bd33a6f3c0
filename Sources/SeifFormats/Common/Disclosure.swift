package import SeifBytes

/// What may be shown of addresses and of a person's own fields without being asked for secrets.
///
/// Addresses and fields that aren't marked as secret are shown, yet people keep passwords in both. What looks like one is
/// masked: too much masked costs a `--reveal`, too little a secret. It is a guess all the same; a secret without any mark,
/// such as one in an address's path, isn't recognised.
package enum Disclosure {
  /// What stands for a secret in a text that goes on being an address.
  package static let mask = "******"

  /// An address with its password, and the values of parameters that are named like secrets, masked.
  ///
  /// A password stands behind the user's name and a colon (`//ana:PASSWORD@host`), or alone before the `@` where it looks
  /// like a token. Parameters are those of the query and of the fragment.
  package static func masked(url: String, mask: String = mask) -> String {
    masked(url, mask, looksInside: true)
  }

  private static func masked(_ url: String, _ mask: String, looksInside: Bool) -> String {
    var bytes = Array(url.utf8)
    var text: [UInt8] = []
    if let password = unescapedPassword(bytes) {
      text = Array(bytes[..<password.lowerBound]) + Array(mask.utf8)
      bytes = Array(bytes[password.upperBound...])
    }
    let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
    text += text.isEmpty ? authorityMasked(Array(bytes[..<end]), mask) : Array(bytes[..<end])
    var rest = bytes[end...]
    while let delimiter = rest.first {
      let value = rest.dropFirst().prefix { !delimiters.contains($0) }
      text.append(delimiter)
      text += parameterMasked(value, mask, looksInside)
      rest = rest.dropFirst(1 + value.count)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether the value of a person's own field may be shown: it isn't marked as secret, and neither its name nor what it
  /// is looks like one.
  package static func isOpen(name: String, value: SecretValue, isSecret: Bool) -> Bool {
    guard !isSecret, !isSecretName(name) else { return false }
    // EXPOSE: looked at here and dropped.
    guard let text = value.exposedText() else { return false }
    return !isSecretValue(text)
  }

  // MARK: - Addresses

  private static let delimiters = Set("?#&;".utf8)

  /// A password with `/`, `?` or `#` in it, which should be escaped there: in `//ana:PASS/WORD@host` what stands before
  /// the slash is no host, since what follows its colon is no port.
  private static func unescapedPassword(_ bytes: [UInt8]) -> Range<Int>? {
    guard let scheme = bytes.firstIndex(of: UInt8(ascii: ":")), bytes.count > scheme + 3,
      bytes[scheme + 1...scheme + 2].allSatisfy({ $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
    else { return nil }
    let authority = bytes[(scheme + 3)...].prefix { !"/\\?#".utf8.contains($0) }
    guard authority.first != UInt8(ascii: "["), !authority.contains(UInt8(ascii: "@")),
      let colon = authority.firstIndex(of: UInt8(ascii: ":")),
      let at = bytes[authority.endIndex...].lastIndex(of: UInt8(ascii: "@"))
    else { return nil }
    let port = authority[(colon + 1)...]
    guard !(1...5).contains(port.count) || !port.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return colon + 1..<at
  }

  private static func authorityMasked(_ bytes: [UInt8], _ mask: String) -> [UInt8] {
    let slashes: Set<UInt8> = [UInt8(ascii: "/"), UInt8(ascii: "\\")]
    if bytes.starts(with: "mailto:".utf8) { return bytes }
    // Behind `//` with or without a scheme; an address typed without either begins with it.
    var start = 0
    let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? -1
    for place in [colon + 1, 0] where bytes.dropFirst(place).prefix(2).count(where: slashes.contains) == 2 {
      start = place + 2
      break
    }
    let authority = bytes[start...].prefix { !slashes.contains($0) }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return bytes }
    let user = authority[..<at]
    if let colon = user.firstIndex(of: UInt8(ascii: ":")) {
      return colon + 1 == at ? bytes : Array(bytes[...colon]) + Array(mask.utf8) + Array(bytes[at...])
    }
    guard isSecretValue(String(decoding: user, as: UTF8.self)) else { return bytes }
    return Array(bytes[..<start]) + Array(mask.utf8) + Array(bytes[at...])
  }

  private static func parameterMasked(
    _ parameter: ArraySlice<UInt8>, _ mask: String, _ looksInside: Bool
  ) -> [UInt8] {
    guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")), equals + 1 < parameter.endIndex else {
      return Array(parameter)
    }
    let name = String(decoding: unescaped(parameter[..<equals]), as: UTF8.self)
    // An address in an address is looked at once, not one in that one too.
    let value = looksInside ? String(decoding: unescaped(parameter[(equals + 1)...]), as: UTF8.self) : ""
    guard isSecretName(name) || masked(value, mask, looksInside: false) != value else { return Array(parameter) }
    return Array(parameter[...equals]) + Array(mask.utf8)
  }

  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex,
        let byte = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
      {
        result.append(byte)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  // MARK: - Names and values

  /// Anywhere in a name.
  private static let parts = [
    "token", "secret", "passw", "passphrase", "passcode", "passkey", "apikey", "api_key", "api-key", "api key",
    "accesskey", "privatekey", "private key", "credential", "signature", "session", "bearer", "recovery", "backup code",
    "mnemonic", "seed", "security answer", "kennwort", "parol", "contrase", "mot de passe", "geheim",
  ]
  /// As a word of its own in a name.
  private static let words: Set<String> = [
    "key", "pwd", "pass", "pw", "auth", "sig", "code", "otp", "totp", "pin", "puk", "tan", "cvv", "cvc", "sid", "jwt",
    "answer", "nip", "cod",
  ]

  private static func isSecretName(_ name: String) -> Bool {
    let lower = Array(name.prefix(1024).lowercased().utf8)
    if parts.contains(where: { lower.firstRange(of: Array($0.utf8)) != nil }) { return true }
    // `apiKey` has two words as `api_key` has.
    var word = ""
    var wasLower = false
    for character in name.prefix(1024) {
      let startsWord = character.isUppercase && wasLower
      if !(character.isLetter) || startsWord {
        if words.contains(word.lowercased()) { return true }
        word = ""
      }
      if character.isLetter { word.append(character) }
      wasLower = character.isLowercase
    }
    return words.contains(word.lowercased())
  }

  /// A key in armour, or a word as programs make them: 16 characters and more of letters and digits mixed.
  private static func isSecretValue(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.count <= 4096 else { return true }
    if text.hasPrefix("-----BEGIN ") || text.hasPrefix("otpauth:") { return true }
    for word in bytes.split(whereSeparator: { $0 <= 0x20 }) where word.count >= 16 {
      let text = String(decoding: word, as: UTF8.self)
      if word.contains(UInt8(ascii: ":")) || word.contains(UInt8(ascii: "@")) {
        if masked(url: text) != text { return true }
        continue
      }
      let hasLetter = word.contains { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
      let hasDigit = word.contains { (0x30...0x39).contains($0) }
      if hasLetter, hasDigit { return true }
    }
    return false
  }
}
