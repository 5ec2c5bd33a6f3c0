internal import CSeif
internal import Glibc
package import SeifBytes
package import SeifCrypto
internal import SeifDocumentFormat

/// A document vault in a folder: `manifest`, `objects/UUID`, `wraps.json`, `version`, `id`, and what was deleted in
/// `trash`.
///
/// `version` holds the manifest's revision and SHA-256, and giving it its name is the one step by which a new manifest
/// counts. Whatever ends the program, the folder reads as before that step or as after it:
///
/// - before it, the new manifest lies beside as `manifest.next`, and `version` names the old one;
/// - after it, `version` names the new one, which is read as `manifest.next` until that is renamed.
///
/// All rows of ways in can change in the same step: `version` then names the SHA-256 of `wraps.next` too.
package struct FolderDocumentStore: DocumentStore {
  package let place: String
  /// How long a writer waits for another one, in milliseconds.
  package var lockWait = 10_000
  let now: @Sendable () -> Timestamp
  /// Off in tests of file systems that have no nameless files.
  package var allowsUnnamed = true

  enum Name {
    static let manifest = "manifest"
    static let nextManifest = "manifest.next"
    static let wraps = "wraps.json"
    static let nextWraps = "wraps.next"
    static let version = "version"
    static let objects = "objects"
    static let trash = "trash"
    static let lock = "lock"
    static let id = "id"
  }

  /// A folder that exists.
  ///
  /// - Parameter path: becomes the place's name once its links are resolved, so that one folder is one vault.
  package init(path: String, now: (@Sendable () -> Timestamp)? = nil) {
    place = Self.resolved(path)
    self.now = now ?? SystemClock.now
  }

  /// Makes the folder of a new vault and those above it that aren't there, closed to others.
  ///
  /// - Throws: `exists` for a folder that holds anything.
  package static func make(path: String, now: (@Sendable () -> Timestamp)? = nil) throws(DocumentError) -> Self {
    let missing = mkdir(path, 0o700) == 0 ? 0 : errno
    if missing == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try makeFolders(String(path[..<slash]))
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemRefusal.error(place: path) }
    } else if missing != 0, missing != EEXIST {
      throw SystemRefusal.error(missing, place: path)
    }
    try syncParent(of: path)
    let folder = try FolderHandle(path: path)
    let names = try folder.names().filter { !TemporaryName.matches($0) && $0 != Name.lock && $0 != Name.id }
    // A creation that was ended leaves an empty folder of objects.
    var isNew = names.isEmpty
    if names == [Name.objects] { isNew = try isEmptyFolder(Name.objects, in: folder) }
    guard isNew else { throw DocumentError(.exists, place: path) }
    guard fchmod(folder.descriptor, 0o700) == 0 else { throw SystemRefusal.error(place: path) }
    try folder.makeFolder(Name.objects)
    let store = Self(path: path, now: now)
    _ = try store.makeVaultID()
    return store
  }

  /// The vault's identifier, by which a person's vault names its key; nil where another writer gave it none.
  package func vaultID() throws(DocumentError) -> UUID? {
    try openFolder().read(Name.id, limit: 64).flatMap { UUID(String(decoding: $0.prefix(36), as: UTF8.self)) }
  }

  /// The vault's identifier, made where it has none.
  package func makeVaultID(_ random: RandomSource = .system) throws(DocumentError) -> UUID {
    if let id = try vaultID() { return id }
    let id = random.makeUUID()
    try setVaultID(id)
    return id
  }

  /// Gives the folder an identifier: that of the vault of which it is a copy.
  package func setVaultID(_ id: UUID) throws(DocumentError) {
    try writing { (folder) throws(DocumentError) in
      try folder.replace(Name.id, with: Array("\(id)\n".utf8))
      try folder.sync()
    }
  }

  private static func makeFolders(_ path: String) throws(DocumentError) {
    if mkdir(path, 0o700) == 0 { return try syncParent(of: path) }
    guard errno != EEXIST else { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw SystemRefusal.error(place: path)
    }
    try makeFolders(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemRefusal.error(place: path) }
    try syncParent(of: path)
  }

  private static func syncParent(of path: String) throws(DocumentError) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    // A folder that may be passed and not read can't be synced, which nothing can change.
    do throws(DocumentError) { try FolderHandle(path: parent).sync() } catch {
      guard error.code == .noPermission else { throw error }
    }
  }

  private static func isEmptyFolder(_ name: String, in folder: borrowing FolderHandle) throws(DocumentError) -> Bool {
    try FolderHandle(name, in: folder).names().allSatisfy { TemporaryName.matches($0) }
  }

  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  func openFolder() throws(DocumentError) -> FolderHandle { try FolderHandle(path: place) }

  /// Does work that changes the folder, after whatever an ended program had begun is done.
  func writing<R>(_ body: (borrowing FolderHandle) throws(DocumentError) -> R) throws(DocumentError) -> R {
    let folder = try openFolder()
    let lock = try FolderLock(in: folder, wait: lockWait)
    do throws(DocumentError) {
      try settle(folder)
      let result = try body(folder)
      lock.release()
      return result
    } catch {
      lock.release()
      throw error
    }
  }

  package func status() throws(DocumentError) -> StoreStatus {
    let folder = try openFolder()
    let state = try readState(folder)
    let rows = try readKeyWraps(folder)
    var (count, bytes) = (0, 0)
    if folder.exists(Name.objects) {
      let objects = try FolderHandle(Name.objects, in: folder)
      for name in try objects.names() {
        guard UUID(name) != nil, let status = objects.regularFile(name) else { continue }
        count += 1
        bytes = bytes.addingReportingOverflow(Int(status.st_size)).partialValue
      }
    }
    return StoreStatus(
      isEnabled: state != nil || !rows.isEmpty, revision: state?.revision ?? 0, objectCount: count, byteCount: bytes,
      keyWrapCount: rows.count)
  }
}

/// One writer at a time: an advisory lock on a file, which the kernel takes back should the program end.
struct FolderLock: ~Copyable {
  private let descriptor: Int32

  init(in folder: borrowing FolderHandle, wait: Int) throws(DocumentError) {
    descriptor = seif_openat(
      folder.descriptor, FolderDocumentStore.Name.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw SystemRefusal.error(place: folder.place) }
    var waited = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        let code = errno
        close(descriptor)
        throw SystemRefusal.error(code, place: folder.place)
      }
      guard waited < wait else {
        close(descriptor)
        throw DocumentError(.locked, place: folder.place)
      }
      usleep(5_000)
      waited += 5
    }
  }

  /// Lets the next writer in.
  consuming func release() {}

  deinit { close(descriptor) }
}
