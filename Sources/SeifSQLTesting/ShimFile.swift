import CSQLite

/// What SQLite allocates for an open file: this, then the usual VFS's own part.
struct ShimFile {
  var base: sqlite3_file
  var vfs: Unmanaged<RecordingVFS>
  /// The name without its folder; nil for temporary files, which no crash needs.
  var name: Unmanaged<NameBox>?

  /// The next sync of this file also syncs its folder.
  var syncsFolder: Bool

  /// A multiple of 16, so that what follows is aligned for anything.
  static let headerSize = (MemoryLayout<ShimFile>.size + 15) & ~15
}

final class NameBox {
  let name: String
  init(_ name: String) { self.name = name }
}

typealias File = UnsafeMutablePointer<sqlite3_file>

/// An open file seen from a callback.
struct OpenFile {
  let shim: UnsafeMutablePointer<ShimFile>
  let real: File
  let methods: UnsafePointer<sqlite3_io_methods>

  /// Nil only if SQLite called with a file that it never opened.
  init?(_ file: File?) {
    guard let file else { return nil }
    let raw = UnsafeMutableRawPointer(file)
    shim = raw.assumingMemoryBound(to: ShimFile.self)
    real = (raw + ShimFile.headerSize).assumingMemoryBound(to: sqlite3_file.self)
    guard let methods = real.pointee.pMethods else { return nil }
    self.methods = methods
  }

  var vfs: RecordingVFS { shim.pointee.vfs.takeUnretainedValue() }
  var name: String? { shim.pointee.name?.takeUnretainedValue().name }

  func record(_ event: (String) -> StorageEvent) {
    if let name { vfs.record(event(name)) }
  }
}

/// The part of a path after its last slash.
func lastComponent(_ path: UnsafePointer<CChar>) -> String {
  let path = String(cString: path)
  return path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
}
