internal import SeifCommandLine
internal import SeifFormats
internal import SeifVault

/// `--unlock-ms N`: how long opening by a new passphrase shall take.
struct UnlockTime: OptionGroup, Sendable {
  static let unlockTime = Option.value("unlock-ms", "N", "how long opening shall take here, 500 to 10000 (1000)")
  static var options: [Option] { [unlockTime] }

  private let milliseconds: Int

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    milliseconds = try arguments.integer(Self.unlockTime, in: 500...10_000) ?? 1000
  }

  /// The memory with which opening takes about so long here, 64 MiB to 1 GiB, by one derivation with the least.
  func cost(_ folder: String) throws(CommandFailure) -> (cost: VaultCost, guessesPerSecond: Double) {
    let speed = GuessingCost(of: .authbackup, version: 2).perSecond
    let factor = max(1, min(16, Int(Double(milliseconds) / 1000 * speed)))
    let cost = try withVaultErrors(folder) { () throws(VaultError) in
      try VaultCost(memoryKiB: VaultCost.minimum.memoryKiB * factor)
    }
    return (cost, speed / Double(factor))
  }
}
