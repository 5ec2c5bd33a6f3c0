internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// `seif bin list`: what was removed and can come back.
struct BinListCommand: Command {
  static let name = "bin list"
  static let summary = "list what is in the bin"
  static let usage = """
    seif bin list [OPTIONS]

    Lists removed entries, by name. They stay for 30 days; after that the next command
    that writes to the vault deletes them for good.
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
    let bin = try withVault(folder) { () throws(VaultUseError) in try vault.bin() }
    let damage = vault.tell(context)
    if output.json {
      try context.output.writeLine(json: document(bin))
      return damage.exitCode
    }
    let now = Timestamp(seconds: context.clock.now())
    var table = Table([
      Table.Column("kind", rank: 2), Table.Column("name", shortens: true), Table.Column("account", shortens: true),
      Table.Column("removed", rank: 1), Table.Column("id"),
    ])
    // On a terminal as many digits as a query needs, so that there is room for the rest.
    let length = context.output.style.isTerminal ? HitLines.idLength(bin.map(\.id)) : nil
    for item in bin {
      table.add([
        KindName(item.entry.kind).rawValue, item.entry.name, item.entry.account,
        LocalTime.age(item.removedAt, now: now),
        length.map { String(Query.hexadecimal(item.id).prefix($0)) } ?? item.id.description,
      ])
    }
    try context.output.write(table.text(context.output.style))
    try context.output.flush()
    if bin.isEmpty, damage.lines.isEmpty { context.talk.say("The bin is empty.") }
    return damage.exitCode
  }

  private func document(_ bin: [BinnedEntry]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-bin", 1)
    writer.key("entries")
    writer.beginArray()
    for item in bin {
      writer.beginObject()
      writer.member("id", item.id.description)
      writer.member("kind", KindName(item.entry.kind).rawValue)
      writer.member("name", item.entry.name)
      writer.member("account", item.entry.account)
      writer.member("removedAt", item.removedAt.rfc3339)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}

/// `seif bin restore QUERY…`: brings removed entries back to their old places.
struct BinRestoreCommand: Command {
  static let name = "bin restore"
  static let summary = "bring entries back from the bin"
  static let usage = """
    seif bin restore QUERY... [OPTIONS]

    Brings removed entries back to their old places. QUERY is as for the
    other commands: a name, a part of one, name:account, or an id.
    """
  static var options: [Option] { UnlockOptions.options + OutputOptions.options }

  private let queries: [String]
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    queries = try [arguments.positional("QUERY")] + arguments.remainingPositionals()
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    let bin = try withVault(folder) { () throws(VaultUseError) in try vault.bin() }
    _ = vault.tell(context)
    var chosen: [BinnedEntry] = []
    for query in queries {
      guard !query.isEmpty else { throw CommandFailure(.usage, "the query is empty", hint: "Give a name or an id.") }
      let hits = Query(query).matches(bin) { ($0.id, $0.entry.name, $0.entry.account) }
      guard let hit = hits.first else {
        throw CommandFailure(.notFound, "nothing in the bin fits \"\(query)\"", hint: "Try: seif bin list")
      }
      guard hits.count == 1 else {
        var lines = HitLines()
        for hit in hits { lines.add(hit.id, hit.entry.kind, name: hit.entry.name, account: hit.entry.account) }
        throw CommandFailure(
          .notFound, "\"\(query)\" fits \(hits.count) entries of the bin. Say which:",
          details: lines.lines)
      }
      if !chosen.contains(where: { $0.id == hit.id }) { chosen.append(hit) }
    }
    let ids = chosen.map(\.id)
    _ = try withVault(folder) { () throws(VaultUseError) in try vault.apply(ids.map { .restore($0) }, ifCounterIs: nil)
    }
    if output.json {
      let entries = chosen.map { ($0.id, $0.entry.kind, $0.entry.name, $0.entry.account) }
      try context.output.writeLine(json: EntriesDocument.text("seif-bin-restore", entries))
    }
    context.talk.say(.ok, EntryLabel.some(chosen.map { ($0.entry.name, $0.entry.account) }, "back"))
    return .done
  }
}
