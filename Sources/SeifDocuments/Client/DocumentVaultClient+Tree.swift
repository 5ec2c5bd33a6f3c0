package import SeifBytes
internal import SeifCrypto
package import SeifDocumentFormat

/// Nodes that were taken out of a vault: what brings them back.
package struct RemovedNodes: Sendable {
  package var nodes: [ManifestNode]
  /// Its number among what this client keeps of removals.
  var step: Int?
}

extension DocumentVaultClient {
  /// Adds a folder.
  ///
  /// - Returns: its identifier.
  /// - Throws: `notPossible` where the parent is no folder; as `change`.
  package func makeFolder(_ name: String, in parent: UUID?) throws(DocumentError) -> DocumentChange<UUID> {
    try change { (manifest) throws(DocumentError) in
      try requireFolder(parent, manifest)
      let id = random.makeUUID()
      manifest.add(.folder(id: id, parent: parent, name: name, createdAt: now()))
      return id
    }
  }

  /// Gives a document or a folder another name. Names need not be unique.
  package func rename(_ id: UUID, to name: String) throws(DocumentError) -> DocumentChange<Void> {
    try change { (manifest) throws(DocumentError) in
      _ = try node(id, manifest)
      manifest.update(id) { $0.rename(to: name) }
    }
  }

  /// Moves documents and folders, with all in them, into a folder; nil: to the root.
  ///
  /// - Throws: `notPossible` for a folder that would stand inside itself.
  package func move(_ ids: [UUID], to parent: UUID?) throws(DocumentError) -> DocumentChange<Void> {
    try change { (manifest) throws(DocumentError) in
      try requireFolder(parent, manifest)
      let tree = ManifestTree(manifest)
      let target = parent.flatMap { tree.index(of: $0) }
      let above = Set((target.map { tree.folders(above: $0) + [$0] } ?? []).compactMap { manifest.nodes[$0].id })
      for id in ids {
        _ = try node(id, manifest)
        guard !above.contains(id) else {
          throw DocumentError(.notPossible, place: store.place, reason: "a folder can't stand inside itself")
        }
        manifest.update(id) { $0.move(to: parent) }
      }
    }
  }

  /// Marks documents and folders as favourites, or no more.
  package func setFavourite(_ ids: [UUID], _ isFavourite: Bool) throws(DocumentError) -> DocumentChange<Void> {
    try change { (manifest) throws(DocumentError) in
      for id in ids {
        _ = try node(id, manifest)
        manifest.update(id) { $0.setFavorite(isFavourite) }
      }
    }
  }

  /// Takes documents and folders, with all in them, out of the manifest. Their objects stay, so that `undo` brings all
  /// back; see `removeOrphans`.
  package func remove(_ ids: [UUID]) throws(DocumentError) -> DocumentChange<RemovedNodes> {
    var change = try change { (manifest) throws(DocumentError) in
      for id in ids { _ = try node(id, manifest) }
      return RemovedNodes(nodes: manifest.remove(manifest.subtree(of: ids)))
    }
    var removed = Manifest()
    removed.nodes = change.result.nodes
    change.result.step = try state.push(undo: try removed.sealed(masterKey, random, place: store.place))
    return change
  }

  /// What this client removed last and hasn't brought back; nil: nothing, or it was sealed under an older master key.
  package func lastRemoved() throws(DocumentError) -> RemovedNodes? {
    guard let (step, blob) = try state.undo() else { return nil }
    guard let removed = try? Manifest(opening: blob, masterKey: masterKey), !removed.nodes.isEmpty else { return nil }
    return RemovedNodes(nodes: removed.nodes, step: step)
  }

  /// Brings back what was removed, to the root where its folder is gone.
  ///
  /// - Throws: `damaged` where the store has lost one of the objects.
  package func undo(_ removed: RemovedNodes) throws(DocumentError) -> DocumentChange<Void> {
    try requireWritable()
    for object in removed.nodes.compactMap(\.objectID) where try store.objectByteCount(object) == nil {
      // Deleted, but perhaps not for good; what can't come back is found before it is named.
      try? store.restoreObject(object)
    }
    let change = try change { (manifest) throws(DocumentError) in
      let present = Set(manifest.nodes.compactMap(\.id))
      let there = present.union(removed.nodes.compactMap(\.id))
      for var node in removed.nodes where !(node.id.map(present.contains) ?? false) {
        if let parent = node.parent, !there.contains(parent) { node.move(to: nil) }
        manifest.add(node)
      }
    }
    if let step = removed.step { try state.forget(undo: step) }
    return change
  }

  /// How many documents of each kind there are and how large they are: what a monthly count would tell a server.
  package func usage() -> [DocumentKind: DocumentUsage] {
    var all: [DocumentKind: DocumentUsage] = [:]
    for node in manifest.nodes where node.isFile {
      guard let category = DocumentKind(extension: node.fileExtension) else { continue }
      var usage = all[category] ?? DocumentUsage(count: 0, byteCount: 0)
      usage.count += 1
      usage.byteCount = usage.byteCount.addingReportingOverflow(node.size ?? 0).partialValue
      all[category] = usage
    }
    return all
  }

  /// Gives a node an identifier of its own that has none, or only shares another's: nothing can be done to it before.
  ///
  /// - Parameter index: its position in the manifest.
  package func giveIdentifier(at index: Int) throws(DocumentError) -> DocumentChange<UUID> {
    let id = random.makeUUID()
    return try change { (manifest) throws(DocumentError) in
      guard manifest.nodes[index].canHaveIdentifier else {
        throw DocumentError(.notPossible, place: store.place, reason: "it is no document")
      }
      manifest.nodes[index].setID(id)
      return id
    }
  }

  func node(_ id: UUID, _ manifest: Manifest) throws(DocumentError) -> ManifestNode {
    guard let node = manifest.node(id) else {
      throw DocumentError(.notFound, place: store.place, reason: "no document has this identifier")
    }
    return node
  }

  func requireFolder(_ id: UUID?, _ manifest: Manifest) throws(DocumentError) {
    guard let id else { return }
    guard try node(id, manifest).isFolder else {
      throw DocumentError(.notPossible, place: store.place, reason: "it is no folder")
    }
  }
}

/// Documents of one kind.
package struct DocumentUsage: Sendable, Equatable {
  package var count: Int
  /// Of the documents, not of their sealed form.
  package var byteCount: Int
}
