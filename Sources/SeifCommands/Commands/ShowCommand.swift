internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifFormats
internal import SeifOTP
internal import SeifRecords
internal import SeifVault

/// `seif show QUERY`: one entry, its secrets masked unless revealed.
struct ShowCommand: Command {
  static let name = "show"
  static let summary = "show one entry, with its secrets masked"
  static let usage = """
    seif show QUERY [OPTIONS]

    Shows every field of one entry. Secrets are masked unless you say --reveal; so are
    passwords in addresses, and fields of your own that are marked or look like secrets.
    QUERY is a name, a part of one, name:account, an id or its first eight digits.
    One field to the clipboard: see seif help copy.
    """
  static var options: [Option] { RevealOptions.options + UnlockOptions.options + OutputOptions.options }

  private let query: String
  private let reveal: RevealOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    query = try arguments.positional("QUERY")
    reveal = try RevealOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readOnly, context)
    defer { vault.lock() }
    let hit = try Query(query).resolve(in: vault, folder: folder, context)
    let damage = vault.tell(context)
    let entry = try withVault(folder) { () throws(VaultUseError) in
      let read = try vault.entry(hit.id)
      return reveal.reveal ? try vault.revealed(read) : read.stored.entry
    }
    if output.json {
      var records = Records()
      records.append(entry)
      let document = NeutralJSON.write(source: SourceFacts(format: "vault"), records: records, reveal: reveal.reveal)
      try document.withBytes { (bytes) throws(CommandFailure) in try context.output.write(raw: bytes) }
      return damage.exitCode
    }
    for (name, value) in EntryFields(entry, reveals: reveal.reveal, style: context.output.style).lines {
      try context.output.writeLine(value.hasPrefix("\n") ? "\(name):\(value)" : "\(name): \(value)")
    }
    if !reveal.reveal { context.talk.hint("seif show --reveal \(query)") }
    return damage.exitCode
  }
}

/// The fields of an entry as names and values for a person.
struct EntryFields {
  private(set) var lines: [(String, String)] = []
  private let reveals: Bool
  private let style: TerminalStyle

  init(_ entry: Entry, reveals: Bool, style: TerminalStyle) {
    self.reveals = reveals
    self.style = style
    switch entry {
    case .account(let account):
      fields(.name, .user, of: entry)
      otp(account.otp)
      secret(EntryField.secret.label(in: entry), Base32.encode(account.otp.secret))
    case .otherAccount(let other):
      fields(.name, .user, of: entry)
      text("kind", other.type)
      fields(.secret, .pin, of: entry)
    case .password(let login):
      fields(.name, .user, .password, of: entry)
      if !login.totp.isEmpty { secret(EntryField.code.label(in: entry), login.totp) }
      if !login.history.isEmpty { text("passwords before", String(login.history.count)) }
      date("changed", login.updatedAt)
    case .card: fields(.name, .holder, .number, .expiry, .cvc, of: entry)
    case .note(let note):
      fields(.name, .notes, of: entry)
      date("changed", note.updatedAt)
    case .document(let document):
      fields(.id, of: entry)
      text("kind", document.kind.rawValue)
      url(EntryField.server.label(in: entry), document.server)
      fields(.user, of: entry)
      secret("key", Base64.encodedKey(document.masterKey))
    }
    common(entry)
  }

  /// Those of the fields that the entry has.
  private mutating func fields(_ fields: EntryField..., of entry: Entry) {
    for field in fields {
      guard case .value(let value, let isSecret) = field.value(of: entry) else { continue }
      if isSecret {
        secret(field.label(in: entry), value)
      } else {
        // EXPOSE: the table of fields says that it is no secret.
        text(field.label(in: entry), value.exposedText() ?? "")
      }
    }
  }

  private mutating func otp(_ otp: OTPParameters) {
    switch otp.kind {
    case .totp(let period):
      text("kind", "TOTP, \(otp.digits) digits, \(period) s, \(otp.algorithm.name)")
    case .hotp(let counter):
      text("kind", "HOTP, \(otp.digits) digits, \(otp.algorithm.name)")
      text("next counter", String(counter))
    case .steam: text("kind", "Steam")
    }
  }

  private mutating func common(_ entry: Entry) {
    let info = entry.info
    if !info.notes.isEmpty { fields(.notes, of: entry) }
    let address = EntryField.url.label(in: entry)
    for url in info.urls { self.url(address + (info.exactHost ? " (this host only)" : ""), url) }
    if !info.tags.isEmpty { text("tags", info.tags.joined(separator: ", ")) }
    for field in info.customFields {
      if !Disclosure.isOpen(name: field.name, value: field.value, isSecret: field.isSecret) {
        secret(field.name, field.value)
      } else {
        // EXPOSE: the person marked this field as no secret, and it doesn't look like one.
        text(field.name, field.value.exposedText() ?? "")
      }
    }
    if info.isFavorite { text("favourite", "yes") }
    date("made", info.createdAt)
    if !info.opaque.isEmpty { text("not understood here", info.opaque.map(\.key).joined(separator: ", ")) }
    if let id = info.id { text("id", id.description) }
  }

  private mutating func text(_ name: String, _ value: String) {
    if !value.isEmpty { lines.append((Display.cleaned(name), Self.lines(of: value))) }
  }

  /// Cleaned; one of several lines stands below its name, each line behind an indent.
  private static func lines(of value: String) -> String {
    // By bytes: a carriage return and a line feed are one character.
    var lines = value.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
    }
    if lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
    guard lines.count > 1 else { return Display.cleaned(lines.first ?? value) }
    return lines.map { $0.isEmpty ? "\n" : "\n  " + Display.cleaned($0) }.joined()
  }

  private mutating func url(_ name: String, _ value: String) {
    text(name, reveals ? value : Disclosure.masked(url: value, mask: RecordTables.mask(style)))
  }

  private mutating func secret(_ name: String, _ value: SecretValue) {
    // EXPOSE: the person asked for it with --reveal.
    let shown = reveals ? Self.lines(of: value.exposedText() ?? "(not text)") : RecordTables.mask(style)
    lines.append((Display.cleaned(name), shown))
  }

  private mutating func date(_ name: String, _ value: Timestamp?) {
    if let value { text(name, LocalTime.text(value)) }
  }
}

extension Base64 {
  /// A key as it is shown when revealed.
  fileprivate static func encodedKey(_ key: SecretValue) -> SecretValue {
    key.withBytes { encode($0) }
  }
}
