import Glibc
import SeifBytes
import SeifServerStore
import SeifServerTesting
import Testing

@Suite struct MemoryBlobStoreTests {
  @Test func aBlobIsThereOnlyOnceItIsFinished() throws {
    let store = MemoryBlobStore(now: { Timestamp(seconds: 5) })
    let (kept, dropped) = (store.begin(), store.begin())
    try [UInt8](repeating: 1, count: 24).withUnsafeBytes { try kept.write($0) }
    #expect(store.list(after: nil, limit: 9).isEmpty)
    let id = try kept.finish()
    dropped.abandon()
    #expect(store.list(after: nil, limit: 9).map(\.blob) == [id])
    #expect(store.open(id)?.byteCount == 24)
    store.remove(id)
    #expect(store.open(id) == nil)
  }
}
