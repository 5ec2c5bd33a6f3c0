internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifRecords
internal import SeifVault

/// Lines for the ledger that come up while something is looked at. A vault that is open in the agent is unlocked by this
/// process too once there is one, since the agent takes no command's word for what was found.
struct LedgerNotes {
  private let unlock: UnlockOptions
  private let folder: String
  private var ledger: VaultLedger?
  private var opened: Vault?
  /// Why nothing could be noted; nil: all is.
  private(set) var refusal: CommandFailure?

  /// - Parameter vault: what the command reads from.
  init(unlock: UnlockOptions, folder: String, vault: any UnlockedVault) {
    self.unlock = unlock
    self.folder = folder
    ledger = (vault as? DirectVault).map { VaultLedger(vault: $0.vault) }
  }

  /// What compares a file that isn't proven with what was noted of it; nil: the vault doesn't open for it.
  mutating func vault(_ context: Context) throws(CommandFailure) -> Vault? {
    guard refusal == nil else { return nil }
    return try place(context)?.vault
  }

  /// Writes a line. Where the vault doesn't open for it, nobody is asked again.
  mutating func add(_ event: LedgerEvent, records: Records?, _ context: Context) throws(CommandFailure) {
    guard refusal == nil, let ledger = try place(context) else { return }
    do {
      try ledger.append(event, records: records)
    } catch let error as VaultError {
      throw CommandFailure(error, folder: folder)
    } catch {
      throw CommandFailure(describing: error)
    }
  }

  private mutating func place(_ context: Context) throws(CommandFailure) -> VaultLedger? {
    if let ledger { return ledger }
    do throws(CommandFailure) {
      let vault = try unlock.unlockForLedger(context)
      opened = vault
      ledger = VaultLedger(vault: vault)
    } catch {
      guard error.exitCode != .interrupted else { throw error }
      refusal = error
    }
    return ledger
  }

  /// Locks what was opened for this.
  func lock() { opened?.lock() }
}
