internal import SeifBytes
internal import SeifOTP

/// Brings two entries that are the same thing together: ours stays, and what only theirs has is added.
enum EntryMerge {
  /// The merged entry and the names of the fields that it gained; none: the entry holds all that theirs has.
  static func merge(_ ours: Entry, with theirs: Entry) -> (Entry, [String]) {
    if case .document(let mine) = ours, case .document(let other) = theirs {
      let (merged, fields) = DocumentMerge.merge(mine, with: other)
      return (.document(merged), fields)
    }
    var merge = FieldMerge(ours.info)
    var merged = ours
    switch (ours, theirs) {
    case (.account(var mine), .account(let other)):
      if let (a, b) = counters(mine, other), b > a, let advanced = try? mine.otp.withCounter(b) {
        mine.otp = advanced
        merge.gain("counter")
      }
      merge.text("issuer", &mine.issuer, other.issuer)
      merge.text("account", &mine.account, other.account)
      merged = .account(mine)
    case (.otherAccount(var mine), .otherAccount(let other)):
      if let counter = other.counter, mine.counter.map({ $0 < counter }) ?? true {
        mine.counter = counter
        merge.gain("counter")
      }
      merge.text("issuer", &mine.issuer, other.issuer)
      merge.text("account", &mine.account, other.account)
      merge.text("algorithm", &mine.algorithm, other.algorithm)
      merge.number("digits", &mine.digits, other.digits)
      merge.number("period", &mine.period, other.period)
      merged = .otherAccount(mine)
    case (.password(var mine), .password(let other)):
      var totp = mine.totp.isEmpty ? nil : mine.totp
      merge.secret("totp", &totp, other.totp.isEmpty ? nil : other.totp)
      mine.totp = totp ?? .empty
      if history(&mine, other, theirsFirst: false) { merge.gain("history") }
      merge.time("updatedAt", &mine.updatedAt, other.updatedAt)
      merged = .password(mine)
    case (.card(var mine), .card(let other)):
      merge.secret("cvc", &mine.cvc, other.cvc)
      merge.text("name", &mine.name, other.name)
      merge.text("holder", &mine.holder, other.holder)
      merged = .card(mine)
    case (.note(var mine), .note(let other)):
      merge.time("updatedAt", &mine.updatedAt, other.updatedAt)
      merged = .note(mine)
    default: break
    }
    merge.merge(theirs.info)
    return finish(merged, &merge)
  }

  /// A login with the newer password of theirs: the present one must stand in their history.
  static func succeed(_ ours: Password, by theirs: Password) -> (Entry, [String]) {
    var newer = ours
    newer.password = theirs.password
    if let updatedAt = theirs.updatedAt { newer.updatedAt = updatedAt }
    _ = history(&newer, theirs, theirsFirst: true)
    let (merged, fields) = merge(.password(newer), with: .password(theirs))
    return (merged, ["password"] + fields)
  }

  private static func finish(_ entry: Entry, _ merge: inout FieldMerge) -> (Entry, [String]) {
    var entry = entry
    entry.info = merge.info
    // A second time, since the fields may take the place of a member that isn't understood themselves.
    for _ in 0..<2 where !merge.fields.isEmpty && merge.keepDisplaced(in: entry.json()) { entry.info = merge.info }
    return (entry, merge.fields)
  }

  /// Adds the passwords of theirs that ours doesn't hold, newest first where all dates are known.
  private static func history(_ mine: inout Password, _ theirs: Password, theirsFirst: Bool) -> Bool {
    var rows = theirs.history
    if theirs.password != mine.password {
      rows.insert(PreviousPassword(password: theirs.password, changedAt: nil), at: 0)
    }
    guard !rows.isEmpty else { return false }
    let gained = rows.count <= 2 ? fewUnknown(rows, mine) : unknown(rows, mine)
    guard !gained.isEmpty else { return false }
    mine.history = theirsFirst ? gained + mine.history : mine.history + gained
    if mine.history.allSatisfy({ $0.changedAt != nil }) {
      let ordered = mine.history.enumerated().sorted { left, right in
        let (a, b) = (left.element.changedAt?.milliseconds ?? 0, right.element.changedAt?.milliseconds ?? 0)
        return a == b ? left.offset < right.offset : a > b
      }
      mine.history = ordered.map(\.element)
    }
    return true
  }

  private static func unknown(_ rows: [PreviousPassword], _ mine: Password) -> [PreviousPassword] {
    let fields = HistoryOverflow.fields(of: mine)
    var passwords = Set(mine.history.map(\.password) + fields.map(\.value) + [mine.password])
    var known = Set(mine.history.map { HistoryKey($0) })
    let kept = Set(fields.map { FieldKey($0) })
    return rows.filter { row in
      let isNew = passwords.insert(row.password).inserted
      guard known.insert(HistoryKey(row)).inserted, isNew || !row.opaque.isEmpty else { return false }
      return !kept.contains(FieldKey(HistoryOverflow.field(row)))
    }
  }

  // The same without sets of ours: many versions of one login, each with a row or two, may meet a long history.
  private static func fewUnknown(_ rows: [PreviousPassword], _ mine: Password) -> [PreviousPassword] {
    var part = mine
    part.history = mine.history.filter { held in rows.contains { $0.password == held.password } }
    part.info.customFields = mine.info.customFields.filter { held in rows.contains { $0.password == held.value } }
    return unknown(rows, part)
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
      // Counts first: ours may be compared with every entry of a file.
      let (mine, others) = (a.info.urls, b.info.urls)
      compare("urls", mine.count == others.count && mine.elementsEqual(others, by: utf8Equal))
    case (.card(let a), .card(let b)):
      compare("number", a.number == b.number)
      compare("expiry", a.expiry.map { UTF8Key($0) } == b.expiry.map { UTF8Key($0) })
    case (.note(let a), .note(let b)): compare("text", a.text == b.text)
    case (.document(let a), .document(let b)): compare("masterKey", a.masterKey == b.masterKey)
    default: fields.append("kind")
    }
    return fields
  }

  private static func counters(_ a: Account, _ b: Account) -> (Int64, Int64)? {
    guard case .hotp(let mine) = a.otp.kind, case .hotp(let theirs) = b.otp.kind else { return nil }
    return (mine, theirs)
  }
}
