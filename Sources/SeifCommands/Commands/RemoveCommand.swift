internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifVault

/// `seif remove QUERY…`: into the bin, from which it can come back for 30 days.
struct RemoveCommand: Command {
  static let name = "remove"
  static let summary = "put entries into the bin"
  static let usage = """
    seif remove QUERY... [OPTIONS]

    Puts one or more entries into the bin, where they stay for 30 days. `seif undo`
    brings them back at once.
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
    // Every query is settled before anything goes: all of them or none.
    var hits: [EntrySummary] = []
    for query in queries {
      let hit = try Query(query).resolve(in: vault, folder: folder, context)
      if !hits.contains(where: { $0.id == hit.id }) { hits.append(hit) }
    }
    _ = vault.tell(context)
    do throws(VaultUseError) {
      try vault.apply(hits.map { .remove($0.id) }, ifCounterIs: nil)
    } catch {
      guard case .vault(let refusal) = error, refusal.code == .damaged else {
        throw CommandFailure(error, folder: folder)
      }
      throw CommandFailure(
        .badInput, "an entry doesn't open, so it can't go into the bin; nothing was removed",
        hint: "Set it aside: seif doctor --set-aside")
    }
    if output.json {
      let entries = hits.map { ($0.id, $0.kind, $0.name, $0.account) }
      try context.output.writeLine(json: EntriesDocument.text("seif-remove", entries))
    }
    context.talk.say(.ok, EntryLabel.some(hits.map { ($0.name, $0.account) }, "in the bin for 30 days"))
    context.talk.hintUndo()
    return .done
  }
}
