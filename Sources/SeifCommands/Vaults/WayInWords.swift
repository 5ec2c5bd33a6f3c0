internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

extension WayIn.Kind {
  /// As a person is told of it, with its article.
  var words: String {
    switch self {
    case .passphrase: "the passphrase"
    case .recovery: "the recovery code"
    case .tpm2: "the TPM of this machine"
    case .fido2: "the security key"
    case .keyring: "the desktop's keyring"
    case .other(let name): "\"\(name)\", of another version"
    }
  }
}

extension WayIn.Kind {
  /// What may be the matter where it doesn't open the vault.
  var wrong: String { [.passphrase, .recovery].contains(self) ? "\(words) is wrong" : "\(words) isn't the right one" }
}

extension WayIn {
  /// Whether a device asks for a PIN of its own.
  var asksForPIN: Bool { flag("pin") == true || flag("uv") == true }

  /// What somebody with a copy of the vault would need to open it by this way in.
  var attackerNeeds: String {
    switch kind {
    case .passphrase:
      let memory = number("memoryKiB").map { $0 / 1024 } ?? 0
      return "the passphrase; each guess costs \(memory) MiB, \(number("passes") ?? 0) passes of Argon2id"
    case .recovery: return "the recovery code itself: 120 random bits can't be guessed"
    case .tpm2:
      let start = text("pcrs").map { $0.isEmpty ? "" : ", started as it was (PCR \($0))" } ?? ""
      let pin = asksForPIN ? ", and its PIN, of which the TPM allows few tries" : ", and nothing else"
      return "this machine\(start)\(pin)"
    case .fido2: return asksForPIN ? "the security key and its PIN" : "the security key and a touch"
    case .keyring: return "your desktop session, or the password that opens its keyring: weaker than the others"
    case .other: return "not known to this version"
    }
  }

  /// Place in the order from what gives least protection to what gives most.
  var protectionRank: Int {
    switch kind {
    case .other: 0
    case .keyring: 1
    case .tpm2: asksForPIN ? 4 : 2
    case .passphrase: 3
    case .fido2: asksForPIN ? 6 : 5
    case .recovery: 7
    }
  }

  /// In the line "protection" of `status`.
  var protection: String {
    switch kind {
    case .passphrase: "passphrase"
    case .recovery: "recovery code"
    case .tpm2: asksForPIN ? "this machine's TPM with a PIN" : "this machine's TPM alone"
    case .fido2: asksForPIN ? "security key with a PIN" : "security key"
    case .keyring: "desktop session"
    case .other(let name): name
    }
  }

  /// The beginning of its id.
  var shortID: String { String(id.description.prefix(WayInChoice.digits)) }

  /// What tells it from another of its kind: the beginning of its id, and when it was made.
  var mark: String {
    let made = createdAt.map { ", made \(LocalTime.text($0))" } ?? ""
    return "\(shortID)\(made)"
  }

  /// The same as ``protection(_:)`` for a person: of several of a kind it says which each is.
  static func shownProtection(_ ways: [WayIn]) -> [String] {
    let sorted = ways.enumerated().sorted {
      ($0.element.protectionRank, $0.offset) < ($1.element.protectionRank, $1.offset)
    }
    return sorted.map(\.element).map { way in
      ways.count { $0.kind == way.kind } > 1 ? "\(way.protection) (\(way.mark))" : way.protection
    }
  }

  /// All that opens a vault, weakest first.
  static func protection(_ ways: [WayIn]) -> [String] {
    ways.enumerated().sorted { ($0.element.protectionRank, $0.offset) < ($1.element.protectionRank, $1.offset) }
      .map(\.element.protection)
  }
}

/// Sentences that several commands say.
enum WayInSentences {
  /// A vault's refusal of what needs the vault alone.
  static func failure(_ error: VaultError, folder: String) -> CommandFailure {
    guard error.code == .busy else { return CommandFailure(error, folder: folder) }
    return CommandFailure(
      .busy, "The vault is open in another Seif, or in the agent",
      hint: "Nothing was changed. Close it (seif lock) and try again.")
  }
  /// Said before a security key waits.
  static let touch = "Touch the security key when it blinks."
  /// Said wherever a way in was removed or changed.
  static let olderCopies =
    "A copy made before now still opens with it, and shows the present key. After a theft: seif keys rotate"
}
