internal import CSeif
internal import Glibc
internal import SeifBytes

/// A file that gets its name only when it is whole; before that it has a temporary one, and is taken away with this value.
struct OutputFile: ~Copyable {
  let file: FileHandle
  private let folder: FolderHandle
  private let temporary: String
  private var isDone = false

  init(in folder: consuming FolderHandle) throws(DocumentError) {
    temporary = TemporaryName.make()
    let descriptor = seif_openat(
      folder.descriptor, temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    let code = errno
    file = FileHandle(descriptor, place: folder.place)
    let place = folder.place
    self.folder = folder
    guard descriptor >= 0 else {
      isDone = true
      throw SystemRefusal.error(code, place: place)
    }
  }

  /// Gives it its name.
  ///
  /// - Parameter replaces: whether a file of this name goes; a folder never does.
  /// - Throws: `exists`, so that another name may be tried.
  mutating func publish(as name: String, replaces: Bool) throws(DocumentError) {
    try file.sync()
    let result =
      replaces
      ? renameat(folder.descriptor, temporary, folder.descriptor, name)
      : seif_rename_new(folder.descriptor, temporary, name)
    guard result == 0 else { throw SystemRefusal.error(place: folder.path(name)) }
    isDone = true
    try folder.sync()
  }

  deinit { if !isDone { unlinkat(folder.descriptor, temporary, 0) } }
}
