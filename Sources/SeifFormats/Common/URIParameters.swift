internal import SeifBytes
package import SeifOTP
package import SeifRecords

/// Parameters of Key URIs that mean nothing here (`image`, `lock`), kept in a record so that they get back into a URI.
///
/// They stand in the member `uriParameters`, a list of `[name, value]` in the order of the URI, which is opaque to
/// everything else: nothing is made of a value, and no address in one is ever fetched.
enum URIParameters {
  static let key = "uriParameters"
  /// Why parameters of a URI aren't kept: the entry has a member of this name already that is something else, or a
  /// value isn't text.
  static let notKept = "not-kept"

  /// Puts parameters into a record.
  ///
  /// - Returns: false where that can't be done; then nothing is changed.
  static func keep(_ parameters: [KeyURI.OtherParameter], in info: inout EntryInfo) -> Bool {
    guard !parameters.isEmpty else { return true }
    guard parameters.allSatisfy({ $0.value.isUTF8 }) else { return false }
    var all = parameters
    if info.opaque.contains(where: { utf8Equal($0.key, key) }) {
      guard let held = held(in: info) else { return false }
      all = held + parameters
    }
    var writer = JSONWriter()
    writer.beginArray()
    for parameter in all {
      writer.beginArray()
      writer.string(parameter.name)
      writer.string(parameter.value)
      writer.endArray()
    }
    writer.endArray()
    info.opaque.removeAll { utf8Equal($0.key, key) }
    info.opaque.append(OpaqueMember(key: key, value: writer.finish()))
    info.opaque.sort { utf8Precedes($0.key, $1.key) }
    return true
  }

  /// The parameters of a record; nil where there are none, or the member is another program's.
  static func held(in info: EntryInfo) -> [KeyURI.OtherParameter]? {
    guard let member = info.opaque.last(where: { utf8Equal($0.key, key) }),
      let list = try? JSONDocument(parsing: member.value, policy: .strict).root, list.kind == .array
    else { return nil }
    var parameters: [KeyURI.OtherParameter] = []
    for pair in list.elements {
      var parts = pair.elements.makeIterator()
      guard pair.kind == .array, let name = parts.next()?.string, let value = parts.next()?.secret, parts.next() == nil
      else { return nil }
      parameters.append(KeyURI.OtherParameter(name: name, value: value))
    }
    return parameters.isEmpty ? nil : parameters
  }

  /// The members of a record that its URI doesn't hold.
  static func members(of info: EntryInfo, besidesURI isHeld: Bool) -> [OpaqueMember] {
    isHeld ? info.opaque.filter { !utf8Equal($0.key, key) } : info.opaque
  }
}

extension EntryProblem {
  /// An entry that is used without the parameters of its URI that mean nothing here.
  static func parametersNotKept(index: Int) -> EntryProblem {
    EntryProblem(
      list: RecordKind.accounts.rawValue, index: index, field: URIParameters.key, reason: URIParameters.notKept)
  }
}

extension Account {
  /// The account of a Key URI with everything that it says.
  ///
  /// - Parameter info: what stands beside the URI.
  /// - Returns: whether the parameters that mean nothing here could be kept.
  package static func make(_ uri: KeyURI, info: EntryInfo = EntryInfo()) -> (account: Account, isWhole: Bool) {
    var info = info
    let isWhole = URIParameters.keep(uri.otherParameters, in: &info)
    return (Account(issuer: uri.issuer, account: uri.account, otp: uri.parameters, info: info), isWhole)
  }

  /// The account as a URI for readers of a dialect, and whether that holds the parameters kept in the record.
  func uri(_ dialect: KeyURI.Dialect) -> (uri: KeyURI, holdsParameters: Bool) {
    if let parameters = URIParameters.held(in: info),
      let uri = try? KeyURI(
        issuer: issuer, account: account, parameters: otp, otherParameters: parameters, dialect: dialect)
    {
      return (uri, true)
    }
    return (KeyURI(issuer: issuer, account: account, parameters: otp), false)
  }
}

extension OtherAccount {
  /// The record of a Mobile-OTP or Yandex URI, its secret in base32.
  ///
  /// - Returns: whether the parameters that mean nothing here could be kept.
  package static func make(_ uri: OtherKeyURI) -> (account: OtherAccount, isWhole: Bool) {
    var account = OtherAccount(type: uri.kind == .motp ? "motp" : "yandex")
    account.issuer = uri.issuer
    account.account = uri.account
    account.secret = Base32.encode(uri.secret)
    account.pin = uri.pin
    let isWhole = URIParameters.keep(uri.otherParameters, in: &account.info)
    return (account, isWhole)
  }

  /// The account as a URI, and whether that holds the parameters kept in the record; nil if its kind has none or its
  /// secret can't be used.
  var uri: (uri: OtherKeyURI, holdsParameters: Bool)? {
    guard let kind: OtherKeyURI.Kind = ["motp": .motp, "yandex": .yandex][type], let secret else { return nil }
    guard let bytes = secret.withBytes({ text in try? Base32.decodeLeniently(text) }) else { return nil }
    if let parameters = URIParameters.held(in: info),
      let uri = try? OtherKeyURI(
        kind: kind, issuer: issuer, account: account, secret: bytes, pin: pin, otherParameters: parameters)
    {
      return (uri, true)
    }
    return (try? OtherKeyURI(kind: kind, issuer: issuer, account: account, secret: bytes, pin: pin)).map { ($0, false) }
  }
}
