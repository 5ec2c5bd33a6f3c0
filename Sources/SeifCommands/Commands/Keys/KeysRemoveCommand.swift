internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

/// `seif keys remove WAY`: a way in goes, never the last strong one.
struct KeysRemoveCommand: Command {
  static let name = "keys remove"
  static let summary = "remove a way into the vault"
  static let usage = """
    seif keys remove WAY [OPTIONS]

    Removes a way into the vault: WAY is its kind, or its id where there are several (see
    seif keys list). The last strong one stays: a passphrase that keeps the rules for new
    ones, a recovery code, or two security keys. A passphrase that stays counts once it
    was typed here.

    A copy of the vault made before now still opens with what was removed.
    """
  static let yes = Option.flag("yes", "don't ask again")
  static var options: [Option] { [yes] + UnlockOptions.options + [OutputOptions.quiet] }

  private let way: String
  private let isSure: Bool
  private let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    way = try arguments.positional("WAY")
    isSure = arguments.flag(Self.yes)
    unlock = try UnlockOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let opened = try unlock.unlockKeeping(.readOnly, inPerson: true, context)
    let vault = opened.vault
    defer { vault.lock() }
    let folder = vault.location.folder
    let ways = try withVaultErrors(folder) { () throws(VaultError) in try vault.waysIn() }
    let chosen = try WayInChoice.one(way, among: ways)
    let passphrases =
      [.tpm2, .keyring].contains(chosen.kind)
      ? [] : try StrongWays.passphrases(among: ways.filter { $0.id != chosen.id }, opened: opened, context)
    if Self.leavesOnePassphrase(ways.filter { $0.id != chosen.id }) {
      context.talk.warn(
        "one passphrase will then be all that holds this vault, and no recovery code: if it is forgotten, the vault is "
          + "lost (seif keys add recovery)")
    }
    if !isSure {
      let now = Timestamp(seconds: context.clock.now())
      let made = chosen.createdAt.map { ", made \(LocalTime.age($0, now: now))" } ?? ""
      guard try context.confirm("Remove \(chosen.kind.words)\(made)?", insteadGive: "--yes") else {
        throw Context.cancelled
      }
    }
    try withVaultErrors(folder) { () throws(VaultError) in
      try vault.openForWriting()
      try vault.removeWayIn(chosen.id, passphrases: passphrases)
    }
    try WayInChoice.erase(chosen, of: vault, context)
    context.talk.say(.ok, "Removed. Anyone holding it can't open this vault from now on.")
    context.talk.say(WayInSentences.olderCopies)
    return .done
  }
}

extension KeysRemoveCommand {
  /// Whether of what stays one passphrase alone is strong: what one can forget.
  private static func leavesOnePassphrase(_ ways: [WayIn]) -> Bool {
    let strong = ways.filter { ![.tpm2, .keyring].contains($0.kind) }
    return strong.count == 1 && strong.first?.kind == .passphrase
  }
}

/// Which way in is meant.
enum WayInChoice {
  /// So many digits of an id are enough, as everywhere.
  static let digits = 8

  static func one(_ text: String, among ways: [WayIn]) throws(CommandFailure) -> WayIn {
    let folded = text.lowercased()
    let hits = ways.filter { way in
      way.kind.name == text || folded.utf8.count >= digits && way.id.description.hasPrefix(folded)
    }
    guard let first = hits.first else {
      throw CommandFailure(.notFound, "this vault has no way in \"\(text)\"", hint: "Try: seif keys list")
    }
    guard hits.count == 1 else {
      throw CommandFailure(
        .notFound, "\"\(text)\" fits \(hits.count) ways in. Say which by its id:",
        details: hits.map { way in
          "\(way.id.description.prefix(digits))  made \(way.createdAt.map { LocalTime.text($0) } ?? "at a time not known")"
        })
    }
    return first
  }

  /// Takes away what a device keeps for a way in that was removed; what it can't is said.
  static func erase(_ way: WayIn, of vault: Vault, _ context: Context) throws(CommandFailure) {
    do throws(VaultError) {
      let devices = Devices(environment: context.environment)
      try devices.provider(way.kind, pin: nil)?.erase(way, vaultID: vault.id)
    } catch {
      context.talk.warn("what \(way.kind.words) kept for it couldn't be taken away: \(error)")
    }
  }
}
