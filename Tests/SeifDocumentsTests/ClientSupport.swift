import Glibc
import SeifBytes
import SeifCrypto
import SeifDocumentFormat
import SeifDocumentTesting
import Testing

@testable import SeifDocuments

/// A vault in memory or in a folder, with clients that each have a memory of their own.
final class Bench {
  let scratch: Scratch
  let clock = TestClock()
  let store: any DocumentStore

  init(inFolder: Bool = false) throws {
    scratch = try Scratch()
    let clock = clock
    store =
      inFolder
      ? try FolderDocumentStore.make(path: scratch.path("vault"), now: { clock.now })
      : MemoryDocumentStore(now: { clock.now })
    mkdir(scratch.path("out"), 0o700)
  }

  static func key(_ byte: UInt8 = 1) -> SecretBytes {
    SecretBytes(copying: SecretValue([UInt8](repeating: byte, count: 32)))
  }

  func create() throws -> DocumentVaultClient {
    let clock = clock
    return try DocumentVaultClient.create(
      store, masterKey: Self.key(), rows: [try row(1)], stateFolder: scratch.path("state-a"), now: { clock.now })
  }

  func open(_ who: String = "a", key: UInt8 = 1, store other: (any DocumentStore)? = nil) throws -> DocumentVaultClient
  {
    let clock = clock
    return try DocumentVaultClient.open(
      other ?? store, masterKey: Self.key(key), stateFolder: scratch.path("state-\(who)"), now: { clock.now })
  }

  var memory: MemoryDocumentStore { get throws { try #require(store as? MemoryDocumentStore) } }

  /// A file beside the vault.
  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    try scratch.write("in/\(name)", bytes)
    return scratch.path("in/\(name)")
  }

  func put(_ client: DocumentVaultClient, _ name: String, _ bytes: [UInt8], into parent: UUID? = nil) throws -> UUID {
    let report = try client.put([.path(file(name, bytes))], into: parent)
    #expect(report.refused.isEmpty)
    return try #require(report.added.first).id
  }

  func content(_ client: DocumentVaultClient, _ id: UUID) throws -> [UInt8] {
    var all: [UInt8] = []
    try client.read(id) { (piece) throws(DocumentError) in piece.withUnsafeBytes { all.append(contentsOf: $0) } }
    return all
  }
}

func bytes(_ count: Int, _ start: UInt8 = 0) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) &+ start }
}

/// The code of the failure, nil: none.
func failure(_ body: () throws -> Void) -> DocumentError.Code? {
  do { try body() } catch { return (error as? DocumentError)?.code }
  return nil
}
