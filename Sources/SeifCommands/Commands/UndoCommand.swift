internal import SeifRecords
internal import SeifVault

/// `seif undo`: takes the last change back.
struct UndoCommand: Command {
  static let name = "undo"
  static let summary = "take the last change of the vault back"
  static let usage = """
    seif undo [OPTIONS]

    Takes the last change of the vault back as a whole: an import, an edit, a removal; and
    says which entries that were. Up to ten changes can be taken back, one by one. Counters
    never go back.

    Entries that the change had added go into the bin. The same import then leaves them
    there, unless it is told otherwise: seif import FILE --from-bin.
    """
  static var options: [Option] { UnlockOptions.options + [OutputOptions.quiet] }

  /// Entries named of each sort; the rest is counted.
  private static let shownCount = 10

  private let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    unlock = try UnlockOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.unlock(.readWrite, context)
    defer { vault.lock() }
    let (before, after) = try withVaultErrors(folder) { () throws(VaultError) in
      let before = (counter: try vault.counter(), entries: try vault.entries())
      try vault.undo()
      return (before, (counter: try vault.counter(), entries: try vault.entries()))
    }
    context.talk.say(.ok, "The last change is undone.")
    // Where another Seif wrote meanwhile the difference isn't ours alone.
    guard after.counter == before.counter + 1 else { return .done }
    tell(from: before.entries, to: after.entries, context)
    return .done
  }

  private func tell(from before: [StoredEntry], to after: [StoredEntry], _ context: Context) {
    let old = Dictionary(before.map { ($0.id, $0) }) { first, _ in first }
    let new = Dictionary(after.map { ($0.id, $0) }) { first, _ in first }
    let returned = after.filter { old[$0.id] == nil }
    let changed = after.filter { entry in old[entry.id].map { $0 != entry } ?? false }
    let binned = before.filter { new[$0.id] == nil }
    for (mark, entries, words) in [
      ("+", returned, "back from the bin"), ("~", changed, "as it was before"), ("-", binned, "in the bin"),
    ] {
      for entry in entries.prefix(Self.shownCount) where !context.talk.isQuiet {
        context.talk.item(mark, "\(EntryLabel.text(entry.entry.name, entry.entry.account)): \(words)")
      }
      let more = entries.count - Self.shownCount
      if more > 0, !context.talk.isQuiet { context.talk.item(mark, "and \(more) more: \(words)") }
    }
    if !binned.isEmpty { context.talk.hint("seif bin list") }
  }
}
