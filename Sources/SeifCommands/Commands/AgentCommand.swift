internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifAgent
internal import SeifBytes
internal import SeifVault

/// `seif agent`: runs the agent.
struct AgentCommand: Command {
  static let name = "agent"
  static let summary = "run the agent that keeps vaults open"
  static let usage = """
    seif agent [OPTIONS]

    Starts the agent, which `seif unlock` also does. With --foreground this process is
    the agent: for a service manager, which may hand over a listening socket.
    """
  static let foreground = Option.flag("foreground", "be the agent, until it is asked to end")
  static var options: [Option] { [foreground, OutputOptions.quiet] }

  private let isForeground: Bool

  init(_ arguments: inout ParsedArguments) throws(UsageError) { isForeground = arguments.flag(Self.foreground) }

  func run(_ context: Context) throws -> ExitCode {
    guard isForeground else {
      _ = try UnlockCommand.agent(context)
      context.talk.say(.ok, "The agent runs.")
      return .done
    }
    do throws(AgentRefusal) {
      try serve(context)
    } catch {
      // Another one runs: that is what was wanted.
      if error.code == .full { return .done }
      throw CommandFailure(error)
    }
    return .done
  }

  private func serve(_ context: Context) throws(AgentRefusal) {
    // Names and values pass through the language's own texts, which nobody wipes: in a process that lives for days they
    // would be left on the heap.
    _ = seif_wipe_freed_memory()
    let devices = Devices(environment: context.environment)
    let (registry, clock) = (context.transports, context.clock)
    let server = try AgentServer(
      AgentServer.Parts(
        hello: AgentAccess.hello, asker: ConsentPrompt(environment: context.environment),
        device: { (kind, pin) throws(VaultError) in
          try devices.provider(kind, pin: pin.isEmpty ? nil : SecretBytes(copying: pin))
        },
        backUp: { (turns, destination, onlyIfChanged, isWanted) throws(VaultUseError) in
          let reach = Reach(registry: registry, isWanted: isWanted)
          return try ScheduledRun(turns: turns, reach: reach, clock: clock).run(
            destination, onlyIfChanged: onlyIfChanged)
        }))
    let handedOver = try SocketActivation.listener(
      process: context.environment["LISTEN_PID"], count: context.environment["LISTEN_FDS"])
    if let handedOver {
      run(server, handedOver) { true }
      return
    }
    guard let path = AgentAccess.folder(context.environment) else {
      throw AgentRefusal(.gone, "this session has no folder for sockets (XDG_RUNTIME_DIR)")
    }
    let folder = try RuntimeFolder(path, making: true)
    // One of another build may be about to end.
    let listener = try folder.listen(patience: 3_000)
    let identity = folder.socketIdentity
    run(server, listener) { folder.isInPlace && folder.socketIdentity == identity }
    // Before the lock goes with this process, so that it is ours that is removed.
    if folder.isInPlace, folder.socketIdentity == identity { folder.removeSocket() }
  }

  private func run(_ server: AgentServer, _ listener: Int32, _ isInPlace: () -> Bool) {
    let key = Interrupts.add(.init(end: { server.lockAll() }))
    defer { Interrupts.remove(key) }
    server.run(listener: listener, logind: Logind(), isInPlace: isInPlace)
  }
}

/// `seif agent status`: what is open, and until when.
struct AgentStatusCommand: Command {
  static let name = "agent status"
  static let summary = "say which vaults are open in the agent"
  static let usage = """
    seif agent status [OPTIONS]

    Says whether the agent runs, which vaults are open in it and when each locks.
    """
  static var options: [Option] { OutputOptions.options }

  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) { output = try OutputOptions(&arguments) }

  func run(_ context: Context) throws -> ExitCode {
    guard let client = AgentAccess.client(context) else { return try show(nil, nil, context) }
    let status: AgentStatus
    do throws(VaultUseError) {
      status = try client.status()
    } catch {
      switch error {
      case .agent(let refusal) where refusal.code == .otherVersion:
        throw CommandFailure(
          .unavailable, "the agent is another Seif (\(client.agent?.version ?? "?"))",
          hint: "It ends with: seif lock --all")
      case .agent(let refusal) where refusal.code == .gone: return try show(nil, nil, context)
      default: throw CommandFailure(error, folder: "")
      }
    }
    return try show(status, client.agent, context)
  }

  private func show(
    _ status: AgentStatus?, _ agent: Hello?, _ context: Context
  ) throws(CommandFailure) -> ExitCode {
    if output.json {
      try context.output.writeLine(json: document(status, agent))
      return .done
    }
    guard let status else {
      try context.output.writeLine("agent    none runs")
      return .done
    }
    try context.output.writeLine("agent    runs (process \(status.process), \(agent?.version ?? "?"))")
    try context.output.writeLine(
      "locks    "
        + (status.knowsSessions
          ? "at suspend, screen lock and log-out too" : "by time and by `seif lock` alone: logind isn't there"))
    for vault in status.vaults {
      try context.output.writeLine(
        "open     \(Display.cleaned(vault.folder)), locks \(LockTime.left(vault.millisecondsLeft))")
    }
    if status.vaults.isEmpty { try context.output.writeLine("open     nothing") }
    return .done
  }

  private func document(_ status: AgentStatus?, _ agent: Hello?) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-agent", 1)
    writer.member("running", status != nil)
    if let status {
      writer.key("process")
      writer.integer(status.process)
      writer.member("seif", agent?.version ?? "")
      writer.member("hearsOfSessions", status.knowsSessions)
      writer.key("vaults")
      writer.beginArray()
      for vault in status.vaults {
        writer.beginObject()
        writer.member("vault", vault.folder)
        if let left = vault.millisecondsLeft {
          writer.key("locksInSeconds")
          writer.integer((left + 999) / 1000)
        }
        writer.endObject()
      }
      writer.endArray()
    }
    writer.endObject()
    return writer.finish()
  }
}
