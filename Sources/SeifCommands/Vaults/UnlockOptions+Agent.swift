internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifVault

/// The way to the agent.
enum AgentAccess {
  /// The folder of its socket; nil where the session has no folder for such things.
  static func folder(_ environment: Environment) -> String? {
    RuntimeFolder.path(runtimeFolder: environment["XDG_RUNTIME_DIR"])
  }

  static var hello: Hello { .own(version: Version.number) }

  /// The agent, or nil where none runs. One whose place isn't safe isn't talked to, and that is said.
  static func client(_ context: Context) -> AgentClient? {
    guard let folder = folder(context.environment) else { return nil }
    do throws(AgentRefusal) {
      return try AgentClient(folder: folder, hello: hello)
    } catch {
      if error.code != .gone { context.talk.warn("no agent is used: \(CommandFailure(error).what)") }
      return nil
    }
  }

  /// Ends an agent of another build: it can't be asked for anything else, and is never half served.
  static func end(_ client: AgentClient, _ context: Context) {
    let version = client.agent.map { " (\($0.version))" } ?? ""
    do throws(AgentRefusal) {
      try client.end()
      context.talk.warn("the agent was another Seif\(version): it locked everything and ended")
    } catch {
      context.talk.warn("the agent is another Seif\(version) and doesn't end: \(CommandFailure(error).what)")
    }
  }
}

extension UnlockOptions {
  /// The vault: in the agent if it is open there and no passphrase was given, else unlocked by this process.
  ///
  /// - Parameters:
  ///   - mayOnlyRead: where the file can't be written it is opened for reading.
  ///   - inPerson: no device opens it unless `--with` says so; the agent asks the person itself.
  func use(
    _ access: VaultAccess, mayOnlyRead: Bool = false, inPerson: Bool = false, _ context: Context
  ) throws(CommandFailure) -> any UnlockedVault {
    let inAgent = try inAgent(context) { (vault) throws(VaultUseError) in try vault.checkOpen() }
    if let inAgent { return inAgent.vault }
    return DirectVault(
      try unlockKeeping(access, mayOnlyRead: mayOnlyRead, inPerson: inPerson, context).vault)
  }

  /// The vault, unlocked by this process though it may be open in the agent, for lines of the ledger: a proof isn't taken on
  /// the word of whoever asks the agent. Why it is asked for again is said.
  func unlockForLedger(_ context: Context) throws(CommandFailure) -> Vault {
    if source == .person, kind == nil, isOpenInAgent(context) {
      context.talk.say("The agent takes no command's word for a proof, so the vault is opened here once more.")
    }
    return try unlock(.readWrite, context)
  }

  /// Reads what opens the vault and has it tried by the agent; a person may try three times.
  func withMaterial<Result>(
    _ ways: [WayIn], _ location: VaultLocation, _ context: Context,
    _ attempt: (AgentRequest.Way, borrowing SecretBytes) throws(VaultUseError) -> Result
  ) throws(CommandFailure) -> Result {
    let asked = kind ?? .passphrase
    guard ways.contains(where: { $0.kind == asked }), let way = AgentRequest.Way(asked) else {
      throw CommandFailure(VaultError(.noSuchWayIn, asked.name), folder: location.folder)
    }
    var tries = 0
    while true {
      tries += 1
      let material = try WayInMaterial.read(
        asked, ways, source: { (question) throws(CommandFailure) in try source.readAny(question: question, context) },
        context)
      let secret = material.secret?.duplicate() ?? SecretBytes(copying: SecretValue.empty)
      do throws(VaultUseError) {
        return try attempt(way, secret)
      } catch {
        guard case .vault(let refusal) = error else { throw CommandFailure(error, folder: location.folder) }
        let failure = CommandFailure(refusal, folder: location.folder, by: asked)
        // Another try makes sense where something is typed.
        let again = [.wrongPassphrase, .malformedRecoveryCode, .deviceRefused].contains(refusal.code)
        guard again, material.secret != nil, source == .person, tries < 3 else { throw failure }
        context.talk.fail(failure)
      }
    }
  }

  /// Whether an agent of this build says that it holds the vault, whatever would open it here.
  func isOpenInAgent(_ context: Context) -> Bool {
    guard let client = AgentAccess.client(context), let folder = try? vault.folder(context.environment) else {
      return false
    }
    return (try? AgentVault(client, folder: AbsolutePath.of(folder)).checkOpen()) != nil
  }

  /// The vault in the agent and what `first` makes of it, or nil if it isn't open there.
  func inAgent<Result>(
    _ context: Context, _ first: (AgentVault) throws(VaultUseError) -> Result
  ) throws(CommandFailure) -> (vault: AgentVault, result: Result)? {
    guard source == .person, kind == nil, let client = AgentAccess.client(context) else { return nil }
    let folder = AbsolutePath.of(try vault.folder(context.environment))
    let vault = AgentVault(client, folder: folder)
    do throws(VaultUseError) {
      return (vault, try first(vault))
    } catch {
      guard case .agent(let refusal) = error else { throw CommandFailure(error, folder: folder) }
      switch refusal.code {
      case .locked: break
      case .otherVersion: AgentAccess.end(client, context)
      case .gone, .tooSlow, .full, .badMessage, .stranger:
        context.talk.warn("no agent is used: \(CommandFailure(refusal).what)")
      default: throw CommandFailure(refusal)
      }
      return nil
    }
  }
}
