internal import Glibc
package import SeifBytes
internal import SeifDocumentFormat

extension FolderDocumentStore {
  package func keyWraps() throws(DocumentError) -> [StoredKeyWrap] { try readKeyWraps(openFolder()) }

  package func putKeyWrap(_ row: StoredKeyWrap) throws(DocumentError) -> StoreOutcome {
    try writing { (folder) throws(DocumentError) in
      var rows = try readKeyWraps(folder)
      if let there = rows.first(where: { $0.id == row.id }) {
        guard there.json == row.json else { throw DocumentError(.exists, place: folder.path(Name.wraps)) }
        try folder.sync()
        return .present
      }
      guard rows.count < DocumentLimits.keyWrapCount else {
        throw DocumentError(.tooManyKeyWraps, place: place)
      }
      rows.append(row)
      try write(rows, folder)
      return .stored
    }
  }

  package func removeKeyWrap(_ id: UUID) throws(DocumentError) {
    try writing { (folder) throws(DocumentError) in
      var rows = try readKeyWraps(folder)
      guard let index = rows.firstIndex(where: { $0.id == id }) else { return }
      guard rows.count > 1 else { throw DocumentError(.lastKeyWrap, place: place) }
      let row = rows.remove(at: index)
      try folder.makeFolder(Name.trash)
      let trash = try FolderHandle(Name.trash, in: folder)
      try emptyTrash(trash)
      let name = TrashName(kind: .wrap, id: id, deletedAt: now().milliseconds).text
      try trash.replace(name, with: row.json.exposedBytes())
      try trash.sync()
      try write(rows, folder)
    }
  }

  package func restoreKeyWrap(_ id: UUID) throws(DocumentError) {
    try writing { (folder) throws(DocumentError) in
      var rows = try readKeyWraps(folder)
      guard !rows.contains(where: { $0.id == id }) else { return }
      guard let found = try trashed(id, as: .wrap, in: folder) else {
        throw DocumentError(.notFound, place: folder.path(id.description))
      }
      let trash = try FolderHandle(Name.trash, in: folder)
      guard let bytes = try trash.read(found.text, limit: DocumentBounds.keyWrapsByteCount),
        let row = StoredKeyWrap(json: SecretValue(bytes)), row.id == id
      else { throw DocumentError(.damaged, place: trash.path(found.text)) }
      guard rows.count < DocumentLimits.keyWrapCount else { throw DocumentError(.tooManyKeyWraps, place: place) }
      rows.append(row)
      try write(rows, folder)
      try trash.remove(found.text)
    }
  }

  package func replaceKeyWraps(
    _ rows: [StoredKeyWrap], manifest: [UInt8], expecting: ManifestTag
  ) throws(DocumentError) -> ManifestTag {
    guard !rows.isEmpty else { throw DocumentError(.lastKeyWrap, place: place) }
    guard rows.count <= DocumentLimits.keyWrapCount else { throw DocumentError(.tooManyKeyWraps, place: place) }
    return try replace(manifest, wraps: StoredKeyWrap.list(rows), expecting: expecting)
  }

  /// The rows; those that changed with the manifest lie under another name until they have theirs.
  func readKeyWraps(_ folder: borrowing FolderHandle) throws(DocumentError) -> [StoredKeyWrap] {
    for attempt in 0..<50 {
      if attempt > 0 { usleep(2_000) }
      let version = try readVersion(folder)
      let bytes = try folder.read(Name.wraps, limit: DocumentBounds.keyWrapsByteCount)
      guard let digest = version?.wraps else {
        // Read before `version` said that others count?
        guard try readVersion(folder) == version else { continue }
        return try bytes.map { (bytes) throws(DocumentError) in try parse(bytes, folder) } ?? []
      }
      let next = try folder.read(Name.nextWraps, limit: DocumentBounds.keyWrapsByteCount)
      for candidate in [bytes, next] {
        if let candidate, ManifestTag.sha256(candidate) == digest { return try parse(candidate, folder) }
      }
    }
    throw DocumentError(.damaged, place: folder.path(Name.wraps), reason: "it isn't the one that version names")
  }

  private func parse(_ bytes: [UInt8], _ folder: borrowing FolderHandle) throws(DocumentError) -> [StoredKeyWrap] {
    guard let rows = StoredKeyWrap.parse(list: bytes) else {
      throw DocumentError(.damaged, place: folder.path(Name.wraps))
    }
    return rows
  }

  private func write(_ rows: [StoredKeyWrap], _ folder: borrowing FolderHandle) throws(DocumentError) {
    try folder.replace(Name.wraps, with: StoredKeyWrap.list(rows))
    try folder.sync()
  }
}

extension StoredKeyWrap {
  /// A row that names its identifier; nil for anything else.
  package init?(json: SecretValue) {
    guard let document = try? JSONDocument(parsing: json, policy: .keyWraps), document.root.kind == .object,
      let id = document.root["id"]?.string.flatMap({ UUID($0) })
    else { return nil }
    self.init(id: id, json: document.root.canonical)
  }

  /// The rows as one JSON list, as `wraps.json` and `GET /key-wraps` have it.
  package static func list(_ rows: [StoredKeyWrap]) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginArray()
    for row in rows { writer.raw(row.json) }
    writer.endArray()
    // EXPOSE: sealed keys and identifiers, which whoever holds the place sees.
    return writer.finish().exposedBytes()
  }

  /// The rows of a list; nil where it is none, holds a row without an identifier, or one identifier twice.
  package static func parse(list bytes: [UInt8]) -> [StoredKeyWrap]? {
    guard let document = try? JSONDocument(parsing: SecretValue(bytes), policy: .keyWraps),
      document.root.kind == .array
    else { return nil }
    var rows: [StoredKeyWrap] = []
    var seen: Set<UUID> = []
    for value in document.root.elements {
      guard value.kind == .object, let id = value["id"]?.string.flatMap({ UUID($0) }), seen.insert(id).inserted,
        rows.count < DocumentLimits.keyWrapCount
      else { return nil }
      rows.append(StoredKeyWrap(id: id, json: value.canonical))
    }
    return rows
  }
}

extension JSONPolicy {
  fileprivate static let keyWraps = JSONPolicy(
    isStrict: true, maximumByteCount: DocumentBounds.keyWrapsByteCount, maximumDepth: 32, maximumValueCount: 10_000)
}
