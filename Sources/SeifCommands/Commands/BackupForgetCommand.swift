internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifVault

/// `seif backup forget PLACE`: a place that is gone for good is given up.
struct BackupForgetCommand: Command {
  static let name = "backup forget"
  static let summary = "give up a place that is gone for good"
  static let usage = """
    seif backup forget PLACE [OPTIONS]

    Gives up all that was proven at PLACE: a stick that is lost, a server that is no more. It
    is no alarm in seif status any more, and counts for no rule. Says what is given up, asks,
    and notes it in the vault's ledger. PLACE is a destination of the vault, a folder, or the
    place as seif status spells it; nothing there is asked, and nothing removed.

    What the ledger had stays: seif backup list --ledger --destination PLACE shows it. A
    backup that is made there later counts as any other.
    """
  static let yes = Option.flag("yes", "give it up without asking")
  static var options: [Option] { [yes] + UnlockOptions.options + OutputOptions.options }

  private let given: String
  private let isYes: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    given = try arguments.positional("PLACE")
    isYes = arguments.flag(Self.yes)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let location = try unlock.location(context)
    let vault = try unlock.unlockForLedger(context)
    defer { vault.lock() }
    let ledger = VaultLedger(vault: vault)
    let events = try withVaultErrors(location.folder) { () throws(VaultError) in
      try vault.ledger().map(LedgerEvent.init)
    }
    let history = LedgerHistory(events)
    let found = try LedgerPlace.find(given, history, DirectVault(vault), location.folder, context)
    let proven = history.proven(at: found.place)
    let shown = Display.cleaned(found.shown)
    guard let newest = proven.last?.proof else {
      throw CommandFailure(.notFound, "nothing that counts was proven at \(shown)", hint: "See: seif status")
    }
    let now = Timestamp(seconds: context.clock.now())
    let queue = SnapshotQueue(location.stateFolder, vault.id)
    let waiting = try queue.entries().filter { isThere($0, found.place, context) }
    tell(proven, found, history, waiting.count, now, context)
    if !isYes {
      guard try context.confirm("Give up \(shown)?", insteadGive: "--yes") else {
        throw CommandFailure(.interrupted, "nothing was given up")
      }
    }
    do {
      try ledger.append(.forgetting(newest, at: Timestamp(seconds: context.clock.now())), records: nil)
    } catch {
      throw CommandFailure(ledger: error)
    }
    // They would be an alarm of that place once the vault is open.
    if !waiting.isEmpty { try queue.update { entries in entries.filter { !waiting.contains($0) } } }
    if output.json { try context.output.writeLine(json: document(found, proven, newest)) }
    context.talk.say(.ok, "\(shown) is given up.")
    if let name = found.name { context.talk.hint("seif transport remove \(name)") }
    return .done
  }

  private func isThere(_ entry: SnapshotQueue.Entry, _ place: String, _ context: Context) -> Bool {
    let reached = try? Reach(registry: context.transports).transport(entry.place.settings).1
    return reached.map { utf8Equal($0, place) } ?? false
  }

  private func tell(
    _ proven: [LedgerHistory.File], _ found: LedgerPlace, _ history: LedgerHistory, _ waiting: Int, _ now: Timestamp,
    _ context: Context
  ) {
    let count = proven.count == 1 ? "1 proven backup" : "\(proven.count) proven backups"
    let age = proven.last?.proof.map { ", the newest proven \(LocalTime.age($0.at, now: now))" } ?? ""
    context.talk.say("Given up: \(count) at \(Display.cleaned(found.place))\(age). Nothing there is removed.")
    let lost = proven.count { $0.flag != nil }
    if lost > 0 { context.talk.say("\(lost) of \(proven.count) were found missing or altered.") }
    if waiting > 0 {
      context.talk.say("\(waiting) stored there while the vault was locked won't be proven any more.")
    }
    let others = history.standing.filter { !utf8Equal($0.destination, found.place) }
    if others.isEmpty { context.talk.warn("afterwards no backup of this vault counts: no other place has one") }
  }

  private func document(_ found: LedgerPlace, _ proven: [LedgerHistory.File], _ newest: LedgerEvent) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-backup-forget", 1)
    writer.member("destination", found.place)
    if let name = found.name { writer.member("destinationName", name) }
    writer.member("newest", newest.name)
    writer.member("provenAt", newest.at.rfc3339)
    writer.member("givenUp", proven.compactMap(\.proof).map(\.name))
    writer.endObject()
    return writer.finish()
  }
}
