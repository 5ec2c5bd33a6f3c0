internal import CSeif
internal import Glibc
package import SeifBytes
internal import SeifDocumentFormat

extension FolderDocumentStore {
  package func putObject(_ id: UUID, from source: ObjectSource) throws(DocumentError) -> StoreOutcome {
    guard source.byteCount <= DocumentLimits.objectByteCount else { throw DocumentError(.tooLarge, place: place) }
    guard source.byteCount >= DocumentLimits.sealedOverhead else { throw DocumentError(.damaged, place: place) }
    let folder = try openFolder()
    try folder.makeFolder(Name.objects)
    let objects = try FolderHandle(Name.objects, in: folder)
    guard try trashed(id, as: .object, in: folder) == nil else {
      throw DocumentError(.gone, place: objects.path(id.description))
    }
    let name = try foundName(id, in: objects)
    // The bytes come once, so they are kept before they are compared with what is there.
    var draft = try NewFile.make(
      in: objects, place: objects.path(name ?? id.description), allowsUnnamed: allowsUnnamed)
    try source.forEachPiece(place: place) { (piece) throws(DocumentError) in try draft.file.write(piece) }
    if let name { return try compare(draft.file, with: name, in: objects) }
    do throws(DocumentError) {
      try draft.publish(as: id.description)
    } catch {
      guard error.code == .exists else { throw error }
      return try compare(draft.file, with: id.description, in: objects)
    }
    try objects.sync()
    return .stored
  }

  private func compare(
    _ file: borrowing FileHandle, with name: String, in objects: borrowing FolderHandle
  ) throws(DocumentError) -> StoreOutcome {
    guard let there = try objects.open(name), try there.hasSameBytes(as: file) else {
      throw DocumentError(.exists, place: objects.path(name))
    }
    try there.sync()
    try objects.sync()
    return .present
  }

  package func objectByteCount(_ id: UUID) throws(DocumentError) -> Int? {
    let folder = try openFolder()
    guard folder.exists(Name.objects) else { return nil }
    let objects = try FolderHandle(Name.objects, in: folder)
    guard let name = try foundName(id, in: objects) else { return nil }
    return try objects.open(name)?.byteCount
  }

  package func readObject(
    _ id: UUID, range: Range<Int>?, _ body: (RawSpan) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    let folder = try openFolder()
    let objects = try FolderHandle(Name.objects, in: folder)
    guard let name = try foundName(id, in: objects), let file = try objects.open(name) else {
      throw DocumentError(.notFound, place: objects.path(id.description))
    }
    let count = file.byteCount
    guard count <= DocumentLimits.objectByteCount else { throw DocumentError(.tooLarge, place: file.place) }
    try file.forEachPiece((range ?? 0..<count).clamped(to: 0..<count), body)
  }

  package func deleteObject(_ id: UUID) throws(DocumentError) {
    try writing { (folder) throws(DocumentError) in
      guard folder.exists(Name.objects) else { return }
      let objects = try FolderHandle(Name.objects, in: folder)
      guard let name = try foundName(id, in: objects) else { return }
      try folder.makeFolder(Name.trash)
      let trash = try FolderHandle(Name.trash, in: folder)
      try emptyTrash(trash)
      try move(
        name, in: objects, to: TrashName(kind: .object, id: id, deletedAt: now().milliseconds).text, in: trash)
    }
  }

  package func restoreObject(_ id: UUID) throws(DocumentError) {
    try writing { (folder) throws(DocumentError) in
      guard let found = try trashed(id, as: .object, in: folder) else {
        throw DocumentError(.notFound, place: folder.path(id.description))
      }
      let objects = try FolderHandle(Name.objects, in: folder)
      try move(found.text, in: FolderHandle(Name.trash, in: folder), to: id.description, in: objects)
    }
  }

  package func listObjects(after: UUID?, limit: Int) throws(DocumentError) -> ObjectPage {
    let folder = try openFolder()
    guard folder.exists(Name.objects) else { return ObjectPage(objects: [], next: nil) }
    let objects = try FolderHandle(Name.objects, in: folder)
    let start = after?.description
    var names: [String: String] = [:]
    for name in try objects.names() {
      guard let id = UUID(name)?.description, start.map({ utf8Precedes($0, id) }) ?? true else { continue }
      // Of two spellings of one identifier ours counts, as it does when the object is read.
      if names[id] == nil || name == id { names[id] = name }
    }
    let wanted = min(max(1, limit), ObjectPage.limit)
    var entries: [ObjectEntry] = []
    for text in names.keys.sorted(by: utf8Precedes) {
      // What is no regular file is no object; a link or a pipe may have been put there.
      guard let id = UUID(text), let name = names[text], let status = objects.regularFile(name) else { continue }
      guard entries.count < wanted else { return ObjectPage(objects: entries, next: entries.last?.id) }
      let time = Timestamp(seconds: Int64(status.st_mtim.tv_sec))
      entries.append(ObjectEntry(id: id, byteCount: Int(status.st_size), createdAt: time))
    }
    return ObjectPage(objects: entries, next: nil)
  }

  /// The name under which an object lies: identifiers are compared without case, and other programs write upper case.
  private func foundName(_ id: UUID, in objects: borrowing FolderHandle) throws(DocumentError) -> String? {
    if objects.exists(id.description) { return id.description }
    let upper = id.description.uppercased()
    return objects.exists(upper) ? upper : nil
  }

  /// Between two folders by a second name, so that there is no moment without one.
  func move(
    _ name: String, in from: borrowing FolderHandle, to other: String, in to: borrowing FolderHandle
  ) throws(DocumentError) {
    guard from.regularFile(name) != nil else {
      throw DocumentError(.damaged, place: from.path(name), reason: "it is no regular file")
    }
    if linkat(from.descriptor, name, to.descriptor, other, 0) != 0 {
      switch errno {
      // A move that was ended left both names, and ends now.
      case EEXIST: break
      case EPERM, EOPNOTSUPP, ENOSYS, EMLINK:
        guard renameat(from.descriptor, name, to.descriptor, other) == 0 else {
          throw SystemRefusal.error(place: to.path(other))
        }
      default: throw SystemRefusal.error(place: to.path(other))
      }
    }
    try to.sync()
    try from.remove(name)
    try from.sync()
  }
}
