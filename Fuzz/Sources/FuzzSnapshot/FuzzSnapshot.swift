import SeifVaultTesting

// Of one process, as a fuzzer is; nothing else touches it.
nonisolated(unsafe) private var probe = SnapshotProbe()

/// Snapshots of vaults (`.seifvault`), read without and with the key. SQLite itself isn't built for coverage, so what is
/// led by it is the reader on top of SQLite. Each run opens a database twice, so there are some 500 a second.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let probe else { fatalError("no vault to look at") }
  do {
    try probe.look(at: [UInt8](UnsafeBufferPointer(start: start, count: count)))
  } catch {
    fatalError(error.words)
  }
  return 0
}
