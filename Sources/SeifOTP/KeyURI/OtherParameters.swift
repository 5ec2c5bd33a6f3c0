public import SeifBytes

// A parameter that means nothing here may mean something where it is put: `Secret` to a reader that doesn't mind case,
// `account` to our own. So what is made here is read again, and must be what it is without them, and them.

extension KeyURI.OtherParameter: Equatable {
  /// Same name and value byte by byte.
  public static func == (left: KeyURI.OtherParameter, right: KeyURI.OtherParameter) -> Bool {
    utf8Equal(left.name, right.name) && left.value == right.value
  }
}

extension KeyURI {
  /// A Key URI to be written with parameters that mean nothing here, in their order behind those that do.
  ///
  /// - Parameter dialect: whose readers must find the same account and the same parameters in the text.
  /// - Throws: `duplicateParameter` for a name that has a meaning, in any letter case, and in the dialect `backup` for
  ///   one that stands twice; `text` for a value that isn't UTF-8; `tooManyParameters`, `tooLong` for a text that no
  ///   reader takes.
  public init(
    issuer: String, account: String, parameters: OTPParameters, otherParameters: [OtherParameter],
    dialect: Dialect = .backup
  ) throws(KeyURIError) {
    self.init(
      issuer: issuer, account: account, parameters: parameters, otherParameters: otherParameters, warnings: [],
      writesOthers: true)
    guard !otherParameters.isEmpty else { return }
    try OtherParameters.check(otherParameters)
    let plain = KeyURI(issuer: issuer, account: account, parameters: parameters)
    let read = try KeyURI(parsing: write(), dialect: dialect)
    guard read == (try KeyURI(parsing: plain.write(), dialect: dialect)), read.otherParameters == otherParameters else {
      throw KeyURIError(.duplicateParameter)
    }
  }

  /// Parameters as they stand in a query behind others: `&name=value` each, escaped.
  package static func query(_ parameters: [OtherParameter]) -> SecretValue {
    var text = SecretBuffer()
    KeyURIWriter.append(parameters, to: &text)
    return text.finish()
  }
}

extension OtherKeyURI {
  /// An account to be written with parameters that mean nothing here, in their order behind those that do.
  ///
  /// - Throws: `secret` as the initializer without them; `duplicateParameter` for a name that has a meaning, in any
  ///   letter case; `text` for a value that isn't UTF-8; `tooManyParameters`, `tooLong` for a text that no reader takes.
  public init(
    kind: Kind, issuer: String, account: String, secret: SecretValue, pin: SecretValue?,
    otherParameters: [KeyURI.OtherParameter]
  ) throws(KeyURIError) {
    let plain: OtherKeyURI
    do throws(OTPError) {
      plain = try OtherKeyURI(kind: kind, issuer: issuer, account: account, secret: secret, pin: pin)
      try self.init(
        kind: kind, issuer: issuer, account: account, secret: secret, pin: pin, otherParameters: otherParameters,
        warnings: [], writesOthers: true)
    } catch {
      throw KeyURIError(code: error)
    }
    guard !otherParameters.isEmpty else { return }
    try OtherParameters.check(otherParameters)
    guard case .other(let read) = try ForeignKeyURI(parsing: write()),
      case .other(let expected) = try ForeignKeyURI(parsing: plain.write()), read.isSameAccount(as: expected),
      read.otherParameters == otherParameters
    else { throw KeyURIError(.duplicateParameter) }
  }

  private func isSameAccount(as other: OtherKeyURI) -> Bool {
    kind == other.kind && utf8Equal(issuer, other.issuer) && utf8Equal(account, other.account)
      && secret == other.secret && pin == other.pin
  }
}

enum OtherParameters {
  static func check(_ parameters: [KeyURI.OtherParameter]) throws(KeyURIError) {
    guard parameters.count <= KeyURI.maximumParameterCount else { throw KeyURIError(.tooManyParameters) }
    for parameter in parameters {
      switch unsafe KeyURIFields.match(parameter.name.utf8Span.span.bytes, ignoringCase: true) {
      // These two mean something to few URIs; reading the text again tells.
      case nil, .pin, .account: break
      default: throw KeyURIError(.duplicateParameter)
      }
      guard parameter.value.withBytes({ PercentEncoding.isUTF8($0) }) else { throw KeyURIError(.text) }
    }
  }
}
