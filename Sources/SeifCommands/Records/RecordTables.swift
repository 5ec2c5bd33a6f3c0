internal import SeifAgent
internal import SeifBytes
internal import SeifOTP
internal import SeifRecords

/// Records as tables for people: names and codes; secrets masked unless revealed.
struct RecordTables {
  private let time: Timestamp
  private let reveals: Bool
  private let style: TerminalStyle

  init(at time: Timestamp, reveals: Bool, style: TerminalStyle) {
    self.time = time
    self.reveals = reveals
    self.style = style
  }

  /// A table for each kind that has entries, a blank line between; heads of the kinds only where there are several.
  func text(_ records: Records) -> String {
    let sections = [
      ("Codes", accounts(records)), ("Logins", logins(records.passwords)), ("Cards", cards(records.cards)),
      ("Notes", notes(records.notes)), ("Document vaults", documents(records.documents)),
    ].filter { !$0.1.isEmpty }
    guard sections.count > 1, style.isTerminal || style.isAccessible else { return sections.map(\.1).joined() }
    return sections.map { style.bold($0.0) + "\n" + $0.1 }.joined(separator: "\n")
  }

  /// "2 codes, 1 login, 0 cards".
  static func summary(_ records: Records) -> String {
    func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
    var parts = [
      count(records.accounts.count + records.otherAccounts.count, "code", "codes"),
      count(records.passwords.count, "login", "logins"), count(records.cards.count, "card", "cards"),
    ]
    if !records.notes.isEmpty { parts.append(count(records.notes.count, "note", "notes")) }
    if !records.documents.isEmpty { parts.append(count(records.documents.count, "document vault", "document vaults")) }
    if !records.unusable.isEmpty { parts.append(count(records.unusable.count, "entry", "entries") + " not usable") }
    return parts.joined(separator: ", ")
  }

  /// What stands for a secret: of one width, whatever its length.
  static func mask(_ style: TerminalStyle) -> String {
    style.isUTF8 ? "••••••" : "******"
  }

  private func accounts(_ records: Records) -> String {
    var columns = [
      Table.Column("name", shortens: true), Table.Column("account", rank: 2, shortens: true), Table.Column("code"),
      Table.Column("left", right: true, rank: 1),
    ]
    if reveals { columns.append(Table.Column("secret")) }
    var table = Table(columns)
    for account in records.accounts {
      let code = try? OneTimePassword.code(account.otp, at: time)
      var left = code?.secondsLeft.map { "\($0) s" } ?? ""
      if case .hotp(let counter) = account.otp.kind { left = "no. \(counter)" }
      var cells = [
        EntryLabel.name(account.issuer, beside: account.account), account.account, code.map { grouped($0.text) } ?? "-",
        left,
      ]
      // EXPOSE: the person asked for it with --reveal.
      if reveals { cells.append(Base32.encode(account.otp.secret).exposedText() ?? "") }
      table.add(cells)
    }
    for other in records.otherAccounts {
      let code = OtherCodes.code(other, at: time)
      var cells = [
        EntryLabel.name(other.issuer, beside: other.account), other.account, code.map { $0.text } ?? other.type,
        code?.secondsLeft.map { "\($0) s" } ?? "",
      ]
      // EXPOSE: the person asked for it with --reveal.
      if reveals { cells.append(other.secret?.exposedText() ?? "") }
      table.add(cells)
    }
    return table.text(style)
  }

  private func logins(_ logins: [Password]) -> String {
    var table = Table([
      Table.Column("name", shortens: true), Table.Column("user", rank: 2, shortens: true), Table.Column("password"),
    ])
    for login in logins {
      table.add([EntryLabel.name(login.title, beside: login.username), login.username, shown(login.password)])
    }
    return table.text(style)
  }

  private func cards(_ cards: [Card]) -> String {
    var table = Table([
      Table.Column("name", shortens: true), Table.Column("holder", rank: 2, shortens: true), Table.Column("number"),
      Table.Column("expiry", rank: 1), Table.Column("cvc", rank: 3),
    ])
    for card in cards {
      table.add([
        EntryLabel.name(card.name, beside: card.holder), card.holder, shown(card.number), card.expiry ?? "",
        card.cvc.map { shown($0) } ?? "",
      ])
    }
    return table.text(style)
  }

  private func notes(_ notes: [Note]) -> String {
    var table = Table([Table.Column("title", shortens: true), Table.Column("text", shortens: true)])
    for note in notes { table.add([EntryLabel.name(note.title, beside: ""), shown(note.text)]) }
    return table.text(style)
  }

  private func documents(_ documents: [DocumentVault]) -> String {
    var table = Table([Table.Column("id"), Table.Column("kind"), Table.Column("server", rank: 1, shortens: true)])
    for document in documents { table.add([document.id, document.kind.rawValue, document.server]) }
    return table.text(style)
  }

  // EXPOSE: only with --reveal.
  private func shown(_ secret: SecretValue) -> String {
    reveals ? secret.exposedText() ?? "(not text)" : Self.mask(style)
  }

  /// On a terminal in groups of three, else plain digits.
  private func grouped(_ code: String) -> String {
    style.isTerminal ? CodeText.grouped(code) : code
  }
}

/// How a code is written for a person.
enum CodeText {
  /// `482 913`, `12 345 678`: groups of three from the right; four digits and letters stay together.
  static func grouped(_ code: String) -> String {
    let characters = Array(code)
    guard characters.count > 4, characters.allSatisfy({ $0.isASCII && $0.isNumber }) else { return code }
    var text = ""
    for (index, character) in characters.enumerated() {
      if index > 0, (characters.count - index) % 3 == 0 { text.append(" ") }
      text.append(character)
    }
    return text
  }
}
