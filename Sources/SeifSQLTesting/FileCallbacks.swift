import CSQLite

// SQLite's I/O methods. Global functions: a closure could inherit an actor and trap on SQLite's thread.

/// Made once, never freed: SQLite keeps the address in every open file.
nonisolated(unsafe) let shimMethods: UnsafeMutablePointer<sqlite3_io_methods> = {
  let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
  // Version 2: without memory-mapped reads, so that each read passes here.
  methods.initialize(
    to: sqlite3_io_methods(
      iVersion: 2, xClose: shimClose, xRead: shimRead, xWrite: shimWrite, xTruncate: shimTruncate, xSync: shimSync,
      xFileSize: shimFileSize, xLock: shimLock, xUnlock: shimUnlock, xCheckReservedLock: shimCheckReservedLock,
      xFileControl: shimFileControl, xSectorSize: shimSectorSize, xDeviceCharacteristics: shimCharacteristics,
      xShmMap: shimShmMap, xShmLock: shimShmLock, xShmBarrier: shimShmBarrier, xShmUnmap: shimShmUnmap, xFetch: nil,
      xUnfetch: nil))
  return methods
}()

func shimClose(_ file: File?) -> Int32 {
  guard let open = OpenFile(file) else { return SQLITE_OK }
  let result = open.methods.pointee.xClose(open.real)
  open.shim.pointee.name?.release()
  open.shim.pointee.name = nil
  return result
}

func shimRead(_ file: File?, _ buffer: UnsafeMutableRawPointer?, _ count: Int32, _ offset: Int64) -> Int32 {
  guard let open = OpenFile(file) else { return SQLITE_MISUSE }
  let fault = open.vfs.count(.read)
  guard fault == SQLITE_OK else { return fault }
  return open.methods.pointee.xRead(open.real, buffer, count, offset)
}

func shimWrite(_ file: File?, _ buffer: UnsafeRawPointer?, _ count: Int32, _ offset: Int64) -> Int32 {
  guard let open = OpenFile(file) else { return SQLITE_MISUSE }
  let fault = open.vfs.count(.write)
  var count = count
  if fault != SQLITE_OK {
    guard fault & 0xff == SQLITE_FULL, count > 1 else { return fault }
    count /= 2
  }
  let result = open.methods.pointee.xWrite(open.real, buffer, count, offset)
  guard result == SQLITE_OK else { return result }
  let bytes = Array(UnsafeRawBufferPointer(start: buffer, count: Int(count)))
  open.record { .write(file: $0, offset: Int(offset), bytes: bytes) }
  return fault
}

func shimTruncate(_ file: File?, _ size: Int64) -> Int32 {
  guard let open = OpenFile(file) else { return SQLITE_MISUSE }
  let fault = open.vfs.count(.truncate)
  guard fault == SQLITE_OK else { return fault }
  let result = open.methods.pointee.xTruncate(open.real, size)
  if result == SQLITE_OK { open.record { .truncate(file: $0, byteCount: Int(size)) } }
  return result
}

func shimSync(_ file: File?, _ flags: Int32) -> Int32 {
  guard let open = OpenFile(file) else { return SQLITE_MISUSE }
  let fault = open.vfs.count(.sync)
  guard fault == SQLITE_OK else { return fault }
  let result = open.methods.pointee.xSync(open.real, flags)
  guard result == SQLITE_OK else { return result }
  open.record { .sync(file: $0) }
  if open.shim.pointee.syncsFolder {
    open.shim.pointee.syncsFolder = false
    open.vfs.record(.syncFolder)
  }
  return result
}

func shimFileSize(_ file: File?, _ size: UnsafeMutablePointer<Int64>?) -> Int32 {
  guard let open = OpenFile(file) else { return SQLITE_MISUSE }
  let fault = open.vfs.count(.fileSize)
  guard fault == SQLITE_OK else { return fault }
  return open.methods.pointee.xFileSize(open.real, size)
}

func shimLock(_ file: File?, _ level: Int32) -> Int32 {
  guard let open = OpenFile(file) else { return SQLITE_MISUSE }
  let fault = open.vfs.count(.lock)
  guard fault == SQLITE_OK else { return fault }
  return open.methods.pointee.xLock(open.real, level)
}

func shimUnlock(_ file: File?, _ level: Int32) -> Int32 {
  guard let open = OpenFile(file) else { return SQLITE_MISUSE }
  return open.methods.pointee.xUnlock(open.real, level)
}

func shimCheckReservedLock(_ file: File?, _ reserved: UnsafeMutablePointer<Int32>?) -> Int32 {
  guard let open = OpenFile(file) else { return SQLITE_MISUSE }
  return open.methods.pointee.xCheckReservedLock(open.real, reserved)
}

func shimFileControl(_ file: File?, _ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  guard let open = OpenFile(file) else { return SQLITE_MISUSE }
  return open.methods.pointee.xFileControl(open.real, operation, argument)
}

func shimSectorSize(_ file: File?) -> Int32 {
  guard let open = OpenFile(file) else { return 4096 }
  return open.methods.pointee.xSectorSize(open.real)
}

func shimCharacteristics(_ file: File?) -> Int32 {
  guard let open = OpenFile(file) else { return 0 }
  return open.methods.pointee.xDeviceCharacteristics(open.real)
}

// MARK: - The index of the write-ahead log: shared memory, made anew after a crash, so never recorded

func shimShmMap(
  _ file: File?, _ page: Int32, _ size: Int32, _ extend: Int32,
  _ address: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 {
  guard let open = OpenFile(file), let map = open.methods.pointee.xShmMap else { return SQLITE_MISUSE }
  let fault = open.vfs.count(.sharedMemory)
  guard fault == SQLITE_OK else { return fault }
  return map(open.real, page, size, extend, address)
}

func shimShmLock(_ file: File?, _ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
  guard let open = OpenFile(file), let lock = open.methods.pointee.xShmLock else { return SQLITE_MISUSE }
  return lock(open.real, offset, count, flags)
}

func shimShmBarrier(_ file: File?) {
  guard let open = OpenFile(file) else { return }
  open.methods.pointee.xShmBarrier?(open.real)
}

func shimShmUnmap(_ file: File?, _ delete: Int32) -> Int32 {
  guard let open = OpenFile(file), let unmap = open.methods.pointee.xShmUnmap else { return SQLITE_MISUSE }
  return unmap(open.real, delete)
}
