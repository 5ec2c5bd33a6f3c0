internal import SeifCommandLine
internal import SeifAgent
internal import SeifVault

extension CommandFailure {
  /// What the agent, or the way to it, refused.
  init(_ refusal: AgentRefusal) {
    switch refusal.code {
    case .locked: self.init(.refused, "the vault was locked meanwhile", hint: "Unlock it: seif unlock")
    case .denied: self.init(.refused, "that was not agreed to", hint: "Nothing was given out.")
    case .tooOften:
      self.init(
        .refused, "you have refused such questions several times, so nothing is asked for now",
        hint: "Try again in \(refusal.detail) s, or give --passphrase-fd N.")
    case .nobodyToAsk:
      self.init(
        .refused, "this needs a yes, and the agent has neither a window nor your terminal to ask for it",
        hint: "Run it in a terminal's foreground, or give "
          + (refusal.detail == ConsentKind.importing.rawValue ? "--vault-passphrase-fd N." : "--passphrase-fd N."))
    case .full: self.init(.busy, "the agent has as many clients as it takes", hint: "Try again in a moment.")
    case .gone: self.init(.unavailable, "the agent went away", hint: "Try again.")
    case .tooSlow: self.init(.unavailable, "the agent doesn't answer", hint: "Try again.")
    case .otherVersion: self.init(.unavailable, "the agent is of another Seif", hint: "End it: seif lock --all")
    case .unsafeFolder:
      self.init(
        .refused, "the agent's folder \(refusal.detail) isn't yours alone", hint: "Remove it, or run chmod 700 on it.")
    case .stranger: self.init(.refused, "the agent's socket belongs to another user")
    case .badMessage: self.init(.protocolBroken, "the agent broke its protocol: \(refusal.detail)")
    case .tooLarge:
      self.init(
        .protocolBroken, "that is more than the agent takes at once",
        hint: "Close the vault there (seif lock): the command then opens it itself.")
    case .noSuchField: self.init(.badInput, "the entry has no such secret any more", hint: "Try again.")
    case .noCode: self.init(.notFound, "this has no one-time code")
    case .badCode: self.init(.badInput, "there is no code for this entry: \(refusal.detail)")
    case .backingUp: self.init(.busy, "the agent makes a backup already", hint: "Try again when it is done.")
    case .notApproved:
      self.init(
        .notFound,
        refusal.detail.isEmpty
          ? "no destination of this vault is approved for snapshots"
          : "the destination \(refusal.detail) isn't approved for snapshots, or was changed since",
        hint: "Approve it: seif backup schedule --destination NAME")
    case .countsOnly:
      self.init(.usage, "this account counts, so its next code is that of the next call", hint: "Leave out --next.")
    }
  }

  init(_ error: VaultUseError, folder: String) {
    switch error {
    case .vault(let error): self.init(error, folder: folder)
    case .agent(let refusal): self.init(refusal)
    }
  }
}

/// Runs work on a vault that may be the agent's and turns its errors into failures of the command.
func withVault<R>(
  _ folder: String, _ body: () throws(VaultUseError) -> R
) throws(CommandFailure) -> R {
  do throws(VaultUseError) {
    return try body()
  } catch {
    throw CommandFailure(error, folder: folder)
  }
}

extension UnlockedVault {
  /// Says what the agent's vault has to say of itself, and what the last read left out.
  func tell(_ context: Context) -> VaultDamage {
    for fault in notices.faults { context.talk.warn(fault) }
    return VaultDamage(lines: notices.damage).tell(context)
  }
}
