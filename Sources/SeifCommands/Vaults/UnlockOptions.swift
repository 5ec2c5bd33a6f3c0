internal import SeifBytes
internal import SeifVault

/// Which vault, and what opens it: its passphrase, or the recovery code with `--recovery-code`.
struct UnlockOptions: OptionGroup, Sendable {
  static let recovery = Option.flag("recovery-code", "what is given is the recovery code, not the passphrase")
  static var options: [Option] {
    VaultOptions.options + PassphraseOptions.options + VaultPassphraseOptions.options + [recovery]
  }
  /// For commands in which `--passphrase-fd` and `--passphrase-file` speak of another file.
  static var optionsBesideFile: [Option] { VaultOptions.options + VaultPassphraseOptions.options + [recovery] }

  let vault: VaultOptions
  let source: PassphraseSource
  let usesRecoveryCode: Bool
  private let isBesideFile: Bool

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    vault = try VaultOptions(&arguments)
    let own = try VaultPassphraseOptions(&arguments).source
    source = own == .person ? try PassphraseOptions(&arguments).source : own
    usesRecoveryCode = arguments.flag(Self.recovery)
    isBesideFile = false
  }

  /// - Parameter besideFile: the command opens a file too, to which the options without "vault" belong.
  init(_ arguments: inout ParsedArguments, besideFile: Void) throws(UsageError) {
    vault = try VaultOptions(&arguments)
    source = try VaultPassphraseOptions(&arguments).source
    usesRecoveryCode = arguments.flag(Self.recovery)
    isBesideFile = true
  }

  /// The place of the vault and of what is remembered about it elsewhere.
  func location(_ context: Context) throws(CommandFailure) -> VaultLocation {
    let folder = try vault.folder(context.environment)
    return VaultLocation(
      folder: folder, stateFolder: UserFolders.state(context.environment).map { $0 + "/seif" } ?? folder)
  }

  /// The vault, unlocked. Faults that unlocking finds are said.
  ///
  /// - Parameter mayOnlyRead: where the file can't be written (a full or read-only disk) it is opened for reading.
  func unlock(
    _ access: VaultAccess, mayOnlyRead: Bool = false, _ context: Context
  ) throws(CommandFailure) -> Vault {
    Interrupts.start()
    let location = try location(context)
    let vault: Vault
    do throws(VaultError) {
      // Found before anybody is asked for a passphrase.
      _ = try Vault.open(at: location, access: .readOnly).id
    } catch {
      throw CommandFailure(error, folder: location.folder)
    }
    vault = try unlock(location, access, mayOnlyRead, context)
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
    return vault
  }

  private func unlock(
    _ location: VaultLocation, _ access: VaultAccess, _ mayOnlyRead: Bool, _ context: Context
  ) throws(CommandFailure) -> Vault {
    let isPerson = source == .person
    var failure = CommandFailure(VaultError(.wrongPassphrase), folder: location.folder)
    for attempt in 1...3 {
      let given: SecretBytes
      do throws(CommandFailure) {
        given = try source.readAny(
          question: usesRecoveryCode ? "Recovery code" : "Passphrase for the vault", context)
      } catch {
        // Which of two passphrases is missing has to be said.
        guard isBesideFile, error == PassphraseSource.nobody else { throw error }
        throw CommandFailure(
          .refused, "the vault's passphrase is needed, and there is no terminal to ask for it",
          hint: "Give --vault-passphrase-fd N or --vault-passphrase-file F.")
      }
      guard given.byteCount > 0 else { throw PassphraseSource.empty }
      do throws(VaultError) {
        let locked = try Self.open(location, access, mayOnlyRead)
        guard usesRecoveryCode else { return try locked.unlock(passphrase: given) }
        return try locked.unlock(recoveryCode: try RecoveryCode.normalise(given))
      } catch {
        failure = CommandFailure(error, folder: location.folder)
        let again = [.wrongPassphrase, .malformedRecoveryCode].contains(error.code)
        guard again, isPerson, attempt < 3 else { throw failure }
      }
      context.talk.fail(failure)
    }
    throw failure
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
