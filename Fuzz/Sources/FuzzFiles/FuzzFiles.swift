import SeifBytes
import SeifFormats

/// Every format looks at any bytes without trapping; what isn't sealed is opened whole.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = FormatInput(SecretValue([UInt8](UnsafeBufferPointer(start: start, count: count))))
  _ = FormatRegistry.identify(input)
  for format in FormatRegistry.formats {
    guard let file = try? format.readHeader(input, options: .standard) else { continue }
    _ = Inspection(file)
    if !file.header.isSealed { _ = try? file.open(passphrase: nil) }
  }
  return 0
}
