public import SeifFormats

/// Why a backup doesn't count.
public enum BackupFailure: Error {
  /// The format can't hold the whole vault; what stays behind.
  case notWhole([Loss])
  /// Backups are always sealed.
  case notSealed
  /// The file couldn't be made.
  case format(FormatError)
  /// The file doesn't hold what was put into it, before it was sent: these lists differ.
  case selfCheck([String])
  /// The destination can't be used; nothing was sent.
  case transport(TransportError)
  /// The destination didn't take the file. A part of it, or all, may lie there under this name.
  case notStored(name: String, TransportError)
  /// The file was stored and couldn't be fetched again.
  case notFetched(name: String, TransportError)
  /// What came back isn't what was sent.
  case altered(name: String)
  /// What came back doesn't open or holds something else.
  case notProven(name: String, [String])
  /// The file is stored and came back whole, but the ledger couldn't note the proof.
  case notNoted(name: String, any Error)
}

/// What a backup came to. It is proven; the rest is about older ones.
public struct BackupReport: Sendable {
  /// The proof as written in the ledger.
  public var proof: LedgerEvent
  /// Backups that retention removed.
  public var pruned: [String] = []
  /// Backups that retention let go of, and that the destination didn't remove.
  public var notRemoved: [String] = []
  /// Why nothing was removed, or no more, where something stood against it.
  public var refusal: Retention.Refusal?
  /// Proven backups that the destination no longer has, first noticed now.
  public var missing: [String] = []
  /// Proven backups of which the destination has other bytes, first noticed now.
  public var altered: [String] = []
  /// Proven backups that couldn't be read, so that nothing is known of them.
  public var unread: [String] = []
  /// Whether the destination lists the new file, so that it can be found again.
  public var isListed = true
  /// Whether the destination could be listed after something was removed: else nobody knows what it removed.
  public var wasLookedAfter = true
  /// Files there that the ledger doesn't know: left alone.
  public var foreign: [String] = []

  /// Whether a proven backup isn't there as it was proven, can't be found again, or nobody can tell.
  public var isAlarming: Bool { !(missing.isEmpty && altered.isEmpty && unread.isEmpty && isListed && wasLookedAfter) }

  init(proof: LedgerEvent) {
    self.proof = proof
  }
}

/// Where a backup is on its way, for progress.
public enum BackupStage: Sendable, Hashable {
  case sealing, storing
  /// The file of this name is about to leave: from now on it may be there.
  case sending(name: String)
  case proving
  /// It came back, opened, and the ledger has it.
  case proven
  /// Older backups are fetched and compared with their proofs; how many.
  case checking(count: Int)
}

/// Limits of files.
public enum FormatLimits {
  /// Largest backup, in bytes.
  public static let fileByteCount = 64 << 20
}
