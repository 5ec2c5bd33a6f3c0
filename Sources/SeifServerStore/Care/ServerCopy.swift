internal import SeifBytes

/// A copy of all that a server keeps, as its database was at one moment, while the server goes on.
package struct ServerCopy {
  private let store: SQLiteServerStore
  private let blobs: any BlobStore

  package init(_ store: SQLiteServerStore, _ blobs: any BlobStore) {
    self.store = store
    self.blobs = blobs
  }

  /// Copies the database, then the blobs that the copy names.
  ///
  /// - Parameters:
  ///   - database: a path that is free.
  ///   - folder: where blobs go; what is there under their names already is left out.
  /// - Returns: how many blobs the copy has.
  /// - Throws: `damaged` where a blob is missing or has another length.
  package func run(
    database: String, blobs folder: String, progress: (Int) -> Void = { _ in }
  ) throws(StoreFailure) -> Int {
    try store.copy(to: database)
    let copied = try SQLiteServerStore(path: database)
    let target = try FolderBlobStore(path: folder)
    var (after, count): (UUID?, Int) = (nil, 0)
    while true {
      let page = try copied.blobs(after: after, limit: 500)
      guard let last = page.last else { return count }
      for reference in page {
        if try copy(reference, to: target) { count += 1 } else { try copied.forget(blob: reference.blob) }
        progress(count)
      }
      after = last.blob
    }
  }

  /// False: it is gone from the server too.
  private func copy(_ reference: BlobReference, to target: FolderBlobStore) throws(StoreFailure) -> Bool {
    guard let reader = try blobs.open(reference.blob) else {
      // Taken away since the database was copied: from the trash, or with its account.
      guard try store.named([reference.blob]).isEmpty else {
        throw StoreFailure(.damaged, "the blob \(reference.blob) is missing")
      }
      return false
    }
    guard reader.byteCount == reference.byteCount else {
      throw StoreFailure(.damaged, "the blob \(reference.blob) has another length than was stored")
    }
    if let there = try target.open(reference.blob) {
      guard there.byteCount == reference.byteCount else {
        throw StoreFailure(.damaged, "the copy has a blob \(reference.blob) of another length")
      }
      return true
    }
    let writer = try target.begin(copyOf: reference.blob)
    var buffer = [UInt8](repeating: 0, count: 1 << 17)
    var offset = 0
    while offset < reader.byteCount {
      let count = try ServerCheck.read(reader, into: &buffer, at: offset)
      guard count > 0 else { throw StoreFailure(.damaged, "the blob \(reference.blob) ends early") }
      let result = buffer.withUnsafeBytes { bytes in
        Result { () throws(StoreFailure) in try writer.write(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
      }
      try result.get()
      offset += count
    }
    _ = try writer.finish()
    return true
  }
}
