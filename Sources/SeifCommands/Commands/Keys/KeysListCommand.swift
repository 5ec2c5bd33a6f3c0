internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

/// `seif keys list`: the ways in, as far as they are known without the key.
struct KeysListCommand: Command {
  static let name = "keys list"
  static let summary = "list what opens the vault"
  static let usage = """
    seif keys list [OPTIONS]

    Lists the ways into the vault: the kind, when it was made, when it last opened the
    vault on this machine, and what somebody who has a copy of the vault would need to
    use it. Asks for nothing: all of this stands in the vault in clear. What opens the
    vault may be given as to other commands, and isn't read.
    """
  static var options: [Option] { UnlockOptions.options + OutputOptions.options }

  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let location = try unlock.location(context)
    let (ways, uses) = try withVaultErrors(location.folder) { () throws(VaultError) in
      let locked = try Vault.open(at: location, access: .readOnly)
      return (locked.waysIn, locked.lastUses)
    }
    if output.json {
      try context.output.writeLine(json: Self.document(ways, uses))
      return .done
    }
    let now = Timestamp(seconds: context.clock.now())
    // What tells two of a kind apart has its place in each line; on a terminal the sentences follow, whole.
    let isTerminal = context.output.style.isTerminal
    var columns = [
      Table.Column("kind"), Table.Column("made", rank: 2), Table.Column("last used", rank: 1), Table.Column("id"),
    ]
    if !isTerminal { columns.insert(Table.Column("to open it by this"), at: 3) }
    var table = Table(columns)
    for way in ways {
      let id = way.id.description
      // Two of a kind made on one day would be of one age.
      let isOneOfSeveral = ways.count { $0.kind == way.kind } > 1
      let made =
        way.createdAt.map { isOneOfSeveral ? LocalTime.text($0) : LocalTime.age($0, now: now) } ?? "not known"
      var row = [
        way.kind.name, made,
        uses[way.id].map { LocalTime.age($0, now: now) } ?? "never here",
        isTerminal ? String(id.prefix(WayInChoice.digits)) : id,
      ]
      if !isTerminal { row.insert(way.attackerNeeds, at: 3) }
      table.add(row)
    }
    try table.write(to: context.output)
    if isTerminal {
      try context.output.writeLine("What opens it by each, weakest first:")
      var said: Set<String> = []
      for way in ways.sorted(by: { $0.protectionRank < $1.protectionRank })
      where said.insert(way.attackerNeeds).inserted {
        let line = Display.cleaned("  \(way.kind.name): \(way.attackerNeeds)")
        try context.output.writeLine(WordWrap.wrapped(line, to: context.output.style.columns ?? 80, indent: 4))
      }
    }
    if !WayIn.areStrong(ways, passphrases: Set(ways.filter { $0.kind == .passphrase }.map(\.id))) {
      try context.output.flush()
      context.talk.warn("what opens this vault is lost with the machine: seif keys add recovery")
    }
    return .done
  }

  private static func document(_ ways: [WayIn], _ uses: [UUID: Timestamp]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-keys", 1)
    writer.key("waysIn")
    writer.beginArray()
    for way in ways {
      writer.beginObject()
      writer.member("id", way.id.description)
      writer.member("kind", way.kind.name)
      if let moment = way.createdAt { writer.member("createdAt", moment.rfc3339) }
      if let moment = uses[way.id] { writer.member("lastUsedAt", moment.wholeSeconds.rfc3339) }
      writer.member("attackerNeeds", way.attackerNeeds)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
