internal import SeifCommandLine
internal import Glibc
internal import SeifAgent
internal import SeifBytes
internal import SeifTUI

/// `seif tui --plain`: one line in, some lines out.
final class PlainSession {
  private let vault: ScreenVault
  private let lockSeconds: Int64
  private let context: Context
  private var dialogue: PlainDialogue
  private var isOver = false

  init(_ vault: ScreenVault, lockSeconds: Int64, _ context: Context) {
    self.vault = vault
    self.lockSeconds = lockSeconds
    self.context = context
    let name = vault.folder.split(separator: "/").last.map(String.init) ?? vault.folder
    dialogue = PlainDialogue(
      vaultName: name, fold: { Query.folded($0) },
      wrap: { [columns = context.output.style.columns ?? 80] in WordWrap.wrapped($0, to: columns) })
  }

  /// - Throws: exit 77 where the vault was locked meanwhile.
  func run() throws(CommandFailure) {
    guard let terminal = TerminalDevice(context)?.lasting() else { return }
    defer { close(terminal.descriptor) }
    CrashedScreen.arm(terminal.descriptor, terminal.attributes, hasScreen: false)
    defer { CrashedScreen.disarm() }
    let key = Interrupts.add(
      .init(
        end: {}, suspend: { CrashedScreen.setOn(false) }, resume: { CrashedScreen.setOn(true) }))
    defer { Interrupts.remove(key) }
    let vault = vault
    // The vault is open while nobody answers: for so long and no longer.
    try context.questionWatch.during(seconds: lockSeconds, isOpen: { vault.isStillOpen }) {
      () throws(CommandFailure) in try talk()
    }
  }

  private func talk() throws(CommandFailure) {
    try load()
    while !isOver {
      for line in dialogue.takeLines() { try context.output.writeLine(line) }
      try context.output.flush()
      guard let terminal = TerminalDevice(context), let line = terminal.readLine(PlainDialogue.prompt) else { return }
      for effect in dialogue.answer(line) { try perform(effect) }
    }
    for line in dialogue.takeLines() { try context.output.writeLine(line) }
  }

  private func load() throws(CommandFailure) {
    let (items, damage) = try vault.items()
    if let damage { dialogue.say("Warning: \(damage).") }
    dialogue.show(items)
  }

  private func perform(_ effect: Effect) throws(CommandFailure) {
    do throws(CommandFailure) {
      try act(effect)
    } catch {
      if error == CommandFailure(AgentRefusal(.locked)) { throw error }
      dialogue.say("Not done: \(error.what). \(error.hint ?? "")")
    }
  }

  private func act(_ effect: Effect) throws(CommandFailure) {
    switch effect {
    case .open(let id): dialogue.show(try vault.details(id))
    case .reveal(let id, let field): dialogue.show(try vault.reveal(id, field))
    case .nextCode(let id): dialogue.show(try vault.nextCode(id))
    case .copy(let id, let field):
      let seconds = try vault.copy(id, field).seconds
      dialogue.say("Copied \(field.label)." + (seconds.map { " Cleared in \($0) s." } ?? " Seif can't clear it."))
    case .setFavorite(let id, let isFavorite):
      try vault.setFavorite(id, isFavorite)
      try load()
    case .remove(let id):
      try vault.remove(id)
      dialogue.say("\(vault.label(id)) is in the bin; u brings it back.")
      try load()
    case .restore(let id):
      try vault.restore(id)
      dialogue.say("Brought back.")
      try load()
    case .undo:
      let change = try vault.lastChange()
      guard try vault.mayUndo(change) else { return dialogue.say("Nothing was changed.") }
      dialogue.say(try vault.undo(change))
      try load()
    case .history(let id): dialogue.show(try vault.history(id))
    case .bringBack(let id, let field):
      dialogue.say(try vault.bringBack(id, field))
      try load()
    case .edit(let id):
      try ScreenDialogue.edit(id, vault, context)
      try load()
    case .add(let kind):
      try ScreenDialogue.add(kind, vault, context)
      try load()
    case .lock:
      vault.lockInAgent()
      dialogue.say("Locked.")
      isOver = true
    case .quit: isOver = true
    case .time, .unlock, .reload: break
    }
  }
}
