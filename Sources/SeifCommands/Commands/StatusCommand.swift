internal import SeifCommandLine
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

    Says what is in the vault, what opens it, weakest first, and of each destination when the
    last proven backup was made, when a person last opened one (seif drill), and what was found
    against them since; then whether the rule of seif backup rule is kept. Exit 2: it isn't, or
    the newest backup of a place isn't there as it was proven, or the vault isn't as it was last
    written. --locked says only what can be known without a passphrase.
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
    var backups: BackupStatus?
    /// What another machine made.
    var restores: RestoreState?
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
      let items = summaries.filter { !$0.isSetting }
      state.counts = KindName.allCases.map { kind in (kind, items.count { kind.fits($0.kind) }) }
      let faults = (vault as? DirectVault)?.vault.openingFaults.map { "\($0)" } ?? vault.notices.faults
      state.faults = faults + VaultDamage(lines: vault.notices.damage).lines
      state.restores = try restores(vault, location)
      (state.backups, state.inAgent) = try withVault(location.folder) { () throws(VaultUseError) in
        (
          try BackupStatus(of: vault, summaries, now: Timestamp(seconds: context.clock.now()), context),
          try (vault as? AgentVault)?.state()
        )
      }
    }
    if output.json {
      try context.output.writeLine(json: document(state))
    } else {
      try show(state, context)
    }
    return state.faults.isEmpty && state.backups?.isGood ?? true ? .done : .checkFailed
  }

  private func restores(
    _ vault: any UnlockedVault, _ location: VaultLocation
  ) throws(CommandFailure) -> RestoreState {
    let ledger = try withVault(location.folder) { () throws(VaultUseError) in try vault.ledger().map(\.entry) }
    let chosen = try withVault(location.folder) { () throws(VaultUseError) in try RestoreChoice.all(in: vault) }
    let id = try withVaultErrors(location.folder) { () throws(VaultError) in
      try Vault.open(at: location, access: .readOnly).id
    }
    return RestoreState(chosen.first, RestoreMarkers(location.stateFolder, id).seen, ledger)
  }

  private func show(_ state: State, _ context: Context) throws(CommandFailure) {
    var lines: [(name: String, text: String, sign: Sign?)] = [("vault", state.folder, nil)]
    lines.append(("protection", WayIn.shownProtection(state.waysIn).joined(separator: ", "), nil))
    if let open = state.inAgent {
      lines.append(("agent", "open there, locks \(LockTime.left(open.millisecondsLeft))", nil))
    }
    if let counts = state.counts {
      let parts = counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0.rawValue)\($0.1 == 1 ? "" : "s")" }
      lines.append(("items", parts.isEmpty ? "none" : parts.joined(separator: ", "), nil))
    }
    if let backups = state.backups { lines += backups.lines }
    if let restores = state.restores, restores.isThere {
      lines += restores.lines(now: Timestamp(seconds: context.clock.now()))
    }
    for fault in state.faults { lines.append(("fault", fault, .fail)) }
    for line in lines { try context.output.writeField(line.name, line.text, width: 12, sign: line.sign) }
    if let next = state.backups?.next {
      try context.output.flush()
      context.talk.hint(next)
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
    }
    state.backups?.write(&writer)
    if let restores = state.restores, restores.isThere {
      writer.key("automaticRestore")
      writer.beginObject()
      restores.write(&writer)
      writer.endObject()
    }
    writer.member("faults", state.faults)
    writer.endObject()
    return writer.finish()
  }
}
