internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifTUI

/// Adding and editing ask as `seif add` and `seif edit` do, with their words and checks.
enum ScreenDialogue {
  static func edit(_ id: UUID, _ vault: ScreenVault, _ context: Context) throws(CommandFailure) {
    context.talk.say("Edit an entry. Ctrl-D goes back and changes nothing.")
    let command = try command(EditCommand.self, [id.description])
    try noting { () throws(CommandFailure) in _ = try command.change(id, in: vault.vault, vault.folder, context) }
  }

  static func add(_ kind: ItemKind, _ vault: ScreenVault, _ context: Context) throws(CommandFailure) {
    context.talk.say("Add a \(kind.word). Ctrl-D goes back and adds nothing.")
    let command = try command(AddCommand.self, [kind.word])
    try noting { () throws(CommandFailure) in _ = try command.add(to: vault.vault, vault.folder, context) }
  }

  /// From then on nobody is told that nothing was changed, unless it was given up before.
  private static func noting(_ body: () throws(CommandFailure) -> Void) throws(CommandFailure) {
    do throws(CommandFailure) {
      try body()
      CrashedScreen.noteChange()
    } catch {
      if error != Context.cancelled { CrashedScreen.noteChange() }
      throw error
    }
  }

  /// What was said stays to be read, as long as the vault may stay open by itself.
  /// - Returns: whether Enter came.
  static func waitForEnter(_ context: Context, seconds: Int64) -> Bool {
    guard let terminal = TerminalDevice(context) else { return false }
    return terminal.waitForEnter("Enter goes back to the list. ", seconds: seconds)
  }

  private static func command<C: Command>(_: C.Type, _ words: [String]) throws(CommandFailure) -> C {
    do throws(UsageError) {
      var arguments = try ArgumentParser.parse(words, options: C.options)
      return try C(&arguments)
    } catch {
      throw CommandFailure(.usage, error.message)
    }
  }
}
