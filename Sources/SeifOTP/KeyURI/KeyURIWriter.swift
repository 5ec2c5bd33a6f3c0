internal import SeifBytes

/// Writes Key URIs so that both dialects read back what was written.
enum KeyURIWriter {
  static func write(_ uri: KeyURI) -> SecretValue {
    var text = SecretBuffer()
    let type =
      switch uri.parameters.kind {
      case .totp: "totp"
      case .hotp: "hotp"
      case .steam: "steam"
      }
    text.append(utf8: "otpauth://\(type)/")
    appendLabel(issuer: uri.issuer, account: uri.account, to: &text)
    text.append(utf8: "?secret=")
    text.append(Base32.encode(uri.parameters.secret))
    appendNames(issuer: uri.issuer, account: uri.account, to: &text)
    switch uri.parameters.kind {
    // Steam's algorithm, digits and period are what its type says.
    case .steam: break
    case .totp(let period):
      text.append(utf8: "&algorithm=\(uri.parameters.algorithm.name)&digits=\(uri.parameters.digits)&period=\(period)")
    case .hotp(let counter):
      text.append(
        utf8: "&algorithm=\(uri.parameters.algorithm.name)&digits=\(uri.parameters.digits)&counter=\(counter)")
    }
    if uri.writesOthers { append(uri.otherParameters, to: &text) }
    return text.finish()
  }

  static func write(_ uri: OtherKeyURI) -> SecretValue {
    var text = SecretBuffer()
    text.append(utf8: uri.kind == .motp ? "motp://" : "otpauth://yaotp/")
    appendLabel(issuer: uri.issuer, account: uri.account, to: &text)
    text.append(utf8: "?secret=")
    if uri.kind == .motp {
      uri.secret.withBytes { PercentEncoding.encode($0, into: &text) }
    } else {
      text.append(Base32.encode(uri.secret))
    }
    appendNames(issuer: uri.issuer, account: uri.account, to: &text)
    if let pin = uri.pin, !pin.isEmpty {
      text.append(utf8: "&pin=")
      text.append(Base32.encode(pin))
    }
    if uri.writesOthers { append(uri.otherParameters, to: &text) }
    return text.finish()
  }

  static func append(_ parameters: [KeyURI.OtherParameter], to text: inout SecretBuffer) {
    for parameter in parameters {
      text.append(0x26)
      unsafe PercentEncoding.encode(parameter.name.utf8Span.span.bytes, into: &text)
      text.append(0x3D)
      parameter.value.withBytes { PercentEncoding.encode($0, into: &text) }
    }
  }

  // A reader splits the label at its first colon, escaped or not, and skips spaces after it. So an issuer with a colon
  // stands in its parameter alone, and an account with one always follows a separator, if need be after nothing. An
  // account that begins with a space goes without a separator, where nothing is skipped.
  private static func appendLabel(issuer: String, account: String, to text: inout SecretBuffer) {
    let accountHasColon = account.utf8.contains(0x3A)
    let prefix = issuer.utf8.contains(0x3A) || issuer.isEmpty ? "" : issuer
    if accountHasColon || (!prefix.isEmpty && account.utf8.first != 0x20) {
      unsafe PercentEncoding.encode(prefix.utf8Span.span.bytes, into: &text)
      text.append(0x3A)
    }
    unsafe PercentEncoding.encode(account.utf8Span.span.bytes, into: &text)
  }

  // An account that begins with a space and has a colon can't be said by a label: its spaces would be skipped, or its
  // colon would split it. Only then it stands in a parameter too, which others skip as one that they don't know.
  private static func appendNames(issuer: String, account: String, to text: inout SecretBuffer) {
    if !issuer.isEmpty {
      text.append(utf8: "&issuer=")
      unsafe PercentEncoding.encode(issuer.utf8Span.span.bytes, into: &text)
    }
    if account.utf8.first == 0x20, account.utf8.contains(0x3A) {
      text.append(utf8: "&account=")
      unsafe PercentEncoding.encode(account.utf8Span.span.bytes, into: &text)
    }
  }
}
