internal import SeifBytes
internal import SeifDocumentFormat

/// What came of copying a vault to another store.
package struct MirrorReport: Sendable, Equatable {
  /// Objects that were copied.
  package var copied = 0
  /// Objects that were there.
  package var present = 0
  /// Objects that this store has lost: the copy has none either.
  package var missing = 0
  /// Whether the copy's manifest or ways in changed.
  package var changed = false
}

extension DocumentVaultClient {
  /// Copies this vault, sealed as it is, to another store: objects, then ways in and manifest. One direction: the other
  /// store is a copy, and what others changed there isn't taken over.
  ///
  /// - Parameter replaces: whether a manifest there goes that this client didn't put there.
  /// - Throws: `otherCopy` where there is such a manifest; `rollback` where this place shows an older state.
  package func mirror(
    to other: any DocumentStore, replaces: Bool = false, watch: WorkWatch = WorkWatch()
  ) throws(DocumentError) -> MirrorReport {
    try refresh()
    try requireWritable()
    guard other.place != store.place else {
      throw DocumentError(.notPossible, place: other.place, reason: "it is the same vault")
    }
    guard let stored else { throw DocumentError(.noVault, place: store.place) }
    let memory = try ClientState(parent: Self.parent(of: state.path), place: other.place)
    let there = try other.manifest()
    if let there, there.blob != stored.blob, !replaces, try memory.copied() != HighWaterMark(there) {
      throw DocumentError(.otherCopy, place: other.place, current: there.tag)
    }
    var report = MirrorReport()
    let ids = manifest.objectIDs.sorted { utf8Precedes($0.description, $1.description) }
    let meter = WorkMeter(watch, documents: ids.count, bytes: 0)
    for id in ids {
      try meter.check(other.place)
      guard let length = try store.objectByteCount(id) else {
        report.missing += 1
        continue
      }
      if try other.objectByteCount(id) == length {
        report.present += 1
      } else {
        try copy(id, length, to: other, meter)
        report.copied += 1
      }
      meter.addDocument()
    }
    let rows = try store.keyWraps()
    let rowsThere = try other.keyWraps()
    let hasSameRows = Set(rows.map(\.id)) == Set(rowsThere.map(\.id)) && rows.allSatisfy { rowsThere.contains($0) }
    guard there?.blob != stored.blob || !hasSameRows else {
      if let there { try memory.set(copied: there) }
      return report
    }
    report.changed = true
    let tag: ManifestTag
    if let there {
      // A server wants a fresh sign-in for the ways in, so these aren't touched where they are the same.
      tag =
        hasSameRows
        ? try other.replaceManifest(stored.blob, expecting: there.tag)
        : try other.replaceKeyWraps(rows, manifest: stored.blob, expecting: there.tag)
    } else {
      for row in rows { _ = try other.putKeyWrap(row) }
      tag = try other.replaceManifest(stored.blob, expecting: nil)
    }
    let copied = StoredManifest(revision: tag.revision, blob: stored.blob)
    try memory.set(to: copied)
    try memory.set(copied: copied)
    try memory.note(kept: rows)
    return report
  }

  /// By way of a nameless file: a store's reader gives pieces, and another's writer asks for them.
  private func copy(
    _ id: UUID, _ length: Int, to other: any DocumentStore, _ meter: WorkMeter
  ) throws(DocumentError) {
    let spool = try Spool(folder: state.path)
    try store.readObject(id, range: nil) { (piece) throws(DocumentError) in
      try meter.check(other.place)
      try spool.file.write(piece)
    }
    var offset = 0
    let source = ObjectSource(byteCount: length) { (buffer) throws(DocumentError) in
      try meter.check(other.place)
      let count = try spool.file.read(into: buffer, at: offset)
      offset += count
      meter.add(bytes: count)
      return count
    }
    _ = try other.putObject(id, from: source)
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }
}
