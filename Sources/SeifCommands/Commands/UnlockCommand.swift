internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifVault

/// `seif unlock`: opens the vault in the agent, so that the commands that follow don't ask.
struct UnlockCommand: Command {
  static let name = "unlock"
  static let summary = "open the vault for the commands that follow"
  static let usage = """
    seif unlock [OPTIONS]

    Opens the vault in the agent, which is started if none runs. Commands then don't ask
    for the passphrase until the vault locks: after its time without use, with `seif
    lock`, or when the machine sleeps, the screen locks or you log out.

    --with opens it by another way in. A TPM, a security key and the keyring are asked by
    the agent itself: keep the key plugged in where the agent runs, and touch it there.

    The agent never gives out a key. It asks you again before everything leaves the
    vault, before the first secret is shown, and for a card's security code.
    """
  static var options: [Option] { [LockTime.option] + UnlockOptions.options + [OutputOptions.quiet] }

  private let lockAfter: LockAfter?
  private let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    lockAfter = try LockTime.read(arguments)
    unlock = try UnlockOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let location = try unlock.location(context)
    // Found before anybody is asked for a passphrase.
    let ways = try withVaultErrors(location.folder) { () throws(VaultError) in
      try Vault.open(at: location, access: .readOnly).waysIn
    }
    let folder = AbsolutePath.of(location.folder)
    let stateFolder = AbsolutePath.of(location.stateFolder)
    let client = try Self.agent(context)
    let opened = try unlock.withMaterial(ways, location, context) { (way, secret) throws(VaultUseError) in
      try client.unlock(folder: folder, stateFolder: stateFolder, way, secret, lockAfter)
    }
    for fault in opened.notices.faults { context.talk.warn(fault) }
    if !opened.notices.faults.isEmpty {
      context.talk.warn("nothing is purged until this is settled: seif doctor")
    }
    if !opened.keepsCounter {
      context.talk.warn("\(stateFolder) can't be written, so an older copy of this vault wouldn't be noticed")
    }
    switch opened.lockAfter {
    case .use: context.talk.say(.ok, "Unlocked. It locks after the next command that uses it.")
    case .seconds(let seconds):
      context.talk.say(.ok, "Unlocked. It locks after \(LockTime.duration(seconds)) without use, or with: seif lock")
    }
    return .done
  }

  /// An agent of this build, started if there is none.
  static func agent(_ context: Context) throws(CommandFailure) -> AgentClient {
    guard let folder = AgentAccess.folder(context.environment) else {
      throw CommandFailure(
        .unavailable, "this session has no folder for sockets (XDG_RUNTIME_DIR)",
        hint: "Commands ask for the passphrase each time.")
    }
    for _ in 0..<3 {
      do throws(AgentRefusal) {
        _ = try RuntimeFolder(folder, making: true)
      } catch {
        throw error.code == .gone
          ? CommandFailure(.unavailable, "\(folder) can't be made or opened") : CommandFailure(error)
      }
      if let client = AgentAccess.client(context) {
        do throws(VaultUseError) {
          _ = try client.status()
          return client
        } catch {
          guard case .agent(let refusal) = error, [.otherVersion, .gone].contains(refusal.code) else {
            throw CommandFailure(error, folder: folder)
          }
          if refusal.code == .otherVersion { AgentAccess.end(client, context) }
        }
      }
      guard AgentStart.start(arguments: ["agent", "--foreground"], folder: folder) else {
        throw CommandFailure(.unavailable, "the agent doesn't start", hint: "See: seif agent --foreground")
      }
    }
    throw CommandFailure(.unavailable, "another Seif starts its agent again and again", hint: "See: seif agent status")
  }
}

/// `seif lock`: wipes keys.
struct LockCommand: Command {
  static let name = "lock"
  static let summary = "close the vault that is open in the agent"
  static let usage = """
    seif lock [OPTIONS]

    Locks the vault in the agent: keys and list are wiped. --all locks every vault.
    """
  static let all = Option.flag("all", "every vault that is open")
  static var options: [Option] { [all] + VaultOptions.options + [OutputOptions.quiet] }

  private let isAll: Bool
  private let vault: VaultOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    isAll = arguments.flag(Self.all)
    vault = try VaultOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = isAll ? nil : AbsolutePath.of(try vault.folder(context.environment))
    var count = 0
    if let client = AgentAccess.client(context) {
      do throws(VaultUseError) {
        count = try client.lock(folder: folder)
      } catch {
        switch error {
        case .agent(let refusal) where refusal.code == .otherVersion:
          AgentAccess.end(client, context)
          return .done
        // One that just went away has nothing open.
        case .agent(let refusal) where refusal.code == .gone: break
        default: throw CommandFailure(error, folder: folder ?? "")
        }
      }
    }
    switch count {
    case 0: context.talk.say("Nothing was open.")
    case 1: context.talk.say(.ok, "Locked.")
    default: context.talk.say(.ok, "\(count) vaults are locked.")
    }
    return .done
  }
}
