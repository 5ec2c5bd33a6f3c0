internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
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

    Where an older vault was lost: --restore-from PLACE takes the newest backup there into the
    new one, after it has asked for that backup's passphrase and shown what it holds. A backup
    on a server: seif init, then seif transport add KIND NAME --automatic-restore.
    """
  static let restoreFrom = Option.value("restore-from", "PLACE", "take a backup into it: from a folder, or file:PATH")
  static var options: [Option] {
    VaultOptions.options + [restoreFrom] + PassphraseOptions.options + NewPassphraseOptions.options
      + RecoverySheet.options
      + UnlockTime.options + [OutputOptions.quiet]
  }

  private let vault: VaultOptions
  private let passphrase: NewPassphraseOptions
  private let sheet: RecoverySheet
  private let time: UnlockTime
  private let backups: DestinationOptions?
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    vault = try VaultOptions(&arguments)
    let new = try NewPassphraseOptions(&arguments)
    // There is only one passphrase here, so either spelling of the option means it.
    let plain = try PassphraseOptions(&arguments).source
    passphrase =
      new.source == .person ? NewPassphraseOptions(source: plain, allowsWeak: new.allowsWeak) : new
    sheet = try RecoverySheet(&arguments)
    time = try UnlockTime(&arguments)
    output = try OutputOptions(&arguments, withoutDocument: ())
    backups = try arguments.value(Self.restoreFrom).map { (name) throws(UsageError) in
      try DestinationOptions(named: name)
    }
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try vault.folder(context.environment)
    let state = UserFolders.state(context.environment).map { $0 + "/seif" } ?? folder
    let location = VaultLocation(folder: folder, stateFolder: state)
    if (try? Vault.open(at: location, access: .readOnly).id) != nil {
      throw CommandFailure(VaultError(.alreadyExists), folder: folder)
    }
    let source = try backups.map { (backups) throws(CommandFailure) in try Self.source(backups, context) }
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
    defer { made.lock() }
    context.talk.say(.ok, "Vault made in \(folder).")
    if let name = location.networkFileSystem { context.talk.warn(FileSystemCheck.words(name)) }
    if let path = sheet.path { context.talk.say("The recovery code is on \(path): print it, then delete the file.") }
    context.talk.say("Nobody can reset the passphrase or the recovery code. If both are lost, the vault is lost.")
    guard let backups, let (transport, place) = source else {
      context.talk.hint("seif import FILE")
      context.talk.hint("seif backup restore --destination FOLDER, where an older vault was lost")
      return .done
    }
    let command = "seif backup restore --destination \(backups.name)"
    do throws(CommandFailure) {
      return try RestoreRun(
        destination: backups, transport: transport, place: place, opening: .person, plan: ImportOptions(), isYes: false,
        output: output, command: command
      ).run(nil, .offered(besides: 0), into: DirectVault(made), folder, context)
    } catch {
      context.talk.say("The vault is made, and nothing was restored. Once more: \(command)")
      throw error
    }
  }

  /// The place of the backups, looked at before anything is made.
  private static func source(
    _ backups: DestinationOptions, _ context: Context
  ) throws(CommandFailure) -> (any BackupTransport, String) {
    guard TerminalDevice(context) != nil else {
      throw CommandFailure(
        .usage, "without a terminal it can't be asked which backup is restored",
        hint: "seif init, then: seif backup restore --destination \(backups.name) --yes")
    }
    let (transport, place): (any BackupTransport, String)
    do throws(CommandFailure) {
      (transport, place) = try backups.local()
    } catch {
      throw CommandFailure(
        error.exitCode, "there is no folder \(backups.name)",
        hint: "For a server: seif init, then seif transport add KIND NAME --automatic-restore")
    }
    let files: [BackupDescriptor]
    do throws(TransportError) {
      files = try transport.listBackups()
    } catch {
      throw CommandFailure(CommandFailure.code(error), "\(backups.name): \(error)")
    }
    guard !RestoreSource.claimed(files).isEmpty else {
      throw CommandFailure(.notFound, "there is no backup at \(backups.name)", hint: "Give another --restore-from.")
    }
    return (transport, place)
  }
}
