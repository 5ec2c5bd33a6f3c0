internal import SeifCommandLine
internal import SeifVault

extension CommandFailure {
  /// A vault's refusal, with the exit code of the command line.
  ///
  /// - Parameter kind: the way in that was tried, so that it is called what it is.
  init(_ error: VaultError, folder: String, by kind: WayIn.Kind = .passphrase) {
    switch error.code {
    case .missing:
      self.init(.notFound, "there is no vault in \(folder)", hint: "Make one: seif init")
    case .alreadyExists:
      self.init(.cannotCreate, "there is a vault in \(folder) already", hint: "Nothing was changed.")
    case .wrongPassphrase:
      self.init(
        .refused, "Can't open the vault: \(kind.wrong) or the vault is damaged",
        hint: "The two can't be told apart.")
    case .busy:
      self.init(
        .busy, "Another Seif is writing to this vault", hint: "Nothing was changed; try again in a moment.")
    case .changedMeanwhile:
      self.init(
        .busy, "The vault was changed by another Seif meanwhile", hint: "Nothing was written; try again.")
    case .full:
      self.init(.ioFailed, "The disk is full", hint: "The vault is as it was before.")
    case .noSuchEntry, .noSuchWayIn, .nothingToUndo:
      self.init(.notFound, error.description)
    case .io, .readOnly, .cantOpen:
      self.init(.ioFailed, error.description)
    case .outOfMemory:
      self.init(.unavailable, error.description)
    case .libraryMissing:
      self.init(.unavailable, error.detail)
    case .lastStrongWayIn, .tooManyWaysIn, .wayInNotPresented:
      self.init(.usage, error.description)
    case .deviceMissing, .otherDevice:
      self.init(.unavailable, error.description)
    case .deviceRefused, .deviceChanged, .deviceLocked:
      self.init(.refused, error.description)
    case .malformedRecoveryCode, .invalidEntry:
      self.init(.badInput, error.description)
    default:
      self.init(.badInput, error.description)
    }
  }
}
