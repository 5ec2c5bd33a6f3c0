package import SeifBytes

/// Where sealed documents' bytes lie, each under a random name that says nothing: a folder, later an object store.
package protocol BlobStore: Sendable {
  /// Begins a blob that isn't there before it is finished.
  func begin() throws(StoreFailure) -> any BlobWriter
  /// Opens one for reading; nil: it isn't there.
  func open(_ blob: UUID) throws(StoreFailure) -> (any BlobReader)?
  /// Takes one away. One that is gone already is no failure.
  func remove(_ blob: UUID) throws(StoreFailure)
  /// Names of blobs that are there, in order, from the one after `after`; and when each was stored.
  func list(after: UUID?, limit: Int) throws(StoreFailure) -> [(blob: UUID, byteCount: Int, storedAt: Timestamp)]
}

/// A blob that is being written. One that isn't finished leaves nothing.
package protocol BlobWriter: AnyObject, Sendable {
  func write(_ piece: UnsafeRawBufferPointer) throws(StoreFailure)
  /// Makes it durable, whole and under its name.
  func finish() throws(StoreFailure) -> UUID
  /// Gives it up.
  func abandon()
}

/// A blob that is being read.
package protocol BlobReader: AnyObject, Sendable {
  var byteCount: Int { get }
  /// A descriptor of a file that holds the blob from its first byte, for sending it without copying, which the caller
  /// owns; nil: there is no such file.
  func duplicateDescriptor() -> Int32?
  /// Bytes from an offset on; fewer than fit only at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StoreFailure) -> Int
}
