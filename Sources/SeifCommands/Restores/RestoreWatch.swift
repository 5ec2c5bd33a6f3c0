internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifVault

/// Looks, where nobody is there, whether another machine has made a backup that this vault hasn't: for the timer, with the
/// vault open in the agent. It says so and does nothing else.
struct RestoreWatch {
  let turns: any VaultTurns
  let reach: Reach
  let clock: Clock

  private struct Facts: Sendable {
    var chosen: ApprovedDestinations.Found
    var ledger: [LedgerEntry]
    var isVaultEmpty: Bool
    var stateFolder: String
    var vault: UUID
  }

  /// Nil: there is nothing to say.
  func look() throws(VaultUseError) -> Delivery? {
    guard let facts = try facts() else { return nil }
    let name = facts.chosen.settings.name
    do throws(TransportError) {
      let (transport, place) = try reach.transport(facts.chosen.settings)
      let queue = SnapshotQueue(facts.stateFolder, facts.vault)
      let sight = try RestoreSight(
        BackupPreferences(
          destination: place, isOn: facts.chosen.restores ?? false,
          supportsAutomaticRestore: transport.supportsAutomaticRestore),
        over: transport, ledger: facts.ledger, own: (try? queue.entries().map(\.name)) ?? [],
        isVaultEmpty: facts.isVaultEmpty, markers: RestoreMarkers(facts.stateFolder, facts.vault), fetches: false,
        now: Timestamp(seconds: clock.now()))
      guard let words = sight.words, let found = sight.found else { return nil }
      var code = ExitCode.done
      if case .refused = sight.decision { code = .checkFailed }
      return Delivery(
        destination: name, name: found.name, isProven: false, exitCode: code.rawValue, byteCount: found.byteCount,
        words: [words], isFound: true)
    } catch {
      return Delivery(
        destination: name, isProven: false, exitCode: CommandFailure.code(error).rawValue,
        words: ["it can't be looked at for backups from elsewhere: \(error)"], isFound: true)
    }
  }

  /// Nil: none is chosen, or it wasn't approved for what the agent does alone.
  private func facts() throws(VaultUseError) -> Facts? {
    try turns.turn { (vault) throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in
        let chosen = try ApprovedDestinations.all(in: vault).filter { $0.restores != nil }
        guard let first = chosen.first, chosen.count == 1, first.isApproved, first.restores == true else { return nil }
        return Facts(
          chosen: first, ledger: try vault.ledger(), isVaultEmpty: try vault.summaries().allSatisfy(\.isSetting),
          stateFolder: vault.location.stateFolder, vault: vault.id)
      }
    }
  }
}
