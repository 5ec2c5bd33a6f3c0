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
