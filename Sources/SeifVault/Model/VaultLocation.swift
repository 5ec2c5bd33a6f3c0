/// Where a vault stands.
public struct VaultLocation: Sendable, Hashable {
  /// The vault's folder (0700), which holds `vault.db` (0600).
  public let folder: String
  /// A folder apart from the vault, where the highest counter ever seen is kept, so that an older copy put in the
  /// vault's place shows.
  public let stateFolder: String
  /// SQLite's file system, for tests that inject faults; nil: the system's.
  let vfs: String?
  /// The number of the folder's file system (`statfs`), for tests; nil: what the system says.
  let fileSystemType: UInt32?
  /// The database file's name: `vault.db`, but for one that is proven before it takes that name.
  package let fileName: String

  /// A vault's place.
  public init(folder: String, stateFolder: String) {
    self.init(folder: folder, stateFolder: stateFolder, vfs: nil)
  }

  package init(
    folder: String, stateFolder: String, vfs: String?, fileName: String = "vault.db", fileSystemType: UInt32? = nil
  ) {
    self.folder = folder
    self.stateFolder = stateFolder
    self.vfs = vfs
    self.fileName = fileName
    self.fileSystemType = fileSystemType
  }

  /// Of a vault that is in memory only: nothing can be read or written there.
  static let nowhere = VaultLocation(folder: "/dev/null", stateFolder: "/dev/null")

  /// The database file.
  public var file: String { folder.hasSuffix("/") ? folder + fileName : folder + "/" + fileName }

  /// The network file system that the folder is on, by name; nil where it is on a disk of this machine or isn't there.
  package var networkFileSystem: String? {
    (fileSystemType ?? NetworkFileSystem.type(of: folder)).flatMap(NetworkFileSystem.name)
  }
}

/// How a vault is opened.
public enum VaultAccess: Sendable, Hashable {
  /// Reads only, and leaves no file behind.
  case readOnly
  /// Reads and writes.
  case readWrite
}
