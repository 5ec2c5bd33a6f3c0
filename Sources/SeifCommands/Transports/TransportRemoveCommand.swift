internal import SeifAgent
internal import SeifBytes
internal import SeifVault

/// `seif transport remove NAME`: the vault forgets a destination; what lies there stays.
struct TransportRemoveCommand: Command {
  static let name = "transport remove"
  static let summary = "forget a destination; its backups stay there"
  static let usage = """
    seif transport remove NAME [OPTIONS]

    Puts the destination's settings into the bin for 30 days. The backups that lie there,
    and what the ledger knows of them, stay.
    """
  static var options: [Option] { UnlockOptions.options + OutputOptions.options }

  private let name: String
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    name = try arguments.positional("NAME")
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    let found = try withVault(folder) { () throws(VaultUseError) in
      try TransportItem.all(in: vault, importedToo: true).filter { $0.name.utf8.elementsEqual(name.utf8) }
    }
    guard !found.isEmpty else {
      let guess = try TransportItem.guess(name, in: vault, folder)
      throw CommandFailure(
        .notFound, "the vault knows no destination \(name)\(guess)", hint: "See: seif transport list")
    }
    try withVault(folder) { () throws(VaultUseError) in
      _ = try vault.apply(found.map { .remove($0.id) }, ifCounterIs: nil)
    }
    if output.json {
      let entries = found.map { ($0.id, $0.kind, $0.name, $0.account) }
      try context.output.writeLine(json: EntriesDocument.text("seif-transport-remove", entries))
    }
    context.talk.say(.ok, "\(name) is no destination any more; what lies there stays.")
    context.talk.hintUndo()
    return .done
  }
}
