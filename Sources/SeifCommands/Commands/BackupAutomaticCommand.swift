internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// `seif backup automatic`: where backups of other machines are looked for.
struct BackupAutomaticCommand: Command {
  static let name = "backup automatic"
  static let summary = "say where backups of other machines are looked for"
  static let usage = """
    seif backup automatic [OPTIONS]

    Without options it shows which destination is looked at for backups that another machine
    made, what was seen there last, and what was restored last. --destination chooses one and
    forgets what was seen; --off leaves it chosen and looks no more.

    The timer of seif backup schedule looks there while the vault is open in the agent, tells
    of each new backup once, and restores nothing. seif backup restore --automatic restores it
    after a question. What it restored is noted in the vault, together with the entries.
    """
  static let destination = Option.value("destination", "NAME", "a destination of the vault (seif transport list)")
  static let off = Option.flag("off", "look no more")
  static var options: [Option] { [destination, off] + UnlockOptions.options + OutputOptions.options }

  private let destination: String?
  private let isOff: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    destination = arguments.value(Self.destination)
    isOff = arguments.flag(Self.off)
    if destination != nil, isOff { throw UsageError("--destination and --off are one too many") }
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let location = try unlock.location(context)
    let vault = try unlock.use(destination == nil && !isOff ? .readOnly : .readWrite, context)
    defer { vault.lock() }
    if let destination {
      try Self.choose(destination, in: vault, location, context)
    } else if isOff {
      try turnOff(vault, location)
    }
    let choice = try RestoreChoice.find(in: vault, location.folder)
    let ledger = try withVault(location.folder) { () throws(VaultUseError) in try vault.ledger().map(\.entry) }
    let id = try Self.id(location)
    let state = RestoreState(choice, RestoreMarkers(location.stateFolder, id).seen, ledger)
    let isScheduled = choice.map { choice in
      (try? Schedule.read(Schedule.file(location.stateFolder, id)))
        .flatMap { $0 }?.destinations.contains { utf8Equal($0, choice.name) } ?? false
    }
    if output.json {
      try context.output.writeLine(json: document(state, isScheduled))
    } else {
      for line in state.lines(now: Timestamp(seconds: context.clock.now())) {
        try context.output.writeField(line.name, line.text, width: 12)
      }
      try context.output.flush()
    }
    guard let choice else {
      context.talk.hint("seif backup automatic --destination NAME")
      return .done
    }
    if choice.isOn {
      context.talk.hint(
        isScheduled == true ? "seif backup restore --automatic" : "seif backup schedule --destination \(choice.name)")
    }
    return .done
  }

  /// Chooses a destination of the vault in the place of all others, and forgets what was seen.
  static func choose(
    _ name: String, in vault: any UnlockedVault, _ location: VaultLocation, _ context: Context
  ) throws(CommandFailure) {
    let folder = location.folder
    guard let (id, _, _) = try TransportItem.settings(named: name, in: vault, folder) else {
      throw DestinationOptions.unknown(name, guess: try TransportItem.guess(name, in: vault, folder))
    }
    let (transport, _) = try DestinationOptions(known: name).transport(vault, folder, context)
    guard transport.supportsAutomaticRestore else {
      throw CommandFailure(.usage, "\(name) can't be looked at by itself", hint: "Choose another --destination.")
    }
    try withVault(folder) { () throws(VaultUseError) in try RestoreChoice.choose(id, isOn: true, in: vault) }
    RestoreMarkers(location.stateFolder, try Self.id(location)).forget()
  }

  private func turnOff(_ vault: any UnlockedVault, _ location: VaultLocation) throws(CommandFailure) {
    guard let choice = try RestoreChoice.find(in: vault, location.folder) else {
      throw CommandFailure(.notFound, "no destination is chosen for automatic restore")
    }
    try withVault(location.folder) { () throws(VaultUseError) in
      try RestoreChoice.choose(choice.id, isOn: false, in: vault)
    }
  }

  private static func id(_ location: VaultLocation) throws(CommandFailure) -> UUID {
    try withVaultErrors(location.folder) { () throws(VaultError) in
      try Vault.open(at: location, access: .readOnly).id
    }
  }

  private func document(_ state: RestoreState, _ isScheduled: Bool?) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-backup-automatic", 1)
    state.write(&writer)
    if let isScheduled { writer.member("scheduled", isScheduled) }
    writer.endObject()
    return writer.finish()
  }
}

/// What is chosen, seen and restored, for people and in JSON.
struct RestoreState {
  /// Nil: nothing is chosen.
  private let choice: RestoreChoice?
  private let seen: BackupRemoteMarker?
  private let restored: BackupRemoteMarker?

  init(_ choice: RestoreChoice?, _ seen: BackupRemoteMarker?, _ ledger: [LedgerEntry]) {
    self.choice = choice
    self.seen = choice == nil ? nil : seen
    restored = RestoreMarkers.restored(ledger).last
  }

  typealias Line = (name: String, text: String, sign: Sign?)

  func lines(now: Timestamp) -> [Line] {
    var lines: [Line] = []
    if let choice {
      let name = Display.cleaned(choice.name)
      lines.append(("elsewhere", choice.isOn ? "looks at \(name) for backups of other machines" : "off (\(name))", nil))
    } else {
      lines.append(("elsewhere", "nothing is looked at for backups of other machines", nil))
    }
    if let seen { lines.append(("seen", "\(Display.cleaned(seen.name)), \(LocalTime.age(seen.at, now: now))", nil)) }
    if let restored {
      lines.append(("restored", "\(Display.cleaned(restored.name)), \(LocalTime.age(restored.at, now: now))", nil))
    }
    return lines
  }

  /// Whether anything was ever chosen or restored.
  var isThere: Bool { choice != nil || restored != nil }

  func write(_ writer: inout JSONWriter) {
    if let choice {
      writer.member("destination", choice.name)
      writer.member("on", choice.isOn)
    }
    for (key, marker) in [("seen", seen), ("restored", restored)] {
      guard let marker else { continue }
      writer.key(key)
      writer.beginObject()
      RestoreDocument.write(marker, &writer)
      writer.endObject()
    }
  }
}
