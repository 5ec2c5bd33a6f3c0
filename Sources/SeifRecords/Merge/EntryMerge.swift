internal import SeifBytes
internal import SeifOTP

/// Brings two entries that are the same thing together: ours stays, and what only theirs has is added.
enum EntryMerge {
  /// The merged entry and the names of the fields that it gained.
  static func merge(_ ours: Entry, with theirs: Entry) -> (Entry, [String]) {
    var fields: [String] = []
    var merged = ours
    switch (ours, theirs) {
    case (.account(var mine), .account(let other)):
      if let (a, b) = counters(mine, other), b > a, let advanced = try? mine.otp.withCounter(b) {
        mine.otp = advanced
        fields.append("counter")
      }
      var remarks: [(String, String)] = []
      name("issuer", &mine.issuer, other.issuer, &fields, &remarks)
      name("account", &mine.account, other.account, &fields, &remarks)
      keep(remarks, &mine.info, &fields)
      merged = .account(mine)
    case (.otherAccount(var mine), .otherAccount(let other)):
      var remarks: [(String, String)] = []
      name("issuer", &mine.issuer, other.issuer, &fields, &remarks)
      name("account", &mine.account, other.account, &fields, &remarks)
      keep(remarks, &mine.info, &fields)
      merged = .otherAccount(mine)
    case (.password(var mine), .password(let other)):
      if mine.totp.isEmpty, !other.totp.isEmpty {
        mine.totp = other.totp
        fields.append("totp")
      } else if !other.totp.isEmpty, mine.totp != other.totp {
        add(CustomField(name: "totp", value: other.totp, isSecret: true), &mine.info, &fields)
      }
      let known = Set(mine.history.map(\.password) + [mine.password])
      let gained = other.history.filter { !known.contains($0.password) }
      if !gained.isEmpty {
        mine.history += gained
        fields.append("history")
      }
      merged = .password(mine)
    case (.card(var mine), .card(let other)):
      if mine.cvc == nil, let cvc = other.cvc {
        mine.cvc = cvc
        fields.append("cvc")
      }
      var remarks: [(String, String)] = []
      name("name", &mine.name, other.name, &fields, &remarks)
      name("holder", &mine.holder, other.holder, &fields, &remarks)
      keep(remarks, &mine.info, &fields)
      merged = .card(mine)
    default: break
    }
    var info = merged.info
    merge(&info, theirs.info, &fields)
    merged.info = info
    return (merged, fields)
  }

  /// The names of the fields in which two entries of one name differ.
  static func differences(_ ours: Entry, _ theirs: Entry) -> [String] {
    var fields: [String] = []
    func compare(_ name: String, _ same: Bool) { if !same { fields.append(name) } }
    switch (ours, theirs) {
    case (.account(let a), .account(let b)):
      compare("secret", a.otp.secret == b.otp.secret)
      compare("algorithm", a.otp.algorithm == b.otp.algorithm)
      compare("digits", a.otp.digits == b.otp.digits)
      compare("period", a.otp.period == b.otp.period)
    case (.otherAccount(let a), .otherAccount(let b)):
      compare("secret", a.secret == b.secret)
      compare("pin", a.pin == b.pin)
    case (.password(let a), .password(let b)):
      compare("password", a.password == b.password)
      compare("urls", a.info.urls == b.info.urls)
    case (.card(let a), .card(let b)):
      compare("number", a.number == b.number)
      compare("expiry", a.expiry == b.expiry)
    case (.note(let a), .note(let b)): compare("text", a.text == b.text)
    default: fields.append("kind")
    }
    return fields
  }

  private static func counters(_ a: Account, _ b: Account) -> (Int64, Int64)? {
    guard case .hotp(let mine) = a.otp.kind, case .hotp(let theirs) = b.otp.kind else { return nil }
    return (mine, theirs)
  }

  // Takes a name that we lack; one that differs becomes a remark in the notes.
  private static func name(
    _ field: String, _ mine: inout String, _ theirs: String, _ fields: inout [String],
    _ remarks: inout [(String, String)]
  ) {
    guard !theirs.isEmpty, !utf8Equal(mine, theirs) else { return }
    if mine.isEmpty {
      mine = theirs
      fields.append(field)
    } else {
      remarks.append((field, theirs))
    }
  }

  private static func keep(_ remarks: [(String, String)], _ info: inout EntryInfo, _ fields: inout [String]) {
    for (field, value) in remarks {
      add(CustomField(name: field, value: SecretValue(utf8: value)), &info, &fields)
    }
  }

  private static func add(_ field: CustomField, _ info: inout EntryInfo, _ fields: inout [String]) {
    guard !info.customFields.contains(field) else { return }
    info.customFields.append(field)
    fields.append("customFields")
  }

  private static func merge(_ mine: inout EntryInfo, _ theirs: EntryInfo, _ fields: inout [String]) {
    if !theirs.notes.isEmpty, mine.notes != theirs.notes, !contains(mine.notes, theirs.notes) {
      var text = SecretBuffer()
      text.append(mine.notes)
      if !mine.notes.isEmpty { text.append(0x0A) }
      text.append(theirs.notes)
      mine.notes = text.finish()
      fields.append("notes")
    }
    union("tags", &mine.tags, theirs.tags, &fields)
    union("urls", &mine.urls, theirs.urls, &fields)
    for field in theirs.customFields { add(field, &mine, &fields) }
    if mine.createdAt == nil, let createdAt = theirs.createdAt {
      mine.createdAt = createdAt
      fields.append("createdAt")
    }
    for member in theirs.opaque where !mine.opaque.contains(where: { utf8Equal($0.key, member.key) }) {
      mine.opaque.append(member)
      fields.append(member.key)
    }
  }

  private static func union(_ name: String, _ mine: inout [String], _ theirs: [String], _ fields: inout [String]) {
    let gained = theirs.filter { text in !mine.contains { utf8Equal($0, text) } }
    guard !gained.isEmpty else { return }
    mine += gained
    fields.append(name)
  }

  // Whether the notes that were merged before stand in ours: the same file a second time must change nothing.
  private static func contains(_ text: SecretValue, _ part: SecretValue) -> Bool {
    text.withBytes { whole in
      part.withBytes { piece in
        guard piece.byteCount <= whole.byteCount else { return false }
        return (0...whole.byteCount - piece.byteCount).contains { start in
          constantTimeEqual(whole.extracting(start..<start + piece.byteCount), piece)
        }
      }
    }
  }
}
