public import SeifBytes

/// What a person has set about backups that another machine made: which destination is looked at for them, and whether.
public struct BackupPreferences: Sendable, Hashable {
  /// The destination that is chosen, by its name in the ledger; nil: none is.
  public var destination: String?
  /// Whether it is looked at; one that is chosen can rest.
  public var isOn: Bool
  /// What its transport says of itself.
  public var supportsAutomaticRestore: Bool

  /// Preferences.
  public init(destination: String?, isOn: Bool = true, supportsAutomaticRestore: Bool = true) {
    self.destination = destination
    self.isOn = isOn
    self.supportsAutomaticRestore = supportsAutomaticRestore
  }
}

/// A backup at a destination by which an earlier look, or a restore, is remembered. Its name is a claim of whoever holds the
/// place; its digest isn't.
public struct BackupRemoteMarker: Sendable, Hashable {
  /// The destination's name in the ledger.
  public var destination: String
  /// The file's name there.
  public var name: String
  /// Of the whole file, 32 bytes.
  public var sha256: [UInt8]
  /// Its size in bytes.
  public var byteCount: Int
  /// When it was seen or restored, by this machine's clock.
  public var at: Timestamp

  /// A marker.
  public init(destination: String, name: String, sha256: [UInt8], byteCount: Int, at: Timestamp) {
    self.destination = destination
    self.name = name
    self.sha256 = sha256
    self.byteCount = byteCount
    self.at = at
  }

  /// Whether both are of the same bytes.
  public func isSame(as other: BackupRemoteMarker) -> Bool { sha256 == other.sha256 }

  fileprivate func isAt(_ place: String) -> Bool { destination.utf8.elementsEqual(place.utf8) }
}

/// Whether a restore is offered without having been asked for (seed 004, "A Note on Automatic Restore"). It never happens
/// by itself: what comes of this is a question, or none.
public enum BackupRestorePolicy {
  /// What to do.
  public enum Decision: Sendable, Hashable {
    /// Nothing: a destination is chosen, and it rests.
    case off
    /// Nothing: no destination is chosen.
    case noDestination
    /// Nothing: the destination can't be looked at without a person.
    case unsupported
    /// Nothing: all that lies there is the vault's own, or nothing does.
    case nothingNew
    /// Nothing: it was restored before.
    case alreadyRestored(BackupRemoteMarker)
    /// Nothing, and an alarm: what the destination has for the newest is older than what it had, or was restored, before; or
    /// has the name of one of these and other bytes.
    case refused(BackupRemoteMarker, Refusal)
    /// The vault is empty: offer it.
    case offer(BackupRemoteMarker)
    /// The vault isn't: ask.
    case ask(BackupRemoteMarker)
  }

  /// Why a backup isn't even asked about.
  public enum Refusal: Sendable, Hashable {
    case older(than: String)
    case altered
  }

  /// Decides.
  ///
  /// - Parameters:
  ///   - preferences: what the person has set.
  ///   - isVaultEmpty: whether the vault has no entries.
  ///   - found: the newest backup at the destination that isn't the vault's own; nil: there is none.
  ///   - isOwn: whether its bytes are those of one that this vault made, under whichever name they lie there.
  ///   - seen: what was found the last time.
  ///   - restored: what was restored, from everywhere, oldest first.
  public static func decide(
    _ preferences: BackupPreferences, isVaultEmpty: Bool, found: BackupRemoteMarker?, isOwn: Bool = false,
    seen: BackupRemoteMarker?, restored: [BackupRemoteMarker]
  ) -> Decision {
    guard let place = preferences.destination else { return .noDestination }
    guard preferences.isOn else { return .off }
    guard preferences.supportsAutomaticRestore else { return .unsupported }
    guard let found, found.isAt(place), !isOwn else { return .nothingNew }
    // Only what this place had says that it has gone back: another may well have less.
    let before = [seen, restored.last { $0.isAt(place) }].compactMap { $0 }.filter { $0.isAt(place) }
    for marker in before where !marker.isSame(as: found) {
      if marker.name.utf8.elementsEqual(found.name.utf8) { return .refused(found, .altered) }
      if BackupName.isNewerClaim(marker.name, than: found.name) { return .refused(found, .older(than: marker.name)) }
    }
    if let known = restored.last(where: { $0.isSame(as: found) }) { return .alreadyRestored(known) }
    return isVaultEmpty ? .offer(found) : .ask(found)
  }

  /// What is remembered as seen after a decision: an alarm leaves what was seen before.
  public static func seen(
    after decision: Decision, found: BackupRemoteMarker?, before: BackupRemoteMarker?
  ) -> BackupRemoteMarker? {
    switch decision {
    case .off, .noDestination, .unsupported, .refused, .nothingNew: before
    case .alreadyRestored, .offer, .ask: found ?? before
    }
  }
}
