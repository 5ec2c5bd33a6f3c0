internal import SeifBytes
internal import SeifOTP
internal import SeifRecords

/// Key URIs as TwoFac writes and reads them: nine characters are escaped, nothing else, and its reader undoes just these.
enum TwoFacURI {
  private static let escapes: [(character: UInt8, escape: [UInt8])] = [
    (0x20, "%20"), (0x3A, "%3A"), (0x2F, "%2F"), (0x3F, "%3F"), (0x26, "%26"), (0x3D, "%3D"), (0x2B, "%2B"),
    (0x23, "%23"), (0x40, "%40"),
  ].map { ($0, Array($1.utf8)) }

  static func escaped(_ text: String) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      if let found = escapes.first(where: { $0.character == byte }) {
        result += found.escape
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  static func unescaped(_ text: String) -> String {
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let first = rest.first {
      if first == 0x25, let found = escapes.first(where: { rest.starts(with: $0.escape) }) {
        result.append(found.character)
        rest = rest.dropFirst(3)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// A text with every escape undone, for comparing labels that were escaped once too often or once too little.
  static func decoded(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let first = rest.first {
      let digits = rest.dropFirst().prefix(2)
      if first == 0x25, let byte = try? Base16.decode(String(decoding: digits, as: UTF8.self)), byte.count == 1 {
        result += byte
        rest = rest.dropFirst(3)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  /// The URI of an account; nil for Steam, which the app doesn't have.
  static func write(issuer: String, account: String, _ otp: OTPParameters) -> SecretValue? {
    var text = SecretBuffer()
    let type: String
    switch otp.kind {
    case .totp: type = "totp"
    case .hotp: type = "hotp"
    case .steam: return nil
    }
    text.append(utf8: "otpauth://\(type)/\(escaped("\(issuer):\(account)"))?secret=")
    text.append(Base32.encode(otp.secret))
    text.append(utf8: "&issuer=\(escaped(issuer))")
    if otp.algorithm != .sha1 { text.append(utf8: "&algorithm=\(otp.algorithm.name)") }
    if otp.digits != 6 { text.append(utf8: "&digits=\(otp.digits)") }
    switch otp.kind {
    case .hotp(let counter): text.append(utf8: "&counter=\(counter)")
    case .totp(let period): if period != 30 { text.append(utf8: "&period=\(period)") }
    case .steam: break
    }
    return text.finish()
  }

  /// Names as the app's reader gives them back.
  struct Names: Equatable {
    var issuer: String
    var account: String
  }

  /// Issuer and account as the app reads them from a label and an `issuer` parameter, both escaped; nil: it refuses the
  /// URI, and with it the whole file.
  static func readNames(label: String, issuer parameter: String?) -> Names? {
    guard !label.isEmpty else { return nil }
    let text = Array(unescaped(label).utf8)
    let colon = text.firstIndex(of: 0x3A)
    let prefix = colon.map { String(decoding: text[..<$0], as: UTF8.self) }
    let account = trimmed(String(decoding: text[(colon.map { $0 + 1 } ?? 0)...], as: UTF8.self))
    let issuer = parameter.map(unescaped)
    if let issuer, let prefix, !prefix.isEmpty, !utf8Equal(issuer, prefix) { return nil }
    let chosen = issuer ?? prefix ?? ""
    return chosen.isEmpty ? nil : Names(issuer: chosen, account: account)
  }

  /// Names that the app gives back as they are, made from names that it may not, and the fields that had to change; nil
  /// where there is no name at all.
  static func portableNames(issuer: String, account: String) -> (names: Names, changed: [String])? {
    var names = Names(issuer: issuer, account: trimmed(account))
    var changed = utf8Equal(names.account, account) ? [] : ["account"]
    if names.issuer.isEmpty { names.issuer = names.account }
    guard !names.issuer.isEmpty else { return nil }
    if names.issuer.utf8.contains(0x3A) {
      names.issuer = String(decoding: names.issuer.utf8.map { $0 == 0x3A ? 0x2D : $0 }, as: UTF8.self)
    }
    // An escape that stands literally in a name can't be said; the app reads the character that it names.
    names = Names(issuer: unescaped(names.issuer), account: trimmed(unescaped(names.account)))
    if names.issuer.utf8.contains(0x3A) {
      names.issuer = String(decoding: names.issuer.utf8.map { $0 == 0x3A ? 0x2D : $0 }, as: UTF8.self)
    }
    if !utf8Equal(names.issuer, issuer) { changed.append("issuer") }
    if changed.isEmpty, !utf8Equal(names.account, account) { changed.append("account") }
    return (names, changed)
  }

  private static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(scalars[first...last])
  }
}
