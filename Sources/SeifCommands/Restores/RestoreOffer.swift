internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// A look at the chosen destination on a person's word, and the restore that may follow it.
struct RestoreOffer {
  let sight: RestoreSight
  private let destination: DestinationOptions
  private let transport: any BackupTransport
  private let place: String
  private let entryCount: Int
  /// Whether this vault has proven backups there: then the newest of all is another question than the newest from elsewhere.
  private let hasOwn: Bool

  init(
    _ choice: RestoreChoice, _ location: VaultLocation, in vault: any UnlockedVault, _ folder: String,
    _ context: Context
  ) throws(CommandFailure) {
    destination = DestinationOptions(known: choice.name)
    (transport, place) = try destination.transport(vault, folder, context)
    let id = try withVaultErrors(folder) { () throws(VaultError) in
      try Vault.open(at: location, access: .readOnly).id
    }
    let (ledger, entries) = try withVault(folder) { () throws(VaultUseError) in
      (try vault.ledger().map(\.entry), try vault.list())
    }
    entryCount = entries.count { !$0.isSetting }
    hasOwn = !LedgerHistory(ledger.map(LedgerEvent.init)).proven(at: place).isEmpty
    let queue = SnapshotQueue(location.stateFolder, id)
    do throws(TransportError) {
      sight = try RestoreSight(
        BackupPreferences(
          destination: place, isOn: choice.isOn, supportsAutomaticRestore: transport.supportsAutomaticRestore),
        over: transport, ledger: ledger, own: (try? queue.entries().map(\.name)) ?? [], isVaultEmpty: entryCount == 0,
        markers: RestoreMarkers(location.stateFolder, id), fetches: true, now: Timestamp(seconds: context.clock.now()))
    } catch {
      throw CommandFailure(CommandFailure.code(error), "\(choice.name): \(error)")
    }
  }

  /// Whether there is something to ask about.
  var isOpen: Bool {
    switch sight.decision {
    case .offer, .ask: true
    default: false
    }
  }

  /// Opens, asks and restores.
  func run(
    opening: OpeningOptions, plan: ImportOptions, isYes: Bool, output: OutputOptions, command: String,
    into vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> ExitCode {
    // Where nothing of the vault's own lies, what stands sealed in the files says which is the newest.
    try RestoreRun(
      destination: destination, transport: transport, place: place, opening: opening, plan: plan, isYes: isYes,
      output: output, command: command
    ).run(hasOwn ? sight.found?.name : nil, .offered(besides: entryCount), into: vault, folder, context)
  }
}
