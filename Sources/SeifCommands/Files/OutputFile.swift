package import SeifCommandLine
internal import CSeif
internal import Glibc

/// A file that appears under its name whole or not at all.
///
/// Written with mode 0600 beside the target, without a name where the file system can do that (O_TMPFILE), else under a
/// temporary one; synced; then linked or renamed; then the folder is synced. After a failure, `deinit` without
/// ``commit()``, or ctrl-C nothing is left.
package struct OutputFile: ~Copyable {
  private let descriptor: Int32
  private let folder: Int32
  private let name: String
  private let shown: String
  private let replaces: Bool
  private var temporary: Temporary?

  /// A temporary name, taken away when the run is interrupted.
  private struct Temporary {
    let name: String
    let key: UInt64
  }

  /// Begins a file.
  /// - Parameters:
  ///   - replacing: whether an existing regular file may be replaced (`--force`).
  ///   - allowsUnnamed: off in tests of file systems that have no nameless files.
  /// - Throws: exit 73 where the file exists, its folder isn't there or mayn't be written.
  package init(_ path: String, replacing: Bool, allowsUnnamed: Bool = true) throws(CommandFailure) {
    let target = try Self.target(path, replacing: replacing)
    let folder = seif_open(target.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard folder >= 0 else { throw Self.cannotCreate(path, errno) }
    var descriptor =
      allowsUnnamed && Self.canLinkUnnamed ? seif_openat(folder, ".", seif_O_TMPFILE | O_WRONLY | O_CLOEXEC, 0o600) : -1
    var temporary: Temporary?
    if descriptor < 0 {
      let named = Self.openNamed(in: folder)
      guard named.descriptor >= 0 else {
        let code = errno
        close(folder)
        throw Self.cannotCreate(path, code)
      }
      descriptor = named.descriptor
      temporary = Self.protect(named.name, in: folder)
    }
    // The umask can only take rights away; an odd one mustn't leave us a file that its owner can't read.
    fchmod(descriptor, 0o600)
    self.shown = path
    self.replaces = replacing
    self.name = target.name
    self.folder = folder
    self.descriptor = descriptor
    self.temporary = temporary
  }

  deinit {
    if let temporary {
      unlinkat(folder, temporary.name, 0)
      Interrupts.remove(temporary.key)
    }
    close(descriptor)
    close(folder)
  }

  /// Appends bytes.
  /// - Throws: exit 74 where the disk is full or fails.
  package mutating func write(_ bytes: RawSpan) throws(CommandFailure) {
    let code = Descriptor.writeAll(bytes, to: descriptor)
    if code != 0 { throw Self.ioFailed(shown, code) }
  }

  /// Makes the file durable and gives it its name.
  /// - Throws: exit 73 where a file of that name has come up meanwhile, 74 where the disk fails.
  package consuming func commit() throws(CommandFailure) {
    guard fsync(descriptor) == 0 else { throw Self.ioFailed(shown, errno) }
    if temporary == nil {
      if !replaces {
        if seif_link_unnamed(descriptor, folder, name) == 0 { return try settle() }
        throw Self.cannotCreate(shown, errno)
      }
      // Linking can't replace: the file gets a temporary name first.
      let temporaryName = Self.temporaryName()
      let protected = Self.protect(temporaryName, in: folder)
      temporary = protected
      if seif_link_unnamed(descriptor, folder, temporaryName) != 0 { throw Self.cannotCreate(shown, errno) }
    }
    guard let current = temporary else { return }
    let (folder, name, replaces) = (self.folder, self.name, self.replaces)
    let code = Interrupts.remove(current.key) {
      if replaces { return renameat(folder, current.name, folder, name) == 0 ? 0 : errno }
      return seif_rename_new(folder, current.name, name) == 0 ? 0 : errno
    } if: {
      $0 == 0
    }
    if code != 0 { throw Self.cannotCreate(shown, code) }
    temporary = nil
    try settle()
  }

  /// Makes the name durable; what isn't certain to stay isn't left there, but for what has replaced another file.
  private func settle() throws(CommandFailure) {
    // Some file systems can't sync a folder (EINVAL); there the rename is as durable as it gets.
    guard fsync(folder) != 0, errno != EINVAL, errno != EROFS else { return }
    let code = errno
    guard replaces else {
      unlinkat(folder, name, 0)
      throw Self.ioFailed(shown, code)
    }
    throw CommandFailure(
      .ioFailed, "\(shown) was replaced, but the disk failed: \(Descriptor.words(for: code))",
      hint: "Without power the old one could come back.")
  }

  // MARK: - Names

  /// The folder and name to write, links followed when replacing, so that a link stays a link.
  private static func target(
    _ path: String, replacing: Bool
  ) throws(CommandFailure) -> (folder: String, name: String) {
    guard !path.isEmpty, !path.hasSuffix("/") else { throw cannotCreate(path, EISDIR) }
    var path = path
    var status = stat()
    if lstat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { throw cannotCreate(path, EISDIR) }
      if !replacing { throw cannotCreate(path, EEXIST) }
      if status.st_mode & S_IFMT == S_IFLNK {
        guard let real = realpath(path, nil) else { throw cannotCreate(path, errno) }
        path = String(cString: real)
        free(real)
        guard stat(path, &status) == 0 else { throw cannotCreate(path, errno) }
      }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw CommandFailure(.cannotCreate, "\(path) isn't an ordinary file", hint: "Use -o - for stdout.")
      }
    }
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, String(path[path.index(after: slash)...]))
  }

  private static func temporaryName() -> String {
    var random = SystemRandomNumberGenerator()
    return ".seif-" + String(random.next() as UInt64, radix: 36) + ".part"
  }

  private static func openNamed(in folder: Int32) -> (descriptor: Int32, name: String) {
    for _ in 0..<16 {
      let name = temporaryName()
      let descriptor = seif_openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      if descriptor >= 0 || errno != EEXIST { return (descriptor, name) }
    }
    return (-1, "")
  }

  private static func protect(_ name: String, in folder: Int32) -> Temporary {
    Temporary(name: name, key: Interrupts.add(.init(end: { unlinkat(folder, name, 0) })))
  }

  /// A nameless file gets its name through /proc, which a container may lack.
  private static let canLinkUnnamed = access("/proc/self/fd", X_OK) == 0

  // MARK: - Words

  private static func cannotCreate(_ path: String, _ code: Int32) -> CommandFailure {
    switch code {
    case EEXIST:
      CommandFailure(.cannotCreate, "\(path) exists", hint: "Give another name, or --force to replace it.")
    case ENOENT: CommandFailure(.cannotCreate, "the folder of \(path) isn't there", hint: "Make it first.")
    case EISDIR: CommandFailure(.cannotCreate, "\(path) is a folder", hint: "Give the name of a file in it.")
    case ENOSPC, EDQUOT, EIO: ioFailed(path, code)
    default: CommandFailure(.cannotCreate, "\(path) can't be written: \(Descriptor.words(for: code))")
    }
  }

  private static func ioFailed(_ path: String, _ code: Int32) -> CommandFailure {
    CommandFailure(
      .ioFailed, "\(path) can't be written: \(Descriptor.words(for: code))", hint: "Nothing was left there.")
  }
}
