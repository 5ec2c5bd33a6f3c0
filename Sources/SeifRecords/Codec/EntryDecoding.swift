public import SeifBytes
internal import SeifOTP

/// The entries of one list of a file and what couldn't be used.
///
/// The names and rules are those of an `.authbackup` body (docs/formats/authbackup-v2.md); the vault's rows and the
/// neutral JSON share them.
public enum EntryDecoding {
  /// Adds the entries of one list to `records`, unusable ones to `records.unusable`, and reports both.
  public static func decode(
    _ kind: RecordKind, from list: JSONValue, into records: inout Records, problems: inout [EntryProblem]
  ) {
    for (index, value) in list.elements.enumerated() {
      decode(kind, entry: value, at: index, into: &records, problems: &problems)
    }
  }

  /// Adds one entry of a kind to `records`, or to `records.unusable`, and reports it at its position.
  public static func decode(
    _ kind: RecordKind, entry value: JSONValue, at index: Int = 0, into records: inout Records,
    problems: inout [EntryProblem]
  ) {
    do throws(EntryFault) {
      let faults = try decodeEntry(kind, value, &records)
      problems += faults.map { EntryProblem(list: kind.rawValue, index: index, field: $0.field, reason: $0.reason) }
    } catch {
      problems.append(EntryProblem(list: kind.rawValue, index: index, reason: error.reason))
      records.unusable.append(UnusableEntry(kind: kind, json: value.canonical))
    }
  }

  private typealias FieldFaults = [(field: String, reason: String)]

  private static func decodeEntry(
    _ kind: RecordKind, _ value: JSONValue, _ records: inout Records
  ) throws(EntryFault) -> FieldFaults {
    var reader = try EntryReader(value)
    switch kind {
    case .accounts: records.accounts.append(try account(&reader))
    case .passwords: records.passwords.append(try password(&reader))
    case .cards: records.cards.append(try card(&reader))
    case .notes: records.notes.append(try note(&reader))
    case .otherAccounts: records.otherAccounts.append(try otherAccount(&reader))
    case .documents: records.documents.append(try document(&reader))
    }
    return reader.fieldFaults
  }

  // Fields that all kinds but documents have; leaves `opaque` to be filled at the end.
  private static func info(_ reader: inout EntryReader) throws(EntryFault) -> EntryInfo {
    var info = EntryInfo()
    if let id = reader.peek("id") {
      guard let text = id.string else { throw EntryFault(reason: "wrong-type:id") }
      info.id = UUID(text)
      if info.id != nil { _ = reader.take("id") }
    }
    info.createdAt = try reader.date("createdAt")
    info.isFavorite = try reader.bool("isFavorite")
    if case .value(let index)? = try reader.integer("sortIndex") { info.sortIndex = index }
    info.tags = reader.addition("tags", default: []) { (value) throws(EntryFault) in try strings(value) }
    info.urls = reader.addition("urls", default: []) { (value) throws(EntryFault) in try strings(value) }
    info.exactHost = reader.addition("exactHost", default: false) { (value) throws(EntryFault) in
      guard let bool = value.bool else { throw EntryFault(reason: "wrong-type") }
      return bool
    }
    info.customFields = reader.addition("customFields", default: []) { (value) throws(EntryFault) in
      try customFields(value)
    }
    return info
  }

  private static func account(_ reader: inout EntryReader) throws(EntryFault) -> Account {
    let issuer = try reader.text("issuer")
    let account = try reader.text("account")
    let notes = try reader.secret("notes")
    let algorithmName = reader.peek("algorithm")?.string
    if reader.peek("algorithm") != nil, algorithmName == nil { throw EntryFault(reason: "wrong-type:algorithm") }
    var info = try info(&reader)
    info.notes = notes
    let digits = try reader.integer("digits")
    // What means nothing to a kind (a counter beside TOTP) is left where it stands.
    try reader.checkInteger("period")
    try reader.checkInteger("counter")
    let type = reader.peek("type")?.string ?? ""
    guard ["totp", "hotp", "steam"].contains(type) else { throw EntryFault(reason: "unknown-type") }
    _ = reader.take("type")
    let secret = try decodedSecret(&reader, missing: "no-secret")
    var algorithm = OTPAlgorithm.sha1
    if type != "steam", let algorithmName {
      guard let known = OTPAlgorithm(name: algorithmName) else { throw EntryFault(reason: "unknown-algorithm") }
      algorithm = known
    }
    _ = reader.take("algorithm")
    let kind: OTPParameters.Kind
    switch type {
    case "totp": kind = .totp(period: try bounded(try reader.integer("period"), 1...86_400, missing: 30, "bad-period"))
    case "hotp":
      let counter = try bounded(try reader.integer("counter"), 0...Int64.max, missing: 0, "bad-counter")
      kind = .hotp(counter: Int64(counter))
    default:
      _ = try reader.integer("period")
      kind = .steam
    }
    let count = type == "steam" ? 5 : try bounded(digits, 1...10, missing: 6, "bad-digits")
    let otp: OTPParameters
    do throws(OTPError) {
      otp = try OTPParameters(kind: kind, secret: secret, algorithm: algorithm, digits: count)
    } catch {
      throw EntryFault(reason: "bad-secret")
    }
    info.opaque = reader.leftovers
    return Account(issuer: issuer, account: account, otp: otp, info: info)
  }

  private static func otherAccount(_ reader: inout EntryReader) throws(EntryFault) -> OtherAccount {
    guard let type = reader.take("type")?.string, !type.isEmpty else { throw EntryFault(reason: "no-type") }
    if ["totp", "hotp", "steam"].contains(type) { throw EntryFault(reason: "wrong-list") }
    var entry = OtherAccount(type: type)
    entry.issuer = try reader.text("issuer")
    entry.account = try reader.text("account")
    let notes = try reader.secret("notes")
    if let algorithm = reader.take("algorithm") {
      guard let text = algorithm.string else { throw EntryFault(reason: "wrong-type:algorithm") }
      entry.algorithm = text
    }
    entry.info = try info(&reader)
    entry.info.notes = notes
    if let pin = reader.take("pin") {
      guard let text = pin.secret else { throw EntryFault(reason: "wrong-type:pin") }
      entry.pin = text.isEmpty ? nil : text
    }
    if let secret = reader.peek("secret") {
      guard let text = secret.secret else { throw EntryFault(reason: "wrong-type:secret") }
      entry.secret = text
    }
    func known(_ integer: JSONValue.Integer?) -> Int64? {
      if case .value(let value)? = integer { value } else { nil }
    }
    entry.digits = known(try reader.integer("digits"))
    entry.period = known(try reader.integer("period"))
    entry.counter = known(try reader.integer("counter"))
    if ["motp", "yandex"].contains(type) {
      entry.secret = Base32.encode(try decodedSecret(&reader, missing: "no-secret"))
    } else {
      _ = reader.take("secret")
    }
    entry.info.opaque = reader.leftovers
    return entry
  }

  private static func password(_ reader: inout EntryReader) throws(EntryFault) -> Password {
    guard let secret = reader.take("password")?.secret else { throw EntryFault(reason: "no-password") }
    var entry = Password(password: secret)
    entry.title = reader.addition("title", default: "") { (value) throws(EntryFault) in try string(value) }
    entry.username = reader.addition("username", default: "") { (value) throws(EntryFault) in try string(value) }
    entry.info = try lenientInfo(&reader)
    entry.updatedAt = reader.addition("updatedAt", default: nil) { (value) throws(EntryFault) in try date(value) }
    entry.totp = reader.addition("totp", default: .empty) { (value) throws(EntryFault) in
      guard let uri = value.secret else { throw EntryFault(reason: "wrong-type") }
      guard !uri.isEmpty else { return .empty }
      do throws(KeyURIError) {
        _ = try KeyURI(parsing: uri)
      } catch {
        throw EntryFault(reason: "bad-uri:\(error.part.rawValue)")
      }
      return uri
    }
    entry.history = reader.addition("history", default: []) { (value) throws(EntryFault) in try history(value) }
    entry.info.opaque = reader.leftovers
    return entry
  }

  private static func card(_ reader: inout EntryReader) throws(EntryFault) -> Card {
    guard let number = reader.take("number")?.secret else { throw EntryFault(reason: "no-number") }
    var entry = Card(number: number)
    entry.name = reader.addition("name", default: "") { (value) throws(EntryFault) in try string(value) }
    entry.holder = reader.addition("holder", default: "") { (value) throws(EntryFault) in try string(value) }
    entry.info = try lenientInfo(&reader)
    entry.expiry = reader.addition("expiry", default: nil) { (value) throws(EntryFault) in
      if value.kind == .null { return nil }
      let text = try string(value)
      return text.isEmpty ? nil : text
    }
    entry.cvc = reader.addition("cvc", default: nil) { (value) throws(EntryFault) in
      if value.kind == .null { return nil }
      guard let text = value.secret else { throw EntryFault(reason: "wrong-type") }
      return text.isEmpty ? nil : text
    }
    entry.info.opaque = reader.leftovers
    return entry
  }

  private static func note(_ reader: inout EntryReader) throws(EntryFault) -> Note {
    guard let text = reader.take("text")?.secret else { throw EntryFault(reason: "no-text") }
    var entry = Note(text: text)
    entry.title = try reader.text("title")
    entry.updatedAt = try reader.date("updatedAt")
    entry.info = try info(&reader)
    entry.info.opaque = reader.leftovers
    return entry
  }
}
