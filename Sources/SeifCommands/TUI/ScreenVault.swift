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
  /// Changes that were made by a key here and can be taken back without a question.
  private var ownChanges = 0
  /// Whether the agent answered when it was asked last.
  private(set) var didAnswer = true
  private var labels: [UUID: String] = [:]
  /// A connection of its own, to lock by and to hear when the vault locks; nil where this process holds the vault.
  private let client: AgentClient?

  init(_ unlock: UnlockOptions, copying: CopyOptions, _ context: Context) throws(CommandFailure) {
    folder = AbsolutePath.of(try unlock.vault.folder(context.environment))
    vault = try unlock.use(.readWrite, mayOnlyRead: true, context)
    self.context = context
    self.copying = copying
    client =
      vault is AgentVault
      ? AgentAccess.folder(context.environment).flatMap { try? AgentClient(folder: $0, hello: AgentAccess.hello) } : nil
  }

  var isInAgent: Bool { vault is AgentVault }

  /// Whether it is still open, in the agent or here.
  var isStillOpen: Bool { !isInAgent || agentState() != nil }

  // MARK: - Reading

  private func call<R>(_ body: () throws(VaultUseError) -> R) throws(CommandFailure) -> R {
    try withVault(folder, body)
  }

  /// Everything that lists show, and what was left out since it is damaged.
  func items() throws(CommandFailure) -> (items: [Item], damage: String?) {
    let now = Timestamp(seconds: context.clock.now())
    let summaries = try call { () throws(VaultUseError) in try vault.list() }
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

  func timings(_ ids: [UUID]) -> [UUID: CodeTiming] {
    // One that doesn't open isn't tried again and again.
    Dictionary(ids.map { id in (id, (try? read(id)).map(DetailRows.timing) ?? .unknown) }) { first, _ in first }
  }

  private func read(_ id: UUID) throws(CommandFailure) -> ReadEntry {
    try call { () throws(VaultUseError) in try vault.entry(id) }
  }

  // MARK: - Secrets

  /// A field's value. The agent may ask the person for a yes, on this terminal too.
  private func value(_ field: String, of id: UUID) throws(CommandFailure) -> SecretValue {
    let read = try read(id)
    let found = FieldName(field).value(of: read.stored.entry)
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
    guard case .named(let name) = field else {
      let code = try code(id, next: field == .nextCode)
      return Revealed(
        id: id, field: field, text: CodeText.grouped(code.text), validUntil: code.validUntil?.seconds)
    }
    // EXPOSE: the person asked for it by a key; it is hidden again after 10 s.
    guard let text = try value(name, of: id).exposedText() else { throw CommandFailure(.badInput, "it isn't text") }
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
    case .named(let name): secret = try value(name, of: id)
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
    ownChanges += 1
  }

  func remove(_ id: UUID) throws(CommandFailure) {
    CrashedScreen.noteChange()
    _ = try call { () throws(VaultUseError) in try vault.apply([.remove(id)], ifCounterIs: nil) }
    ownChanges += 1
  }

  func restore(_ id: UUID) throws(CommandFailure) {
    CrashedScreen.noteChange()
    _ = try call { () throws(VaultUseError) in try vault.apply([.restore(id)], ifCounterIs: nil) }
    ownChanges += 1
  }

  /// Whether the last change was made by a key here; else the person is asked before it is taken back.
  var isLastChangeOwn: Bool { ownChanges > 0 }

  /// Asks whether a change that wasn't made by a key here is to be taken back.
  func mayUndo() throws(CommandFailure) -> Bool {
    try context.confirm(
      "The last change wasn't made by a key here: it may be an import or an edit. Take it back?", insteadGive: "a yes")
  }

  /// Takes the last change back; what that was, in a sentence.
  func undo() throws(CommandFailure) -> String {
    CrashedScreen.noteChange()
    let report = try call { () throws(VaultUseError) in try vault.undo() }
    ownChanges = max(0, ownChanges - 1)
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

  // MARK: - Locking

  /// What the status line says of backups.
  func backupWords() -> String {
    let ledger =
      (vault as? DirectVault).map { direct in (try? direct.vault.ledger()) ?? [] }
      ?? ((try? vault.ledger()) ?? []).map(\.entry)
    let newest = BackupService.standing(ledger.map { LedgerEvent($0) }).map(\.at).max { $0.seconds < $1.seconds }
    guard let newest else { return "no proven backup" }
    return "backup proven " + LocalTime.age(newest, now: Timestamp(seconds: context.clock.now()))
  }

  /// When the agent locks the vault: nil where it isn't open there any more.
  func agentState() -> AgentStatus.OpenVault? {
    // Whoever looks has a secret on the screen, maybe: an agent that hangs is none.
    let status = try? client?.status(.glance)
    didAnswer = status != nil
    guard let status else { return nil }
    return status.vaults.first { utf8Equal($0.folder, folder) }
  }

  /// Tells the agent that somebody is there.
  func touch() throws(CommandFailure) {
    guard let vault = vault as? AgentVault else { return }
    try call { () throws(VaultUseError) in try vault.checkOpen() }
  }

  /// Locks the vault where the agent holds it.
  func lockInAgent() { _ = try? client?.lock(folder: folder) }
}
