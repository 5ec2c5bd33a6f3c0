package import SeifBytes
internal import SeifCrypto
package import SeifDocumentFormat

/// Nodes that were taken out of a vault: what brings them back.
package struct RemovedNodes: Sendable {
  package var nodes: [ManifestNode]
}

extension DocumentVaultClient {
  /// Adds a folder.
  ///
  /// - Returns: its identifier.
  /// - Throws: `notPossible` where the parent is no folder; as `change`.
  package func makeFolder(_ name: String, in parent: UUID?) throws(DocumentError) -> DocumentChange<UUID> {
    try change { (manifest) throws(DocumentError) in
      try requireFolder(parent, manifest)
      let node = ManifestNode.newFolder(random.makeUUID(), name: name, parent: parent, createdAt: now())
      manifest.add(node)
      return node.id
    }
  }

  /// Gives a document or a folder another name. Names need not be unique.
  package func rename(_ id: UUID, to name: String) throws(DocumentError) -> DocumentChange<Void> {
    try change { (manifest) throws(DocumentError) in
      let old = try node(id, manifest)
      if old.isFile, !DocumentNames.isAllowed(name) { throw DocumentError(.notAllowed, place: store.place) }
      manifest.update(id) { $0.rename(name) }
    }
  }

  /// Moves documents and folders, with all in them, into a folder; nil: to the root.
  ///
  /// - Throws: `notPossible` for a folder that would stand inside itself.
  package func move(_ ids: [UUID], to parent: UUID?) throws(DocumentError) -> DocumentChange<Void> {
    try change { (manifest) throws(DocumentError) in
      try requireFolder(parent, manifest)
      for id in ids {
        _ = try node(id, manifest)
        if let parent, manifest.subtree(of: [id]).contains(parent) {
          throw DocumentError(.notPossible, place: store.place, reason: "a folder can't stand inside itself")
        }
        manifest.update(id) { $0.parent = parent }
      }
    }
  }

  /// Marks documents and folders as favourites, or no more.
  package func setFavourite(_ ids: [UUID], _ isFavourite: Bool) throws(DocumentError) -> DocumentChange<Void> {
    try change { (manifest) throws(DocumentError) in
      for id in ids {
        _ = try node(id, manifest)
        manifest.update(id) { $0.isFavourite = isFavourite }
      }
    }
  }

  /// Takes documents and folders, with all in them, out of the manifest. Their objects stay, so that `undo` brings all
  /// back; see `removeOrphans`.
  package func remove(_ ids: [UUID]) throws(DocumentError) -> DocumentChange<RemovedNodes> {
    try change { (manifest) throws(DocumentError) in
      for id in ids { _ = try node(id, manifest) }
      return RemovedNodes(nodes: manifest.remove(manifest.subtree(of: ids)))
    }
  }

  /// Brings back what was removed, to the root where its folder is gone.
  ///
  /// - Throws: `damaged` where the store has lost one of the objects.
  package func undo(_ removed: RemovedNodes) throws(DocumentError) -> DocumentChange<Void> {
    try change { (manifest) throws(DocumentError) in
      var there = Set(manifest.nodes.map(\.id))
      there.formUnion(removed.nodes.map(\.id))
      let present = Set(manifest.nodes.map(\.id))
      for var node in removed.nodes where !present.contains(node.id) {
        if let parent = node.parent, !there.contains(parent) { node.parent = nil }
        manifest.add(node)
      }
    }
  }

  /// How many documents of each kind there are and how large they are: what a monthly count would tell a server.
  package func usage() -> [DocumentCategory: DocumentUsage] {
    var all: [DocumentCategory: DocumentUsage] = [:]
    for node in manifest.nodes where node.isFile {
      guard let category = DocumentCategory(fileExtension: node.fileExtension) else { continue }
      var usage = all[category] ?? DocumentUsage(count: 0, byteCount: 0)
      usage.count += 1
      usage.byteCount = usage.byteCount.addingReportingOverflow(node.size ?? 0).partialValue
      all[category] = usage
    }
    return all
  }

  /// The count as it would be sent, for the person to see before: JSON with all six categories.
  package func usageJSON(month: String) -> String {
    let usage = usage()
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.key("month")
    writer.string(month)
    for category in DocumentCategory.allCases {
      writer.key(category.rawValue)
      writer.beginObject()
      writer.key("count")
      writer.integer(Int64(usage[category]?.count ?? 0))
      writer.key("bytes")
      writer.integer(Int64(usage[category]?.byteCount ?? 0))
      writer.endObject()
    }
    writer.endObject()
    // EXPOSE: counts, shown to the person who is asked about them.
    return writer.finish().exposedText() ?? ""
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

/// Kinds of documents as the monthly count has them.
package enum DocumentCategory: String, Sendable, CaseIterable {
  case document, sheet, slides, text, image, archive

  /// The kind of a file extension in lower case; nil for one that vaults don't take.
  package init?(fileExtension: String) {
    switch fileExtension {
    case "pdf", "doc", "docx", "rtf", "odt": self = .document
    case "xls", "xlsx", "ods", "csv": self = .sheet
    case "ppt", "pptx": self = .slides
    case "txt", "xml", "json": self = .text
    case "jpg", "jpeg", "png", "heic", "heif", "gif", "webp", "tiff": self = .image
    case "zip": self = .archive
    default: return nil
    }
  }
}

/// Documents of one kind.
package struct DocumentUsage: Sendable, Equatable {
  package var count: Int
  /// Of the documents, not of their sealed form.
  package var byteCount: Int
}
