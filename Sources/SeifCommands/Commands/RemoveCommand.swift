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
  static var options: [Option] { UnlockOptions.options + [OutputOptions.quiet] }

  private let queries: [String]
  private let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    queries = try [arguments.positional("QUERY")] + arguments.remainingPositionals()
    unlock = try UnlockOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    // Every query is settled before anything goes: all of them or none.
    var ids: [UUID] = []
    for query in queries {
      let hit = try Query(query).resolve(in: vault, folder: folder, context)
      if !ids.contains(hit.id) { ids.append(hit.id) }
    }
    _ = vault.tell(context)
    _ = try withVault(folder) { () throws(VaultUseError) in try vault.apply(ids.map { .remove($0) }, ifCounterIs: nil) }
    context.talk.say(.ok, "\(ids.count) \(ids.count == 1 ? "entry is" : "entries are") in the bin for 30 days.")
    context.talk.hint("seif undo")
    return .done
  }
}

/// `seif undo`: takes the last change back.
struct UndoCommand: Command {
  static let name = "undo"
  static let summary = "take the last change of the vault back"
  static let usage = """
    seif undo [OPTIONS]

    Takes the last change of the vault back as a whole: an import, an edit, a removal.
    Up to ten changes can be taken back, one by one. Counters never go back.
    """
  static var options: [Option] { UnlockOptions.options + [OutputOptions.quiet] }

  private let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    unlock = try UnlockOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    try withVault(folder) { () throws(VaultUseError) in try vault.undo() }
    context.talk.say(.ok, "The last change is undone.")
    return .done
  }
}
