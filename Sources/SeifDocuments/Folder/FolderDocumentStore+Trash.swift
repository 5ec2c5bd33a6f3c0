internal import Glibc
internal import SeifBytes

/// What something deleted is called in `trash`: its identifier, when it was deleted (milliseconds since 1970), its kind.
struct TrashName {
  enum Kind: String {
    case object, wrap
  }
  var kind: Kind
  var id: UUID
  var deletedAt: Int64

  init(kind: Kind, id: UUID, deletedAt: Int64) {
    self.kind = kind
    self.id = id
    self.deletedAt = deletedAt
  }

  init?(_ name: String) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let id = UUID(String(parts[0])), let time = ManifestTag.number(parts[1]),
      let kind = Kind(rawValue: String(parts[2]))
    else { return nil }
    self.init(kind: kind, id: id, deletedAt: Int64(time))
  }

  var text: String { "\(id).\(max(0, deletedAt)).\(kind.rawValue)" }

  /// Whether it can still be brought back. A clock that went back keeps it.
  func isKept(at now: Timestamp) -> Bool {
    now.milliseconds.subtractingReportingOverflow(deletedAt).partialValue < DocumentBounds.trashLifetime
  }
}

extension FolderDocumentStore {
  /// What was deleted under an identifier and can come back, the latest of several.
  func trashed(
    _ id: UUID, as kind: TrashName.Kind, in folder: borrowing FolderHandle
  ) throws(DocumentError) -> TrashName? {
    guard folder.exists(Name.trash) else { return nil }
    let now = now()
    return try FolderHandle(Name.trash, in: folder).names().compactMap(TrashName.init)
      .filter { $0.kind == kind && $0.id == id && $0.isKept(at: now) }
      .max { $0.deletedAt < $1.deletedAt }
  }

  /// Removes for good what was deleted 30 days ago.
  func emptyTrash(_ trash: borrowing FolderHandle) throws(DocumentError) {
    let now = now()
    for name in try trash.names() {
      guard let entry = TrashName(name), !entry.isKept(at: now), trash.regularFile(name) != nil else { continue }
      try trash.remove(name)
    }
  }
}
