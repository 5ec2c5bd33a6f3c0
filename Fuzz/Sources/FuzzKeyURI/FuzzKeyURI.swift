import SeifBytes
import SeifOTP

/// What the reader takes is written so that reading it gives the same account.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = SecretValue([UInt8](UnsafeBufferPointer(start: start, count: count)))
  for dialect in [KeyURI.Dialect.backup, .list] {
    guard let uri = try? KeyURI(parsing: bytes, dialect: dialect) else { continue }
    let plain = KeyURI(issuer: uri.issuer, account: uri.account, parameters: uri.parameters)
    guard let again = try? KeyURI(parsing: plain.write()) else { fatalError("a written URI is refused") }
    guard again.parameters == uri.parameters, again.issuer.utf8.elementsEqual(uri.issuer.utf8),
      again.account.utf8.elementsEqual(uri.account.utf8)
    else { fatalError("a written URI says something else") }
    _ = try? OneTimePassword.code(uri.parameters, at: Timestamp(seconds: 1_700_000_000))
  }
  _ = try? URIList.parse(bytes)
  return 0
}
