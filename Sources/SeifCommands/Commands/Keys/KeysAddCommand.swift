internal import SeifCommandLine
internal import SeifBytes
internal import SeifCrypto
internal import SeifVault

/// `seif keys add KIND`: another way in, proven in another process before it counts.
struct KeysAddCommand: Command {
  static let name = "keys add"
  static let summary = "add a way into the vault"
  static let usage = """
    seif keys add KIND [OPTIONS]

    Adds a way into the vault. KIND is one of
      passphrase   another passphrase
      recovery     another recovery code, shown once and typed back, or written to a sheet
      tpm2         the TPM of this machine, with a PIN if you give one
      fido2        a security key: a touch, and its PIN where it has one
      keyring      the keyring of your desktop session; weaker than the others

    The vault is opened by what you know (--with says by what). The new way in is proven
    to open the vault in another process; only then it is added.
    """
  static var options: [Option] {
    UnlockOptions.options + NewPassphraseOptions.options + RecoverySheet.options + UnlockTime.options
      + NewPINOptions.options + [OutputOptions.quiet]
  }

  private let kind: WayIn.Kind
  private let unlock: UnlockOptions
  private let passphrase: NewPassphraseOptions
  private let sheet: RecoverySheet
  private let time: UnlockTime
  private let pin: NewPINOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    guard let name = arguments.optionalPositional() else {
      throw UsageError("KIND is missing. It is one of: \(WayIn.Kind.known.map(\.name).joined(separator: ", "))")
    }
    kind = WayIn.Kind(name: name)
    guard WayIn.Kind.known.contains(kind) else {
      let names = WayIn.Kind.known.map(\.name)
      let guess = Suggestion.nearest(to: name, among: names).map { ". Did you mean \($0)?" } ?? ""
      throw UsageError("KIND is one of: \(names.joined(separator: ", "))\(guess)")
    }
    unlock = try UnlockOptions(&arguments)
    passphrase = try NewPassphraseOptions(&arguments)
    sheet = try RecoverySheet(&arguments)
    time = try UnlockTime(&arguments)
    pin = try NewPINOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    if kind == .recovery { try sheet.check(otherwise: "Nothing was added.", context) }
    let asksPIN = try withVaultErrors(try unlock.location(context).folder) { () throws(VaultError) in
      try Devices(environment: context.environment).look(for: kind)
    }
    let (vault, _) = try unlock.unlockKeeping(.readOnly, inPerson: true, context)
    defer { vault.lock() }
    let folder = vault.location.folder
    let new = try make(folder, asksPIN: asksPIN, context)
    do {
      let made = try WayInMaking.add(new.material, cost: new.cost, pcrs: pin.pcrs, to: vault, context)
      context.talk.say(.ok, "Added and proven: \(made.attackerNeeds).")
    } catch {
      if kind == .recovery { sheet.discard() }
      throw error
    }
    if kind == .keyring {
      context.talk.warn("whoever uses your desktop session while it is unlocked can open the vault")
    }
    return .done
  }

  private func make(
    _ folder: String, asksPIN: Bool, _ context: Context
  ) throws(CommandFailure) -> (material: WayInMaterial, cost: VaultCost) {
    switch kind {
    case .passphrase:
      let cost = try time.cost(folder)
      let secret = try passphrase.obtain(
        for: "the vault", guesses: GuessingCost(perSecond: cost.guessesPerSecond), context,
        random: passphrase.source == .person ? { RandomSource.system.makeBytes($0) } : nil)
      return (WayInMaterial(.passphrase, secret: secret), cost.cost)
    case .recovery:
      let code = RecoveryCode.make()
      try sheet.present(code, folder: folder, context)
      return (WayInMaterial(.recovery, secret: code.withBytes { SecretBytes(copying: $0) }), .minimum)
    default:
      let pin = asksPIN ? try pin.obtain(for: kind, context) : nil
      if kind == .fido2 { context.talk.say("\(WayInSentences.touch) It blinks three times: made, tried, proven.") }
      return (WayInMaterial(kind, secret: pin), .minimum)
    }
  }
}

/// Making a way in and having it proven.
enum WayInMaking {
  /// Makes a way in, proves it in another process, and adds it, in the place of another one if that is given.
  static func add(
    _ material: WayInMaterial, cost: VaultCost, pcrs: String? = nil, replacing old: UUID? = nil,
    passphrases: (NewWayIn) -> Set<UUID> = { _ in [] }, to vault: Vault, _ context: Context
  ) throws(CommandFailure) -> WayIn {
    let location = vault.location
    let devices = Devices(environment: context.environment, pcrs: pcrs)
    let (provider, new) = try withVaultErrors(location.folder) { () throws(VaultError) in
      let provider = try material.provider(devices, cost: cost)
      return (provider, try vault.makeWayIn(provider))
    }
    do {
      try FreshProcess.prove(material, opens: location, way: new.wayIn.id, candidate: new, context)
      try withVaultErrors(location.folder) { () throws(VaultError) in
        try vault.openForWriting()
        try vault.addWayIn(new, replacing: old, passphrases: passphrases(new))
      }
    } catch {
      // What a device keeps for a way in that isn't there would be left for good.
      try? provider.erase(new.wayIn, vaultID: vault.id)
      throw error
    }
    return new.wayIn
  }
}
