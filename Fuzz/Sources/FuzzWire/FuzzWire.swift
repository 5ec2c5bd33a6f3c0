import SeifAgentTesting

// Of one process, as a fuzzer is; nothing else touches it.
nonisolated(unsafe) private var probe = WireProbe()

/// The agent's wire: requests, hellos and frames as the agent reads them, answers as a client does.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard probe != nil else { fatalError("no folder to listen in") }
  do {
    _ = try probe?.look(at: [UInt8](UnsafeBufferPointer(start: start, count: count)))
  } catch {
    fatalError(error.words)
  }
  return 0
}
