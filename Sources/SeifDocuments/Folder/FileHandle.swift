internal import CSeif
internal import Glibc
internal import SeifBytes

/// An open file, closed with this value.
struct FileHandle: ~Copyable {
  let descriptor: Int32
  let place: String

  init(_ descriptor: Int32, place: String) {
    self.descriptor = descriptor
    self.place = place
  }

  deinit { close(descriptor) }

  var status: stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  var isRegular: Bool { status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false }

  var byteCount: Int { status.map { Int($0.st_size) } ?? 0 }

  /// The umask can only take rights away; an odd one mustn't leave a file that its owner can't read.
  func closeToOthers() throws(DocumentError) {
    guard fchmod(descriptor, 0o600) == 0 else { throw SystemRefusal.error(place: place) }
  }

  func sync() throws(DocumentError) {
    guard fsync(descriptor) == 0 else { throw SystemRefusal.error(place: place) }
  }

  func write(_ bytes: [UInt8]) throws(DocumentError) {
    // `withUnsafeBytes` doesn't carry typed errors, hence the result.
    try bytes.withUnsafeBytes { buffer in Result { () throws(DocumentError) in try write(buffer) } }.get()
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(DocumentError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemRefusal.error(count == 0 ? EIO : errno, place: place) }
      done += count
    }
  }

  /// As many bytes as there are, up to the buffer's room; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DocumentError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = pread(descriptor, rest.baseAddress, rest.count, offset + done)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemRefusal.error(place: place) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  func readAll(limit: Int) throws(DocumentError) -> [UInt8] {
    let count = byteCount
    guard count <= limit else { throw DocumentError(.tooLarge, place: place) }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(DocumentError) in try read(into: buffer, at: 0) }
    }.get()
    guard got == count else {
      throw DocumentError(.failed, place: place, reason: "it became shorter while it was read")
    }
    return bytes
  }

  /// Calls `body` with the bytes of a range, piece by piece.
  func forEachPiece(
    _ range: Range<Int>, _ body: (RawSpan) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    let room = min(max(1, range.count), ObjectSource.pieceByteCount)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 16)
    defer { buffer.deallocate() }
    var offset = range.lowerBound
    while offset < range.upperBound {
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(room, range.upperBound - offset)])
      let count = try read(into: piece, at: offset)
      guard count == piece.count else {
        throw DocumentError(.failed, place: place, reason: "it became shorter while it was read")
      }
      try body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(piece)))
      offset += count
    }
  }

  static func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
    if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
  }

  /// Whether another file holds the same bytes.
  func hasSameBytes(as other: borrowing FileHandle) throws(DocumentError) -> Bool {
    let count = byteCount
    guard other.byteCount == count else { return false }
    let room = ObjectSource.pieceByteCount
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room * 2, alignment: 16)
    defer { buffer.deallocate() }
    var offset = 0
    while offset < count {
      let mine = UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])
      let theirs = UnsafeMutableRawBufferPointer(rebasing: buffer[room...])
      let got = try read(into: mine, at: offset)
      guard try other.read(into: theirs, at: offset) == got, got > 0, let left = mine.baseAddress,
        let right = theirs.baseAddress, memcmp(left, right, got) == 0
      else { return false }
      offset += got
    }
    return true
  }
}
