internal import SeifBytes

/// What the parts of a Key URI mean. The differences between the dialects are listed at `KeyURI.Dialect`.
enum KeyURIReader {
  static func read(_ uri: RawSpan, dialect: KeyURI.Dialect) throws(KeyURIError) -> ForeignKeyURI {
    guard uri.byteCount <= KeyURI.maximumByteCount else { throw KeyURIError(.tooLong) }
    let text = dialect == .list ? uri.extracting(trimmed(uri, 0..<uri.byteCount, isWhiteSpace)) : uri
    let end = text.byteCount
    if text.hasPrefix("otpauth://", ignoringCase: true) {
      let fields = try KeyURIFields(text, from: 10, to: end, hasType: true, dialect: dialect)
      return try read(text, fields, type: try type(text, fields, dialect), dialect)
    }
    if dialect == .list, text.hasPrefix("motp://", ignoringCase: true) {
      let fields = try KeyURIFields(text, from: 7, to: end, hasType: false, dialect: dialect)
      return try read(text, fields, type: .motp, dialect)
    }
    if dialect == .list, text.hasPrefix("steam://", ignoringCase: true) {
      return .standard(try steam(text.extracting(droppingFirst: 8)))
    }
    throw KeyURIError(.scheme)
  }

  private enum URIType {
    case totp, hotp, steam, motp, yandex
  }

  private static func type(
    _ uri: RawSpan, _ fields: KeyURIFields, _ dialect: KeyURI.Dialect
  ) throws(KeyURIError) -> URIType {
    let name = uri.extracting(fields.type)
    let isList = dialect == .list
    if name.isEqual(to: "hotp", ignoringCase: true) { return .hotp }
    if name.isEqual(to: "steam", ignoringCase: true) { return .steam }
    if name.isEqual(to: "totp", ignoringCase: true) {
      if let encoder = fields[.encoder] {
        let isSteam = unsafe bytes(uri, encoder).span.bytes.isEqual(to: "steam", ignoringCase: isList)
        if isSteam { return .steam }
      }
      return isList && fields[.steam] != nil ? .steam : .totp
    }
    if isList, name.isEqual(to: "motp", ignoringCase: true) { return .motp }
    if isList, name.isEqual(to: "yaotp", ignoringCase: true) { return .yandex }
    throw KeyURIError(.type)
  }

  private static func read(
    _ uri: RawSpan, _ fields: KeyURIFields, type: URIType, _ dialect: KeyURI.Dialect
  ) throws(KeyURIError) -> ForeignKeyURI {
    var warnings: [KeyURIWarning] = []
    let names = try KeyURINames(uri, fields, dialect, &warnings)
    guard let place = fields[.secret] else { throw KeyURIError(.secret) }
    let otherType: OtherKeyURI.Kind? = type == .motp ? .motp : type == .yandex ? .yandex : nil
    if let kind = otherType {
      return .other(try other(uri, fields, kind, names, secretAt: place, warnings))
    }
    let secret = try secret(uri, place, plusIsSpace: dialect == .list, &warnings)
    let parameters = try parameters(uri, fields, type, secret: secret, issuer: names.issuer, dialect, &warnings)
    return .standard(
      KeyURI(
        issuer: names.issuer, account: names.account, parameters: parameters,
        otherParameters: try others(uri, fields, used: [names.accountPlace]), warnings: warnings))
  }

  private static func parameters(
    _ uri: RawSpan, _ fields: KeyURIFields, _ type: URIType, secret: SecretValue, issuer: String,
    _ dialect: KeyURI.Dialect, _ warnings: inout [KeyURIWarning]
  ) throws(KeyURIError) -> OTPParameters {
    if type == .steam { return try make(.steam, secret) }
    let algorithm = try algorithm(uri, fields[.algorithm], dialect)
    let digits = Int(try number(uri, fields[.digits], .digits, in: 1...10) ?? 6)
    var kind: OTPParameters.Kind
    if type == .hotp {
      let counter = try number(uri, fields[.counter], .counter, in: 0...(.max))
      guard counter != nil || dialect == .list else { throw KeyURIError(.counter) }
      if counter == nil { warnings.append(.counterMissing) }
      kind = .hotp(counter: counter ?? 0)
    } else {
      kind = .totp(period: Int(try number(uri, fields[.period], .period, in: 1...86_400) ?? 30))
      if dialect == .list, utf8Equal(issuer, "Steam") {
        let isSteam = digits == 5 && kind == .totp(period: 30) && algorithm == .sha1
        if isSteam { kind = .steam }
        warnings.append(isSteam ? .steamByIssuer : .steamByNameOnly)
      }
    }
    let parameters = try make(kind, secret, algorithm, digits)
    if parameters.kind != .steam, !(6...8).contains(digits) { warnings.append(.unusualDigits) }
    return parameters
  }

  private static func make(
    _ kind: OTPParameters.Kind, _ secret: SecretValue, _ algorithm: OTPAlgorithm = .sha1, _ digits: Int = 6
  ) throws(KeyURIError) -> OTPParameters {
    do {
      return try OTPParameters(kind: kind, secret: secret, algorithm: algorithm, digits: digits)
    } catch {
      throw KeyURIError(code: error)
    }
  }

  private static func other(
    _ uri: RawSpan, _ fields: KeyURIFields, _ kind: OtherKeyURI.Kind, _ names: KeyURINames, secretAt place: Range<Int>,
    _ found: [KeyURIWarning]
  ) throws(KeyURIError) -> OtherKeyURI {
    var warnings = found
    let key: SecretValue
    if kind == .motp {
      key = decoded(uri, place)
      let isHex = key.withBytes { key in (0..<key.byteCount).allSatisfy { key.byte(at: $0).hexValue != nil } }
      if !isHex { warnings.append(.secretNotHexadecimal) }
    } else {
      key = try secret(uri, place, plusIsSpace: true, &warnings)
      // Exported secrets are the 16 bytes of the key, or 26 with what the app checks them by.
      guard [16, 26].contains(key.byteCount) else { throw KeyURIError(.secret) }
    }
    var pin: SecretValue?
    if let place = fields[.pin], !place.isEmpty {
      pin = try? decoded(uri, place).withBytes { (text) throws(EncodingError) in try Base32.decodeLeniently(text) }
      // EXPOSE: only looked at: a PIN is text, and bytes that aren't would be another encoding misread.
      if pin?.exposedText()?.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) != true { pin = nil }
      if pin == nil { warnings.append(.pinUnreadable) }
    }
    if pin == nil { warnings.append(.pinMissing) }
    let used = pin == nil && fields[.pin]?.isEmpty == false ? nil : fields[.pin]
    let others = try others(uri, fields, used: [names.accountPlace, used])
    do {
      return try OtherKeyURI(
        kind: kind, issuer: names.issuer, account: names.account, secret: key, pin: pin, otherParameters: others,
        warnings: warnings)
    } catch {
      throw KeyURIError(code: error)
    }
  }

  /// `steam://` and the secret, without names.
  private static func steam(_ text: RawSpan) throws(KeyURIError) -> KeyURI {
    var end = 0
    while end < text.byteCount, ![0x2F, 0x3F, 0x23].contains(text.byte(at: end)) { end += 1 }
    var warnings: [KeyURIWarning] = []
    let key = try secret(text, 0..<end, plusIsSpace: true, &warnings)
    return KeyURI(
      issuer: "Steam", account: "", parameters: try make(.steam, key), otherParameters: [], warnings: warnings)
  }
}
