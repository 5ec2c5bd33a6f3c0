import SeifBytes

/// What the reader takes has one canonical text, and reading that gives it again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = SecretValue([UInt8](UnsafeBufferPointer(start: start, count: count)))
  for policy in [JSONPolicy.strict, .foreign] {
    guard let document = try? JSONDocument(parsing: bytes, policy: policy) else { continue }
    let canonical = document.root.canonical
    guard let again = try? JSONDocument(parsing: canonical, policy: .strict) else {
      fatalError("canonical text refused")
    }
    guard again.root.canonical == canonical else { fatalError("canonical text isn't stable") }
  }
  return 0
}
