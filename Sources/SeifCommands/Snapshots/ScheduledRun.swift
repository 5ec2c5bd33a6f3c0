internal import SeifCommandLine
internal import SeifAgent
internal import SeifVault

/// What is done with an open vault without a person: what was stored while it was locked is proven, a snapshot goes to the
/// approved destinations, and the chosen one is looked at for what another machine made.
struct ScheduledRun {
  let turns: any VaultTurns
  let reach: Reach
  let clock: Clock

  /// - Parameters:
  ///   - destination: the one that is meant; nil: all that are approved.
  ///   - onlyIfChanged: only where the contents are others than those of the last one.
  func run(_ destination: String?, onlyIfChanged: Bool) throws(VaultUseError) -> [Delivery] {
    let found = try SnapshotQueue.prove(turns, reach)
    var deliveries = try SnapshotDelivery(
      turns: turns, reach: reach, clock: clock, onlyIfChanged: onlyIfChanged
    ).run(destination)
    if !found.isEmpty, !deliveries.isEmpty {
      deliveries[0].words += found
      if deliveries[0].exitCode == 0 { deliveries[0].exitCode = ExitCode.checkFailed.rawValue }
    }
    // For a change alone nobody has to look elsewhere; a vault that was locked meanwhile is looked at the next time.
    if destination == nil, !onlyIfChanged,
      let found = try? RestoreWatch(turns: turns, reach: reach, clock: clock).look()
    {
      deliveries.append(found)
    }
    return deliveries
  }
}
