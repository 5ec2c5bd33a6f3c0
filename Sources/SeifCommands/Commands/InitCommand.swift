internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats
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
  static let sheet = Option.value("recovery-sheet", "FILE", "write the recovery code to a sheet to print")
  static let unlockTime = Option.value("unlock-ms", "N", "how long opening shall take here, 500 to 10000 (1000)")
  static var options: [Option] {
    VaultOptions.options + PassphraseOptions.options + NewPassphraseOptions.options + [sheet, unlockTime]
      + [OutputOptions.quiet]
  }

  private let vault: VaultOptions
  private let passphrase: NewPassphraseOptions
  private let sheet: String?
  private let milliseconds: Int

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    vault = try VaultOptions(&arguments)
    let new = try NewPassphraseOptions(&arguments)
    // There is only one passphrase here, so either spelling of the option means it.
    let plain = try PassphraseOptions(&arguments).source
    passphrase =
      new.source == .person ? NewPassphraseOptions(source: plain, allowsWeak: new.allowsWeak) : new
    sheet = arguments.value(Self.sheet)
    milliseconds = try arguments.integer(Self.unlockTime, in: 500...10_000) ?? 1000
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try vault.folder(context.environment)
    let state = UserFolders.state(context.environment).map { $0 + "/seif" } ?? folder
    let location = VaultLocation(folder: folder, stateFolder: state)
    if (try? Vault.open(at: location, access: .readOnly).id) != nil {
      throw CommandFailure(VaultError(.alreadyExists), folder: folder)
    }
    if sheet == nil, TerminalDevice(context) == nil {
      throw CommandFailure(
        .usage, "the recovery code has nowhere to go: there is no terminal", hint: "Give --recovery-sheet FILE.")
    }
    if let sheet { try Self.checkFree(sheet) }
    let cost = try Self.cost(milliseconds, folder)
    let random = RandomSource.system
    let isPerson = passphrase.source == .person
    let secret = try passphrase.obtain(
      for: "the vault", guessesPerSecond: cost.guessesPerSecond, context,
      random: isPerson ? { random.makeBytes($0) } : nil)
    let code = RecoveryCode.make()
    if let sheet {
      try write(code, to: sheet, folder, context)
    } else {
      try show(code, context)
    }
    let made: Vault
    do throws(VaultError) {
      made = try Vault.create(at: location, passphrase: secret, recoveryCode: code, cost: cost.cost)
    } catch {
      // The code on it opens nothing.
      if let sheet { unlink(sheet) }
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

  /// The memory with which opening takes about so long here, 64 MiB to 1 GiB, by one derivation with the least.
  private static func cost(
    _ milliseconds: Int, _ folder: String
  ) throws(CommandFailure) -> (cost: VaultCost, guessesPerSecond: Double) {
    let speed = SealingSpeed.derivationsPerSecond(.authbackup, version: 2)
    let factor = max(1, min(16, Int(Double(milliseconds) / 1000 * speed)))
    let cost = try withVaultErrors(folder) { () throws(VaultError) in
      try VaultCost(memoryKiB: VaultCost.minimum.memoryKiB * factor)
    }
    return (cost, speed / Double(factor))
  }

  private func show(_ code: borrowing RecoveryCode, _ context: Context) throws(CommandFailure) {
    guard let terminal = TerminalDevice(context) else { throw PassphraseSource.nobody }
    // EXPOSE: the code is shown once, on the terminal, for the person to write down.
    let text = code.grouped.exposedText() ?? ""
    let shown = "Recovery code, shown once. Write it down or print it:\n\n  \(text)\n\n"
    terminal.write(shown)
    while true {
      guard let typed = try terminal.readHidden("Type it back (not shown; Enter alone shows it again): ") else {
        throw Context.cancelled
      }
      if typed.byteCount == 0 {
        terminal.write(shown)
        continue
      }
      guard let fault = TypedBack.fault(typed, of: code) else { return }
      terminal.write(lines: fault + " Nothing is lost: once more.")
    }
  }

  /// Refuses a sheet that exists before anybody is asked for anything: what stands there may be another vault's code.
  private static func checkFree(_ sheet: String) throws(CommandFailure) {
    var status = stat()
    guard sheet != "-", lstat(sheet, &status) == 0 else { return }
    throw CommandFailure(
      .cannotCreate, "\(sheet) exists, and may hold the code of another vault",
      hint: "Give the sheet another name. No vault was made.")
  }

  private func write(
    _ code: borrowing RecoveryCode, to path: String, _ folder: String, _ context: Context
  ) throws(CommandFailure) {
    var text = SecretBuffer()
    text.append(utf8: "Seif: recovery code\n\n  ")
    text.append(code.grouped)
    text.append(utf8: "\n\nMade \(Timestamp(seconds: context.clock.now()).rfc3339) for the vault in \(folder)\n")
    text.append(
      utf8: """

        Whoever has this code and a copy of the vault can read all of it.
        Nobody can reset it. If it and the passphrase are both lost, the vault is lost.

        To use it: seif list --recovery-code
        Print this page, keep it where you keep papers that matter, delete the file.

        """)
    let sheet = text.finish()
    try sheet.withBytes { (bytes) throws(CommandFailure) in
      try Destination.write(bytes, to: path, replacing: false, isBinary: false, context)
    }
  }
}
