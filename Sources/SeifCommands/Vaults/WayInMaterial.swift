internal import SeifCommandLine
internal import Glibc
internal import SeifBytes
internal import SeifDevices
internal import SeifProcesses
internal import SeifVault

/// What was presented of one way in: its kind and, where there is one, what the person gave.
final class WayInMaterial {
  let kind: WayIn.Kind
  /// Passphrase, recovery code as typed, or PIN; nil where nothing is known by heart.
  let secret: SecretBytes?

  init(_ kind: WayIn.Kind, secret: consuming SecretBytes? = nil) {
    self.kind = kind
    self.secret = secret
  }

  /// What opens or makes a way in with it.
  ///
  /// - Parameter cost: of a passphrase for which a way in is made.
  /// - Throws: `malformedRecoveryCode`.
  func provider(_ devices: Devices, cost: VaultCost = .minimum) throws(VaultError) -> any WayInProvider {
    switch kind {
    case .passphrase: return PassphraseProvider(given, cost: cost)
    case .recovery: return RecoveryProvider(try RecoveryCode.normalise(given))
    default:
      guard let provider = try devices.provider(kind, pin: secret?.duplicate()) else {
        throw VaultError(.noSuchWayIn, kind.name)
      }
      return provider
    }
  }

  /// Asks for what a way in of a kind needs, by the question for it; a device that wants no PIN is asked nothing.
  static func read(
    _ kind: WayIn.Kind, _ ways: [WayIn], source: (String) throws(CommandFailure) -> SecretBytes, _ context: Context
  ) throws(CommandFailure) -> WayInMaterial {
    switch kind {
    case .passphrase, .recovery:
      let given = try source(kind == .passphrase ? "Passphrase for the vault" : "Recovery code")
      guard given.byteCount > 0 else { throw kind == .recovery ? PassphraseSource.emptyCode : PassphraseSource.empty }
      return WayInMaterial(kind, secret: given)
    default:
      var pin: SecretBytes?
      if ways.contains(where: { $0.kind == kind && $0.asksForPIN }) {
        // A key with a sensor wants none.
        let given = try source("PIN of \(kind.words)" + (kind == .fido2 ? " (Enter: it has a sensor)" : ""))
        if given.byteCount > 0 { pin = given.duplicate() }
      }
      if kind == .fido2 { context.talk.say(WayInSentences.touch) }
      return WayInMaterial(kind, secret: pin)
    }
  }

  private var given: SecretBytes { secret?.duplicate() ?? SecretBytes(copying: SecretValue.empty) }
}

/// The devices of this machine that can open a vault.
struct Devices: Sendable {
  let environment: Environment
  /// What of a machine's start a new way in is bound to: `7`; empty: nothing; nil: what is usual.
  var pcrs: String?

  /// Where another TPM than this machine's own is; nil: its own.
  var tpmAddress: String? { environment["SEIF_TCTI"].flatMap { $0.isEmpty ? nil : $0 } }

  /// The address of the session's bus; nil where there is none.
  var sessionBus: String? {
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
    guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/"),
      folder.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !",;%=".utf8.contains($0) }),
      access(folder + "/bus", F_OK) == 0
    else { return nil }
    return "unix:path=\(folder)/bus"
  }

  /// The kinds of a vault's ways in that open it without a question, in the order in which they are tried.
  static func silentKinds(_ ways: [WayIn]) -> [WayIn.Kind] {
    [.tpm2, .keyring].filter { kind in ways.contains { $0.kind == kind && !$0.asksForPIN } }
  }

  /// Returns if the device of a kind is there, so that nobody types a PIN for one that isn't.
  ///
  /// - Returns: whether it may ask for a PIN.
  func look(for kind: WayIn.Kind) throws(VaultError) -> Bool {
    switch try provider(kind, pin: nil) {
    case let tpm as TPMProvider:
      try tpm.look()
      return true
    case let key as SecurityKeyProvider: return try key.look()
    default: return false
    }
  }

  /// What opens or makes a way in of a kind; nil where this Seif knows no device of it.
  func provider(_ kind: WayIn.Kind, pin: consuming SecretBytes?) throws(VaultError) -> (any WayInProvider)? {
    switch kind {
    case .tpm2:
      return TPMProvider(address: tpmAddress, pin: pin, pcrs: pcrs ?? TPMProvider.usualPCRs, isQuiet: true)
    case .fido2: return SecurityKeyProvider(PluggedInKey(), pin: pin)
    case .keyring:
      return KeyringProvider(
        program: ChildProcess.find("secret-tool", path: environment["PATH"]) ?? "/usr/bin/secret-tool")
    case .passphrase, .recovery, .other: return nil
    }
  }
}
