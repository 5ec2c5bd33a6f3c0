package import SeifBytes
package import SeifDocuments
internal import Synchronization

/// Another store, whose calls are written down and may be disturbed.
package final class WatchedStore: DocumentStore {
  private let store: any DocumentStore
  private let state = Mutex(State())

  private struct State {
    var calls: [String] = []
    var alwaysConflicts = false
    var afterPut: (@Sendable (UUID) -> Void)?
  }

  package init(_ store: any DocumentStore) { self.store = store }

  package var calls: [String] { state.withLock { $0.calls } }
  /// Whether each manifest is refused.
  package var alwaysConflicts: Bool {
    get { state.withLock { $0.alwaysConflicts } }
    set { state.withLock { $0.alwaysConflicts = newValue } }
  }
  /// What happens once an object was stored.
  package var afterPut: (@Sendable (UUID) -> Void)? {
    get { state.withLock { $0.afterPut } }
    set { state.withLock { $0.afterPut = newValue } }
  }

  private func note(_ call: String) { state.withLock { $0.calls.append(call) } }

  package var place: String { store.place }
  package func status() throws(DocumentError) -> StoreStatus { try store.status() }
  package func manifest() throws(DocumentError) -> StoredManifest? {
    note("get manifest")
    return try store.manifest()
  }
  package func replaceManifest(_ blob: [UInt8], expecting: ManifestTag?) throws(DocumentError) -> ManifestTag {
    note("put manifest")
    guard !alwaysConflicts else { throw DocumentError(.conflict, place: place, current: expecting) }
    return try store.replaceManifest(blob, expecting: expecting)
  }
  package func putObject(_ id: UUID, from source: ObjectSource) throws(DocumentError) -> StoreOutcome {
    note("put object")
    let outcome = try store.putObject(id, from: source)
    afterPut?(id)
    return outcome
  }
  package func objectByteCount(_ id: UUID) throws(DocumentError) -> Int? {
    note("head object")
    return try store.objectByteCount(id)
  }
  package func readObject(
    _ id: UUID, range: Range<Int>?, _ body: (RawSpan) throws(DocumentError) -> Void
  ) throws(DocumentError) { try store.readObject(id, range: range, body) }
  package func deleteObject(_ id: UUID) throws(DocumentError) {
    note("delete object")
    try store.deleteObject(id)
  }
  package func restoreObject(_ id: UUID) throws(DocumentError) { try store.restoreObject(id) }
  package func listObjects(after: UUID?, limit: Int) throws(DocumentError) -> ObjectPage {
    try store.listObjects(after: after, limit: limit)
  }
  package func keyWraps() throws(DocumentError) -> [StoredKeyWrap] { try store.keyWraps() }
  package func putKeyWrap(_ row: StoredKeyWrap) throws(DocumentError) -> StoreOutcome {
    note("put way in")
    return try store.putKeyWrap(row)
  }
  package func removeKeyWrap(_ id: UUID) throws(DocumentError) {
    note("remove way in")
    try store.removeKeyWrap(id)
  }
  package func restoreKeyWrap(_ id: UUID) throws(DocumentError) { try store.restoreKeyWrap(id) }
  package func replaceKeyWraps(
    _ rows: [StoredKeyWrap], manifest: [UInt8], expecting: ManifestTag
  ) throws(DocumentError) -> ManifestTag {
    note("replace all")
    return try store.replaceKeyWraps(rows, manifest: manifest, expecting: expecting)
  }
}

/// Loses the first object that it is told of.
package final class LossOnce: Sendable {
  private let store: MemoryDocumentStore
  private let isDone = Mutex(false)

  package init(_ store: MemoryDocumentStore) { self.store = store }

  package func lose(_ id: UUID) {
    let isFirst = isDone.withLock { done in
      defer { done = true }
      return !done
    }
    if isFirst { store.force(id, nil) }
  }
}
