private import CSeif
private import Glibc

/// Folders of the vault, and files in them.
enum Folders {
  /// Makes a folder and those above it that aren't there, mode 0700, their names durable.
  ///
  /// - Returns: 0, or the system's error number.
  @discardableResult
  static func make(_ path: String) -> Int32 {
    if mkdir(path, 0o700) == 0 { return sync(parent(of: path)) }
    guard errno != EEXIST else { return 0 }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return errno }
    let failure = make(String(path[..<slash]))
    guard failure == 0 else { return failure }
    if mkdir(path, 0o700) == 0 { return sync(parent(of: path)) }
    return errno == EEXIST ? 0 : errno
  }

  /// The folder that a path stands in.
  static func parent(of path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Closes a folder that holds nothing yet to others; one with files in it is a person's own matter, unless others could
  /// put a file of theirs in the vault's place.
  ///
  /// - Returns: why no vault can lie there, or nil.
  static func refusal(afterClosing path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return "it is no folder" }
    guard status.st_uid == geteuid() else { return "the folder belongs to another user" }
    if names(in: path) == [] {
      return chmod(path, 0o700) == 0 ? nil : "the folder can't be closed to others, error \(errno)"
    }
    return status.st_mode & 0o022 == 0 ? nil : "others can write to the folder; run chmod 700 on it"
  }

  static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// What stands in a folder, in no order; nil where it can't be read.
  static func names(in path: String) -> [String]? {
    guard let stream = opendir(path) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = String(cString: seif_entry_name(entry))
      if name != ".", name != ".." { names.append(name) }
    }
    return names
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

  /// - Returns: 0, or the system's error number.
  static func move(_ path: String, to other: String) -> Int32 { rename(path, other) == 0 ? 0 : errno }

  static func remove(_ path: String) { unlink(path) }

  /// Makes the names in a folder durable.
  ///
  /// - Returns: 0, or the system's error number; 0 too for a folder that mayn't be read, where nothing can be done, and on
  ///   file systems that can't sync a folder.
  static func sync(_ folder: String) -> Int32 {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == EACCES ? 0 : errno }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno
  }

  /// The system's refusal as the vault's.
  static func error(_ code: Int32) -> VaultError {
    let kind: VaultError.Code =
      switch code {
      case ENOSPC, EDQUOT: .full
      case EIO: .io
      case EEXIST: .alreadyExists
      case EROFS: .readOnly
      default: .cantOpen
      }
    return VaultError(kind, String(cString: strerror(code)))
  }
}
