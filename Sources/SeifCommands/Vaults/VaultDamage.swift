internal import SeifCommandLine
internal import SeifVault

/// What reading a vault had to leave out, as the command line says it.
struct VaultDamage {
  /// One line for each damaged row, at most so many.
  let lines: [String]
  /// How a command that went on without them ends.
  let exitCode: ExitCode

  private static let lineCount = 20

  /// What the last read of a vault left out.
  init(_ vault: Vault) { self.init(vault.damage) }

  init(_ damage: [VaultFault]) { self.init(lines: damage.map { "\($0)" }) }

  /// What a vault that may be the agent's left out.
  init(lines damage: [String]) {
    var lines = Array(damage.prefix(Self.lineCount))
    if damage.count > lines.count { lines.append("and \(damage.count - lines.count) more") }
    self.lines = lines
    exitCode = damage.isEmpty ? .done : .partial
  }

  /// Warns of each row.
  func tell(_ context: Context) -> VaultDamage {
    for line in lines { context.talk.warn(line) }
    if !lines.isEmpty { context.talk.warn("what is damaged is left out here: seif doctor") }
    return self
  }
}
