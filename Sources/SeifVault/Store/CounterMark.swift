private import CSeif
private import Glibc
internal import SeifBytes

/// The highest counter of a vault ever seen on this machine, in a file of the state folder.
///
/// Writers of several processes take turns by a lock. Nothing is synced: after a loss of power the mark may be lower,
/// which never raises a false alarm.
struct CounterMark {
  let folder: String
  let vaultID: UUID

  private var path: String { folder + "/" + vaultID.description + ".counter" }

  /// The mark; nil where there is none or it can't be read.
  func read() -> UInt64? {
    // Not waiting for the writer of a pipe that stands in its place.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return Self.number(in: descriptor)
  }

  /// Raises the mark to a counter that is higher.
  ///
  /// - Returns: whether the mark could be kept.
  @discardableResult
  func raise(to counter: UInt64) -> Bool { write { max($0 ?? 0, counter) } }

  /// Sets the mark, on a person's word.
  func set(to counter: UInt64) -> Bool { write { _ in counter } }

  private func write(_ change: (UInt64?) -> UInt64) -> Bool {
    Folders.make(folder)
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX) == 0 else { return false }
    let old = Self.number(in: descriptor)
    let new = change(old)
    guard new != old else { return true }
    // Always 21 bytes in one call, so that a kill leaves the old or the new number.
    let digits = String(new)
    let line = Array((String(repeating: "0", count: 20 - digits.utf8.count) + digits + "\n").utf8)
    return pwrite(descriptor, line, line.count, 0) == line.count
  }

  private static func number(in descriptor: Int32) -> UInt64? {
    var line = [UInt8](repeating: 0, count: 21)
    guard pread(descriptor, &line, 21, 0) == 21, line[20] == 0x0A else { return nil }
    return UInt64(String(decoding: line[..<20], as: UTF8.self))
  }
}

/// Folders of the vault.
enum Folders {
  /// Makes a folder and those above it that aren't there, mode 0700.
  ///
  /// - Returns: 0, or the system's error number.
  @discardableResult
  static func make(_ path: String) -> Int32 {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return 0 }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return errno }
    let failure = make(String(path[..<slash]))
    guard failure == 0 else { return failure }
    return mkdir(path, 0o700) == 0 || errno == EEXIST ? 0 : errno
  }

  /// Closes a folder that holds nothing yet to others; one with files in it is a person's own matter, unless others could
  /// put a file of theirs in the vault's place.
  ///
  /// - Returns: why no vault can lie there, or nil.
  static func refusal(afterClosing path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return "it is no folder" }
    guard status.st_uid == geteuid() else { return "the folder belongs to another user" }
    if isEmpty(path) { return chmod(path, 0o700) == 0 ? nil : "the folder can't be closed to others, error \(errno)" }
    return status.st_mode & 0o022 == 0 ? nil : "others can write to the folder; run chmod 700 on it"
  }

  private static func isEmpty(_ path: String) -> Bool {
    guard let stream = opendir(path) else { return false }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name == "." || name == ".." else { return false }
    }
    return true
  }

  static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0
  }

  /// Gives a finished file its name, unless the name is taken.
  ///
  /// - Returns: 0, or the system's error number.
  static func publish(_ temporary: String, as path: String) -> Int32 {
    // Not every file system has hard links (FAT, some in user space).
    seif_rename_new(AT_FDCWD, temporary, path) == 0 ? 0 : errno
  }

  static func remove(_ path: String) { unlink(path) }

  /// Makes the names in a folder durable.
  static func sync(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
