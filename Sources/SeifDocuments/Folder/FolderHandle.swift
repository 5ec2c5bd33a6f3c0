internal import CSeif
internal import Glibc
internal import SeifBytes

/// An open folder. What is in it is reached by its name alone, and no link is followed.
struct FolderHandle: ~Copyable {
  let descriptor: Int32
  /// The folder's path as a person would write it.
  let place: String

  /// The folder at a path, which the person chose and which may lead over links.
  init(path: String) throws(DocumentError) {
    descriptor = seif_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    place = path
    guard descriptor >= 0 else { throw SystemRefusal.error(place: path) }
  }

  /// A folder inside another.
  init(_ name: String, in parent: borrowing FolderHandle) throws(DocumentError) {
    place = parent.path(name)
    descriptor = seif_openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0)
    guard descriptor >= 0 else {
      guard errno != ELOOP else { throw DocumentError(.damaged, place: place, reason: "it is a link") }
      throw SystemRefusal.error(place: place)
    }
  }

  private init(_ descriptor: Int32, place: String) {
    self.descriptor = descriptor
    self.place = place
  }

  deinit { close(descriptor) }

  /// The same folder once more.
  func duplicate() throws(DocumentError) -> FolderHandle {
    let copy = seif_openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard copy >= 0 else { throw SystemRefusal.error(place: place) }
    return FolderHandle(copy, place: place)
  }

  func path(_ name: String) -> String { place.hasSuffix("/") ? place + name : "\(place)/\(name)" }

  /// Makes a folder in this one, mode 0700, unless it is there.
  func makeFolder(_ name: String) throws(DocumentError) {
    guard mkdirat(descriptor, name, 0o700) == 0 || errno == EEXIST else {
      throw SystemRefusal.error(place: path(name))
    }
    try sync()
  }

  /// Makes the names in this folder durable, as far as the file system can.
  func sync() throws(DocumentError) {
    if fsync(descriptor) != 0, errno != EINVAL, errno != EROFS { throw SystemRefusal.error(place: place) }
  }

  func exists(_ name: String) -> Bool {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
  }

  /// What a name stands for if it is a regular file; nil for anything else.
  func regularFile(_ name: String) -> stat? {
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return status
  }

  /// A regular file, opened for reading; nil where there is nothing. Waits for nothing: a pipe is refused.
  func open(_ name: String) throws(DocumentError) -> FileHandle? {
    let file = seif_openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
    guard file >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP, ENXIO: throw DocumentError(.damaged, place: path(name), reason: "it is no regular file")
      default: throw SystemRefusal.error(place: path(name))
      }
    }
    let handle = FileHandle(file, place: path(name))
    guard handle.isRegular else {
      throw DocumentError(.damaged, place: path(name), reason: "it is no regular file")
    }
    return handle
  }

  /// The bytes of a regular file; nil where there is nothing.
  func read(_ name: String, limit: Int) throws(DocumentError) -> [UInt8]? {
    guard let file = try open(name) else { return nil }
    return try file.readAll(limit: limit)
  }

  /// Puts a file in the place of what stands under the name: whole or not at all, its bytes durable before it has the
  /// name. The name itself is durable after `sync`.
  func replace(_ name: String, with bytes: [UInt8]) throws(DocumentError) {
    let temporary = TemporaryName.make()
    let file = seif_openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw SystemRefusal.error(place: path(name)) }
    let handle = FileHandle(file, place: path(name))
    var isNamed = false
    defer { if !isNamed { unlinkat(descriptor, temporary, 0) } }
    try handle.closeToOthers()
    try handle.write(bytes)
    try handle.sync()
    guard renameat(descriptor, temporary, descriptor, name) == 0 else {
      throw SystemRefusal.error(place: path(name))
    }
    isNamed = true
  }

  /// Gives a file another name, over one of that name. One that isn't there is no failure.
  func rename(_ name: String, to other: String) throws(DocumentError) {
    guard renameat(descriptor, name, descriptor, other) == 0 || errno == ENOENT else {
      throw SystemRefusal.error(place: path(other))
    }
  }

  /// Takes a file away; one that is gone is no failure.
  func remove(_ name: String) throws(DocumentError) {
    guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
      throw SystemRefusal.error(place: path(name))
    }
  }

  /// What stands in the folder, in no order.
  func names() throws(DocumentError) -> [String] {
    let copy = seif_openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard copy >= 0 else { throw SystemRefusal.error(place: place) }
    guard let entries = fdopendir(copy) else {
      close(copy)
      throw SystemRefusal.error(place: place)
    }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
      let name = String(cString: seif_entry_name(entry))
      guard name != ".", name != ".." else { continue }
      names.append(name)
      guard names.count <= DocumentBounds.objectCount else { throw DocumentError(.tooLarge, place: place) }
    }
    return names
  }

  /// Removes what a killed program left under temporary names more than a day ago.
  func removeLeftOver() {
    guard let all = try? names() else { return }
    for name in all where TemporaryName.matches(name) {
      guard let status = regularFile(name), status.st_mtim.tv_sec < time(nil) - 86_400 else { continue }
      unlinkat(descriptor, name, 0)
    }
  }
}

/// Names of files that are being written: `.seif-RANDOM.part`.
enum TemporaryName {
  static func make() -> String {
    var random = SystemRandomNumberGenerator()
    return ".seif-" + String(random.next() as UInt64, radix: 36) + ".part"
  }

  static func matches(_ name: String) -> Bool {
    guard name.hasPrefix(".seif-"), name.hasSuffix(".part"), (12...24).contains(name.utf8.count) else { return false }
    return name.utf8.dropFirst(6).dropLast(5).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
  }
}

/// The system's refusals as failures of a store.
enum SystemRefusal {
  static func error(_ code: Int32 = errno, place: String) -> DocumentError {
    let reason = String(cString: strerror(code))
    switch code {
    case ENOENT: return DocumentError(.notFound, place: place)
    case EEXIST: return DocumentError(.exists, place: place)
    case EACCES, EPERM: return DocumentError(.noPermission, place: place)
    case ENOTDIR: return DocumentError(.notAFolder, place: place)
    case ENOSPC, EDQUOT, EFBIG: return DocumentError(.full, place: place)
    case EROFS: return DocumentError(.readOnly, place: place)
    default: return DocumentError(.failed, place: place, reason: reason)
    }
  }
}

enum SystemClock {
  static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let (milliseconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1000)
    return Timestamp(milliseconds: overflow ? .max : milliseconds + Int64(time.tv_nsec) / 1_000_000)
  }
}
