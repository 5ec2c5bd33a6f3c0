internal import CSeif
internal import Glibc
internal import SeifAgent
internal import SeifBytes
internal import SeifTUI

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
  /// The state of the vault that is on the screen.
  private var shownCounter: Int64?
  private var hadSecret = false
  private var isOver = false
  /// The process that holds what was copied.
  private var clipboard: Int32?
  /// Whether the agent was asked for a secret already: from then on it shows them without a question.
  private var hasConsent = false

  init(
    _ vault: ScreenVault, _ screen: AlternateScreen, _ unlock: UnlockOptions, copying: CopyOptions, keys: KeyTable,
    palette: GridRenderer.Palette, lockSeconds: Int64, _ context: Context
  ) {
    self.vault = vault
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
    for key in keys where !isOver {
      lastUse = Deadline.now
      perform(model.press(key))
    }
    // Moving about is use too, as the agent sees it.
    guard !keys.isEmpty, let vault, vault.isInAgent, lastUse - lastTouch > 5_000 else { return }
    lastTouch = lastUse
    attempt { () throws(CommandFailure) in try vault.touch() }
  }

  // MARK: - Time

  private func tick() {
    let now = Deadline.now
    if let vault {
      if vault.isInAgent {
        if now - lastLook >= 2_000 {
          lastLook = now
          if let state = vault.agentState() {
            model.setLock(in: state.millisecondsLeft.map { ($0 + 999) / 1000 })
          } else {
            lock("The agent has locked it.")
          }
        }
      } else {
        let left = lockSeconds - (now - lastUse) / 1000
        if left <= 0 {
          lock("Nobody used it for \(LockTime.duration(lockSeconds)).")
        } else {
          model.setLock(in: left)
          lookForOthers(vault, now)
        }
      }
    }
    perform(model.tick(Moment(unix: context.clock.now(), milliseconds: now)))
    if let process = clipboard, waitpid(process, nil, WNOHANG) != 0 {
      clipboard = nil
      model.clipboardEnded()
    }
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
    hasConsent = false
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
      guard let vault else { return }
      attempt { () throws(CommandFailure) in try perform(effect, vault) }
      shownCounter = vault.counter()
    }
  }

  private func perform(_ effect: Effect, _ vault: ScreenVault) throws(CommandFailure) {
    switch effect {
    case .open(let id): model.show(try vault.details(id))
    case .time(let ids): model.show(vault.timings(ids))
    case .reveal(let id, let field):
      model.show(try asking(field, vault) { () throws(CommandFailure) in try vault.reveal(id, field) })
    case .nextCode(let id): model.show(try vault.nextCode(id))
    case .copy(let id, let field):
      let copied = try asking(field, vault) { () throws(CommandFailure) in try vault.copy(id, field) }
      if let process = clipboard { waitpid(process, nil, WNOHANG) }
      clipboard = copied.process
      model.copied(field, seconds: copied.seconds)
    case .setFavorite(let id, let isFavorite):
      try vault.setFavorite(id, isFavorite)
      load()
    case .remove(let id):
      try vault.remove(id)
      load()
      model.say("In the bin for 30 days.", .good)
    case .restore(let id):
      try vault.restore(id)
      load()
      model.say("Brought back.", .good)
    case .undo:
      let words = try vault.undo()
      load()
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
      model.say(error.what, .bad, more: error.hint)
    }
  }

  /// The agent may ask for a yes on this terminal, where the question has to be seen: it gets the screen meanwhile.
  private func asking<R>(
    _ field: String, _ vault: ScreenVault, _ body: () throws(CommandFailure) -> R
  ) throws(CommandFailure) -> R {
    guard vault.isInAgent, field != "code", field != Revealed.nextField, !hasConsent || field == "cvc" else {
      return try body()
    }
    let result = screen.aside(context) { () -> Result<R, CommandFailure> in
      do throws(CommandFailure) { return .success(try body()) } catch { return .failure(error) }
    }
    if case .success = result, field != "cvc" { hasConsent = true }
    return try result.get()
  }

  /// A dialogue line by line, on this screen, of which nothing stays.
  private func talk(_ vault: ScreenVault, _ body: () throws(CommandFailure) -> Void) throws(CommandFailure) {
    let seconds = vault.isInAgent ? 0 : UInt32(clamping: lockSeconds)
    screen.aside(context, lockAfter: seconds) {
      do throws(CommandFailure) { try body() } catch { context.talk.fail(error) }
      ScreenDialogue.waitForEnter(context)
    }
    lastUse = Deadline.now
    load()
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
    let opened = screen.aside(context) { () -> Result<ScreenVault, CommandFailure> in
      do throws(CommandFailure) {
        return .success(try ScreenVault(unlock, copying: copying, context))
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
      load()
    case .failure(let failure): model.lock(failure.what + ".")
    }
  }
}
