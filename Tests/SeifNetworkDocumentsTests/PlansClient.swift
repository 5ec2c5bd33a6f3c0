import Glibc
import SeifBytes
import SeifHTTP
import SeifHTTPFields
import SeifHTTPServer
import SeifServer
import SeifServerTesting

/// The server itself in the place of a connection to it.
struct PlansClient: HTTPClient {
  let plans: VaultPlans

  func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    var body = request.body.map { $0.exposedBytes() } ?? []
    if let source = request.source {
      var piece = [UInt8](repeating: 0, count: 8191)
      while true {
        guard let count = piece.withUnsafeMutableBytes({ source.read(into: $0) }) else {
          throw .library("the body ended early")
        }
        guard count > 0 else { break }
        body += piece[..<count]
      }
    }
    var fields = request.fields + [HTTPField("Host", "localhost")]
    if case .bearer(let token) = request.authentication {
      fields.append(HTTPField("Authorization", "Bearer \(token.exposedText() ?? "")"))
    }
    let target = String(request.url.dropFirst("http://localhost".count))
    let parts = target.split(separator: "?", maxSplits: 1)
    let head = HTTPRequestHead(
      method: request.method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil, fields: fields,
      bodyByteCount: body.count)
    guard let plan = plans.plan(head)?.plan else { return HTTPResponse(status: 404) }
    let answer = PlanRunner.run(plan, body: body)
    let length = HTTPField("Content-Length", "\(answer.body.byteCount)")
    let bytes = request.method == "HEAD" ? [] : PlanRunner.bytes(answer.body)
    guard answer.status >= 300 || bytes.count <= request.limit else { throw .tooLarge }
    guard let sink = request.sink, answer.status < 300 else {
      return HTTPResponse(status: answer.status, fields: answer.fields + [length], body: SecretValue(bytes))
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(4099))
      guard piece.withUnsafeBytes({ sink.take($0) }) else { throw .broken("what came wasn't taken") }
      rest = rest.dropFirst(piece.count)
    }
    return HTTPResponse(status: answer.status, fields: answer.fields + [length])
  }
}

/// A client whose answers somebody else thinks up.
struct LyingClient: HTTPClient {
  let answer: @Sendable (HTTPRequest) -> HTTPResponse

  func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    let response = answer(request)
    if response.status < 300, let sink = request.sink {
      let bytes = response.body.exposedBytes()
      guard bytes.count <= request.limit else { throw .tooLarge }
      guard bytes.withUnsafeBytes({ sink.take($0) }) else { throw .broken("what came wasn't taken") }
      return HTTPResponse(status: response.status, fields: response.fields)
    }
    return response
  }
}
