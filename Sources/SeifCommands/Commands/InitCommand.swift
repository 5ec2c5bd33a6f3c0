internal import SeifBytes
internal import SeifCrypto
internal import SeifVault

/// `seif init`: makes a vault with a passphrase and a recovery code.
struct InitCommand: Command {
  static let name = "init"
  static let summary = "make a vault, with a passphrase and a recovery code"
  static let usage = """
    seif init [OPTIONS]

    Makes a vault. You choose a passphrase, and Seif makes a recovery code to print and
    keep in a drawer. Nobody can reset either: if both are lost, the vault is lost.

    On a terminal the code is shown once and typed back. Without one, --recovery-sheet
    FILE writes it to a file that only you can read: print it, then delete it.
    """
  static var options: [Option] {
    VaultOptions.options + PassphraseOptions.options + NewPassphraseOptions.options + RecoverySheet.options
      + UnlockTime.options + [OutputOptions.quiet]
  }

  private let vault: VaultOptions
  private let passphrase: NewPassphraseOptions
  private let sheet: RecoverySheet
  private let time: UnlockTime

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    vault = try VaultOptions(&arguments)
    let new = try NewPassphraseOptions(&arguments)
    // There is only one passphrase here, so either spelling of the option means it.
    let plain = try PassphraseOptions(&arguments).source
    passphrase =
      new.source == .person ? NewPassphraseOptions(source: plain, allowsWeak: new.allowsWeak) : new
    sheet = try RecoverySheet(&arguments)
    time = try UnlockTime(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try vault.folder(context.environment)
    let state = UserFolders.state(context.environment).map { $0 + "/seif" } ?? folder
    let location = VaultLocation(folder: folder, stateFolder: state)
    if (try? Vault.open(at: location, access: .readOnly).id) != nil {
      throw CommandFailure(VaultError(.alreadyExists), folder: folder)
    }
    try sheet.check(otherwise: "No vault was made.", context)
    let cost = try time.cost(folder)
    let random = RandomSource.system
    let isPerson = passphrase.source == .person
    let secret = try passphrase.obtain(
      for: "the vault", guesses: GuessingCost(perSecond: cost.guessesPerSecond), context,
      random: isPerson ? { random.makeBytes($0) } : nil)
    let code = RecoveryCode.make()
    try sheet.present(code, folder: folder, context)
    let made: Vault
    do throws(VaultError) {
      made = try Vault.create(at: location, passphrase: secret, recoveryCode: code, cost: cost.cost)
    } catch {
      // The code on it opens nothing.
      sheet.discard()
      guard error.code == .cantOpen else { throw CommandFailure(error, folder: folder) }
      throw CommandFailure(
        .cannotCreate, "no vault can be made in \(folder)", hint: "Check the path and its permissions.")
    }
    made.lock()
    context.talk.say(.ok, "Vault made in \(folder).")
    if let name = location.networkFileSystem { context.talk.warn(FileSystemCheck.words(name)) }
    context.talk.say("Nobody can reset the passphrase or the recovery code. If both are lost, the vault is lost.")
    context.talk.hint("seif import FILE")
    return .done
  }
}
