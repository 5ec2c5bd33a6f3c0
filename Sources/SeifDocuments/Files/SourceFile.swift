internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifDocumentFormat

/// A file that goes into a vault: a regular one, of a size within the limit, that stays the same while it is read.
struct SourceFile: ~Copyable {
  let file: FileHandle
  let byteCount: Int
  private let before: stat

  /// A file that the person named, over links if it must be; a pipe or a device is refused without waiting.
  init(path: String) throws(DocumentError) {
    try self.init(seif_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0), place: path)
  }

  /// A file found inside a folder: no link is followed.
  init(_ name: String, in folder: borrowing FolderHandle) throws(DocumentError) {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
    try self.init(seif_openat(folder.descriptor, name, flags, 0), place: folder.path(name))
  }

  private init(_ descriptor: Int32, place: String) throws(DocumentError) {
    let code = errno
    guard descriptor >= 0 else {
      guard code != ELOOP, code != ENXIO else { throw DocumentError(.notAFile, place: place) }
      throw SystemRefusal.error(code, place: place)
    }
    let file = FileHandle(descriptor, place: place)
    guard let status = file.status, status.st_mode & S_IFMT == S_IFREG else {
      throw DocumentError(.notAFile, place: place)
    }
    guard status.st_size <= DocumentLimits.documentByteCount else {
      throw DocumentError(.tooLarge, place: place, reason: "50 MiB at most")
    }
    self.file = file
    byteCount = Int(status.st_size)
    before = status
  }

  /// The bytes from an offset on, as many as fit and as the file had when it was opened.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DocumentError) -> Int {
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, byteCount - offset)])
    let count = try file.read(into: room, at: offset)
    guard count == room.count else { throw DocumentError(.sourceChanged, place: file.place) }
    return count
  }

  /// Makes sure that the file is the one that was opened: its length and times, after all of it was read.
  func checkUnchanged() throws(DocumentError) {
    guard let now = file.status, now.st_size == before.st_size, now.st_mtim.tv_sec == before.st_mtim.tv_sec,
      now.st_mtim.tv_nsec == before.st_mtim.tv_nsec
    else { throw DocumentError(.sourceChanged, place: file.place) }
  }

  /// When it was last changed.
  var modifiedAt: Timestamp { Timestamp(seconds: Int64(before.st_mtim.tv_sec)) }
}
