internal import SeifCommandLine
internal import SeifBackups
internal import SeifBytes
internal import SeifCrypto
internal import SeifVault

/// `seif keys passphrase`: another passphrase in the place of one.
struct KeysPassphraseCommand: Command {
  static let name = "keys passphrase"
  static let summary = "change the vault's passphrase"
  static let usage = """
    seif keys passphrase [OPTIONS]

    Puts a new passphrase in the place of the one that the vault has. The new one is
    proven to open the vault in another process first. Backups keep the passphrase that
    they were made with.

    The vault is opened by the old passphrase, or by what --with says.
    """
  static let way = Option.value("way", "ID", "which passphrase, where the vault has several")
  static var options: [Option] {
    [way] + UnlockOptions.options + NewPassphraseOptions.options + UnlockTime.options + [OutputOptions.quiet]
  }

  private let way: String?
  private let unlock: UnlockOptions
  private let passphrase: NewPassphraseOptions
  private let time: UnlockTime

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    way = arguments.value(Self.way)
    unlock = try UnlockOptions(&arguments)
    passphrase = try NewPassphraseOptions(&arguments)
    time = try UnlockTime(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let (vault, _) = try unlock.unlockKeeping(.readOnly, inPerson: true, context)
    defer { vault.lock() }
    let folder = vault.location.folder
    let old = try replaced(by: try withVaultErrors(folder) { () throws(VaultError) in try vault.waysIn() }, vault)
    let cost = try time.cost(folder)
    let secret = try passphrase.obtain(
      for: "the vault", guesses: GuessingCost(perSecond: cost.guessesPerSecond), context,
      random: passphrase.source == .person ? { RandomSource.system.makeBytes($0) } : nil)
    // A passphrase is known by what it opens; whatever opened the vault here.
    let opensAlready = try? Vault.open(at: vault.location, access: .readOnly)
      .unlock(with: PassphraseProvider(secret), only: old.id)
    if let opensAlready {
      opensAlready.lock()
      throw CommandFailure(.usage, "that is the passphrase that the vault has", hint: "Nothing was changed.")
    }
    let keepsRules = !NewPassphrase.isWeak(secret, cost.guessesPerSecond)
    _ = try WayInMaking.add(
      WayInMaterial(.passphrase, secret: secret), cost: cost.cost, replacing: old.id,
      passphrases: { keepsRules ? [$0.wayIn.id] : [] }, to: vault, context)
    context.talk.say(.ok, "Changed. The new passphrase opens the vault.")
    context.talk.say(WayInSentences.olderCopies)
    tellOfBackups(vault, context)
    return .done
  }

  private func replaced(by ways: [WayIn], _ vault: Vault) throws(CommandFailure) -> WayIn {
    let rows = ways.filter { $0.kind == .passphrase }
    if let way { return try WayInChoice.one(way, among: rows) }
    guard !rows.isEmpty else {
      throw CommandFailure(.notFound, "this vault has no passphrase", hint: "Try: seif keys add passphrase")
    }
    if let opened = rows.first(where: { $0.id == vault.openedBy }) { return opened }
    return try WayInChoice.one(WayIn.Kind.passphrase.name, among: rows)
  }

  /// Which backups a changed passphrase says nothing about.
  private func tellOfBackups(_ vault: Vault, _ context: Context) {
    guard let events = try? VaultLedger(vault: vault).events() else { return }
    let standing = BackupService.standing(events)
    guard !standing.isEmpty else { return }
    let count =
      standing.count == 1
      ? "The proven backup keeps the passphrase of the day it was made:"
      : "The \(standing.count) proven backups keep the passphrases of the days they were made:"
    context.talk.say(count)
    for proof in standing.sorted(by: { $0.at < $1.at }).suffix(20) {
      context.talk.say("  \(LocalTime.text(proof.at))  \(proof.name)  (\(proof.destination))")
    }
  }
}
