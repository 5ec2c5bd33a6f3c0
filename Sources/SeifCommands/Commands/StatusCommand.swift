internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// `seif status`: the state of the vault and of its backups.
struct StatusCommand: Command {
  static let name = "status"
  static let summary = "say how the vault and its backups are"
  static let usage = """
    seif status [OPTIONS]

    Says what is in the vault, what opens it, weakest first, and when the last proven
    backup was made at each destination. --locked says only what can be known without a
    passphrase.
    """
  static let locked = Option.flag("locked", "only what can be known without a passphrase")
  static var options: [Option] { [locked] + UnlockOptions.options + OutputOptions.options }

  private let onlyLocked: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    onlyLocked = arguments.flag(Self.locked)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  private struct State {
    var folder = ""
    var waysIn: [WayIn] = []
    var counts: [(KindName, Int)]?
    var proofs: [(destination: String, proof: LedgerEvent)] = []
    /// The files, by SHA-256, whose contents are what the vault holds now.
    var current: Set<[UInt8]> = []
    var faults: [String] = []
    /// When it locks, if it is open in the agent.
    var inAgent: AgentStatus.OpenVault?
  }

  func run(_ context: Context) throws -> ExitCode {
    let location = try unlock.location(context)
    var state = State()
    state.folder = location.folder
    state.waysIn = try withVaultErrors(location.folder) { () throws(VaultError) in
      try Vault.open(at: location, access: .readOnly).waysIn
    }
    if !onlyLocked {
      let vault = try unlock.use(.readOnly, context)
      defer { vault.lock() }
      let summaries = try withVault(location.folder) { () throws(VaultUseError) in try vault.list() }
      state.counts = KindName.allCases.map { kind in (kind, summaries.count { kind.fits($0.kind) }) }
      let faults = (vault as? DirectVault)?.vault.openingFaults.map { "\($0)" } ?? vault.notices.faults
      state.faults = faults + VaultDamage(lines: vault.notices.damage).lines
      let (ledger, inAgent) = try withVault(location.folder) { () throws(VaultUseError) in
        (try vault.ledger(), try (vault as? AgentVault)?.state())
      }
      state.inAgent = inAgent
      let standing = BackupService.standing(ledger.map { LedgerEvent($0.entry) })
      for (destination, proofs) in Dictionary(grouping: standing, by: \.destination) {
        if let newest = proofs.max(by: { $0.at < $1.at }) { state.proofs.append((destination, newest)) }
      }
      state.proofs.sort { utf8Precedes($0.destination, $1.destination) }
      state.current = Set(ledger.filter(\.isCurrent).map(\.entry.sha256))
    }
    if output.json {
      try context.output.writeLine(json: document(state))
    } else {
      try show(state, context)
    }
    return state.faults.isEmpty ? .done : .checkFailed
  }

  private func show(_ state: State, _ context: Context) throws(CommandFailure) {
    let now = Timestamp(seconds: context.clock.now())
    var lines: [(name: String, text: String, sign: Sign?)] = [("vault", state.folder, nil)]
    lines.append(("protection", WayIn.shownProtection(state.waysIn).joined(separator: ", "), nil))
    if let open = state.inAgent {
      lines.append(("agent", "open there, locks \(LockTime.left(open.millisecondsLeft))", nil))
    }
    if let counts = state.counts {
      let parts = counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0.rawValue)\($0.1 == 1 ? "" : "s")" }
      lines.append(("items", parts.isEmpty ? "none" : parts.joined(separator: ", "), nil))
      for (destination, proof) in state.proofs {
        let since = state.current.contains(proof.sha256) ? "" : ", the vault has changed since"
        lines.append(("backup", "last proven \(LocalTime.age(proof.at, now: now))\(since) (\(destination))", nil))
      }
      if state.proofs.isEmpty { lines.append(("backup", "none is proven", .warn)) }
    }
    for fault in state.faults { lines.append(("fault", fault, .fail)) }
    for line in lines { try context.output.writeField(line.name, line.text, width: 12, sign: line.sign) }
    if state.counts != nil, state.proofs.isEmpty {
      try context.output.flush()
      context.talk.hint("seif backup create --destination FOLDER")
    }
  }

  private func document(_ state: State) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-status", 1)
    writer.member("vault", state.folder)
    writer.member("waysIn", state.waysIn.map(\.kind.name))
    writer.member("protection", WayIn.protection(state.waysIn))
    if let open = state.inAgent {
      writer.key("agent")
      writer.beginObject()
      writer.member("open", true)
      if let left = open.millisecondsLeft { writer.member("locksInSeconds", Int((left + 999) / 1000)) }
      writer.endObject()
    }
    if let counts = state.counts {
      writer.key("items")
      writer.beginObject()
      for (kind, count) in counts { writer.member(kind.rawValue, count) }
      writer.endObject()
      writer.key("backups")
      writer.beginArray()
      for (destination, proof) in state.proofs {
        writer.beginObject()
        writer.member("destination", destination)
        writer.member("name", proof.name)
        writer.member("provenAt", proof.at.rfc3339)
        writer.member("changedSince", !state.current.contains(proof.sha256))
        writer.endObject()
      }
      writer.endArray()
    }
    writer.member("faults", state.faults)
    writer.endObject()
    return writer.finish()
  }
}
