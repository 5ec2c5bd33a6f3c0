internal import CSeif
internal import Glibc
package import SeifBytes
internal import SeifCrypto
internal import Synchronization

/// Blobs in a folder of this machine: `ab/abcd….`, named at random, each in a folder by the first two digits of its name.
package final class FolderBlobStore: BlobStore {
  private let root: Int32
  private let path: String
  private let allowsUnnamed: Bool

  /// Opens the folder, made with mode 0700 where there is none.
  ///
  /// - Parameter allowsUnnamed: off in tests of file systems that have no nameless files.
  package init(path: String, allowsUnnamed: Bool = true) throws(StoreFailure) {
    self.path = path
    self.allowsUnnamed = allowsUnnamed && access("/proc/self/fd", X_OK) == 0
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw Self.failure() }
    root = seif_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
    guard root >= 0 else { throw Self.failure() }
  }

  deinit { close(root) }

  package func begin() throws(StoreFailure) -> any BlobWriter {
    try begin(copyOf: RandomSource.system.makeUUID())
  }

  /// Begins the copy of another store's blob, under the same name.
  package func begin(copyOf blob: UUID) throws(StoreFailure) -> any BlobWriter {
    guard let folder = try shelf(of: blob, makes: true) else {
      throw StoreFailure(.unavailable, "the blobs' folder is gone")
    }
    return try FolderBlobWriter(blob, folder: folder, allowsUnnamed: allowsUnnamed)
  }

  package func open(_ blob: UUID) throws(StoreFailure) -> (any BlobReader)? {
    // The folder by itself, since O_NOFOLLOW holds for the last name of a path alone.
    guard let folder = try shelf(of: blob, makes: false) else { return nil }
    defer { close(folder) }
    let descriptor = seif_openat(folder, blob.description, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw Self.failure() }
      return nil
    }
    return try FolderBlobReader(descriptor)
  }

  package func remove(_ blob: UUID) throws(StoreFailure) {
    guard let folder = try shelf(of: blob, makes: false) else { return }
    defer { close(folder) }
    guard unlinkat(folder, blob.description, 0) == 0 || errno == ENOENT else { throw Self.failure() }
    guard fsync(folder) == 0 else { throw Self.failure() }
  }

  package func list(
    after: UUID?, limit: Int
  ) throws(StoreFailure) -> [(blob: UUID, byteCount: Int, storedAt: Timestamp)] {
    var found: [(blob: UUID, byteCount: Int, storedAt: Timestamp)] = []
    let first = after.map { Int($0.bytes[0]) } ?? 0
    for shelf in first..<256 where found.count < limit {
      let name = Base16.encode([UInt8(shelf)])
      let names = try names(in: name).compactMap { UUID($0) }.filter { Self.shelfName($0) == name }
      for blob in names.sorted(by: { $0.description < $1.description }) where found.count < limit {
        if let after, blob.description <= after.description { continue }
        var status = stat()
        guard fstatat(root, "\(name)/\(blob)", &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
        found.append(
          (blob, Int(status.st_size), Timestamp(milliseconds: Int64(status.st_mtim.tv_sec) * 1000)))
      }
    }
    return found
  }

  /// Takes away what ended processes left half written, if it is older than a moment.
  ///
  /// - Returns: how many files.
  package func removeLeftOvers(before: Timestamp) throws(StoreFailure) -> Int {
    var count = 0
    for shelf in 0..<256 {
      let folder = Base16.encode([UInt8(shelf)])
      for name in try names(in: folder) where name.hasSuffix(FolderBlobWriter.suffix) {
        var status = stat()
        guard fstatat(root, "\(folder)/\(name)", &status, AT_SYMLINK_NOFOLLOW) == 0,
          Int64(status.st_mtim.tv_sec) * 1000 < before.milliseconds
        else { continue }
        if unlinkat(root, "\(folder)/\(name)", 0) == 0 { count += 1 }
      }
    }
    return count
  }

  private func names(in shelf: String) throws(StoreFailure) -> [String] {
    let descriptor = seif_openat(root, shelf, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw Self.failure() }
      return []
    }
    guard let folder = fdopendir(descriptor) else {
      close(descriptor)
      throw Self.failure()
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = String(cString: seif_entry_name(entry))
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private func shelf(of blob: UUID, makes: Bool) throws(StoreFailure) -> Int32? {
    let name = Self.shelfName(blob)
    if makes {
      if mkdirat(root, name, 0o700) == 0 {
        guard fsync(root) == 0 else { throw Self.failure() }
      } else if errno != EEXIST {
        throw Self.failure()
      }
    }
    let folder = seif_openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
    guard folder >= 0 else {
      guard errno == ENOENT, !makes else { throw Self.failure() }
      return nil
    }
    return folder
  }

  private static func shelfName(_ blob: UUID) -> String { String(blob.description.prefix(2)) }

  static func failure(_ code: Int32 = errno) -> StoreFailure {
    let words = String(cString: strerror(code))
    return StoreFailure(code == ENOSPC || code == EDQUOT ? .full : .unavailable, "blobs: \(words)")
  }
}

/// A blob that is being written: without a name where the file system can, else under a temporary one.
private final class FolderBlobWriter: BlobWriter {
  static let suffix = ".part"

  private struct State {
    var descriptor: Int32
    var temporary: String?
  }

  private let blob: UUID
  private let folder: Int32
  private let state: Mutex<State>

  /// Takes the folder's descriptor over.
  init(_ blob: UUID, folder: Int32, allowsUnnamed: Bool) throws(StoreFailure) {
    self.blob = blob
    self.folder = folder
    var temporary: String?
    var descriptor: Int32 = -1
    if allowsUnnamed { descriptor = seif_openat(folder, ".", seif_O_TMPFILE | O_RDWR | O_CLOEXEC, 0o600) }
    if descriptor < 0 {
      let name = blob.description + Self.suffix
      descriptor = seif_openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      temporary = name
    }
    guard descriptor >= 0 else {
      let failure = FolderBlobStore.failure()
      close(folder)
      throw failure
    }
    state = Mutex(State(descriptor: descriptor, temporary: temporary))
  }

  func write(_ piece: UnsafeRawBufferPointer) throws(StoreFailure) {
    let code: Int32 = state.withLock { state in
      guard state.descriptor >= 0 else { return EBADF }
      var rest = piece[...]
      while !rest.isEmpty {
        let count = Glibc.write(
          state.descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if count == 0 || errno != EINTR {
          return count == 0 ? EIO : errno
        }
      }
      return 0
    }
    guard code == 0 else { throw FolderBlobStore.failure(code) }
  }

  func finish() throws(StoreFailure) -> UUID {
    let code: Int32 = state.withLock { state in
      guard state.descriptor >= 0, fsync(state.descriptor) == 0 else { return state.descriptor < 0 ? EBADF : errno }
      let result =
        if let temporary = state.temporary { seif_rename_new(folder, temporary, blob.description) } else {
          seif_link_unnamed(state.descriptor, folder, blob.description)
        }
      guard result == 0 else { return errno }
      state.temporary = nil
      close(state.descriptor)
      state.descriptor = -1
      return fsync(folder) == 0 ? 0 : errno
    }
    guard code == 0 else { throw FolderBlobStore.failure(code) }
    return blob
  }

  func abandon() {
    state.withLock { state in
      if state.descriptor >= 0 { close(state.descriptor) }
      state.descriptor = -1
      if let temporary = state.temporary { unlinkat(folder, temporary, 0) }
      state.temporary = nil
    }
  }

  deinit {
    abandon()
    close(folder)
  }
}

private final class FolderBlobReader: BlobReader {
  private let descriptor: Int32
  let byteCount: Int

  init(_ descriptor: Int32) throws(StoreFailure) {
    self.descriptor = descriptor
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw StoreFailure(.damaged, "blobs: something else than a file has a blob's name")
    }
    byteCount = Int(status.st_size)
  }

  deinit { close(descriptor) }

  func duplicateDescriptor() -> Int32? {
    let copy = seif_duplicate(descriptor)
    return copy >= 0 ? copy : nil
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StoreFailure) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      guard errno == EINTR else { throw FolderBlobStore.failure() }
    }
  }
}
