package import SeifBytes
internal import SeifCrypto
internal import SeifDocumentFormat

/// What came of a rotation or a mirror.
package struct RotationReport: Sendable {
  /// Ways in that were there and couldn't be carried over: they open nothing any more.
  package var dropped: [StoredKeyWrap] = []
  /// Documents that were sealed anew.
  package var resealed = 0
  /// Documents that couldn't be opened and so weren't sealed anew; their nodes are as they were.
  package var kept: [String] = []
}

extension DocumentVaultClient {
  /// Puts a new master key in the place of the old one: manifest and ways in change in one step.
  ///
  /// - Parameters:
  ///   - newKey: 32 bytes.
  ///   - rows: the ways in from now on, each wrapping the new key: at least one.
  ///   - files: whether each document is sealed anew too, under a new key of its own: against somebody who has a copy of
  ///     the old manifest. The old objects stay, as all that no manifest names: see `removeOrphans`.
  /// - Throws: `rollback`; `conflict` where others changed the vault meanwhile: it is as it was, and this may be done again.
  package func rotate(
    to newKey: consuming SecretBytes, rows: [StoredKeyWrap], files: Bool, watch: WorkWatch = WorkWatch()
  ) throws(DocumentError) -> RotationReport {
    try refresh()
    try requireWritable()
    guard let tag = stored?.tag else { throw DocumentError(.noVault, place: store.place) }
    let carried = Set(rows.map(\.id))
    var report = RotationReport()
    report.dropped = try store.keyWraps().filter { !carried.contains($0.id) }
    var next = manifest
    var old: [UUID] = []
    if files {
      let nodes = manifest.nodes.indices.filter { manifest.nodes[$0].objectID != nil }
      let meter = WorkMeter(
        watch, documents: nodes.count, bytes: nodes.reduce(0) { $0 &+ (manifest.nodes[$1].size ?? 0) })
      for index in nodes {
        let node = manifest.nodes[index]
        do throws(DocumentError) {
          let (object, key) = try reseal(node, meter)
          if var content = node.content {
            (content.object, content.key) = (object, key)
            next.nodes[index].setContent(content)
          }
          report.resealed += 1
          if let before = node.objectID { old.append(before) }
        } catch {
          guard [.damaged, .notFound, .notPossible, .tooLarge].contains(error.code) else { throw error }
          report.kept.append(DocumentName.display(node.name))
        }
        meter.addDocument()
      }
    }
    let blob = try next.sealed(newKey, random, place: store.place)
    // The copies first: a row that is stored and that nobody kept can't be missed.
    try state.note(kept: rows)
    let new = StoredManifest(
      revision: try store.replaceKeyWraps(rows, manifest: blob, expecting: tag).revision, blob: blob)
    masterKey = newKey
    (stored, manifest) = (new, next)
    try state.note(kept: rows, removed: report.dropped.map(\.id))
    try remember(new, next)
    try state.note(old.filter { !next.objectIDs.contains($0) }.map { ($0, .removed) })
    return report
  }

  /// Opens a document and seals it under a new key, by way of a nameless file of sealed bytes.
  private func reseal(
    _ node: ManifestNode, _ meter: WorkMeter
  ) throws(DocumentError) -> (object: UUID, key: SecretValue) {
    let before = try object(of: node)
    guard let length = try store.objectByteCount(before) else {
      throw DocumentError(.notFound, place: place(before))
    }
    let (key, object) = (random.makeValue(32), random.makeUUID())
    let spool = try Spool(folder: state.path)
    let nonce = random.makeBytes(12)
    var opener = try OpeningObject(node.fileKey, byteCount: length, place: place(before))
    var sealer = try ObjectSealer.begun(key, nonce: nonce, place: place(object))
    try spool.file.write(nonce)
    try store.readObject(before, range: nil) { (piece) throws(DocumentError) in
      try meter.check(store.place)
      try opener.take(piece) { (plain) throws(DocumentError) in
        try spool.file.write(try sealer.sealed(plain, place: place(object)))
        meter.add(bytes: plain.byteCount)
      }
    }
    try opener.finish()
    try spool.file.write(try sealer.ended(place: place(object)))
    try state.note([(object, .uploading(now().milliseconds))])
    var offset = 0
    let from = store.place
    let source = ObjectSource(byteCount: length) { (buffer) throws(DocumentError) in
      try meter.check(from)
      let count = try spool.file.read(into: buffer, at: offset)
      offset += count
      return count
    }
    _ = try store.putObject(object, from: source)
    return (object, key)
  }
}
