internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifCrypto
internal import SeifDocumentFormat

/// What this client remembers of one vault, in a folder of its own: sealed bytes, identifiers, counters and times.
///
/// `mark` is the highest manifest that it opened, `base` that manifest as it was sealed, `wraps.json` and `removed` the
/// rows of ways in that it made, opened or removed, `objects` its notes of objects, `undo-N` what it removed, sealed, the
/// highest number last; of a copy `synced` is the manifest that was copied there last. A file that can't be read costs
/// what it says, and nothing else.
struct ClientState: Sendable {
  let path: String

  private enum Name {
    static let mark = "mark"
    static let base = "base"
    static let wraps = "wraps.json"
    static let removed = "removed"
    static let objects = "objects"
    static let place = "place"
    static let undo = "undo-"
    static let synced = "synced"
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

  // ---- Of a copy

  /// The manifest that this client copied there last. Not the mark: a manifest that was only looked at there, or made
  /// there, is no copy of ours.
  func synced() throws(DocumentError) -> HighWaterMark? {
    try read(Name.synced, limit: 256).flatMap(HighWaterMark.init)
  }

  func set(synced manifest: StoredManifest) throws(DocumentError) {
    try changing { (folder) throws(DocumentError) in
      try folder.replace(Name.synced, with: HighWaterMark(manifest).bytes)
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

  // ---- What was removed

  /// How many removals can be taken back.
  static let undoLimit = 100

  /// A sealed manifest of the nodes that were removed last and aren't back, and its number; nil: there is none.
  func undo() throws(DocumentError) -> (step: Int, blob: [UInt8])? {
    let folder = try FolderHandle(path: path)
    for step in try Self.steps(folder).reversed() {
      let blob = try folder.read(Name.undo + String(step), limit: DocumentLimits.manifestByteCount)
      if let blob { return (step, blob) }
    }
    return nil
  }

  /// Keeps one on top of those before; the oldest beyond the limit goes.
  ///
  /// - Returns: its number.
  func push(undo blob: [UInt8]) throws(DocumentError) -> Int {
    try changing { (folder) throws(DocumentError) in
      let steps = try Self.steps(folder)
      let step = (steps.last ?? 0) + 1
      try folder.replace(Name.undo + String(step), with: blob)
      for old in steps.dropLast(Self.undoLimit - 1) { try folder.remove(Name.undo + String(old)) }
      try folder.sync()
      return step
    }
  }

  /// Forgets one that is back.
  func forget(undo step: Int) throws(DocumentError) {
    try changing { (folder) throws(DocumentError) in
      try folder.remove(Name.undo + String(step))
      try folder.sync()
    }
  }

  private static func steps(_ folder: borrowing FolderHandle) throws(DocumentError) -> [Int] {
    var steps: [Int] = []
    for name in try folder.names() where name.hasPrefix(Name.undo) {
      if let step = ManifestTag.number(name.dropFirst(Name.undo.count)), step < 1 << 32 { steps.append(step) }
    }
    return steps.sorted()
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
