internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// `seif transport list`: where backups can go.
struct TransportListCommand: Command {
  static let name = "transport list"
  static let summary = "list the places where backups go"
  static let usage = """
    seif transport list [OPTIONS]

    Lists the destinations that the vault knows by name. A folder or file:PATH can be given
    to --destination without being added.
    """
  static var options: [Option] { UnlockOptions.options + OutputOptions.options }

  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readOnly, context)
    defer { vault.lock() }
    let rows = try withVault(folder) { () throws(VaultUseError) in
      var rows: [TransportDocument.Row] = []
      for summary in try TransportItem.all(in: vault, importedToo: true) {
        // Secrets aren't asked for: they stay masked where the agent holds them.
        guard case .password(let login) = try vault.entry(summary.id).stored.entry,
          let settings = TransportItem.settings(login)
        else {
          rows.append(.init(name: summary.name, kind: "?", place: "", refusesOverwriting: false))
          continue
        }
        let place = (try? context.transports.transport(settings))?.displayName ?? ""
        rows.append(
          .init(
            name: settings.name, kind: settings.kind, place: place,
            refusesOverwriting: settings.createsConditionally,
            isImported: !summary.tags.contains(SettingTag.destination)))
      }
      return rows
    }
    if output.json {
      try context.output.writeLine(json: TransportDocument.list(rows))
      return .done
    }
    var table = Table([Table.Column("name"), Table.Column("kind"), Table.Column("place", rank: 1)])
    for row in rows { table.add([row.name, row.kind, row.place + (row.isImported ? " (came with a file)" : "")]) }
    try context.output.write(table.text(context.output.style))
    try context.output.flush()
    if let row = rows.first(where: \.isImported) {
      context.talk.warn("what came with a file isn't used until you have looked at it")
      context.talk.hint("seif transport test \(row.name)")
    }
    if rows.isEmpty {
      context.talk.say("The vault knows no destination.")
      context.talk.hint("seif transport add")
    }
    return .done
  }
}
