internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

/// Which vault, and what opens it: what `--with` says, else the devices that open it without a question, else its
/// passphrase.
struct UnlockOptions: OptionGroup, Sendable {
  static let recovery = Option.flag("recovery-code", "what is given is the recovery code, not the passphrase")
  static let with = Option.value("with", "WAY", "open by passphrase, recovery, tpm2, fido2 or keyring")
  private static var own: [Option] { [with, recovery] }
  static var options: [Option] {
    VaultOptions.options + PassphraseOptions.options + VaultPassphraseOptions.options + own
  }
  /// For commands in which `--passphrase-fd` and `--passphrase-file` speak of another file.
  static var optionsBesideFile: [Option] { VaultOptions.options + VaultPassphraseOptions.options + own }

  let vault: VaultOptions
  let source: PassphraseSource
  /// What `--with` says; nil: what the vault has.
  let kind: WayIn.Kind?
  private let isBesideFile: Bool

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    vault = try VaultOptions(&arguments)
    let own = try VaultPassphraseOptions(&arguments).source
    source = own == .person ? try PassphraseOptions(&arguments).source : own
    kind = try Self.kind(arguments)
    isBesideFile = false
  }

  /// - Parameter besideFile: the command opens a file too, to which the options without "vault" belong.
  init(_ arguments: inout ParsedArguments, besideFile: Void) throws(UsageError) {
    vault = try VaultOptions(&arguments)
    source = try VaultPassphraseOptions(&arguments).source
    kind = try Self.kind(arguments)
    isBesideFile = true
  }

  var usesRecoveryCode: Bool { kind == .recovery }

  private static func kind(_ arguments: ParsedArguments) throws(UsageError) -> WayIn.Kind? {
    guard let name = arguments.value(with) else { return arguments.flag(recovery) ? .recovery : nil }
    let kind = WayIn.Kind(name: name)
    guard WayIn.Kind.known.contains(kind) else {
      throw UsageError("--with takes one of: \(WayIn.Kind.known.map(\.name).joined(separator: ", "))")
    }
    if arguments.flag(recovery), kind != .recovery { throw UsageError("--with and --recovery-code are one too many") }
    return kind
  }

  /// The place of the vault and of what is remembered about it elsewhere.
  func location(_ context: Context) throws(CommandFailure) -> VaultLocation { try vault.location(context) }

  /// The vault, unlocked. Faults that unlocking finds are said.
  ///
  /// - Parameter mayOnlyRead: where the file can't be written (a full or read-only disk) it is opened for reading.
  func unlock(
    _ access: VaultAccess, mayOnlyRead: Bool = false, _ context: Context
  ) throws(CommandFailure) -> Vault {
    try unlockKeeping(access, mayOnlyRead: mayOnlyRead, context).vault
  }

  /// The vault, unlocked, and what opened it, for commands that change or prove ways in.
  ///
  /// - Parameter inPerson: no device opens it unless `--with` says so.
  func unlockKeeping(
    _ access: VaultAccess, mayOnlyRead: Bool = false, inPerson: Bool = false, _ context: Context
  ) throws(CommandFailure) -> (vault: Vault, material: WayInMaterial) {
    Interrupts.start()
    let location = try location(context)
    let ways: [WayIn]
    do throws(VaultError) {
      // Found before anybody is asked for a passphrase.
      ways = try Vault.open(at: location, access: .readOnly).waysIn
    } catch {
      throw CommandFailure(error, folder: location.folder)
    }
    let opened = try unlock(ways, location, access, mayOnlyRead, inPerson, context)
    let vault = opened.vault
    for fault in vault.openingFaults { context.talk.warn("\(fault)") }
    if !vault.openingFaults.isEmpty {
      context.talk.warn("nothing is purged until this is settled: seif doctor")
    } else if access == .readWrite {
      // Late is no harm: what is due stays in the bin until the next command that writes.
      _ = try? vault.purgeBin()
    }
    if access == .readWrite, !vault.keepsCounter {
      context.talk.warn("\(location.stateFolder) can't be written, so an older copy of this vault wouldn't be noticed")
    }
    return opened
  }

  private func unlock(
    _ ways: [WayIn], _ location: VaultLocation, _ access: VaultAccess, _ mayOnlyRead: Bool, _ inPerson: Bool,
    _ context: Context
  ) throws(CommandFailure) -> (vault: Vault, material: WayInMaterial) {
    let devices = Devices(environment: context.environment)
    if kind == nil, source == .person, !inPerson {
      for silent in Devices.silentKinds(ways) {
        let material = WayInMaterial(silent)
        do throws(VaultError) {
          return (try Self.open(location, access, mayOnlyRead).unlock(with: material.provider(devices)), material)
        } catch {
          // The next way in may open it; why this one doesn't is worth a line.
          context.talk.warn("\(silent.words) doesn't open the vault: \(error)")
        }
      }
    }
    let kinds: [WayIn.Kind] = [.passphrase, .recovery, .fido2, .tpm2, .keyring]
    let asked = kind ?? kinds.first { kind in ways.contains { $0.kind == kind } } ?? .passphrase
    guard ways.contains(where: { $0.kind == asked }) else {
      throw CommandFailure(VaultError(.noSuchWayIn, asked.name), folder: location.folder)
    }
    let isPerson = source == .person
    var failure = CommandFailure(VaultError(.wrongPassphrase), folder: location.folder)
    for attempt in 1...3 {
      let material = try WayInMaterial.read(
        asked, ways, source: { (question) throws(CommandFailure) in try given(question, context) }, context)
      do throws(VaultError) {
        let locked = try Self.open(location, access, mayOnlyRead)
        return (try locked.unlock(with: material.provider(devices)), material)
      } catch {
        failure = CommandFailure(error, folder: location.folder, by: asked)
        let again = [.wrongPassphrase, .malformedRecoveryCode, .deviceRefused].contains(error.code)
        guard again, isPerson, attempt < 3 else { throw failure }
      }
      context.talk.fail(failure)
    }
    throw failure
  }

  private func given(_ question: String, _ context: Context) throws(CommandFailure) -> SecretBytes {
    let given: SecretBytes
    do throws(CommandFailure) {
      given = try source.readAny(question: question, context)
    } catch {
      // Which of two passphrases is missing has to be said.
      guard isBesideFile, error == PassphraseSource.nobody else { throw error }
      throw CommandFailure(
        .refused, "the vault's passphrase is needed, and there is no terminal to ask for it",
        hint: "Give --vault-passphrase-fd N or --vault-passphrase-file F.")
    }
    return given
  }
}

extension UnlockOptions {
  private static func open(
    _ location: VaultLocation, _ access: VaultAccess, _ mayOnlyRead: Bool
  ) throws(VaultError) -> LockedVault {
    do throws(VaultError) {
      return try Vault.open(at: location, access: access)
    } catch {
      guard mayOnlyRead, [.full, .readOnly, .cantOpen, .io].contains(error.code) else { throw error }
      return try Vault.open(at: location, access: .readOnly)
    }
  }
}

/// Runs work on a vault and turns its errors into failures of the command.
func withVaultErrors<R>(
  _ folder: String, _ body: () throws(VaultError) -> R
) throws(CommandFailure) -> R {
  do throws(VaultError) {
    return try body()
  } catch {
    throw CommandFailure(error, folder: folder)
  }
}

extension VaultOptions {
  /// The place of the vault and of what is remembered about it elsewhere.
  func location(_ context: Context) throws(CommandFailure) -> VaultLocation {
    let folder = try folder(context.environment)
    return VaultLocation(
      folder: folder, stateFolder: UserFolders.state(context.environment).map { $0 + "/seif" } ?? folder)
  }
}
