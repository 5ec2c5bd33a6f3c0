internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifVault

/// `seif backup run`: what the timer runs.
struct BackupRunCommand: Command {
  static let name = "backup run"
  static let summary = "make the scheduled snapshot now, asking nobody"
  static let usage = """
    seif backup run [OPTIONS]

    What the timer of `seif backup schedule` runs. Where the vault is open in the agent, the
    agent takes a snapshot to every approved destination and proves each. Where it is locked,
    a sealed copy goes to the destinations that are folders of this machine, and is proven at
    the next run that finds the vault open. Nobody is asked for anything. A failure is told
    once, not again until it is another one. So is a backup that another machine made, where
    seif backup automatic says to look for one; it is never restored by itself.

    With --credential a locked vault is opened by the passphrase in $CREDENTIALS_DIRECTORY/NAME,
    which systemd puts there for this run.
    """
  static let ifChanged = Option.flag("if-changed", "only where the vault holds something else than the last snapshot")
  static let credential = Option.value("credential", "NAME", "open a locked vault by this credential of systemd")
  static var options: [Option] { [ifChanged, credential] + VaultOptions.options + OutputOptions.options }

  private let onlyIfChanged: Bool
  private let credential: String?
  private let vault: VaultOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    onlyIfChanged = arguments.flag(Self.ifChanged)
    credential = arguments.value(Self.credential)
    if let credential, !SystemdCredential.isName(credential) {
      throw UsageError("--credential is a name of letters, digits, -, _ and .")
    }
    vault = try VaultOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let location = try vault.location(context)
    let locked: LockedVault
    do throws(VaultError) {
      locked = try Vault.open(at: location, access: .readOnly)
    } catch {
      throw CommandFailure(error, folder: location.folder)
    }
    let notice = DesktopNotice.failure(location.stateFolder, locked.id)
    do throws(CommandFailure) {
      let (deliveries, hasLooked) = try deliveries(location, locked, context)
      notice.settle(deliveries.filter { $0.exitCode != 0 }.map { "\($0.destination) \($0.exitCode)" }, context)
      let found = deliveries.filter(\.isFound)
      // What couldn't be looked at is as it was.
      if hasLooked, found.allSatisfy({ !$0.name.isEmpty }) {
        DesktopNotice.found(location.stateFolder, locked.id)
          .settle(found.filter { $0.exitCode == 0 }.map { "\($0.destination) \($0.name) \($0.byteCount)" }, context)
      }
      return try SnapshotReport(deliveries).show(output, context)
    } catch {
      notice.settle(["\(error.exitCode.rawValue)"], context)
      throw error
    }
  }

  private func deliveries(
    _ location: VaultLocation, _ locked: borrowing LockedVault, _ context: Context
  ) throws(CommandFailure) -> ([Delivery], hasLooked: Bool) {
    guard let schedule = try Schedule.read(Schedule.file(location.stateFolder, locked.id)) else {
      throw CommandFailure(.notFound, "this vault has no schedule", hint: "Make one: seif backup schedule")
    }
    if let deliveries = try byAgent(location, context) { return (deliveries, !onlyIfChanged) }
    if let credential { return (try byCredential(credential, location, context), !onlyIfChanged) }
    let run = LockedRun(location: location, reach: Reach(registry: context.transports), clock: context.clock)
    return (try run.run(locked, schedule), false)
  }

  /// Opened by this process, for this run alone.
  private func byCredential(
    _ name: String, _ location: VaultLocation, _ context: Context
  ) throws(CommandFailure) -> [Delivery] {
    let material = WayInMaterial(.passphrase, secret: try SystemdCredential.read(name, context))
    let opened: Vault
    do throws(VaultError) {
      opened = try Vault.open(at: location, access: .readWrite).unlock(
        with: material.provider(Devices(environment: context.environment)))
    } catch {
      throw CommandFailure(error, folder: location.folder, by: .passphrase)
    }
    defer { opened.lock() }
    for fault in opened.openingFaults { context.talk.warn("\(fault)") }
    return try withVault(location.folder) { () throws(VaultUseError) in
      try ScheduledRun(
        turns: DirectTurns(opened), reach: Reach(registry: context.transports), clock: context.clock
      ).run(nil, onlyIfChanged: onlyIfChanged)
    }
  }

  /// Nil: the vault isn't open in the agent.
  private func byAgent(_ location: VaultLocation, _ context: Context) throws(CommandFailure) -> [Delivery]? {
    guard let client = AgentAccess.client(context) else { return nil }
    let folder = AbsolutePath.of(location.folder)
    do throws(VaultUseError) {
      return try AgentVault(client, folder: folder).backUp(to: nil, onlyIfChanged: onlyIfChanged)
    } catch {
      // One of another build isn't ended by a timer: who uses it next does so.
      if case .agent(let refusal) = error, [.locked, .gone, .otherVersion].contains(refusal.code) { return nil }
      throw CommandFailure(error, folder: folder)
    }
  }
}
