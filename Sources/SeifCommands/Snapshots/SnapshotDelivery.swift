internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifFormats
internal import SeifRecords
internal import SeifVault

/// Takes a snapshot of a vault to destinations and proves each: stored, fetched again, compared, opened with the vault's
/// own key, all its rows held against the sealed state.
///
/// The vault is used a turn at a time, never while bytes move.
struct SnapshotDelivery {
  let turns: any VaultTurns
  let reach: Reach
  let clock: Clock
  /// Only where the contents are others than those of the last proven snapshot there.
  var onlyIfChanged = false
  /// What a person takes for right, where one is there.
  var accepting: Set<Acceptance> = []
  var rule = RetentionRule()

  /// A snapshot on its way.
  private struct Taken: Sendable {
    var content: SecretValue
    var records: Records
    var sequence: Int64
    var faults: [String]
  }

  /// - Parameter destination: the one that is meant; nil: all that are approved.
  /// - Throws: `notApproved` where there is none.
  func run(_ destination: String?) throws(VaultUseError) -> [Delivery] {
    let found = try turns.turn { (vault) throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in try ApprovedDestinations.all(in: vault) }
    }
    let meant = found.filter { found in
      found.isApproved && (destination.map { utf8Equal($0, found.settings.name) } ?? true)
    }
    guard !meant.isEmpty else { throw .agent(AgentRefusal(.notApproved, destination ?? "")) }
    return try run(to: meant.map(\.settings))
  }

  /// To destinations that were looked at before.
  func run(to destinations: [TransportSettings]) throws(VaultUseError) -> [Delivery] {
    try deliver(
      to: destinations.map { settings in
        do throws(TransportError) {
          let (transport, place) = try reach.transport(settings)
          return (settings.name, .success((transport, place)))
        } catch {
          return (settings.name, .failure(error))
        }
      })
  }

  typealias Target = (name: String, transport: Result<(any BackupTransport, String), TransportError>)

  /// To places that are open.
  func deliver(to targets: [Target]) throws(VaultUseError) -> [Delivery] {
    var deliveries: [Delivery] = []
    var taken: Taken?
    for target in targets {
      let (transport, place): (any BackupTransport, String)
      do throws(TransportError) {
        (transport, place) = try target.transport.get()
      } catch {
        deliveries.append(Self.failed(target.name, CommandFailure(CommandFailure.code(error), "\(error)")))
        continue
      }
      if onlyIfChanged, let name = try unchanged(place) {
        deliveries.append(
          Delivery(
            destination: target.name, name: name, isProven: true, exitCode: 0, words: ["unchanged since \(name)"]))
        continue
      }
      // One snapshot serves all.
      let snapshot: Taken
      if let taken { snapshot = taken } else { snapshot = try take() }
      taken = snapshot
      deliveries.append(deliver(snapshot, to: target.name, transport, place))
    }
    return deliveries
  }

  private func deliver(
    _ taken: Taken, to name: String, _ transport: any BackupTransport, _ place: String
  ) -> Delivery {
    let service = BackupService(
      transport: transport, ledger: TurnLedger(turns: turns, sequence: taken.sequence), destination: place)
    do {
      let report = try service.deliver(
        taken.content, holding: taken.records, format: SnapshotFormat.ledgerName,
        fileExtension: SnapshotFormat.fileExtension, at: Timestamp(seconds: clock.now()),
        mayPrune: taken.faults.isEmpty, accepting: accepting, rule: rule
      ) { content in try open(content) }
      let warnings = taken.faults + BackupWords.lines(report).filter(\.isWarning).map(\.text)
      let isSound = taken.faults.isEmpty && !report.isAlarming
      return Delivery(
        destination: name, name: report.proof.name, isProven: true,
        exitCode: isSound ? 0 : ExitCode.checkFailed.rawValue, byteCount: report.proof.byteCount, words: warnings)
    } catch let failure as BackupFailure {
      return Self.failed(name, CommandFailure(failure, destination: name))
    } catch {
      return Self.failed(name, CommandFailure(ledger: error))
    }
  }

  private static func failed(_ name: String, _ failure: CommandFailure) -> Delivery {
    Delivery(
      destination: name, isProven: false, exitCode: failure.exitCode.rawValue, words: [failure.what] + failure.details)
  }

  // MARK: - Turns

  private func take() throws(VaultUseError) -> Taken {
    let (content, sequence, faults) = try turns.turn { (vault) throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in
        guard try vault.waysIn().contains(where: \.isPortable) else {
          throw VaultError(.noSuchWayIn, "passphrase or recovery")
        }
        // The number is stored before the file leaves: one that was never used is harmless, two files with one aren't.
        let link = try vault.nextBackupLink()
        guard let snapshot = try vault.snapshot() else { throw VaultError(.invalidEntry, "more than 64 MiB") }
        return (snapshot.bytes, link.sequence, vault.openingFaults.map { "\($0)" })
      }
    }
    // What is compared is what the copy holds: others may have written since.
    return Taken(content: content, records: try open(content), sequence: sequence, faults: faults)
  }

  private func open(_ content: SecretValue) throws(VaultUseError) -> Records { try Self.open(content, turns) }

  /// What a file holds that is a whole snapshot of this vault.
  ///
  /// - Parameter leastCounter: a copy of an earlier state is another one than is meant.
  static func open(
    _ content: SecretValue, _ turns: any VaultTurns, leastCounter: Int64 = 0
  ) throws(VaultUseError) -> Records {
    try openWithState(content, turns, leastCounter: leastCounter).records
  }

  /// The same, and the counter of the state that it holds.
  static func openWithState(
    _ content: SecretValue, _ turns: any VaultTurns, leastCounter: Int64
  ) throws(VaultUseError) -> (records: Records, state: Int64) {
    try turns.aside({ (vault) throws(VaultError) in try vault.opening(content) }) { (copy) throws(VaultError) in
      let state = try copy.counter()
      guard state >= leastCounter else { throw VaultError(.damaged, "a copy of an earlier state") }
      // Faults of the vault itself are in its copy too: such copies count for nothing.
      guard try copy.verify().isEmpty else { throw VaultError(.damaged, "a copy that isn't as it was last written") }
      guard try copy.waysIn().contains(where: \.isPortable) else { throw VaultError(.noSuchWayIn) }
      let records = try copy.records()
      guard copy.damage.isEmpty else { throw VaultError(.damaged) }
      return (records, state)
    }
  }

  /// The last proven snapshot there, where it holds what the vault holds now; nil: there is none.
  private func unchanged(_ place: String) throws(VaultUseError) -> String? {
    try turns.turn { (vault) throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in
        let ledger = try vault.ledger()
        let last = ledger.last { entry in
          entry.event == .proven && utf8Equal(entry.destination, place)
            && utf8Equal(entry.format, SnapshotFormat.ledgerName)
        }
        let history = LedgerHistory(ledger.map(LedgerEvent.init))
        guard let last, history.file(at: place, named: last.name)?.flag == nil,
          history.file(at: place, named: last.name)?.proof != nil
        else { return nil }
        let digest = try vault.contentDigest(of: try vault.records())
        return vault.damage.isEmpty && last.content == digest ? last.name : nil
      }
    }
  }
}

/// The ledger of a vault that is used a turn at a time.
struct TurnLedger: ProofLedger {
  let turns: any VaultTurns
  var sequence: Int64?

  func events() throws -> [LedgerEvent] {
    try turns.turn { (vault) throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in try vault.ledger().map { LedgerEvent($0) } }
    }
  }

  func append(_ event: LedgerEvent, records: Records?) throws {
    try turns.turn { (vault) throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in
        try VaultLedger(vault: vault, sequence: sequence).write(event, records: records)
      }
    }
  }
}
