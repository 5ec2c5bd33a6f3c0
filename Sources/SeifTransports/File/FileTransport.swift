internal import CSeif
internal import Glibc
public import SeifBackups
public import SeifBytes

/// One file, `file:PATH`: lists that file alone. A backup goes there once; a second one is refused.
public struct FileTransport: BackupTransport {
  /// The file's path.
  public let path: String
  private let folder: FolderTransport
  private let name: String

  /// A file that may or may not be there; nil for a path without a name.
  ///
  /// - Parameter undo: as `FolderTransport` takes it.
  public init?(path: String, undo: @escaping UndoOnInterrupt = { _ in {} }) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard let last = parts.last, last != ".", last != "..", !path.hasSuffix("/") else { return nil }
    self.path = path
    name = String(last)
    var parent = path.dropLast(last.count)
    while parent.utf8.count > 1, parent.hasSuffix("/") { parent.removeLast() }
    folder = FolderTransport(path: parent.isEmpty ? "." : String(parent), undo: undo)
  }

  public var id: String { "file" }
  public var displayName: String { path }
  public var requiresAuthentication: Bool { false }
  public var supportsAutomaticRestore: Bool { false }
  public var fixedName: String? { name }
  public func isAvailable() -> Bool { folder.isAvailable() }

  public func checkWriting() throws(TransportError) { try folder.checkWriting() }

  /// The file, or nothing. What lies under its name and is no regular file is an error, since no backup can go there.
  public func listBackups() throws(TransportError) -> [BackupDescriptor] {
    var status = stat()
    guard folder.isAvailable() else { throw TransportError(.notFound, place: folder.path) }
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return [] }
      throw SystemFault.error(place: path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw TransportError(.failed, place: path, reason: "not a regular file")
    }
    return [BackupDescriptor(id: name, name: name, byteCount: Int(status.st_size))]
  }

  /// Stores under the path's own name, whatever name is asked for.
  public func upload(_ content: SecretValue, name _: String) throws(TransportError) -> BackupDescriptor {
    try folder.upload(content, name: name)
  }

  public func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    try folder.download(id: id, limit: limit)
  }

  public func delete(id: String) throws(TransportError) {
    try folder.delete(id: id)
  }
}
