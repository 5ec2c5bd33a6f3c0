internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifFormats
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

  /// A table for each kind that has entries. On a terminal a blank line between, and heads of the kinds where there are
  /// several; elsewhere each line begins with its kind, so that a script can tell them apart.
  func text(_ records: Records) -> String {
    let sections = [
      ("Codes", accounts(records)), ("Logins", logins(records.passwords)), ("Cards", cards(records.cards)),
      ("Notes", notes(records.notes)), ("Document vaults", documents(records.documents)),
    ].filter { !$0.1.isEmpty }
    guard hasHeads else { return sections.map(\.1).joined() }
    guard sections.count > 1 else { return sections.map(\.1).joined() }
    return sections.map { style.bold($0.0) + "\n" + $0.1 }.joined(separator: "\n")
  }

  private var hasHeads: Bool { style.isTerminal || style.isAccessible }

  /// The kind's column, where lines have one.
  private func kindColumn() -> [Table.Column] { hasHeads ? [] : [Table.Column("kind")] }

  private func add(_ cells: [String], _ kind: KindName, to table: inout Table) {
    guard !hasHeads else { return table.add(cells) }
    // As wide as the widest that is common, so that the tables stand below one another.
    let padding = String(repeating: " ", count: max(0, 5 - kind.rawValue.count))
    table.add([kind.rawValue + padding] + cells)
  }

  /// "2 codes, 1 login, 0 cards".
  static func summary(_ records: Records, zeros: Bool = true) -> String {
    func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
    let common = [
      (records.accounts.count + records.otherAccounts.count, "code", "codes"),
      (records.passwords.count, "login", "logins"), (records.cards.count, "card", "cards"),
    ]
    var parts = common.filter { zeros || $0.0 > 0 }.map { count($0.0, $0.1, $0.2) }
    if !records.notes.isEmpty { parts.append(count(records.notes.count, "note", "notes")) }
    if !records.documents.isEmpty { parts.append(count(records.documents.count, "document vault", "document vaults")) }
    if !records.unusable.isEmpty { parts.append(count(records.unusable.count, "entry", "entries") + " not usable") }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }

  /// What stands for a secret: of one width, whatever its length.
  static func mask(_ style: TerminalStyle) -> String {
    style.isUTF8 ? "••••••" : "******"
  }

  private func accounts(_ records: Records) -> String {
    var columns =
      kindColumn() + [
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
      add(cells, .code, to: &table)
    }
    for other in records.otherAccounts {
      let code = OtherCodes.code(other, at: time)
      var cells = [
        EntryLabel.name(other.issuer, beside: other.account), other.account, code.map { $0.text } ?? other.type,
        code?.secondsLeft.map { "\($0) s" } ?? "",
      ]
      // EXPOSE: the person asked for it with --reveal.
      if reveals { cells.append(other.secret?.exposedText() ?? "") }
      add(cells, .code, to: &table)
    }
    return table.text(style)
  }

  private func logins(_ logins: [Password]) -> String {
    var table = Table(
      kindColumn() + [
        Table.Column("name", shortens: true), Table.Column("user", rank: 2, shortens: true), Table.Column("password"),
      ])
    for login in logins {
      add(
        [EntryLabel.name(login.title, beside: login.username), login.username, shown(login.password)], .login,
        to: &table)
    }
    return table.text(style)
  }

  private func cards(_ cards: [Card]) -> String {
    var table = Table(
      kindColumn() + [
        Table.Column("name", shortens: true), Table.Column("holder", rank: 2, shortens: true), Table.Column("number"),
        Table.Column("expiry", rank: 1), Table.Column("cvc", rank: 3),
      ])
    for card in cards {
      let cells = [
        EntryLabel.name(card.name, beside: card.holder), card.holder, shown(card.number), card.expiry ?? "",
        card.cvc.map { shown($0) } ?? "",
      ]
      add(cells, .card, to: &table)
    }
    return table.text(style)
  }

  private func notes(_ notes: [Note]) -> String {
    var table = Table(kindColumn() + [Table.Column("title", shortens: true), Table.Column("text", shortens: true)])
    for note in notes { add([EntryLabel.name(note.title, beside: ""), shown(note.text)], .note, to: &table) }
    return table.text(style)
  }

  private func documents(_ documents: [DocumentVault]) -> String {
    var table = Table(
      kindColumn() + [Table.Column("id"), Table.Column("kind"), Table.Column("server", rank: 1, shortens: true)])
    for document in documents {
      let server = reveals ? document.server : Disclosure.masked(url: document.server, mask: Self.mask(style))
      add([document.id, document.kind.rawValue, server], .document, to: &table)
    }
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
