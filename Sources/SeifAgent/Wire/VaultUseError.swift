package import SeifVault

/// Why an unlocked vault didn't do what was asked, wherever it is unlocked.
package enum VaultUseError: Error, Sendable, Equatable {
  case vault(VaultError)
  case agent(AgentRefusal)
}
