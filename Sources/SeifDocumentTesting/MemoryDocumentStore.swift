package import SeifBytes
package import SeifDocuments
internal import SeifDocumentFormat
internal import Synchronization

/// A store that lives in memory, written apart from the one in a folder: what both do is the contract.
package final class MemoryDocumentStore: DocumentStore {
  package let place: String
  private let now: @Sendable () -> Timestamp
  private let contents = Mutex(Contents())

  fileprivate struct Contents {
    var manifest: StoredManifest?
    var objects: [UUID: (bytes: [UInt8], createdAt: Timestamp)] = [:]
    var deleted: [UUID: (bytes: [UInt8], at: Timestamp)] = [:]
    var rows: [StoredKeyWrap] = []
    var removed: [UUID: (row: StoredKeyWrap, at: Timestamp)] = [:]
  }

  package init(place: String = "memory", now: @escaping @Sendable () -> Timestamp) {
    self.place = place
    self.now = now
  }

  package func status() -> StoreStatus {
    contents.withLock {
      StoreStatus(
        isEnabled: $0.manifest != nil || !$0.rows.isEmpty, revision: $0.manifest?.revision ?? 0,
        objectCount: $0.objects.count, byteCount: $0.objects.values.reduce(0) { $0 + $1.bytes.count },
        keyWrapCount: $0.rows.count)
    }
  }

  package func manifest() -> StoredManifest? { contents.withLock { $0.manifest } }

  package func replaceManifest(_ blob: [UInt8], expecting: ManifestTag?) throws(DocumentError) -> ManifestTag {
    try contents.withLock { (all) throws(DocumentError) in try replace(blob, expecting, &all) }
  }

  private func replace(
    _ blob: [UInt8], _ expecting: ManifestTag?, _ all: inout Contents
  ) throws(DocumentError) -> ManifestTag {
    guard blob.count <= DocumentLimits.manifestByteCount else { throw DocumentError(.tooLarge, place: place) }
    guard blob.count >= DocumentLimits.sealedOverhead else { throw DocumentError(.damaged, place: place) }
    guard all.manifest?.tag == expecting else {
      throw DocumentError(.conflict, place: place, current: all.manifest?.tag)
    }
    let next = StoredManifest(revision: (all.manifest?.revision ?? 0) + 1, blob: blob)
    all.manifest = next
    return next.tag
  }

  package func putObject(_ id: UUID, from source: ObjectSource) throws(DocumentError) -> StoreOutcome {
    guard source.byteCount <= DocumentLimits.objectByteCount else { throw DocumentError(.tooLarge, place: place) }
    guard source.byteCount >= DocumentLimits.sealedOverhead else { throw DocumentError(.damaged, place: place) }
    var bytes: [UInt8] = []
    let moment = now()
    if contents.withLock({ $0.isDeleted(id, moment) }) { throw DocumentError(.gone, place: place) }
    try source.forEachPiece(place: place) { (piece) throws(DocumentError) in bytes.append(contentsOf: piece) }
    return try contents.withLock { (all) throws(DocumentError) in
      if let there = all.objects[id] {
        guard there.bytes == bytes else { throw DocumentError(.exists, place: place) }
        return .present
      }
      all.objects[id] = (bytes, moment)
      return .stored
    }
  }

  package func objectByteCount(_ id: UUID) -> Int? { contents.withLock { $0.objects[id]?.bytes.count } }

  package func readObject(
    _ id: UUID, range: Range<Int>?, _ body: (RawSpan) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    guard let bytes = contents.withLock({ $0.objects[id]?.bytes }) else {
      throw DocumentError(.notFound, place: place)
    }
    let wanted = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
    var offset = wanted.lowerBound
    while offset < wanted.upperBound {
      let end = min(offset + 100_000, wanted.upperBound)
      try body(bytes.span.bytes.extracting(offset..<end))
      offset = end
    }
  }

  package func deleteObject(_ id: UUID) {
    let moment = now()
    contents.withLock { all in
      if let object = all.objects.removeValue(forKey: id) { all.deleted[id] = (object.bytes, moment) }
    }
  }

  package func restoreObject(_ id: UUID) throws(DocumentError) {
    let moment = now()
    try contents.withLock { (all) throws(DocumentError) in
      guard all.isDeleted(id, moment), let object = all.deleted.removeValue(forKey: id) else {
        throw DocumentError(.notFound, place: place)
      }
      all.objects[id] = (object.bytes, moment)
    }
  }

  package func listObjects(after: UUID?, limit: Int) -> ObjectPage {
    contents.withLock { all in
      let sorted = all.objects.keys.map(\.description).sorted(by: utf8Precedes)
        .filter { text in after.map { utf8Precedes($0.description, text) } ?? true }
      let wanted = min(max(1, limit), ObjectPage.limit)
      let entries = sorted.prefix(wanted).compactMap { text -> ObjectEntry? in
        guard let id = UUID(text), let object = all.objects[id] else { return nil }
        return ObjectEntry(id: id, byteCount: object.bytes.count, createdAt: object.createdAt)
      }
      return ObjectPage(objects: entries, next: sorted.count > wanted ? entries.last?.id : nil)
    }
  }

  package func keyWraps() -> [StoredKeyWrap] { contents.withLock { $0.rows } }

  package func putKeyWrap(_ row: StoredKeyWrap) throws(DocumentError) -> StoreOutcome {
    try contents.withLock { (all) throws(DocumentError) in
      if let there = all.rows.first(where: { $0.id == row.id }) {
        guard there == row else { throw DocumentError(.exists, place: place) }
        return .present
      }
      guard all.rows.count < DocumentLimits.keyWrapCount else { throw DocumentError(.tooManyKeyWraps, place: place) }
      all.rows.append(row)
      return .stored
    }
  }

  package func removeKeyWrap(_ id: UUID) throws(DocumentError) {
    let moment = now()
    try contents.withLock { (all) throws(DocumentError) in
      guard let index = all.rows.firstIndex(where: { $0.id == id }) else { return }
      guard all.rows.count > 1 else { throw DocumentError(.lastKeyWrap, place: place) }
      all.removed[id] = (all.rows.remove(at: index), moment)
    }
  }

  package func restoreKeyWrap(_ id: UUID) throws(DocumentError) {
    let moment = now()
    try contents.withLock { (all) throws(DocumentError) in
      guard !all.rows.contains(where: { $0.id == id }) else { return }
      guard let found = all.removed[id], moment.milliseconds - found.at.milliseconds < DocumentBounds.trashLifetime
      else { throw DocumentError(.notFound, place: place) }
      guard all.rows.count < DocumentLimits.keyWrapCount else { throw DocumentError(.tooManyKeyWraps, place: place) }
      all.rows.append(found.row)
      all.removed[id] = nil
    }
  }

  package func replaceKeyWraps(
    _ rows: [StoredKeyWrap], manifest: [UInt8], expecting: ManifestTag
  ) throws(DocumentError) -> ManifestTag {
    guard !rows.isEmpty else { throw DocumentError(.lastKeyWrap, place: place) }
    guard rows.count <= DocumentLimits.keyWrapCount else { throw DocumentError(.tooManyKeyWraps, place: place) }
    return try contents.withLock { (all) throws(DocumentError) in
      let tag = try replace(manifest, expecting, &all)
      all.rows = rows
      return tag
    }
  }
}

extension MemoryDocumentStore {
  /// What a hostile or restored place shows, for tests of those who must notice.
  package func force(_ manifest: StoredManifest?, rows: [StoredKeyWrap]? = nil) {
    contents.withLock {
      $0.manifest = manifest
      if let rows { $0.rows = rows }
    }
  }

  /// Loses an object, without a trace in the trash; or gives it other bytes.
  package func force(_ id: UUID, _ bytes: [UInt8]?) {
    let moment = now()
    contents.withLock { $0.objects[id] = bytes.map { ($0, moment) } }
  }
}

extension MemoryDocumentStore.Contents {
  fileprivate func isDeleted(_ id: UUID, _ moment: Timestamp) -> Bool {
    deleted[id].map { moment.milliseconds - $0.at.milliseconds < DocumentBounds.trashLifetime } ?? false
  }
}
