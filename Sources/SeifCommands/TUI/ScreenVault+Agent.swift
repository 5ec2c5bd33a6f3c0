internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifVault

/// The screen's vault in the agent: whether it is still open there, and how it is opened again.
extension ScreenVault {
  /// Whether it is still open, in the agent or here. For when nothing of it is on the screen.
  var isStillOpen: Bool { !isInAgent || agentState(.pulse) != nil }

  /// When the agent locks the vault: nil where it isn't open there any more since the same unlock.
  ///
  /// - Parameter patience: short where a secret is on the screen, maybe: an agent that hangs is none.
  func agentState(_ patience: AgentClient.Patience = .glance) -> AgentStatus.OpenVault? {
    let status = try? client?.status(patience)
    didAnswer = status != nil
    guard let status, let opening, Self.opening(of: folder, status) == opening else { return nil }
    return status.vaults.first { utf8Equal($0.folder, folder) }
  }

  static func opening(of folder: String, _ status: AgentStatus) -> [Int64]? {
    status.vaults.first { utf8Equal($0.folder, folder) }.map { [status.process, $0.opening] }
  }

  /// Tells the agent that somebody is there.
  func touch() throws(CommandFailure) {
    guard let vault = vault as? AgentVault else { return }
    try call { () throws(VaultUseError) in try vault.checkOpen() }
  }

  /// Locks the vault where the agent holds it.
  func lockInAgent() { _ = try? client?.lock(folder: folder) }

  /// The vault again, in the agent, which it was open in before; in this process where the agent can't be had, and that
  /// is said.
  ///
  /// - Parameter lockSeconds: the agent locks it no sooner than the screen does.
  static func again(
    _ unlock: UnlockOptions, copying: CopyOptions, lockSeconds: Int64, _ context: Context
  ) throws(CommandFailure) -> ScreenVault {
    let location = try unlock.location(context)
    let ways = try withVaultErrors(location.folder) { () throws(VaultError) in
      try Vault.open(at: location, access: .readOnly).waysIn
    }
    let opened: (any UnlockedVault)?
    do throws(CommandFailure) {
      opened = try openedInAgent(unlock, ways, location, lockSeconds, context)
    } catch {
      guard [.unavailable, .busy, .protocolBroken].contains(error.exitCode) else { throw error }
      context.talk.warn("no agent is used: \(error.what)")
      opened = nil
    }
    let vault =
      if let opened { opened } else {
        DirectVault(try unlock.unlockKeeping(.readWrite, mayOnlyRead: true, context).vault) as any UnlockedVault
      }
    return try ScreenVault(vault, unlock, copying: copying, context)
  }

  /// Nil for a vault that has no passphrase.
  private static func openedInAgent(
    _ unlock: UnlockOptions, _ ways: [WayIn], _ location: VaultLocation, _ lockSeconds: Int64, _ context: Context
  ) throws(CommandFailure) -> AgentVault? {
    guard ways.contains(where: { $0.kind == .passphrase }) else { return nil }
    let folder = AbsolutePath.of(location.folder)
    let stateFolder = AbsolutePath.of(location.stateFolder)
    let client = try UnlockCommand.agent(context)
    let isOpen = try withVault(folder) { () throws(VaultUseError) in try client.isOpen(folder: folder) }
    if !isOpen {
      let lockAfter = LockAfter.seconds(max(lockSeconds, LockAfter.standardSeconds))
      _ = try unlock.withMaterial(ways, location, context) { (way, secret) throws(VaultUseError) in
        try client.unlock(folder: folder, stateFolder: stateFolder, way, secret, lockAfter)
      }
    }
    return AgentVault(client, folder: folder)
  }
}
