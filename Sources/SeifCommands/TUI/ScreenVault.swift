internal import SeifCommandLine
internal import Glibc
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifClipboard
internal import SeifOTP
internal import SeifRecords
internal import SeifTUI
internal import SeifVault

/// The open vault behind the screen, in the agent or in this process.
final class ScreenVault {
  let vault: any UnlockedVault
  let folder: String
  private let context: Context
  private let copying: CopyOptions
  private var bin: [UUID: BinnedEntry] = [:]
  /// The steps of changes that were made by a key here and can be taken back without a question.
  private var ownSteps: Set<Int64> = []
  /// Of the login whose passwords from before were listed last, when each was replaced.
  private var listedTimes: (id: UUID, times: [Timestamp?])?
  /// Whether the agent answered when it was asked last.
  var didAnswer = true
  private var labels: [UUID: String] = [:]
  /// A connection of its own, to lock by and to hear when the vault locks; nil where this process holds the vault.
  let client: AgentClient?
  /// The unlock in which it was found open: an agent and its number there.
  let opening: [Int64]?

  convenience init(_ unlock: UnlockOptions, copying: CopyOptions, _ context: Context) throws(CommandFailure) {
    try self.init(try unlock.use(.readWrite, mayOnlyRead: true, context), unlock, copying: copying, context)
  }

  init(
    _ vault: any UnlockedVault, _ unlock: UnlockOptions, copying: CopyOptions, _ context: Context
  ) throws(CommandFailure) {
    let folder = AbsolutePath.of(try unlock.vault.folder(context.environment))
    self.folder = folder
    self.vault = vault
    self.context = context
    self.copying = copying
    client =
      vault is AgentVault
      ? AgentAccess.folder(context.environment).flatMap { try? AgentClient(folder: $0, hello: AgentAccess.hello) } : nil
    opening = (try? client?.status(.pulse)).flatMap { Self.opening(of: folder, $0) }
  }

  var isInAgent: Bool { vault is AgentVault }

  // MARK: - Reading

  func call<R>(_ body: () throws(VaultUseError) -> R) throws(CommandFailure) -> R {
    try withVault(folder, body)
  }

  /// Everything that lists show, and what was left out since it is damaged.
  func items() throws(CommandFailure) -> (items: [Item], damage: String?) {
    let now = Timestamp(seconds: context.clock.now())
    let summaries = try call { () throws(VaultUseError) in try vault.list() }.filter { !$0.isSetting }
    var damage = vault.notices.damage.count
    let binned = try call { () throws(VaultUseError) in try vault.bin() }
    damage += vault.notices.damage.count
    let faults = (vault as? DirectVault)?.vault.openingFaults.count ?? vault.notices.faults.count
    bin = Dictionary(binned.map { ($0.id, $0) }) { first, _ in first }
    var items = summaries.map { entry in
      Self.item(
        entry.id, Self.kind(entry.kind), entry.name, entry.account, entry.urls, isFavorite: entry.isFavorite,
        createdAt: entry.createdAt?.seconds)
    }
    items += binned.map { item in
      Self.item(
        item.id, .bin, item.entry.name, item.entry.account, item.entry.info.urls,
        removed: LocalTime.age(item.removedAt, now: now))
    }
    let words: String? = damage > 0 ? "\(damage) damaged: seif doctor" : faults > 0 ? "see: seif doctor" : nil
    labels = Dictionary(items.map { ($0.id, $0.label) }) { first, _ in first }
    return (items, words)
  }

  private static func item(
    _ id: UUID, _ kind: ItemKind, _ name: String, _ account: String, _ urls: [String], isFavorite: Bool = false,
    createdAt: Int64? = nil, removed: String = ""
  ) -> Item {
    let (sortName, sortAccount) = (Query.folded(name), Query.folded(account))
    return Item(
      id: id, kind: kind, name: name, account: account, isFavorite: isFavorite,
      searchText: ([sortName, sortAccount] + urls.map { Query.folded($0) }).joined(separator: "\n"),
      sortName: sortName, sortAccount: sortAccount, createdAt: createdAt, removed: removed)
  }

  /// What an entry of the last list is called.
  func label(_ id: UUID) -> String { labels[id] ?? "It" }

  private static func kind(_ kind: RecordKind) -> ItemKind {
    switch KindName(kind) {
    case .code: .codes
    case .login: .logins
    case .card: .cards
    case .note: .notes
    case .document: .documents
    }
  }

  func details(_ id: UUID) throws(CommandFailure) -> Details {
    if let binned = bin[id] {
      return Details(
        id: id,
        rows: [
          .init("kind", field: nil, .text(KindName(binned.entry.kind).rawValue)),
          .init("removed", field: nil, .text(LocalTime.text(binned.removedAt))),
        ])
    }
    return Details(id: id, rows: DetailRows(try read(id)).rows)
  }

  /// The passwords that a login had before.
  func history(_ id: UUID) throws(CommandFailure) -> Details {
    guard let history = PasswordHistory(try read(id)) else { throw CommandFailure(.notFound, "this is no login") }
    listedTimes = (id, history.times)
    let rows = history.times.enumerated().map { index, time in
      // The day, as it was here.
      let day = time.map { String(LocalTime.text($0).prefix(10)) } ?? "not known"
      return Details.Row(day, field: .previous(index + 1), .secret)
    }
    return Details(id: id, rows: rows, isHistory: true)
  }

  /// The list from which a password was chosen by its number.
  private func listedHistory(_ id: UUID) throws(CommandFailure) -> PasswordHistory {
    guard let history = PasswordHistory(try read(id)), let listed = listedTimes, listed.id == id,
      listed.times == history.times
    else { throw CommandFailure(.busy, "the login was changed meanwhile", hint: "List its passwords again.") }
    return history
  }

  func timings(_ ids: [UUID]) throws(CommandFailure) -> [UUID: CodeTiming] {
    var timings: [UUID: CodeTiming] = [:]
    for id in ids {
      do throws(VaultUseError) {
        timings[id] = DetailRows.timing(try vault.entry(id))
      } catch {
        // One that doesn't open isn't tried again and again; an agent that doesn't answer isn't either.
        if case .agent = error { throw CommandFailure(error, folder: folder) }
        timings[id] = .unknown
      }
    }
    return timings
  }

  private func read(_ id: UUID) throws(CommandFailure) -> ReadEntry {
    try call { () throws(VaultUseError) in try vault.entry(id) }
  }

  // MARK: - Secrets

  /// A field's value. The agent may ask the person for a yes, on this terminal too.
  private func value(_ field: Field, of id: UUID) throws(CommandFailure) -> SecretValue {
    if case .previous(let number) = field { return try listedHistory(id).secret(number, in: vault, folder) }
    let read = try read(id)
    let found = FieldName(field.label).value(of: read.stored.entry)
    guard let found, let value = try call({ () throws(VaultUseError) in try vault.value(found, of: read) }) else {
      throw CommandFailure(.notFound, "this has no such field")
    }
    return value
  }

  /// The code of an entry; one that counts is stored before.
  private func code(_ id: UUID, next: Bool = false) throws(CommandFailure) -> OneTimeCode {
    let now = Timestamp(seconds: context.clock.now())
    // One that counts is stored.
    if case .period = DetailRows.timing(try read(id)) {} else { CrashedScreen.noteChange() }
    let code = try call { () throws(VaultUseError) in
      try vault.code(id.description, next: next, at: now).code
    }
    guard let code else { throw CommandFailure(.notFound, "this has no one-time code") }
    return code
  }

  func reveal(_ id: UUID, _ field: Field) throws(CommandFailure) -> Revealed {
    if field == .code || field == .nextCode {
      let code = try code(id, next: field == .nextCode)
      return Revealed(
        id: id, field: field, text: CodeText.grouped(code.text), validUntil: code.validUntil?.seconds)
    }
    // EXPOSE: the person asked for it by a key; it is hidden again after 10 s.
    guard let text = try value(field, of: id).exposedText() else { throw CommandFailure(.badInput, "it isn't text") }
    return Revealed(id: id, field: field, text: text)
  }

  /// The code after the present one, or of an account that counts the next, in the place of the present one.
  func nextCode(_ id: UUID) throws(CommandFailure) -> Revealed {
    let isCounted = DetailRows.timing(try read(id)) == .counter
    let code = try code(id, next: !isCounted)
    let now = context.clock.now()
    return Revealed(
      id: id, field: isCounted ? .code : .nextCode, text: CodeText.grouped(code.text),
      validUntil: code.validUntil.map { _ in now + Int64(code.secondsLeft ?? 30) })
  }

  /// Copies a field.
  /// - Returns: after how many seconds it is cleared, and the process that holds it.
  func copy(_ id: UUID, _ field: Field) throws(CommandFailure) -> (seconds: Int?, process: Int32?) {
    let secret: SecretValue
    switch field {
    case .code: secret = SecretValue(utf8: try code(id).text)
    case .nextCode: secret = SecretValue(utf8: try code(id, next: true).text)
    case .named, .previous: secret = try value(field, of: id)
    }
    do throws(CommandFailure) {
      let placed = try copying.place(SecretBytes(copying: secret), context)
      return (placed.copied.seconds, placed.process)
    } catch {
      guard error == CommandFailure(ClipboardError.noDisplay) else { throw error }
      throw CommandFailure(.unavailable, "no clipboard here: start with --osc52")
    }
  }

  // MARK: - Changing

  func setFavorite(_ id: UUID, _ isFavorite: Bool) throws(CommandFailure) {
    let read = try read(id)
    var entry = read.stored.entry
    var info = entry.info
    info.isFavorite = isFavorite
    entry.info = info
    let changed = entry
    CrashedScreen.noteChange()
    _ = try call { () throws(VaultUseError) in
      try vault.apply([.replace(id, changed)], ifCounterIs: read.counter)
    }
    noteOwn()
  }

  func remove(_ id: UUID) throws(CommandFailure) {
    CrashedScreen.noteChange()
    _ = try call { () throws(VaultUseError) in try vault.apply([.remove(id)], ifCounterIs: nil) }
    noteOwn()
  }

  func restore(_ id: UUID) throws(CommandFailure) {
    CrashedScreen.noteChange()
    _ = try call { () throws(VaultUseError) in try vault.apply([.restore(id)], ifCounterIs: nil) }
    noteOwn()
  }

  /// Makes a password from before the present one of its login.
  /// - Returns: what was done, in a sentence.
  func bringBack(_ id: UUID, _ field: Field) throws(CommandFailure) -> String {
    guard case .previous(let number) = field else { throw CommandFailure(.notFound, "this is no password from before") }
    let history = try listedHistory(id)
    CrashedScreen.noteChange()
    let now = Timestamp(seconds: context.clock.now())
    let entry = try history.bringBack(number, in: vault, folder, now: now)
    noteOwn()
    return "\(EntryLabel.text(entry.name, entry.account)) has its password \(number) again."
  }

  private func noteOwn() {
    if let change = try? vault.lastChange() { ownSteps.insert(change.step) }
  }

  /// What `undo(_:)` would take back.
  func lastChange() throws(CommandFailure) -> LastChange {
    try call { () throws(VaultUseError) in try vault.lastChange() }
  }

  /// Asks whether a change is to be taken back, and names it; not for one that was made by a key here.
  func mayUndo(_ change: LastChange) throws(CommandFailure) -> Bool {
    if isOwn(change) { return true }
    let words = LastChangeWords(change, now: Timestamp(seconds: context.clock.now()))
    if let terminal = TerminalDevice(context) {
      terminal.write(lines: "The last change was made \(words.time), by no key here:")
      for line in words.lines { terminal.write(lines: "\(line.mark) \(line.text)") }
    }
    return try context.confirm("Take it back?", insteadGive: "a yes")
  }

  func isOwn(_ change: LastChange) -> Bool { ownSteps.contains(change.step) }

  /// Takes the last change back, if it is still that one; what that was, in a sentence.
  func undo(_ change: LastChange) throws(CommandFailure) -> String {
    CrashedScreen.noteChange()
    let report = try call { () throws(VaultUseError) in try vault.undo(ifStepIs: change.step) }
    ownSteps.remove(change.step)
    let groups = report.groups.filter { $0.total > 0 }
    guard groups.count == 1, let group = groups.first, group.total == 1, let name = group.names.first else {
      return "The last change is undone."
    }
    let words =
      switch group.outcome {
      case .returned: "back from the bin"
      case .changed: "as it was before"
      case .binned: "in the bin"
      }
    return "Undone: \(EntryLabel.text(name.name, name.account)) is \(words)."
  }

  /// The counter of the vault's state, which every writer moves; nil where it can't be known without counting as use.
  func counter() -> Int64? { (vault as? DirectVault).flatMap { try? $0.vault.counter() } }

  // MARK: - Backups

  /// What the status line says of backups.
  func backupWords() -> String {
    let ledger =
      (vault as? DirectVault).map { direct in (try? direct.vault.ledger()) ?? [] }
      ?? ((try? vault.ledger()) ?? []).map(\.entry)
    let newest = BackupService.standing(ledger.map { LedgerEvent($0) }).map(\.at).max { $0.seconds < $1.seconds }
    guard let newest else { return "no proven backup" }
    return "backup proven " + LocalTime.age(newest, now: Timestamp(seconds: context.clock.now()))
  }
}
