import SeifBackups
import SeifBytes
import SeifHTTP
import SeifTransportTesting
import Synchronization

@testable import SeifNetworkTransports

/// A clock on which waiting takes no time, and is noted.
final class NoTime: Sendable {
  private let waits = Mutex<[Int]>([])
  /// The milliseconds that were waited.
  var waited: [Int] { waits.withLock { $0 } }
  var time: RetryingClient.Time {
    RetryingClient.Time(
      sleep: { milliseconds in self.waits.withLock { $0.append(milliseconds) } }, now: { 0 }, draw: { $0.upperBound })
  }
}

/// Makes transports as the registry does, but for the waiting.
func webDAV(
  _ url: String, user: String = "", password: String = "", conditional: Bool = true, time: NoTime = NoTime()
) throws(TransportError) -> WebDAVTransport {
  let settings = TransportSettings(
    name: "test", kind: "webdav", values: ["url": url, "user": user],
    secrets: ["password": SecretValue(utf8: password)], createsConditionally: conditional)
  let quick = try NetworkClient.make(
    settings, allowsHTTP: false, followsRedirects: true, retries: false)
  return try WebDAVTransport(
    settings, client: RetryingClient(quick, time: time.time), quickClient: quick)
}

func webDAV(_ server: ApacheDAV, _ url: String, conditional: Bool = true) throws(TransportError) -> WebDAVTransport {
  try webDAV(url, user: ApacheDAV.user, password: ApacheDAV.password, conditional: conditional)
}

func webDAV(_ server: RcloneWebDAV, _ url: String, conditional: Bool) throws(TransportError) -> WebDAVTransport {
  try webDAV(url, user: RcloneWebDAV.user, password: RcloneWebDAV.password, conditional: conditional)
}

/// Why something failed; nil: it didn't.
func refusal(_ body: () throws(TransportError) -> Void) -> TransportError? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}

/// Answers of a server as it would list things.
enum DAVText {
  static func listing(_ responses: [(href: String, properties: String)]) -> String {
    let parts = responses.map { response in
      "<d:response><d:href>\(response.href)</d:href><d:propstat><d:prop>\(response.properties)</d:prop>"
        + "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    }
    return "<?xml version=\"1.0\"?><d:multistatus xmlns:d=\"DAV:\">\(parts.joined())</d:multistatus>"
  }

  static let folder = "<d:resourcetype><d:collection/></d:resourcetype>"
  static func file(_ byteCount: Int) -> String {
    "<d:resourcetype/><d:getcontentlength>\(byteCount)</d:getcontentlength>"
  }

  static func reply(_ responses: [(href: String, properties: String)]) -> HTTPScript.Step {
    HTTPScript.reply("207 Multi-Status", ["Content-Type: application/xml"], listing(responses))
  }
}
