public import SeifBytes
internal import SeifCrypto
public import SeifFormats

/// Which of the files at a destination is the one to restore: what the ledger has proven before what says so itself, and
/// that before what its name claims. A server's times count for nothing.
public enum RestoreSource {
  /// Most files that are opened where no proof says which is the newest.
  public static let openedAtMost = 5
  /// Most files that are fetched for that: what is no backup of any format doesn't count as opened.
  public static let fetchedAtMost = 20

  /// What the ledger leads to.
  public struct Proven: Sendable {
    /// The newest proven file that is there as it was proven, with its bytes; nil: none is.
    public var found: (proof: LedgerEvent, content: SecretValue)?
    /// Newer proven files that aren't there as they were proven, newest first: a destination that offers an older one as
    /// the newest is an alarm.
    public var lost: [(name: String, state: BackupService.FileState)] = []

    init() {}
  }

  /// The newest proven file that a destination still has.
  ///
  /// - Throws: the destination can't be listed.
  public static func proven(
    _ history: LedgerHistory, at destination: String, over transport: any BackupTransport
  ) throws(TransportError) -> Proven {
    var result = Proven()
    let files = try transport.listBackups()
    for proof in history.proven(at: destination).reversed().compactMap(\.proof) {
      let named = files.filter { $0.name.utf8.elementsEqual(proof.name.utf8) }
      var state = BackupService.FileState.missing
      for file in named {
        // Where two have the name, the one that was proven is known by its bytes.
        do {
          let content = try transport.download(id: file.id, limit: FormatLimits.fileByteCount)
          if content.withBytes({ Digest.sha256($0) }) == proof.sha256 {
            result.found = (proof, content)
            return result
          }
          state = .altered
        } catch {
          if state == .missing {
            state = error.code == .notFound ? .missing : error.code == .tooLarge ? .altered : .unread
          }
        }
      }
      result.lost.append((proof.name, state))
    }
    return result
  }

  /// The files whose names claim to be the newest, newest first: those that are called as backups are, then others, since
  /// a picture's name has a date too; those whose names say nothing come last.
  public static func claimed(_ files: [BackupDescriptor]) -> [BackupDescriptor] {
    let usable = BackupName.newestClaimFirst(files.filter { ($0.byteCount ?? 0) <= FormatLimits.fileByteCount }) {
      $0.name
    }
    let sorted = usable.filter { isCalledBackup($0.name) } + usable.filter { !isCalledBackup($0.name) }
    return Array(sorted.prefix(fetchedAtMost))
  }

  /// How far a name's time may lie ahead of this clock, in seconds: one that is further ahead would stand before all others
  /// for ever.
  static let aheadSeconds: Int64 = 86_400

  /// The newest backup at a destination that isn't the vault's own, by the times in names, and whether its bytes are those
  /// of one that the vault made. Only what is called as backups are counts, with a time in its name that can be. It isn't
  /// opened: nobody may be there who knows its passphrase.
  ///
  /// - Parameters:
  ///   - own: further names that are the vault's own: those that its ledger hasn't yet.
  ///   - seen: what was found the last time; of the same name and size it isn't fetched again.
  /// - Throws: the destination can't be listed or read.
  public static func elsewhere(
    _ history: LedgerHistory, at destination: String, own: [String] = [], seen: BackupRemoteMarker?, now: Timestamp,
    over transport: any BackupTransport
  ) throws(TransportError) -> (marker: BackupRemoteMarker, isOwn: Bool)? {
    let names = Set(own.map { Array($0.utf8) })
    let latest = Timestamp(seconds: now.seconds &+ aheadSeconds)
    let others = try transport.listBackups().filter { file in
      guard file.name.lowercased().contains("backup"), let claim = BackupName(reading: file.name) else { return false }
      return claim.time <= latest && history.file(at: destination, named: file.name) == nil
        && !names.contains(Array(file.name.utf8))
    }
    guard let file = claimed(others).first else { return nil }
    if let seen, seen.destination.utf8.elementsEqual(destination.utf8), seen.byteCount == file.byteCount,
      seen.name.utf8.elementsEqual(file.name.utf8)
    {
      return (seen, false)
    }
    let content = try transport.download(id: file.id, limit: FormatLimits.fileByteCount)
    let marker = BackupRemoteMarker(
      destination: destination, name: file.name, sha256: content.withBytes { Digest.sha256($0) },
      byteCount: content.byteCount, at: now)
    return (marker, history.knows(sha256: marker.sha256))
  }

  private static func isCalledBackup(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.contains("backup") || [".json", ".aegis", ".2fas", ".enc"].contains { name.hasSuffix($0) }
  }

  /// Whether an opened file is newer than another by what stands sealed in both: their places in one vault's chain, else the
  /// time of writing. A file without a time is older than one with.
  public static func isNewer(_ left: OpenedBackup, than right: OpenedBackup) -> Bool {
    if let a = left.link, let b = right.link, a.vault == b.vault, a.sequence != b.sequence {
      return a.sequence > b.sequence
    }
    switch (left.exportedAt, right.exportedAt) {
    case (let a?, let b?): return a > b
    case (.some, nil): return true
    default: return false
    }
  }
}
