package import SeifBytes
internal import SeifCrypto
package import SeifDocumentFormat

/// What a change came to.
package struct DocumentChange<Result> {
  package var result: Result
  /// What of this change or of others' lost in a merge, in the order in which it was found; empty: nothing.
  package var lost: [MergeNote]
}

extension DocumentVaultClient {
  /// Changes the manifest and stores it: as it is, or merged with what others stored meanwhile.
  ///
  /// - Parameters:
  ///   - uploads: how an object that the change names is sent again, should the store have lost it.
  ///   - edit: changes the documents; throws to leave all as it was.
  /// - Throws: `rollback`; `conflict` when others were faster eight times in a row; `damaged` for a named object that the
  ///   store doesn't have; whatever `edit` and the store throw.
  package func change<R>(
    uploads: [UUID: Upload] = [:], _ edit: (inout Manifest) throws(DocumentError) -> R
  ) throws(DocumentError) -> DocumentChange<R> {
    try requireWritable()
    var (base, ours) = (manifest, manifest)
    let result = try edit(&ours)
    var lost: [MergeNote] = []
    for _ in 0..<Self.attempts {
      try ensureObjects(of: ours, beyond: base, uploads)
      let blob = try ours.sealed(masterKey, random, place: store.place)
      do throws(DocumentError) {
        let tag = try store.replaceManifest(blob, expecting: stored?.tag)
        let new = StoredManifest(revision: tag.revision, blob: blob)
        // A store that names another manifest than the one that it was given can't be believed in anything else.
        guard tag == new.tag, tag.revision > stored?.revision ?? 0 else {
          throw DocumentError(.damaged, place: store.place, reason: "it confirms another manifest")
        }
        (stored, manifest) = (new, ours)
        try remember(new, ours)
        return DocumentChange(result: result, lost: lost)
      } catch {
        guard error.code == .conflict else { throw error }
      }
      let mine = ours
      try refresh()
      try requireWritable()
      let merged = ManifestMerge(ours: mine, server: manifest, base: base) { random.makeUUID() }
      lost += merged.report
      (base, ours) = (manifest, merged.manifest)
    }
    throw DocumentError(.conflict, place: store.place, current: stored?.tag)
  }

  /// Makes sure that the store has each object that a manifest adds, before it is named.
  private func ensureObjects(
    of ours: Manifest, beyond base: Manifest, _ uploads: [UUID: Upload]
  ) throws(DocumentError) {
    for id in ours.objectIDs.subtracting(base.objectIDs) where try store.objectByteCount(id) == nil {
      guard let upload = uploads[id] else {
        throw DocumentError(.damaged, place: store.place, reason: "it has lost the object \(id)")
      }
      _ = try store.putObject(id, from: upload.source())
    }
  }
}
