package import SeifBytes

/// What comes from outside: the vault's answers, time, the terminal's size.
extension Model {
  /// The terminal has another size: what is selected and revealed stays.
  package mutating func resize(columns: Int, rows: Int) -> [Effect] {
    size = (columns, rows)
    if focus == .kinds, layout.shape != .three { focus = .list }
    scroll()
    return needs()
  }

  /// Time has gone on.
  package mutating func tick(_ moment: Moment) -> [Effect] {
    now = moment
    if let until = message?.until, now.milliseconds >= until { message = nil }
    if let until = copied?.until, now.milliseconds >= until { copied = nil }
    guard let shown = revealed else { return [] }
    if now.milliseconds >= hidesAt {
      hide()
    } else if let end = shown.validUntil, now.unix >= end {
      hide()
      // What was the next code is the present one now.
      if shown.field != .nextCode { return [.reveal(shown.id, field: shown.field)] }
    }
    return []
  }

  /// The vault's entries, read or read again.
  package mutating func show(_ items: [Item], damage: String? = nil) -> [Effect] {
    self.items = items
    self.damage = damage
    details = nil
    timings = [:]
    refresh()
    return needs()
  }

  /// Goes to what wasn't in a list before: what was added or brought back. Where that isn't just one, nothing moves.
  package mutating func goToNew(since before: [UUID: ItemKind]) -> [Effect] {
    let new = items.filter { $0.kind != .bin && before[$0.id] != $0.kind }
    guard phase == .open, new.count == 1, let item = new.first else { return [] }
    hide()
    kind = item.kind
    if focus == .kinds || layout.shape == .one { focus = .list }
    // The filter may not show it.
    if !list.contains(where: { $0.id == item.id }) { filter = "" }
    places[kind, default: Place()].id = item.id
    refresh()
    return needs()
  }

  /// The list that each entry is in.
  package var kindsByID: [UUID: ItemKind] { Dictionary(items.map { ($0.id, $0.kind) }) { first, _ in first } }

  /// The vault was open in the agent before and is now in this process alone.
  package mutating func setHereOnly(_ isHereOnly: Bool) { self.isHereOnly = isHereOnly }

  /// How an action's key is called.
  package func keyName(_ action: Action) -> String? { keys.keys(action).first?.name }

  /// The fields of the selected entry; those of another come too late.
  package mutating func show(_ details: Details) {
    guard details.id == selected?.id else { return }
    if details.isHistory {
      if details.rows.isEmpty { return say("It has had no other password here.") }
      hide()
      focus = .details
      detailRow = 0
    }
    self.details = details
    detailRow = max(0, min(detailRow, details.rows.count - 1))
  }

  /// Hides what is revealed, before its time.
  package mutating func hideSecrets() { hide() }

  package mutating func show(_ timings: [UUID: CodeTiming]) {
    self.timings.merge(timings) { $1 }
  }

  /// Shows a secret in its row, if its entry is still the selected one.
  package mutating func show(_ secret: Revealed) {
    guard phase == .open, secret.id == selected?.id else { return }
    // A code that follows one that was shown doesn't stay longer for it.
    let follows = secret.id == lastRevealed?.id && secret.field == lastRevealed?.field && now.milliseconds < hidesAt
    if !follows { hidesAt = now.milliseconds + Self.revealMilliseconds }
    lastRevealed = (secret.id, secret.field)
    revealed = secret
  }

  /// - Parameter more: what to do about it, said where there is room.
  package mutating func say(_ text: String, _ tone: Tone = .plain, more: String? = nil) {
    message = (text, more, tone, now.milliseconds + Self.messageMilliseconds)
  }

  /// Something was copied.
  /// - Parameter seconds: after which it is cleared; nil: never by us.
  package mutating func copied(_ what: String, seconds: Int?) {
    message = nil
    guard let seconds else { return say("\(what) was handed to the terminal. Seif can't clear it.") }
    copied = (what, now.milliseconds + Int64(seconds) * 1000)
  }

  /// The clipboard holds it no longer.
  package mutating func clipboardEnded() {
    guard copied != nil else { return }
    copied = nil
    say("The clipboard is no longer ours.")
  }

  /// - Parameters:
  ///   - locksIn: the seconds until the vault locks by itself; nil: not known.
  package mutating func setLock(in seconds: Int64?) { locksIn = seconds }

  /// - Parameter words: of the last proven backup: `backup proven 3 d ago`.
  package mutating func setBackup(_ words: String) { backup = words }

  /// Forgets everything of the vault.
  package mutating func lock(_ reason: String) {
    self = Model(
      vaultName: vaultName, isUTF8: glyphs.isUTF8, keys: keys, columns: size.columns, rows: size.rows, fold: fold,
      now: now, phase: .locked(reason))
  }

  /// The vault is open again.
  package mutating func unlocked() { phase = .open }

  private init(
    vaultName: String, isUTF8: Bool, keys: KeyTable, columns: Int, rows: Int,
    fold: @escaping @Sendable (String) -> String,
    now: Moment, phase: Phase
  ) {
    self.init(vaultName: vaultName, isUTF8: isUTF8, keys: keys, columns: columns, rows: rows, fold: fold)
    self.now = now
    self.phase = phase
  }
}
