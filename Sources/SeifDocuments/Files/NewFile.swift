internal import CSeif
internal import Glibc
internal import SeifBytes

/// A file that gets its name only when it is whole.
///
/// Before that it has none where the file system can do that, so that nothing of it is left whatever ends the program; else
/// a temporary one, which goes with this value.
struct NewFile: ~Copyable {
  let file: FileHandle
  private let folder: FolderHandle
  private var temporary: String?

  private init(_ file: consuming FileHandle, in folder: consuming FolderHandle, temporary: String?) {
    self.file = file
    self.folder = folder
    self.temporary = temporary
  }

  /// Begins one.
  ///
  /// - Parameters:
  ///   - folder: where it will stand.
  ///   - place: what it is called in a failure.
  ///   - allowsUnnamed: off in tests of file systems that have no nameless files.
  static func make(
    in folder: borrowing FolderHandle, place: String, allowsUnnamed: Bool = true
  ) throws(DocumentError) -> NewFile {
    let copy = try folder.duplicate()
    let (descriptor, temporary) = begin(in: folder.descriptor, allowsUnnamed)
    guard descriptor >= 0 else { throw SystemRefusal.error(place: place) }
    let new = NewFile(FileHandle(descriptor, place: place), in: copy, temporary: temporary)
    try new.file.closeToOthers()
    return new
  }

  private static func begin(in folder: Int32, _ allowsUnnamed: Bool) -> (descriptor: Int32, name: String?) {
    // A nameless file gets its name through /proc, which a container may lack.
    if allowsUnnamed, access("/proc/self/fd", X_OK) == 0 {
      let nameless = seif_openat(folder, ".", seif_O_TMPFILE | O_RDWR | O_CLOEXEC, 0o600)
      guard nameless < 0, [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(errno) else { return (nameless, nil) }
    }
    let name = TemporaryName.make()
    let named = seif_openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    return (named, named >= 0 ? name : nil)
  }

  /// Gives it its name, once its bytes are durable; the name is so after the folder's `sync`.
  ///
  /// - Parameter replaces: whether a file of this name goes; a folder never does.
  /// - Throws: `exists`, so that another name may be tried.
  mutating func publish(as name: String, replaces: Bool = false) throws(DocumentError) {
    try file.sync()
    // Linking can't replace: the file gets a temporary name first.
    if replaces, temporary == nil {
      let other = TemporaryName.make()
      guard seif_link_unnamed(file.descriptor, folder.descriptor, other) == 0 else {
        throw SystemRefusal.error(place: folder.path(name))
      }
      temporary = other
    }
    let result: Int32 =
      if let temporary {
        replaces
          ? renameat(folder.descriptor, temporary, folder.descriptor, name)
          : seif_rename_new(folder.descriptor, temporary, name)
      } else {
        seif_link_unnamed(file.descriptor, folder.descriptor, name)
      }
    guard result == 0 else { throw SystemRefusal.error(place: folder.path(name)) }
    temporary = nil
  }

  deinit { if let temporary { unlinkat(folder.descriptor, temporary, 0) } }
}
