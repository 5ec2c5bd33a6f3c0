internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifCrypto
internal import SeifDocumentFormat

/// What this client remembers of one vault, in a folder of its own: sealed bytes, identifiers, counters and times.
///
/// `mark` is the highest manifest that it opened, `base` that manifest as it was sealed, `wraps.json` and `removed` the
/// rows of ways in that it made, opened or removed, `objects` its notes of objects, `undo` what it removed last, sealed,
/// `copied` which manifest it last brought there as a copy. A file that can't be read costs what it says, and nothing else.
struct ClientState: Sendable {
  let path: String

  private enum Name {
    static let mark = "mark"
    static let base = "base"
    static let wraps = "wraps.json"
    static let removed = "removed"
    static let objects = "objects"
    static let place = "place"
    static let undo = "undo"
    static let copied = "copied"
  }

  /// - Parameters:
  ///   - parent: the folder of all vaults' memories; made where it isn't there.
  ///   - place: which vault, as its store names it.
  init(parent: String, place: String) throws(DocumentError) {
    let name = Base16.encode(Digest.sha256(Array(place.utf8).span.bytes)).prefix(32)
    path = "\(parent)/\(name)"
    try Self.makeFolders(path)
    let folder = try FolderHandle(path: path)
    if !folder.exists(Name.place) { try folder.replace(Name.place, with: Array((place + "\n").utf8)) }
  }

  private static func makeFolders(_ path: String) throws(DocumentError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw SystemRefusal.error(place: path)
    }
    try makeFolders(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemRefusal.error(place: path) }
  }

  /// Changes what is remembered, one program at a time.
  private func changing<R>(_ body: (borrowing FolderHandle) throws(DocumentError) -> R) throws(DocumentError) -> R {
    let folder = try FolderHandle(path: path)
    let lock = try FolderLock(in: folder, wait: 10_000)
    do throws(DocumentError) {
      folder.removeLeftOver()
      let result = try body(folder)
      lock.release()
      return result
    } catch {
      lock.release()
      throw error
    }
  }

  private func read(_ name: String, limit: Int) throws(DocumentError) -> [UInt8]? {
    try FolderHandle(path: path).read(name, limit: limit)
  }

  // ---- The highest manifest

  /// - Throws: `damaged` for a mark that can't be read: to go on as if there were none would be to forget it.
  func mark() throws(DocumentError) -> HighWaterMark? {
    guard let bytes = try read(Name.mark, limit: 256) else { return nil }
    guard let mark = HighWaterMark(bytes) else { throw DocumentError(.damaged, place: "\(path)/\(Name.mark)") }
    return mark
  }

  /// The manifest of the mark, as it was sealed.
  func base() throws(DocumentError) -> StoredManifest? {
    guard let mark = try mark(), let blob = try read(Name.base, limit: DocumentLimits.manifestByteCount),
      ManifestTag.sha256(blob) == mark.digest
    else { return nil }
    return StoredManifest(revision: mark.revision, blob: blob)
  }

  /// Raises the mark to a manifest that was opened; never lowers it.
  func raise(to manifest: StoredManifest?) throws(DocumentError) {
    try keep(manifest) { old, new in old.map { new.revision > $0.revision } ?? true }
  }

  /// Sets the mark, on a person's word.
  func set(to manifest: StoredManifest?) throws(DocumentError) { try keep(manifest) { _, _ in true } }

  /// Forgets the vault's marks, on a person's word that there is no vault any more.
  func forgetMark() throws(DocumentError) {
    try changing { (folder) throws(DocumentError) in
      try folder.remove(Name.mark)
      try folder.remove(Name.base)
      try folder.sync()
    }
  }

  private func keep(
    _ manifest: StoredManifest?, if isWanted: (HighWaterMark?, HighWaterMark) -> Bool
  ) throws(DocumentError) {
    let new = manifest.map { HighWaterMark($0) } ?? HighWaterMark(revision: 0, digest: "")
    try changing { (folder) throws(DocumentError) in
      let old = try folder.read(Name.mark, limit: 256).flatMap(HighWaterMark.init)
      guard isWanted(old, new), old != new else { return }
      if let manifest { try folder.replace(Name.base, with: manifest.blob) }
      try folder.replace(Name.mark, with: new.bytes)
      try folder.sync()
    }
  }

  // ---- Copies

  /// Which manifest was last brought there as a copy: another one than this was made there. What was only looked at is none.
  func copied() throws(DocumentError) -> HighWaterMark? {
    try read(Name.copied, limit: 256).flatMap(HighWaterMark.init)
  }

  func set(copied manifest: StoredManifest) throws(DocumentError) {
    try changing { (folder) throws(DocumentError) in
      try folder.replace(Name.copied, with: HighWaterMark(manifest).bytes)
      try folder.sync()
    }
  }

  // ---- Rows of ways in

  /// The rows that this client made or opened, and the identifiers of those that it removed.
  func keyWraps() throws(DocumentError) -> (kept: [StoredKeyWrap], removed: Set<UUID>) {
    let rows = try read(Name.wraps, limit: DocumentBounds.keyWrapsByteCount).flatMap { StoredKeyWrap.parse(list: $0) }
    let removed = try read(Name.removed, limit: DocumentBounds.keyWrapsByteCount) ?? []
    let ids = removed.split(separator: 0x0A).compactMap { UUID(String(decoding: $0, as: UTF8.self)) }
    return (rows ?? [], Set(ids))
  }

  /// Keeps rows that were made or opened, takes away those that were removed.
  func note(kept rows: [StoredKeyWrap], removed ids: [UUID] = []) throws(DocumentError) {
    let before = try keyWraps()
    var kept = before.kept.filter { row in !ids.contains(row.id) && !rows.contains { $0.id == row.id } }
    kept += rows
    // Older rows than a vault can have at once are given up first.
    kept = Array(kept.suffix(DocumentLimits.keyWrapCount))
    let removed = before.removed.union(ids).subtracting(rows.map(\.id))
    guard kept != before.kept || removed != before.removed else { return }
    try changing { (folder) throws(DocumentError) in
      try folder.replace(Name.wraps, with: StoredKeyWrap.list(kept))
      let text = removed.map { "\($0)\n" }.sorted().joined()
      try folder.replace(Name.removed, with: Array(text.utf8))
      try folder.sync()
    }
  }

  // ---- What was removed last

  /// How many removals can be taken back, the last one first.
  static let undoCount = 20

  private static func undoName(_ step: Int) -> String { step == 0 ? Name.undo : "\(Name.undo).\(step)" }

  /// A sealed manifest of the nodes that were removed last, or nil.
  func undo() throws(DocumentError) -> [UInt8]? {
    for step in 0..<Self.undoCount {
      if let blob = try read(Self.undoName(step), limit: DocumentLimits.manifestByteCount) { return blob }
    }
    return nil
  }

  /// Keeps one above those before it; nil: forgets the last, and the one before it is the last.
  func set(undo blob: [UInt8]?) throws(DocumentError) {
    try changing { (folder) throws(DocumentError) in
      if let blob {
        for step in (1..<Self.undoCount).reversed() {
          try folder.rename(Self.undoName(step - 1), to: Self.undoName(step))
        }
        try folder.replace(Name.undo, with: blob)
      } else {
        guard let last = (0..<Self.undoCount).first(where: { folder.exists(Self.undoName($0)) }) else { return }
        try folder.remove(Self.undoName(last))
      }
      try folder.sync()
    }
  }

  // ---- Objects

  func objectNotes() throws(DocumentError) -> ObjectNotes {
    ObjectNotes(log: try read(Name.objects, limit: 256 << 20) ?? [])
  }

  /// Adds to the log what is new in it, durably.
  func note(_ events: [(UUID, ObjectNotes.Event)]) throws(DocumentError) {
    guard !events.isEmpty else { return }
    try changing { (folder) throws(DocumentError) in
      let log = try folder.read(Name.objects, limit: 256 << 20) ?? []
      var notes = ObjectNotes(log: log)
      var text = ""
      for (id, event) in events where notes.apply(event, to: id) { text += ObjectNotes.line(event, id) }
      guard !text.isEmpty else { return }
      if notes.lineCount > 4 * notes.notes.count + 1000 {
        try folder.replace(Name.objects, with: notes.compacted)
        return try folder.sync()
      }
      let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
      let descriptor = seif_openat(folder.descriptor, Name.objects, flags, 0o600)
      guard descriptor >= 0 else { throw SystemRefusal.error(place: path) }
      let file = FileHandle(descriptor, place: path)
      // A line that was cut short mustn't swallow the next one.
      if let last = log.last, last != 0x0A { text = "\n" + text }
      try file.write(Array(text.utf8))
      try file.sync()
      try folder.sync()
    }
  }
}
