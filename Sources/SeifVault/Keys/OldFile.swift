private import CSeif
private import Glibc

/// A file that loses its name, held so that it can be overwritten afterwards.
///
/// The descriptor is closed last: closing it drops all locks that this process has on the file.
final class OldFile {
  private let descriptor: Int32

  init(_ path: String) throws(VaultError) {
    descriptor = seif_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0)
    guard descriptor >= 0 else { throw Folders.error(errno) }
  }

  deinit { close(descriptor) }

  /// Overwrites all of it, the beginning first: a file without one is no database to anybody. Flash memory and file systems
  /// that copy on writing may keep the old bytes.
  func erase() {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return }
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    var offset: off_t = 0
    while offset < status.st_size {
      let count = pwrite(descriptor, zeros, min(zeros.count, Int(status.st_size - offset)), offset)
      guard count > 0 else { break }
      offset += off_t(count)
    }
    fsync(descriptor)
  }
}

extension Folders {
  /// Puts a finished file in the place of another, its bytes durable first.
  ///
  /// - Returns: 0, or the system's error number.
  static func replace(_ path: String, by temporary: String) -> Int32 {
    let descriptor = seif_open(temporary, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
    guard descriptor >= 0 else { return errno }
    let isSynced = fsync(descriptor) == 0
    let failure = errno
    close(descriptor)
    guard isSynced else { return failure }
    return rename(temporary, path) == 0 ? 0 : errno
  }
}
