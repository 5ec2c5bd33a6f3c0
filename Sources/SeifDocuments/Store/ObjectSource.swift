/// The bytes of a sealed document on their way to a store, read in pieces and once.
package struct ObjectSource {
  /// How many bytes come.
  package let byteCount: Int
  private let pull: (UnsafeMutableRawBufferPointer) throws(DocumentError) -> Int

  /// - Parameter pull: fills a buffer of at least one byte and gives the number of bytes, 0 after the last.
  package init(
    byteCount: Int, pull: @escaping (UnsafeMutableRawBufferPointer) throws(DocumentError) -> Int
  ) {
    self.byteCount = byteCount
    self.pull = pull
  }

  /// Bytes in memory.
  package init(_ bytes: [UInt8]) {
    var offset = 0
    self.init(byteCount: bytes.count) { (buffer) throws(DocumentError) in
      let count = min(buffer.count, bytes.count - offset)
      bytes.withUnsafeBytes { source in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[offset..<offset + count]))
      }
      offset += count
      return count
    }
  }

  /// The next bytes: as many as fit, fewer only at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(DocumentError) -> Int {
    var done = 0
    while done < buffer.count {
      let count = try pull(UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
      guard count > 0 else { break }
      done += count
    }
    return done
  }

  /// Reads all of it piece by piece, and makes sure that it has the length that it announced.
  package func forEachPiece(
    place: String, _ body: (UnsafeRawBufferPointer) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ObjectSource.pieceByteCount, alignment: 16)
    // Where a source fails half-way, what it was to seal may still stand in clear there.
    defer {
      FileHandle.wipe(buffer)
      buffer.deallocate()
    }
    var total = 0
    while true {
      let count = try read(into: buffer)
      guard count > 0 else { break }
      total += count
      guard total <= byteCount else { throw DocumentError(.sourceChanged, place: place) }
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    guard total == byteCount else { throw DocumentError(.sourceChanged, place: place) }
  }

  /// How much of an object is in memory at a time.
  package static let pieceByteCount = 1 << 20
}
