import CSQLite
import Glibc

typealias VFS = UnsafeMutablePointer<sqlite3_vfs>

private func recorder(_ vfs: VFS?) -> RecordingVFS? {
  vfs?.pointee.pAppData.map { Unmanaged<RecordingVFS>.fromOpaque($0).takeUnretainedValue() }
}

func shimOpen(
  _ vfs: VFS?, _ path: sqlite3_filename?, _ file: File?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let recorder = recorder(vfs), let real = sqlite3_vfs_find(nil), let file else { return SQLITE_MISUSE }
  let raw = UnsafeMutableRawPointer(file)
  // No methods: SQLite then doesn't close what failed to open.
  file.pointee.pMethods = nil
  let fault = recorder.count(.open)
  guard fault == SQLITE_OK else { return fault }
  // SQLite's own check takes an empty file for none.
  var status = stat()
  let existed = path.map { stat($0, &status) == 0 } ?? false
  let inner = (raw + ShimFile.headerSize).assumingMemoryBound(to: sqlite3_file.self)
  inner.pointee.pMethods = nil
  let result = real.pointee.xOpen(real, path, inner, flags, outFlags)
  guard result == SQLITE_OK else {
    // The contract: a failed open that set methods is still closed.
    if let methods = inner.pointee.pMethods { _ = methods.pointee.xClose(inner) }
    return result
  }
  let name = path.map { lastComponent($0) }
  raw.assumingMemoryBound(to: ShimFile.self).initialize(
    to: ShimFile(
      base: sqlite3_file(pMethods: UnsafePointer(shimMethods)), vfs: .passUnretained(recorder),
      name: name.map { .passRetained(NameBox($0)) },
      syncsFolder: flags & SQLITE_OPEN_CREATE != 0 && flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) != 0))
  if let name {
    let isNew = recorder.meets(name)
    if !existed {
      recorder.record(.create(file: name))
    } else if isNew {
      recorder.record(.baseline(file: name, bytes: contents(of: inner)))
    }
  }
  return SQLITE_OK
}

func shimDelete(_ vfs: VFS?, _ path: UnsafePointer<CChar>?, _ syncFolder: Int32) -> Int32 {
  guard let recorder = recorder(vfs), let real = sqlite3_vfs_find(nil) else { return SQLITE_MISUSE }
  let fault = recorder.count(.delete)
  guard fault == SQLITE_OK else { return fault }
  let result = real.pointee.xDelete(real, path, syncFolder)
  if result == SQLITE_OK, let path {
    recorder.record(.delete(file: lastComponent(path), durable: syncFolder != 0))
  }
  return result
}

func shimAccess(
  _ vfs: VFS?, _ path: UnsafePointer<CChar>?, _ flags: Int32, _ answer: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let real = sqlite3_vfs_find(nil) else { return SQLITE_MISUSE }
  return real.pointee.xAccess(real, path, flags, answer)
}

private func contents(of file: File) -> [UInt8] {
  guard let methods = file.pointee.pMethods else { return [] }
  var size: Int64 = 0
  guard methods.pointee.xFileSize(file, &size) == SQLITE_OK, size > 0, let count = Int32(exactly: size) else {
    return []
  }
  var bytes = [UInt8](repeating: 0, count: Int(count))
  guard methods.pointee.xRead(file, &bytes, count, 0) == SQLITE_OK else { return [] }
  return bytes
}
