package import SeifBytes
package import SeifCrypto
package import SeifDocumentFormat

/// An open document vault: what a person sees of it and does with it.
///
/// It keeps the order (objects, then the manifest that names them), remembers the highest manifest that it opened, merges
/// with what others changed meanwhile, and writes nothing while the place shows an older state than it has seen.
///
/// For one thread. Calls wait for the store.
package final class DocumentVaultClient {
  package let store: any DocumentStore
  let state: ClientState
  var masterKey: SecretBytes
  let random: RandomSource
  let now: @Sendable () -> Timestamp

  /// The documents and folders, as the store has them.
  package internal(set) var manifest: Manifest
  /// The manifest as it is sealed; nil: none is there yet.
  package internal(set) var stored: StoredManifest?
  /// What is wrong with what the place shows; while it isn't nil nothing is written.
  package internal(set) var rollback: Rollback?

  /// How often a commit is tried again after others were faster.
  static let attempts = 8

  private init(
    _ store: any DocumentStore, _ state: ClientState, _ masterKey: consuming SecretBytes, _ random: RandomSource,
    _ now: @escaping @Sendable () -> Timestamp
  ) {
    self.store = store
    self.state = state
    self.masterKey = masterKey
    self.random = random
    self.now = now
    manifest = Manifest()
  }

  /// Opens a vault.
  ///
  /// - Parameters:
  ///   - masterKey: 32 bytes.
  ///   - stateFolder: where clients' memories lie, a folder for each vault in it; made where it isn't there.
  /// - Throws: `noVault` where there is none and none was ever seen; `cannotOpen` for a manifest that this key doesn't
  ///   open; `notUnderstood` for one of a later version; whatever the store throws. A rollback isn't thrown: see
  ///   `rollback`.
  package static func open(
    _ store: any DocumentStore, masterKey: consuming SecretBytes, stateFolder: String, random: RandomSource = .system,
    now: (@Sendable () -> Timestamp)? = nil
  ) throws(DocumentError) -> DocumentVaultClient {
    let state = try ClientState(parent: stateFolder, place: store.place)
    let client = DocumentVaultClient(store, state, masterKey, random, now ?? SystemClock.now)
    try client.refresh()
    return client
  }

  /// Makes a vault: its ways in first, since a manifest that nobody can open is none.
  ///
  /// - Parameter rows: at least one.
  /// - Throws: `exists` where there is a vault; `lastKeyWrap` for no rows; whatever the store throws.
  package static func create(
    _ store: any DocumentStore, masterKey: consuming SecretBytes, rows: [StoredKeyWrap], stateFolder: String,
    random: RandomSource = .system, now: (@Sendable () -> Timestamp)? = nil
  ) throws(DocumentError) -> DocumentVaultClient {
    guard !rows.isEmpty else { throw DocumentError(.lastKeyWrap, place: store.place) }
    let status = try store.status()
    guard !status.isEnabled else { throw DocumentError(.exists, place: store.place) }
    let state = try ClientState(parent: stateFolder, place: store.place)
    if let seen = try state.mark(), Rollback(seen: seen, status: status, manifest: nil) != nil {
      throw DocumentError(.rollback, place: store.place)
    }
    let client = DocumentVaultClient(store, state, masterKey, random, now ?? SystemClock.now)
    try state.note(kept: rows)
    for row in rows { _ = try store.putKeyWrap(row) }
    _ = try client.change { _ throws(DocumentError) in }
    return client
  }

  /// Looks at the store again.
  package func refresh() throws(DocumentError) {
    let status = try store.status()
    let shown = try store.manifest()
    let mark = try state.mark()
    rollback = Rollback(seen: mark, status: status, manifest: shown)
    guard status.isEnabled || mark != nil else { throw DocumentError(.noVault, place: store.place) }
    let opened = try shown.map { (shown) throws(DocumentError) in try open(shown) }
    stored = shown
    manifest = opened ?? Manifest()
    guard rollback == nil else { return }
    try remember(shown, manifest)
  }

  /// The manifest that was seen last, where the place shows another: both can be shown to the person. Nil where it can't
  /// be opened any more.
  package func seenManifest() throws(DocumentError) -> Manifest? {
    guard let base = try state.base() else { return nil }
    return try? open(base)
  }

  /// Takes what the place shows for the truth, on the person's word: documents that only the other manifest named may be
  /// lost by it.
  package func acceptRollback() throws(DocumentError) {
    guard rollback != nil else { return }
    if stored == nil, rollback?.kind == .noVault { try state.forgetMark() } else { try state.set(to: stored) }
    rollback = nil
    try note(manifest, removedSince: nil)
  }

  func open(_ manifest: StoredManifest) throws(DocumentError) -> Manifest {
    try Manifest.opened(manifest.blob, masterKey, place: store.place)
  }

  func requireWritable() throws(DocumentError) {
    guard rollback == nil else { throw DocumentError(.rollback, place: store.place) }
  }

  /// Keeps what was opened: mark, sealed manifest, and which objects it names and names no more.
  func remember(_ shown: StoredManifest?, _ opened: Manifest) throws(DocumentError) {
    let base = try state.base()
    var before: Manifest?
    // Only of the manifest just before is it certain that this one removed what it doesn't name.
    if let base, let shown, base.revision + 1 == shown.revision { before = try? open(base) }
    try note(opened, removedSince: before)
    try state.raise(to: shown)
  }

  private func note(_ opened: Manifest, removedSince before: Manifest?) throws(DocumentError) {
    let named = opened.objectIDs
    let notes = try state.objectNotes().notes
    var events: [(UUID, ObjectNotes.Event)] = []
    for id in named {
      let note = notes[id]
      // Nothing new to write down for what is known as named and nothing else.
      if note?.wasNamed != true || note?.sawRemoval == true || note?.unnamedSince != nil { events.append((id, .named)) }
    }
    for id in (before?.objectIDs ?? []).subtracting(named) { events.append((id, .removed)) }
    try state.note(events)
  }
}
