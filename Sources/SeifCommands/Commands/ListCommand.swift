internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifFormats
internal import SeifRecords
internal import SeifVault

/// The kinds of the command line, shorter than those of the files.
enum KindName: String, CaseIterable {
  case code, login, card, note, document

  func fits(_ kind: RecordKind) -> Bool {
    switch self {
    case .code: kind == .accounts || kind == .otherAccounts
    case .login: kind == .passwords
    case .card: kind == .cards
    case .note: kind == .notes
    case .document: kind == .documents
    }
  }

  init(_ kind: RecordKind) {
    switch kind {
    case .accounts, .otherAccounts: self = .code
    case .passwords: self = .login
    case .cards: self = .card
    case .notes: self = .note
    case .documents: self = .document
    }
  }
}

/// `seif list`: what is in the vault, by name.
struct ListCommand: Command {
  static let name = "list"
  static let summary = "list what is in the vault"
  static let usage = """
    seif list [QUERY] [OPTIONS]

    Lists names and accounts, no secrets. QUERY keeps those that contain it. Destinations of
    backups are in seif transport list, and here by --tag seif-transport.
    """
  enum Order: String, CaseIterable { case own, name, account, created }

  static let kind = Option.value("kind", "KIND", "only code, login, card, note or document")
  static let tag = Option.value("tag", "TAG", repeats: true, "only entries with this tag")
  static let favorite = Option.flag("favorite", "only favourites")
  static let sort = Option.value("sort", "ORDER", "own (your order), name, account or created")
  static var options: [Option] {
    [kind, tag, favorite, sort] + UnlockOptions.options + OutputOptions.options
  }

  private let query: String?
  private let kind: KindName?
  private let tags: [String]
  private let favorite: Bool
  private let order: Order
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    query = arguments.optionalPositional()
    kind = try arguments.choice(Self.kind)
    tags = arguments.values(Self.tag)
    favorite = arguments.flag(Self.favorite)
    order = try arguments.choice(Self.sort) ?? .own
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readOnly, context)
    defer { vault.lock() }
    // A setting is listed where its tag is asked for.
    let all = try withVault(folder) { () throws(VaultUseError) in try vault.list() }.filter { entry in
      !entry.isSetting || tags.contains { SettingTag.all.map(Query.folded).contains(Query.folded($0)) }
    }
    let damage = vault.tell(context)
    let listed = sorted(all.filter { isWanted($0) })
    if output.json {
      try context.output.writeLine(json: document(listed))
      return damage.exitCode
    }
    var table = Table([
      Table.Column("kind", rank: 3), Table.Column("name", shortens: true), Table.Column("account", shortens: true),
      Table.Column("tags", rank: 2, shortens: true), Table.Column("favourite", rank: 1),
    ])
    for entry in listed {
      let star = context.output.style.isUTF8 ? "★" : "*"
      table.add([
        KindName(entry.kind).rawValue, EntryLabel.name(entry.name, beside: entry.account), entry.account,
        entry.tags.joined(separator: ", "),
        entry.isFavorite ? star : "",
      ])
    }
    try context.output.write(table.text(context.output.style))
    try context.output.flush()
    if listed.isEmpty, damage.lines.isEmpty || !all.isEmpty {
      let binned = all.isEmpty ? (try? vault.binnedCount()) ?? 0 : 0
      if binned > 0 {
        context.talk.say(
          "The vault is empty, but for its bin: \(binned == 1 ? "1 entry lies" : "\(binned) entries lie") there.")
        context.talk.hint("seif bin list")
      } else {
        context.talk.say(all.isEmpty ? "The vault is empty." : "Nothing in the vault fits.")
        context.talk.hint(all.isEmpty ? "seif import FILE" : "seif list")
      }
    }
    return damage.exitCode
  }

  private func isWanted(_ entry: EntrySummary) -> Bool {
    if let kind, !kind.fits(entry.kind) { return false }
    if favorite, !entry.isFavorite { return false }
    if !tags.allSatisfy({ tag in entry.tags.contains { Query.folded($0) == Query.folded(tag) } }) { return false }
    guard let query else { return true }
    let part = Query.folded(query)
    return ([entry.name, entry.account] + entry.urls).contains { Query.contains(Query.folded($0), part) }
  }

  // Orders never depend on the locale: letters without case in the order of their code points.
  private func sorted(_ entries: [EntrySummary]) -> [EntrySummary] {
    func byText(_ text: (EntrySummary) -> String) -> [EntrySummary] {
      entries.map { (Query.folded(text($0)), $0) }.enumerated()
        .sorted { left, right in
          let (a, b) = (left.element.0, right.element.0)
          return utf8Equal(a, b) ? left.offset < right.offset : utf8Precedes(a, b)
        }.map { $0.element.1 }
    }
    switch order {
    case .own: return entries
    case .name: return byText { $0.name }
    case .account: return byText { $0.account }
    case .created:
      return entries.sorted { ($0.createdAt?.milliseconds ?? .min) < ($1.createdAt?.milliseconds ?? .min) }
    }
  }

  private func document(_ entries: [EntrySummary]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-list", 1)
    writer.key("entries")
    writer.beginArray()
    for entry in entries {
      writer.beginObject()
      writer.member("id", entry.id.description)
      writer.member("kind", KindName(entry.kind).rawValue)
      writer.member("name", entry.name)
      writer.member("account", entry.account)
      writer.member("isFavorite", entry.isFavorite)
      writer.member("hasCode", entry.hasOneTimeCode || KindName(entry.kind) == .code)
      writer.member("tags", entry.tags)
      writer.member("urls", entry.urls.map { Disclosure.masked(url: $0) })
      if let createdAt = entry.createdAt { writer.member("createdAt", createdAt.rfc3339) }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
