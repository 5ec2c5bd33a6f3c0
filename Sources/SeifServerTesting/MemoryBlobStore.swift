package import SeifBytes
internal import SeifCrypto
package import SeifServerStore
internal import Synchronization

/// Blobs in memory, for tests of what stands on them.
package final class MemoryBlobStore: BlobStore {
  private struct Blob {
    var bytes: [UInt8]
    var storedAt: Timestamp
  }

  private let blobs = Mutex<[UUID: Blob]>([:])
  private let now: @Sendable () -> Timestamp

  package init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

  package func begin() -> any BlobWriter { Writer(self) }

  package func open(_ blob: UUID) -> (any BlobReader)? { blobs.withLock { $0[blob] }.map { Reader($0.bytes) } }

  package func remove(_ blob: UUID) { blobs.withLock { $0[blob] = nil } }

  package func list(after: UUID?, limit: Int) -> [(blob: UUID, byteCount: Int, storedAt: Timestamp)] {
    blobs.withLock { blobs in
      blobs.keys.sorted { $0.description < $1.description }
        .filter { id in after.map { $0.description < id.description } ?? true }
        .prefix(limit).compactMap { id in blobs[id].map { (id, $0.bytes.count, $0.storedAt) } }
    }
  }

  private final class Writer: BlobWriter {
    private let store: MemoryBlobStore
    private let bytes = Mutex<[UInt8]>([])

    init(_ store: MemoryBlobStore) { self.store = store }

    func write(_ piece: UnsafeRawBufferPointer) { bytes.withLock { $0.append(contentsOf: piece) } }

    func finish() -> UUID {
      let id = RandomSource.system.makeUUID()
      let blob = Blob(bytes: bytes.withLock { $0 }, storedAt: store.now())
      store.blobs.withLock { $0[id] = blob }
      return id
    }

    func abandon() { bytes.withLock { $0 = [] } }
  }

  private final class Reader: BlobReader {
    private let bytes: [UInt8]
    var byteCount: Int { bytes.count }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func duplicateDescriptor() -> Int32? { nil }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
      let part = bytes.dropFirst(offset).prefix(buffer.count)
      buffer.copyBytes(from: part)
      return part.count
    }
  }
}
