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
  public init?(path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard let last = parts.last, last != ".", last != "..", !path.hasSuffix("/") else { return nil }
    self.path = path
    name = String(last)
    var parent = path.dropLast(last.count)
    while parent.count > 1, parent.last == "/" { parent.removeLast() }
    folder = FolderTransport(path: parent.isEmpty ? "." : String(parent))
  }

  public var id: String { "file" }
  public var displayName: String { path }
  public var requiresAuthentication: Bool { false }
  public var supportsAutomaticRestore: Bool { false }
  public var takesNames: Bool { false }
  public func isAvailable() -> Bool { folder.isAvailable() }

  public func listBackups() throws(TransportError) -> [BackupDescriptor] {
    try folder.listBackups().filter { $0.name.utf8.elementsEqual(name.utf8) }
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
