package import SeifBytes
internal import SeifOTP
package import SeifRecords

/// What a secret of an entry has to look like, so that the entry stays one that can be read.
enum SecretForm {
  case text, base32, key, uri, json, jsonList
}

/// The secrets of an entry by name, and the entry with stand-ins in their place.
///
/// A masked entry shows everything but its secrets. Edited and sent back, each stand-in that is still there is replaced by
/// the secret that it stands for, so who changes a name never sees a password.
package enum EntrySecrets {
  private static let mark = "seif-masked-3b1f7c0e9a5d4826-"
  private static let uriBeginning = "otpauth://totp/" + mark

  /// The entry with stand-ins for its secrets, and the secrets' names.
  package static func masked(_ entry: Entry) throws(AgentRefusal) -> (entry: Entry, fields: [String]) {
    var fields: [String] = []
    let masked = try entry.mappingSecrets { (name, _, form) throws(AgentRefusal) in
      fields.append(name)
      return standIn(name, form)
    }
    return (masked, fields)
  }

  /// One secret of an entry.
  package static func value(_ field: String, of entry: Entry) throws(AgentRefusal) -> SecretValue {
    var found: SecretValue?
    _ = try entry.mappingSecrets { (name, value, _) throws(AgentRefusal) in
      if utf8Equal(name, field) { found = value }
      return value
    }
    guard let found else { throw AgentRefusal(.noSuchField) }
    return found
  }

  /// Whether a secret of an entry that a client sent is its own, or none, and no stand-in.
  static func isOwn(_ field: String, in sent: Entry) -> Bool {
    var isStandIn = false
    _ = try? sent.mappingSecrets { (name, value, form) throws(AgentRefusal) in
      if utf8Equal(name, field) { isStandIn = Self.isStandIn(value, form) }
      return value
    }
    return !isStandIn
  }

  /// The entry with one secret at its place.
  package static func setting(
    _ field: String, of entry: Entry, to value: SecretValue
  ) throws(AgentRefusal) -> Entry {
    try entry.mappingSecrets { (name, old, _) throws(AgentRefusal) in utf8Equal(name, field) ? value : old }
  }

  /// A changed entry with the secrets of `present` in the place of their stand-ins.
  ///
  /// Each fills only a place of its own sort. Elsewhere a client would be given by an easier consent, or by a code, what
  /// it has to ask for under its own name: a card's security code as its notes, a document vault's key as a note's text.
  package static func filled(_ changed: Entry, from present: Entry) throws(AgentRefusal) -> Entry {
    var secrets: [SecretValue: (name: String, value: SecretValue)] = [:]
    _ = try present.mappingSecrets { (name, value, form) throws(AgentRefusal) in
      secrets[standIn(name, form)] = (name, value)
      return value
    }
    try checkOpenFields(changed)
    let isSameKind = changed.kind == present.kind
    var filledNames: Set<String> = []
    let filled = try changed.mappingSecrets { (name, value, form) throws(AgentRefusal) in
      if let secret = secrets[value] {
        guard isSameKind, utf8Equal(sort(secret.name), sort(name)) else { throw AgentRefusal(.noSuchField) }
        filledNames.insert(name)
        return secret.value
      }
      guard !isStandIn(value, form) else { throw AgentRefusal(.noSuchField) }
      return value
    }
    // With a secret of the client's own, the code would tell which of the few PINs it is.
    if case .otherAccount(let other) = changed, filledNames.contains("pin") {
      guard case .otherAccount(let before) = present, utf8Equal(other.type, before.type),
        filledNames.contains("secret") || before.secret?.isEmpty ?? true && other.secret?.isEmpty ?? true
      else { throw AgentRefusal(.noSuchField) }
    }
    return filled
  }

  /// A name without its numbers: rows of a list may change their order.
  private static func sort(_ name: String) -> String { name.filter { !("0"..."9").contains($0) } }

  /// Refuses a stand-in where nothing is secret: the secret would be lost and its stand-in kept.
  private static func checkOpenFields(_ entry: Entry) throws(AgentRefusal) {
    for field in entry.info.customFields where !field.isSecret && isStandIn(field.value, .text) {
      throw AgentRefusal(.noSuchField)
    }
  }

  /// Refuses an entry that holds a stand-in: it would be stored as the secret.
  package static func checkWhole(_ entry: Entry) throws(AgentRefusal) {
    try checkOpenFields(entry)
    _ = try entry.mappingSecrets { (_, value, form) throws(AgentRefusal) in
      guard !isStandIn(value, form) else { throw AgentRefusal(.noSuchField) }
      return value
    }
  }

  private static func standIn(_ name: String, _ form: SecretForm) -> SecretValue {
    switch form {
    case .text: SecretValue(utf8: mark + name)
    case .base32: Base32.encode(SecretValue(utf8: mark + name))
    case .key: SecretValue(utf8: mark + "key")
    case .uri: SecretValue(utf8: uriBeginning + name + "?secret=AAAAAAAA")
    case .json: SecretValue(utf8: "\"\(mark)\(name)\"")
    case .jsonList: SecretValue(utf8: "[\"\(mark)\(name)\"]")
    }
  }

  private static func isStandIn(_ value: SecretValue, _ form: SecretForm) -> Bool {
    let beginning: SecretValue =
      switch form {
      case .text, .key: SecretValue(utf8: mark)
      case .uri: SecretValue(utf8: uriBeginning)
      // Whole groups of 5 bytes, so that the letters are the same whatever follows.
      case .base32: Base32.encode(SecretValue(utf8: String(mark.prefix(25))))
      case .json: SecretValue(utf8: "\"\(mark)")
      case .jsonList: SecretValue(utf8: "[\"\(mark)")
      }
    guard value.byteCount >= beginning.byteCount else { return false }
    return value.withBytes { value in
      beginning.withBytes { constantTimeEqual(value.extracting(first: $0.byteCount), $0) }
    }
  }
}

extension Entry {
  /// The entry with what `change` gives in the place of each secret that isn't empty.
  func mappingSecrets(
    _ change: (String, SecretValue, SecretForm) throws(AgentRefusal) -> SecretValue
  ) throws(AgentRefusal) -> Entry {
    func changed(
      _ name: String, _ value: SecretValue, _ form: SecretForm = .text
    ) throws(AgentRefusal) -> SecretValue {
      value.isEmpty ? value : try change(name, value, form)
    }
    func members(_ name: String, _ members: [OpaqueMember]) throws(AgentRefusal) -> [OpaqueMember] {
      var members = members
      for index in members.indices {
        let value = try changed("\(name)\(index)", members[index].value, .json)
        members[index] = OpaqueMember(key: members[index].key, value: value)
      }
      return members
    }
    func common(_ info: EntryInfo) throws(AgentRefusal) -> EntryInfo {
      var info = info
      info.notes = try changed("notes", info.notes)
      for index in info.customFields.indices {
        let field = info.customFields[index]
        if field.isSecret { info.customFields[index].value = try changed("custom:\(index)", field.value) }
        info.customFields[index].opaque = try members("custom:\(index):member:", field.opaque)
      }
      info.opaque = try members("member:", info.opaque)
      return info
    }
    switch self {
    case .account(var account):
      account.info = try common(account.info)
      let secret = try changed("secret", account.otp.secret)
      guard
        let otp = try? OTPParameters(
          kind: account.otp.kind, secret: secret, algorithm: account.otp.algorithm, digits: account.otp.digits)
      else { throw AgentRefusal(.badMessage, "secret") }
      account.otp = otp
      return .account(account)
    case .otherAccount(var account):
      account.info = try common(account.info)
      if let secret = account.secret { account.secret = try changed("secret", secret, .base32) }
      if let pin = account.pin { account.pin = try changed("pin", pin) }
      return .otherAccount(account)
    case .password(var login):
      login.info = try common(login.info)
      login.password = try changed("password", login.password)
      login.totp = try changed("totp", login.totp, .uri)
      for index in login.history.indices {
        let row = login.history[index]
        login.history[index].password = try changed("history:\(index)", row.password)
        login.history[index].opaque = try members("history:\(index):member:", row.opaque)
      }
      return .password(login)
    case .card(var card):
      card.info = try common(card.info)
      card.number = try changed("number", card.number)
      if let cvc = card.cvc { card.cvc = try changed("cvc", cvc) }
      return .card(card)
    case .note(var note):
      note.info = try common(note.info)
      note.text = try changed("text", note.text)
      return .note(note)
    case .document(var document):
      document.masterKey = try changed("masterKey", document.masterKey, .key)
      if let wraps = document.wraps { document.wraps = try changed("wraps", wraps, .jsonList) }
      document.opaque = try members("member:", document.opaque)
      return .document(document)
    }
  }
}
