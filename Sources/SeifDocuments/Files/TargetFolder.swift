internal import Glibc
internal import SeifBytes
internal import SeifDocumentFormat

/// A folder of this machine that documents are written to: its names are read once, and no file of it is overwritten
/// without being told so.
final class TargetFolder {
  private let handle: FolderHandle
  /// Names that are there, in one form of their letters: two that look alike are one.
  private var taken: Set<String>

  init(_ path: String) throws(DocumentError) {
    handle = try FolderHandle(path: path)
    taken = Set(try handle.names().map(Normalization.nfc))
  }

  private init(_ name: String, in parent: borrowing FolderHandle) throws(DocumentError) {
    handle = try FolderHandle(name, in: parent)
    taken = []
  }

  /// A new folder in it; one of this name that is there isn't mixed with it.
  func makeFolder(_ name: String) throws(DocumentError) -> TargetFolder {
    try named(name) { (candidate) throws(DocumentError) in
      guard mkdirat(handle.descriptor, candidate, 0o700) == 0 else {
        throw SystemRefusal.error(place: handle.path(candidate))
      }
      try handle.sync()
      return try TargetFolder(candidate, in: handle)
    }
  }

  /// Writes a file, which has its name only once `fill` has returned.
  ///
  /// - Parameters:
  ///   - replaces: whether a file of this very name goes; a folder never does.
  ///   - isExact: whether a name that is taken is refused, instead of getting a number.
  /// - Returns: its path.
  func write(
    _ name: String, replaces: Bool, isExact: Bool,
    _ fill: (borrowing FileHandle) throws(DocumentError) -> Void
  ) throws(DocumentError) -> String {
    var file = try NewFile.make(in: handle, place: handle.path(name))
    try fill(file.file)
    func publish(_ name: String) throws(DocumentError) -> String {
      try file.publish(as: name, replaces: replaces)
      try handle.sync()
      return handle.path(name)
    }
    guard isExact || replaces else { return try named(name, publish) }
    let path = try publish(name)
    taken.insert(Normalization.nfc(name))
    return path
  }

  /// Does something under a name that is free: the wanted one, else one with a number.
  private func named<R>(
    _ name: String, _ body: (String) throws(DocumentError) -> R
  ) throws(DocumentError) -> R {
    for attempt in 1...1000 {
      let candidate = attempt == 1 ? name : DocumentName.fileName(DocumentName.numbered(name, attempt))
      guard taken.insert(Normalization.nfc(candidate)).inserted else { continue }
      do throws(DocumentError) { return try body(candidate) } catch {
        // Another program was faster.
        guard error.code == .exists else { throw error }
      }
    }
    throw DocumentError(.exists, place: handle.path(name))
  }
}
