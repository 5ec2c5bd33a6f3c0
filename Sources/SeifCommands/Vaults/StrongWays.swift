internal import SeifCommandLine
internal import SeifBytes
internal import SeifFormats
internal import SeifVault

/// Shows of passphrases that they keep the rules for new ones, without which they don't count as what holds a vault. A
/// vault doesn't say how good its passphrase is, so it has to be typed.
enum StrongWays {
  /// Whether a passphrase has the length of a new one and can't be guessed within a day at its cost.
  static func keepsRules(_ passphrase: borrowing SecretBytes, cost: VaultCost) -> Bool {
    guard let composed = try? NewPassphrase.checked(passphrase) else { return false }
    let speed = GuessingCost(of: .authbackup, version: 2).perSecond
    let least = Double(VaultCost.minimum.memoryKiB * VaultCost.minimum.passes)
    let guesses = speed * least / Double(max(1, cost.memoryKiB * cost.passes))
    return !NewPassphrase.isWeak(composed, guesses)
  }

  static func keepsRules(_ material: WayInMaterial, way: WayIn) -> Bool {
    guard let secret = material.secret?.duplicate(), let memory = way.number("memoryKiB"),
      let passes = way.number("passes"),
      let cost = try? VaultCost(memoryKiB: Int(clamping: memory), passes: Int(clamping: passes))
    else { return false }
    return keepsRules(secret, cost: cost)
  }

  /// The passphrases among some ways in that keep the rules. If the ways in aren't strong without one, and the vault was
  /// opened by something else, the person is asked for it.
  static func passphrases(
    among ways: [WayIn], opened: (vault: Vault, material: WayInMaterial), _ context: Context
  ) throws(CommandFailure) -> Set<UUID> {
    if WayIn.areStrong(ways, passphrases: []) { return [] }
    let rows = ways.filter { $0.kind == .passphrase }
    guard !rows.isEmpty else { return [] }
    if opened.material.kind == .passphrase, let way = rows.first(where: { $0.id == opened.vault.openedBy }) {
      return keepsRules(opened.material, way: way) ? [way.id] : []
    }
    guard TerminalDevice(context) != nil else {
      throw CommandFailure(
        .usage, "what stays has to be shown to be strong, and the passphrase wasn't given",
        hint: "Open the vault with it: --with passphrase.")
    }
    let secret = try PassphraseSource.person.read(for: "the vault, which stays", context)
    let location = opened.vault.location
    let id = try withVaultErrors(location.folder) { () throws(VaultError) in
      let vault = try Vault.open(at: location, access: .readOnly).unlock(with: PassphraseProvider(secret))
      defer { vault.lock() }
      return vault.openedBy
    }
    let material = WayInMaterial(.passphrase, secret: secret)
    guard let way = rows.first(where: { $0.id == id }), keepsRules(material, way: way) else { return [] }
    return [way.id]
  }
}
