internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifAgent
internal import SeifBytes
internal import SeifTUI
internal import SeifVault

/// `seif tui` on a whole screen: keys to the model, its effects to the vault, its cells to the terminal.
final class ScreenSession {
  private let screen: AlternateScreen
  private let context: Context
  private let unlock: UnlockOptions
  private let copying: CopyOptions
  private let lockSeconds: Int64
  private var vault: ScreenVault?
  private var model: Model
  private var decoder = KeyDecoder()
  private var renderer: GridRenderer
  private var size: (rows: Int, columns: Int)
  private var lastUse = Deadline.now
  private var lastTouch: Int64 = 0
  private var lastLook: Int64 = 0
  /// Seconds until the agent locks it, as it said last.
  private var locksInAgent: Int64?
  /// The state of the vault that is on the screen.
  private var shownCounter: Int64?
  private var hadSecret = false
  private var isOver = false
  /// Whether it was the agent's vault that was opened first.
  private let wasInAgent: Bool
  /// The process that holds what was copied.
  private var clipboard: Int32?
  /// Counts what takes the meaning from keys that were typed before it: a dialogue, a lock, a stop.
  private var breaks = 0

  init(
    _ vault: ScreenVault, _ screen: AlternateScreen, _ unlock: UnlockOptions, copying: CopyOptions, keys: KeyTable,
    palette: GridRenderer.Palette, lockSeconds: Int64, _ context: Context
  ) {
    self.vault = vault
    wasInAgent = vault.isInAgent
    self.screen = screen
    self.unlock = unlock
    self.copying = copying
    self.lockSeconds = lockSeconds
    self.context = context
    renderer = GridRenderer(palette)
    size = screen.size
    let name = vault.folder.split(separator: "/").last.map(String.init) ?? vault.folder
    model = Model(
      vaultName: name, isUTF8: context.output.style.isUTF8, keys: keys, columns: size.columns, rows: size.rows,
      fold: { Query.folded($0) })
  }

  /// Until the person quits, or the terminal goes away.
  func run() {
    defer {
      vault?.vault.lock()
      renderer.forget()
    }
    tick()
    load()
    while !isOver {
      draw()
      let bytes = screen.keys(within: wait)
      if screen.takeStopped() {
        breakOff()
        model.hideSecrets()
        // It may have been locked there meanwhile, and unlocked by somebody else.
        if let vault { _ = answers(vault) }
        tick()
        resize()
        continue
      }
      tick()
      guard let bytes else {
        if decoder.isPending { press(decoder.flush()) }
        resize()
        continue
      }
      // The terminal went away.
      if bytes.isEmpty { return }
      press(decoder.keys(bytes))
      resize()
    }
  }

  /// Until the next second where something on the screen depends on it; an Escape that nothing follows is a key soon.
  private var wait: Int32 {
    if decoder.isPending { return 50 }
    guard model.depends || vault != nil || clipboard != nil else { return -1 }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int32(max(1, 1000 - time.tv_nsec / 1_000_000))
  }

  private func draw() {
    if screen.takeStale() { renderer.forget() }
    var grid = model.draw()
    var bytes = renderer.bytes(for: grid)
    grid.wipe()
    if !bytes.isEmpty { screen.write(bytes) }
    // A code may stand in it.
    bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
    if hadSecret, model.revealed == nil {
      seif_wipe_cached_memory()
      seif_wipe_stack()
    }
    hadSecret = model.revealed != nil
  }

  private func resize() {
    let size = screen.size
    guard size != self.size else { return }
    self.size = size
    perform(model.resize(columns: size.columns, rows: size.rows))
  }

  private func press(_ keys: [Key]) {
    let start = breaks
    for key in keys where !isOver && breaks == start {
      lastUse = Deadline.now
      perform(model.press(key))
    }
    // Moving about is use too, as the agent sees it.
    guard !keys.isEmpty, let vault, vault.isInAgent, lastUse - lastTouch > 5_000 else { return }
    lastTouch = lastUse
    guard answers(vault) else { return }
    attempt { () throws(CommandFailure) in try vault.touch() }
  }

  /// What else was typed was meant for what was there before.
  private func breakOff() {
    breaks += 1
    decoder.forget()
  }

  /// Gives the terminal to questions that are asked line by line. What is left of a paste is no answer to them.
  private func aside<R>(_ body: () -> R) -> R {
    while decoder.isPasting, let bytes = screen.keys(within: 200), !bytes.isEmpty { _ = decoder.keys(bytes) }
    defer {
      breakOff()
      decoder = KeyDecoder()
    }
    return screen.aside(context, body)
  }

  // MARK: - Time

  private func tick() {
    let now = Deadline.now
    let effects = model.tick(Moment(unix: context.clock.now(), milliseconds: now))
    // What is hidden now isn't seen any longer, whoever is asked for whatever next.
    if hadSecret, model.revealed == nil { draw() }
    if let vault {
      let left = lockSeconds - (now - lastUse) / 1000
      if left <= 0 {
        lock("Nobody used it for \(LockTime.duration(lockSeconds)).")
      } else if !vault.isInAgent {
        model.setLock(in: left)
        lookForOthers(vault, now)
      } else {
        if now - lastLook >= 2_000, answers(vault) { lastLook = now }
        if self.vault != nil { model.setLock(in: min(left, locksInAgent ?? left)) }
      }
    }
    perform(effects)
    if let process = clipboard, waitpid(process, nil, WNOHANG) != 0 {
      clipboard = nil
      model.clipboardEnded()
    }
  }

  /// Whether the agent has it open and says so at once; else it is locked here. Asked before anything else is asked of
  /// the agent while a secret is shown, which would stand there as long as an agent that hangs.
  private func answers(_ vault: ScreenVault) -> Bool {
    guard vault.isInAgent else { return true }
    guard let state = vault.agentState() else {
      lock(vault.didAnswer ? "The agent has locked it." : "The agent doesn't answer.")
      return false
    }
    locksInAgent = state.millisecondsLeft.map { ($0 + 999) / 1000 }
    return true
  }

  /// Another program may have written to the vault.
  private func lookForOthers(_ vault: ScreenVault, _ now: Int64) {
    guard now - lastLook >= 2_000 else { return }
    lastLook = now
    if shownCounter != vault.counter() { load() }
  }

  /// - Parameter inAgent: the person wants it locked there too.
  private func lock(_ reason: String, inAgent: Bool = false) {
    if inAgent { vault?.lockInAgent() }
    vault?.vault.lock()
    vault = nil
    breakOff()
    model.lock(reason)
    // Names, too, are overwritten once they are off the screen.
    hadSecret = true
  }

  // MARK: - Effects

  private func perform(_ effects: [Effect]) {
    for effect in effects where !isOver { perform(effect) }
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .quit: isOver = true
    case .unlock: reopen()
    case .reload:
      renderer.forget()
      if vault != nil { load() }
    case .lock: lock("", inAgent: true)
    default:
      guard let vault, !hadSecret || answers(vault) else { return }
      attempt { () throws(CommandFailure) in try perform(effect, vault) }
      shownCounter = vault.counter()
    }
  }

  private func perform(_ effect: Effect, _ vault: ScreenVault) throws(CommandFailure) {
    switch effect {
    case .open(let id): model.show(try vault.details(id))
    case .time(let ids): model.show(try vault.timings(ids))
    case .history(let id): model.show(try vault.history(id))
    case .bringBack(let id, let field):
      let words = try asking(field, vault) { () throws(CommandFailure) in try vault.bringBack(id, field) }
      load()
      model.say(words, .good)
    case .reveal(let id, let field):
      model.show(try asking(field, vault) { () throws(CommandFailure) in try vault.reveal(id, field) })
    case .nextCode(let id): model.show(try vault.nextCode(id))
    case .copy(let id, let field):
      let copied = try asking(field, vault) { () throws(CommandFailure) in try vault.copy(id, field) }
      if let process = clipboard { waitpid(process, nil, WNOHANG) }
      clipboard = copied.process
      model.copied(field.label, seconds: copied.seconds)
    case .setFavorite(let id, let isFavorite):
      try vault.setFavorite(id, isFavorite)
      load()
    case .remove(let id):
      let label = vault.label(id)
      try vault.remove(id)
      load()
      let way = model.keyName(.undo) ?? "seif undo"
      model.say("\(label) is in the bin; \(way) brings it back", .good)
    case .restore(let id):
      try vault.restore(id)
      loadGoingToNew()
      model.say("Brought back.", .good)
    case .undo:
      let change = try vault.lastChange()
      guard try vault.isOwn(change) ? true : mayUndo(change, vault) else { return model.say("Nothing was changed.") }
      let words = try vault.undo(change)
      loadGoingToNew()
      model.say(words, .good)
    case .edit(let id): try talk(vault) { () throws(CommandFailure) in try ScreenDialogue.edit(id, vault, context) }
    case .add(let kind): try talk(vault) { () throws(CommandFailure) in try ScreenDialogue.add(kind, vault, context) }
    case .quit, .unlock, .reload, .lock: break
    }
  }

  /// Does something and says what went wrong. A vault that the agent has locked isn't shown any longer.
  private func attempt(_ body: () throws(CommandFailure) -> Void) {
    do throws(CommandFailure) {
      try body()
    } catch {
      if error == CommandFailure(AgentRefusal(.locked)) { return lock("The agent has locked it.") }
      if error == CommandFailure(AgentRefusal(.tooSlow)) { return lock("The agent doesn't answer.") }
      model.say(error.what, .bad, more: error.hint)
    }
  }

  /// The agent may ask for a yes on this terminal, where the question has to be seen: it gets the screen meanwhile. For
  /// whatever isn't a code, since only the agent knows whether it asks.
  private func asking<R>(
    _ field: Field, _ vault: ScreenVault, _ body: () throws(CommandFailure) -> R
  ) throws(CommandFailure) -> R {
    guard vault.isInAgent, field != .code, field != .nextCode else { return try body() }
    let result = aside { () -> Result<R, CommandFailure> in
      do throws(CommandFailure) { return .success(try body()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private func mayUndo(_ change: LastChange, _ vault: ScreenVault) throws(CommandFailure) -> Bool {
    var isYes = false
    let failure = aside { () -> CommandFailure? in
      do throws(CommandFailure) {
        try context.questionWatch.during(seconds: lockSeconds, isOpen: { vault.isStillOpen }) {
          () throws(CommandFailure) in isYes = try vault.mayUndo(change)
        }
        return nil
      } catch {
        return error
      }
    }
    lastUse = Deadline.now
    if let failure, failure != Context.cancelled { throw failure }
    return isYes
  }

  /// A dialogue line by line, on this screen, of which nothing stays.
  private func talk(_ vault: ScreenVault, _ body: () throws(CommandFailure) -> Void) throws(CommandFailure) {
    aside {
      context.questionWatch.during(seconds: lockSeconds, isOpen: { vault.isStillOpen }) {
        do throws(CommandFailure) { try body() } catch { context.talk.fail(error) }
        lastUse = Deadline.now
        if ScreenDialogue.waitForEnter(context, seconds: lockSeconds) { lastUse = Deadline.now }
      }
    }
    loadGoingToNew()
  }

  /// Reads the vault again and goes to what is new in it.
  private func loadGoingToNew() {
    let before = model.kindsByID
    load()
    perform(model.goToNew(since: before))
  }

  private func load() {
    guard let vault else { return }
    attempt { () throws(CommandFailure) in
      let (items, damage) = try vault.items()
      let effects = model.show(items, damage: damage)
      model.setBackup(vault.backupWords())
      shownCounter = vault.counter()
      perform(effects)
    }
  }

  private func reopen() {
    let opened = aside { () -> Result<ScreenVault, CommandFailure> in
      do throws(CommandFailure) {
        guard wasInAgent else { return .success(try ScreenVault(unlock, copying: copying, context)) }
        return .success(try ScreenVault.again(unlock, copying: copying, lockSeconds: lockSeconds, context))
      } catch {
        return .failure(error)
      }
    }
    lastUse = Deadline.now
    lastLook = 0
    switch opened {
    case .success(let opened):
      vault = opened
      model.unlocked()
      model.setHereOnly(wasInAgent && !opened.isInAgent)
      load()
    case .failure(let failure): model.lock(failure.what + ".")
    }
  }
}
