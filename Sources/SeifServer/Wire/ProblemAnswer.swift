internal import SeifBytes
package import SeifHTTPFields
internal import SeifHTTPServer

/// Answers as they leave the server, whatever they are about.
package enum WireAnswer {
  /// Nothing of an account may be stored on the way, guessed at, framed or read by another site.
  package static let fields = [
    HTTPField("Cache-Control", "no-store"),
    HTTPField("X-Content-Type-Options", "nosniff"),
    HTTPField("Cross-Origin-Resource-Policy", "same-origin"),
    HTTPField("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'"),
    HTTPField("Referrer-Policy", "no-referrer"),
  ]

  /// An answer with one JSON object.
  static func json(
    _ status: Int = 200, fields extra: [HTTPField] = [], _ body: (inout JSONWriter) -> Void
  ) -> HTTPAnswer {
    var writer = JSONWriter()
    writer.beginObject()
    body(&writer)
    writer.endObject()
    // EXPOSE: it is on its way to whom it is for.
    return HTTPAnswer(
      status, fields: fields + [HTTPField("Content-Type", "application/json")] + extra,
      body: .bytes(writer.finish().exposedBytes()))
  }

  /// A problem (RFC 9457): never a part of the request.
  ///
  /// - Parameter members: more of it.
  static func problem(
    _ status: Int, type: String, title: String, fields extra: [HTTPField] = [],
    members: (inout JSONWriter) -> Void = { _ in }
  ) -> HTTPAnswer {
    var json = JSONWriter()
    json.beginObject()
    json.member("type", "/problems/\(type)")
    json.member("title", title)
    json.member("status", status)
    members(&json)
    json.endObject()
    return HTTPAnswer(
      status, fields: fields + [HTTPField("Content-Type", "application/problem+json")] + extra,
      body: .bytes(json.finish().exposedBytes()))
  }

  static func answer(_ problem: AccountProblem) -> HTTPAnswer {
    var extra: [HTTPField] = problem.retryAfter.map { [HTTPField("Retry-After", String($0))] } ?? []
    if problem.kind == .notSignedIn { extra.append(HTTPField("WWW-Authenticate", "Bearer")) }
    return Self.problem(
      problem.kind.status, type: problem.kind.rawValue, title: problem.kind.title, fields: extra
    ) { if let word = problem.device?.rawValue { $0.member("error", word) } }
  }
}
