internal import CSeif
internal import Glibc
public import SeifBackups
public import SeifBytes

/// A folder of this machine: each backup a file of its own, written under a temporary name, made durable, then given its
/// name by a link that fails where the name is taken.
public struct FolderTransport: BackupTransport {
  /// The folder's path.
  public let path: String
  /// Off in tests of file systems that have no nameless files.
  package var allowsUnnamed = true
  private let undo: UndoOnInterrupt

  /// A folder that exists.
  ///
  /// - Parameter undo: called before a file with a temporary name is made, on file systems without nameless ones: what it
  ///   is given takes the file away, and what it returns is called when there is nothing to take away any more.
  public init(path: String, undo: @escaping UndoOnInterrupt = { _ in {} }) {
    self.path = path
    self.undo = undo
  }

  public var id: String { "folder" }
  public var displayName: String { path }
  public var requiresAuthentication: Bool { false }
  public var supportsAutomaticRestore: Bool { true }
  public var fixedName: String? { nil }

  public func isAvailable() -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  public func checkWriting() throws(TransportError) {
    let folder = try openFolder()
    defer { close(folder) }
    try DurableFile.tryOut(folder: folder, place: path, allowsUnnamed: allowsUnnamed, undo: undo)
  }

  public func listBackups() throws(TransportError) -> [BackupDescriptor] {
    guard let folder = opendir(path) else { throw SystemFault.error(place: path) }
    defer { closedir(folder) }
    var found: [BackupDescriptor] = []
    while let entry = readdir(folder) {
      let name = FolderEntry.name(of: entry)
      var status = stat()
      // A link could lead anywhere, so links aren't followed.
      guard !TemporaryName.matches(name), fstatat(dirfd(folder), name, &status, AT_SYMLINK_NOFOLLOW) == 0,
        status.st_mode & S_IFMT == S_IFREG
      else { continue }
      found.append(BackupDescriptor(id: name, name: name, byteCount: Int(status.st_size)))
    }
    return found
  }

  public func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    try checkName(name)
    let folder = try openFolder()
    defer { close(folder) }
    try DurableFile.write(
      content, folder: folder, name: name, place: place(name), allowsUnnamed: allowsUnnamed, undo: undo)
    return BackupDescriptor(id: name, name: name, byteCount: content.byteCount)
  }

  public func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    try checkName(id)
    let folder = try openFolder()
    defer { close(folder) }
    return try DurableFile.read(folder: folder, name: id, place: place(id), limit: limit)
  }

  public func delete(id: String) throws(TransportError) {
    try checkName(id)
    let folder = try openFolder()
    defer { close(folder) }
    guard unlinkat(folder, id, 0) == 0 else { throw SystemFault.error(place: place(id)) }
    try DurableFile.sync(folder: folder, place: path)
  }

  private func openFolder() throws(TransportError) -> Int32 {
    let folder = seif_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard folder >= 0 else { throw SystemFault.error(place: path) }
    return folder
  }

  // A name's path as a person would write it.
  private func place(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  // A name stays inside the folder: it is matched, never cleaned.
  private func checkName(_ name: String) throws(TransportError) {
    guard !name.isEmpty, name.utf8.count <= 255, name != ".", name != "..", !TemporaryName.matches(name),
      !name.utf8.contains(where: { $0 == 0x2F || $0 < 0x20 || $0 == 0x7F })
    else { throw TransportError(.notFound, place: path, reason: "not a name of a file") }
  }
}
